//! Programs that a model writes for a guard: the examples that it sees first, the one generation, and the number that a
//! program came to.
//!
//! A prompt file of `guards/prompts` is a row of messages, each begun by a line `=== system`, `=== user` or
//! `=== assistant`. The program is written behind an opened code fence and ends with it.

use crate::{
    GuardBudget, GuardRequest,
    jury::Shown,
    number::{Value, numbers},
};
use num_traits::Zero;
use reckon_engine::{Message, Role};

/// Longest program that is waited for, in tokens.
const MOST_TOKENS: usize = 400;

const FENCE: &str = "```";

/// The guard's one generation, spent on a program that begins so; what follows the beginning comes back.
pub(super) fn generate_program(
    budget: &mut GuardBudget<'_>,
    shown: Shown,
    beginning: &str,
) -> Option<String> {
    let text = budget.generate(GuardRequest {
        messages: shown.messages,
        fixed: shown.fixed,
        prefix: format!("{FENCE}python\n{beginning}"),
        max_tokens: Some(MOST_TOKENS),
        greedy: true,
        until: Some(FENCE),
        ..GuardRequest::default()
    })?;
    Some(text.trim_matches('\n').to_owned())
}

/// The messages of a prompt file, then the conversation without its own standing instructions.
pub(super) fn with_examples(file: &str, conversation: &[Message]) -> Shown {
    let said = conversation
        .iter()
        .filter(|message| message.role != Role::System);
    let mut messages: Vec<Message> = messages(file).collect();
    let fixed = messages.len();
    messages.extend(said.cloned());
    Shown { messages, fixed }
}

fn messages(file: &str) -> impl Iterator<Item = Message> {
    file.split("=== ").filter_map(|part| {
        let (role, text) = part.split_once('\n')?;
        let role = match role {
            "system" => Role::System,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return None,
        };
        Some(Message::new(role, text.trim_end()))
    })
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

/// The one number that a value is, as Python writes values: a number, a fraction, a decimal, a text or a list that holds
/// one number.
pub(super) fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    if text.parse::<f64>().is_ok() {
        return Value::parse(text);
    }
    if let Some(inside) = text.strip_prefix("Fraction(") {
        let (a, b) = inside.trim_end_matches(')').split_once(',')?;
        return match (Value::parse(a)?, Value::parse(b)?) {
            (Value::Exact(a), Value::Exact(b)) if !b.is_zero() => Some(Value::Exact(a / b)),
            _ => None,
        };
    }
    match numbers(text).as_slice() {
        [one] => Some(Value::Exact(one.value.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::format_number;

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
        let is = |text, value: f64| {
            number(text).is_some_and(|found| format_number(&found) == format_number(&value.into()))
        };
        assert!(is("70000.0", 70000.0));
        assert!(is("Fraction(1, 4)", 0.25));
        assert!(is("Decimal('2.50')", 2.5));
        assert!(is("'$1,250.75 in all'", 1250.75));
        assert!(is("[42]", 42.0));
        assert_eq!(number("4420068972"), Value::parse("4420068972"));
        for none in [
            "1e+22",
            "Fraction(1, 0)",
            "nan",
            "inf",
            "True",
            "None",
            "[1, 2]",
            "{}",
            "",
            "'three'",
        ] {
            assert_eq!(number(none), None, "{none}");
        }
    }

    #[test]
    fn a_file_becomes_messages_and_the_conversation_follows() {
        let say = |role, text: &str| Message::new(role, text);
        let asked = [say(Role::System, "be brief"), say(Role::User, "how many?")];
        let file = "=== system\ndo so\n=== user\nq\n=== assistant\n```\na = 1\n```\n";
        let shown = with_examples(file, &asked);
        assert_eq!(
            shown.messages,
            [
                say(Role::System, "do so"),
                say(Role::User, "q"),
                say(Role::Assistant, "```\na = 1\n```"),
                say(Role::User, "how many?"),
            ]
        );
        assert_eq!(shown.fixed, 3, "nothing that the person said");
    }
}
