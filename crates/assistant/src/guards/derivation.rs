//! Runs the body of a function that a model wrote, and shows its steps as text.
//!
//! A body of plain assignments and one `return` at its end is laid open: the program runs the same lines at the top
//! level and prints each value, and the text says "name: expression = value" for each. Any other body runs as the
//! function it is, and its code is the derivation.

use crate::number::{Value, format_number};
use std::collections::BTreeMap;

/// Marks the lines that give the values of names.
const MARK: &str = "@";

/// What is run, and how to tell what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Derivation {
    steps: Vec<Step>,
    /// The program, for the sandbox and for people.
    pub(super) program: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    name: String,
    expression: String,
}

impl Derivation {
    /// Of a body that is indented as in a function.
    pub(super) fn new(body: &str) -> Self {
        match steps(body) {
            Some(steps) => Self {
                program: lines(&steps),
                steps,
            },
            None => Self {
                program: format!(
                    "def solution():\n{}\n\nanswer = solution()",
                    body.trim_end()
                ),
                steps: Vec::new(),
            },
        }
    }

    /// The program with its values printed.
    pub(super) fn told(&self) -> String {
        let mut program = self.program.clone();
        for Step { name, .. } in &self.steps {
            program += &format!("\nprint(\"{MARK}{name}\", {name})");
        }
        program
    }

    /// A name that is given a value and never used: the program forgot what it set out to do.
    pub(super) fn idle_name(&self) -> Option<&str> {
        let used = |name: &str, step: &Step| words(&step.expression).any(|word| word == name);
        let idle = |(i, step): &(usize, &Step)| {
            step.name != "answer"
                && !self.steps[i + 1..]
                    .iter()
                    .any(|later| used(&step.name, later))
        };
        let (_, step) = self.steps.iter().enumerate().find(idle)?;
        Some(&step.name)
    }

    /// The steps in words, from what the program printed; the code where there are none.
    pub(super) fn text(&self, stdout: &str, value: &Value) -> String {
        let values: BTreeMap<&str, Value> = stdout.lines().filter_map(valued).collect();
        let shown: Vec<String> = self
            .steps
            .iter()
            .filter(|step| step.name != "answer" || step.expression.contains([' ', '(']))
            .filter_map(|step| line(step, &values))
            .collect();
        let answer = format!("The answer is **{}**.", format_number(value));
        if shown.is_empty() {
            return format!("```python\n{}\n```\n\n{answer}", self.program);
        }
        format!("Step by step:\n{}\n\n{answer}", shown.join("\n"))
    }
}

/// The assignments of a body, its `return` as the last; nothing if it is more than that.
fn steps(body: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut lines = body.trim_end().lines().peekable();
    while let Some(line) = lines.next() {
        let line = line.strip_prefix("    ").unwrap_or(line);
        let code = line.split('#').next().unwrap_or("").trim_end();
        if code.is_empty() {
            continue;
        }
        if let Some(expression) = code.strip_prefix("return ") {
            let last = lines.peek().is_none() && is_whole(expression);
            steps.push(Step {
                name: "answer".into(),
                expression: expression.trim().into(),
            });
            return last.then_some(steps);
        }
        let (name, expression) = code.split_once(" = ")?;
        if !is_name(name) || !is_whole(expression) {
            return None;
        }
        steps.push(Step {
            name: name.into(),
            expression: expression.trim().into(),
        });
    }
    None
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && chars.all(|c| c.is_ascii_alphanumeric() || c == '_') && text != "answer"
}

/// Whether an expression ends on its line, and is plain arithmetic: no text, no list, no assignment inside.
fn is_whole(expression: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_+-*/%(). ,".contains(c);
    let open = expression.matches('(').count();
    expression.chars().all(plain) && open == expression.matches(')').count()
}

fn lines(steps: &[Step]) -> String {
    let lines: Vec<String> = steps
        .iter()
        .map(|step| format!("{} = {}", step.name, step.expression))
        .collect();
    lines.join("\n")
}

/// `@name 12.5`
fn valued(line: &str) -> Option<(&str, Value)> {
    let (name, value) = line.strip_prefix(MARK)?.split_once(' ')?;
    Some((name, Value::parse(value)?))
}

fn line(step: &Step, values: &BTreeMap<&str, Value>) -> Option<String> {
    let value = format_number(values.get(step.name.as_str())?);
    let name = step.name.replace('_', " ");
    let expression = with_values(&step.expression, values);
    Some(if expression == value || !expression.contains(' ') {
        format!("- {}: {value}", name.trim())
    } else {
        format!("- {}: {expression} = {value}", name.trim())
    })
}

/// The expression with its names replaced by their values, and signs as people write them.
fn with_values(expression: &str, values: &BTreeMap<&str, Value>) -> String {
    let mut out = String::new();
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        if is_word(first) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            match values.get(word) {
                Some(value) => out += &format_number(value),
                None => out += word,
            }
            rest = &rest[end..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out.replace("**", "^").replace('*', "×")
}

fn words(expression: &str) -> impl Iterator<Item = &str> {
    expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str =
        "    pens = 4 * 3\n    # the books\n    books = 2 * 11\n    return pens + books\n";

    #[test]
    fn plain_steps_are_laid_open_and_told() {
        let derivation = Derivation::new(BODY);
        assert_eq!(
            derivation.program,
            "pens = 4 * 3\nbooks = 2 * 11\nanswer = pens + books"
        );
        assert!(derivation.told().ends_with("print(\"@answer\", answer)"));
        assert_eq!(derivation.idle_name(), None);
        assert_eq!(
            derivation.text("@pens 12\n@books 22\n@answer 34\n", &34.0.into()),
            "Step by step:\n- pens: 4 × 3 = 12\n- books: 2 × 11 = 22\n- answer: 12 + 22 = 34\n\nThe answer is **34**."
        );
    }

    #[test]
    fn any_other_body_runs_as_a_function() {
        for body in [
            "    if True:\n        return 3",
            "    x = [1,\n      2]\n    return sum(x)",
            "    return 1\n    return 2",
            "    x = 'text'\n    return 3",
            "    print(3)",
        ] {
            let derivation = Derivation::new(body);
            assert!(
                derivation.program.starts_with("def solution():\n"),
                "{body}"
            );
            assert!(
                derivation.text("", &3.0.into()).contains("```python\ndef"),
                "{body}"
            );
        }
    }

    #[test]
    fn a_name_that_nothing_uses_is_seen() {
        let derivation = Derivation::new("    price = 3\n    count = 4\n    return count * 2");
        assert_eq!(derivation.idle_name(), Some("price"));
    }
}
