//! Class 1, arithmetic drift: where the answer is a number, a program has to come to the same one.
//!
//! The model has answered; now it writes a function for the same question, and the sandbox runs it. If both agree, the
//! answer stands, confirmed. If they differ, the function's value ships, with its steps as the derivation: what is
//! computed can be inspected, and no third text is needed. A function that fails, or whose value is not one finite
//! number that could be the answer, changes nothing. What else was tried: docs/guard-prompts.md.

use super::{constraints::lost, derivation::Derivation, program, question, shots};
use crate::{
    Action, Desk, Guard, Program, Turn, Verdict, check,
    detect::{Finding, arithmetic, counting},
    number::{claimed, written},
};
use reckon_engine::Message;

const SHOTS: &str = include_str!("prompts/arithmetic.txt");

const HEAD: &str = "def solution():\n";

/// Computes what the answer claims.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic;

impl Guard for Arithmetic {
    fn name(&self) -> &str {
        "arithmetic"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        evidence(turn.question())
    }

    fn may_revise(&self, messages: &[Message]) -> bool {
        evidence(question(messages)).is_some()
    }

    fn act(&self, turn: &Turn<'_>, desk: &mut Desk<'_>) -> Action {
        let messages = shots::before(SHOTS, turn.messages);
        let beginning = format!("{HEAD}    {}\n", docstring(turn.question()));
        let Some(text) = program::written(desk, messages, &beginning) else {
            return Action::kept("no program");
        };
        let derivation = Derivation::new(&text);
        let outcome = desk.python(&derivation.told());
        let value = outcome.value.as_deref().and_then(program::number);
        let verdict = match value {
            Some(value) => verdict(turn, &derivation, &outcome.stdout, value),
            None => Verdict::Kept("the program came to no number".into()),
        };
        Action {
            verdict,
            program: Some(Program {
                text: derivation.program,
                outcome,
            }),
            value,
        }
    }
}

/// The question as the function's own description: a model keeps closer to what stands right above its code.
fn docstring(question: &str) -> String {
    let plain = question.trim().replace("\"\"\"", "'").replace("```", "'");
    format!("\"\"\"{plain}\"\"\"")
}

/// A number is asked for. Combinatorial counts have a guard of their own; puzzles are left out by the detector.
fn evidence(question: &str) -> Option<Finding> {
    if counting::look(question, "").is_some() {
        return None;
    }
    arithmetic::look(question, "")
}

fn verdict(turn: &Turn<'_>, derivation: &Derivation, stdout: &str, value: f64) -> Verdict {
    let claim = claimed(turn.answer);
    if claim.is_some_and(|claim| claim.is(value)) {
        return Verdict::Confirmed(format!("a program gives {} too", written(value)));
    }
    if let Some(why) = doubt(turn.question(), derivation, value) {
        return Verdict::Kept(why);
    }
    let texts = [derivation.text(stdout, value), written(value)];
    let found = check::find(turn.question());
    let kept = |text: &String| lost(&found, turn.answer, text).is_none();
    match texts.into_iter().find(kept) {
        Some(text) => Verdict::Revised {
            text,
            reason: format!("a program gives {}", written(value)),
        },
        None => Verdict::Kept("the computed answer would break a requirement".into()),
    }
}

/// Why a value is not trusted over the answer.
fn doubt(question: &str, derivation: &Derivation, value: f64) -> Option<String> {
    let counted = question.to_lowercase().contains("how many");
    if value <= 0.0 {
        return Some(format!("the program came to {}", written(value)));
    }
    if counted && value != value.trunc() {
        return Some(format!("{} is no count", written(value)));
    }
    let idle = derivation.idle_name()?;
    Some(format!("the program does not use its own `{idle}`"))
}
