//! Class 1, arithmetic drift: where the answer is a number, a program has to come to the same one.
//!
//! The model has answered; now it writes a short program for the same question, and the sandbox runs it. If both agree,
//! the answer stands, confirmed. If they differ, the program's value ships, with the program as its derivation: what is
//! computed can be inspected, and no third text is needed. A program that fails, or whose value is not one finite
//! number, changes nothing.

use super::{constraints::lost, program, question, with_note};
use crate::{
    Action, Desk, Errand, Evidence, Guard, Program, Turn, Verdict, check,
    detect::{arithmetic, counting, logic},
    number::{claimed, written},
};
use reckon_engine::Message;

const NOTE: &str = include_str!("prompts/arithmetic.txt");

/// Longest program that is waited for.
const MOST_TOKENS: usize = 400;

/// Computes what the answer claims.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic;

impl Guard for Arithmetic {
    fn name(&self) -> &str {
        "arithmetic"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Evidence> {
        evidence(turn.question())
    }

    fn may_revise(&self, messages: &[Message]) -> bool {
        evidence(question(messages)).is_some()
    }

    fn act(&self, turn: &Turn<'_>, desk: &mut Desk<'_>) -> Action {
        let errand = Errand {
            messages: with_note(turn.messages, NOTE.trim_end()),
            prefix: "```python\n".into(),
            max_tokens: Some(MOST_TOKENS),
            greedy: true,
            until: Some("```"),
            ..Errand::default()
        };
        let Some(text) = desk.generate(errand) else {
            return Action::kept("no program");
        };
        let text = program::taken(&text).to_owned();
        let outcome = desk.python(&text);
        let value = outcome.value.as_deref().and_then(program::number);
        let verdict = match value {
            Some(value) => verdict(turn, &text, value),
            None => Verdict::Kept("the program came to no number".into()),
        };
        Action {
            verdict,
            program: Some(Program { text, outcome }),
            value,
        }
    }
}

/// A number is asked for. Puzzles and combinatorial counts have guards of their own.
fn evidence(question: &str) -> Option<Evidence> {
    if logic::look(question, "").is_some() || counting::look(question, "").is_some() {
        return None;
    }
    arithmetic::look(question, "").map(Evidence::from)
}

fn verdict(turn: &Turn<'_>, program: &str, value: f64) -> Verdict {
    let claim = claimed(turn.answer);
    if claim.is_some_and(|claim| claim.is(value)) {
        return Verdict::Confirmed(format!("a program gives {} too", written(value)));
    }
    let Some(text) = composed(turn, program, value) else {
        return Verdict::Kept("the computed answer would break a requirement".into());
    };
    Verdict::Revised {
        text,
        reason: format!("a program gives {}", written(value)),
    }
}

/// The value with its program, or bare where the question wants it so.
fn composed(turn: &Turn<'_>, program: &str, value: f64) -> Option<String> {
    let written = written(value);
    let whole =
        format!("**{written}**\n\nComputed with this program:\n\n```python\n{program}\n```");
    let found = check::find(turn.question());
    [whole, written]
        .into_iter()
        .find(|text| lost(&found, turn.answer, text).is_none())
}
