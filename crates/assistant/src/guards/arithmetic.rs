//! Class 1, arithmetic drift: where the answer is a number, a program has to come to the same one.
//!
//! The model has answered; now it writes a function for the same question, and the sandbox runs it. If both agree, the
//! answer stands, confirmed. If they differ, the function's value ships, with its steps as the derivation: what is
//! computed can be inspected, and no third text is needed. A function that fails, or whose value is not one finite
//! number that could be the answer, changes nothing. What else was tried: docs/guard-prompts.md.

use super::{constraints::lost, derivation::Derivation, program, question};
use crate::{
    Action, Guard, GuardBudget, Program, Turn, Verdict, check,
    detect::{Finding, arithmetic, counting},
    number::{Found, Value, candidates, decimals_asked, format_number},
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

    fn act(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        let messages = program::with_examples(SHOTS, turn.messages);
        let beginning = format!("{HEAD}    {}\n", docstring(turn.question()));
        let Some(text) = program::generate_program(budget, messages, &beginning) else {
            return Action::kept("no program");
        };
        let derivation = Derivation::new(&text);
        let outcome = budget.python(&derivation.told());
        let value = outcome.value.as_deref().and_then(program::number);
        let verdict = match &value {
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

fn verdict(turn: &Turn<'_>, derivation: &Derivation, stdout: &str, value: &Value) -> Verdict {
    let claims = candidates(turn.question(), turn.answer);
    let decimals = decimals_asked(turn.question());
    let agrees = |claim: &Found| claim.is_to(value, decimals);
    let shown = format_number(value);
    if !claims.is_empty() && claims.iter().all(agrees) {
        return Verdict::Confirmed(format!("a program gives {shown} too"));
    }
    // Among several numbers nobody knows which one is meant: neither confirmed nor replaced.
    if claims.iter().any(agrees) {
        return Verdict::Kept(format!("it is not clear whether the answer says {shown}"));
    }
    if let Some(why) = doubt(turn.question(), derivation, value) {
        return Verdict::Kept(why);
    }
    let texts = [derivation.text(stdout, value), shown.clone()];
    let found = check::find(turn.question());
    let kept = |text: &String| lost(&found, turn.answer, text).is_none();
    match texts.into_iter().find(kept) {
        Some(text) => Verdict::Revised {
            text,
            reason: format!("a program gives {shown}"),
        },
        None => Verdict::Kept("the computed answer would break a requirement".into()),
    }
}

/// Why a value is not trusted over the answer.
fn doubt(question: &str, derivation: &Derivation, value: &Value) -> Option<String> {
    let counted = question.to_lowercase().contains("how many");
    if !value.is_positive() {
        return Some(format!("the program came to {}", format_number(value)));
    }
    if counted && !value.is_whole() {
        return Some(format!("{} is no count", format_number(value)));
    }
    let idle = derivation.idle_name()?;
    Some(format!("the program does not use its own `{idle}`"))
}
