//! A program that a model writes for a guard, and the number that it came to.

use crate::{Desk, Errand, number::numbers};
use reckon_engine::Message;

/// Longest program that is waited for, in tokens.
const MOST_TOKENS: usize = 400;

const FENCE: &str = "```";

/// The guard's one generation, spent on a program that begins so; what follows the beginning comes back.
pub(super) fn written(
    desk: &mut Desk<'_>,
    messages: Vec<Message>,
    beginning: &str,
) -> Option<String> {
    let text = desk.generate(Errand {
        messages,
        prefix: format!("{FENCE}python\n{beginning}"),
        max_tokens: Some(MOST_TOKENS),
        greedy: true,
        until: Some(FENCE),
        ..Errand::default()
    })?;
    Some(text.trim_matches('\n').to_owned())
}

/// The program with its result in `answer`, where the model named it otherwise: a function `solution` that nobody calls,
/// or a last assignment under another name.
pub(super) fn completed(program: &str) -> String {
    let top: Vec<&str> = program
        .lines()
        .filter(|line| {
            !line.trim().is_empty() && !line.starts_with([' ', '\t', '#', ')', ']', '}'])
        })
        .collect();
    let assigned = |line: &str| {
        let (name, rest) = line.split_once('=')?;
        let name = name.trim_end_matches(['+', '-', '*', '/']).trim();
        let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        (plain && !rest.starts_with('=')).then(|| name.to_owned())
    };
    let names: Vec<String> = top.iter().filter_map(|line| assigned(line)).collect();
    if names.iter().any(|name| name == "answer" || name == "ans") {
        return program.to_owned();
    }
    let last = top.last().copied().unwrap_or("");
    if let Some(name) = assigned(last) {
        return format!("{program}\nanswer = {name}");
    }
    if last.starts_with("def solution(") {
        return format!("{program}\nanswer = solution()");
    }
    program.to_owned()
}

/// The one finite number that a value is, as Python writes values: a number, a fraction, a decimal, a text or a list
/// that holds one number.
pub(super) fn number(value: &str) -> Option<f64> {
    let value = value.trim();
    if let Ok(number) = value.replace('_', "").parse::<f64>() {
        return number.is_finite().then_some(number);
    }
    if let Some(inside) = value.strip_prefix("Fraction(") {
        let (a, b) = inside.trim_end_matches(')').split_once(',')?;
        let (a, b): (f64, f64) = (a.trim().parse().ok()?, b.trim().parse().ok()?);
        return (b != 0.0).then_some(a / b);
    }
    match numbers(value).as_slice() {
        [one] if one.value.is_finite() => Some(one.value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_get_the_name_that_is_read() {
        assert_eq!(
            completed("a = 1\nb = a + 1"),
            "a = 1\nb = a + 1\nanswer = b"
        );
        assert_eq!(completed("a = 1\nanswer = a"), "a = 1\nanswer = a");
        assert_eq!(completed("a = 1\nprint(a)"), "a = 1\nprint(a)");
        assert_eq!(completed("a = 1\na == 1"), "a = 1\na == 1");
        assert_eq!(
            completed("def solution():\n    return 3\n"),
            "def solution():\n    return 3\n\nanswer = solution()"
        );
        assert_eq!(completed(""), "");
    }

    #[test]
    fn values_are_one_finite_number_or_none() {
        assert_eq!(number("70000.0"), Some(70000.0));
        assert_eq!(number("Fraction(1, 4)"), Some(0.25));
        assert_eq!(number("Decimal('2.50')"), Some(2.5));
        assert_eq!(number("'$1,250.75 in all'"), Some(1250.75));
        assert_eq!(number("[42]"), Some(42.0));
        for none in ["nan", "inf", "True", "None", "[1, 2]", "{}", "", "'three'"] {
            assert_eq!(number(none), None, "{none}");
        }
    }
}
