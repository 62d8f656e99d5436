//! Class 7, counting misidentification: a combinatorial count is flagged, and compared with brute force where that runs.
//!
//! Nothing is rewritten. A small model that names the wrong sequence also writes working code for it, so the program it
//! is asked for must enumerate the objects themselves for small sizes.

use super::{program, with_note};
use crate::{
    Action, Desk, Guard, Program, Turn, Verdict,
    detect::{
        Finding,
        counting::{self, Claims},
    },
    number::numbers,
};
use reckon_engine::Message;

const NOTE: &str = include_str!("prompts/counting.txt");

const VERIFY: &str = "a combinatorial count: verify it by hand";

/// Flags combinatorial counts.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

impl Guard for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        counting::look(turn.question(), turn.answer)
    }

    fn may_revise(&self, _: &[Message]) -> bool {
        false
    }

    fn act(&self, turn: &Turn<'_>, desk: &mut Desk<'_>) -> Action {
        let claims = counting::claims(turn.answer);
        if claims.values.is_empty() && claims.terms.is_empty() {
            return Action::plain(Verdict::Flagged(VERIFY.into()));
        }
        let messages = with_note(turn.messages, NOTE.trim_end());
        let Some(text) = program::written(desk, messages, "") else {
            return Action::plain(Verdict::Flagged(VERIFY.into()));
        };
        let text = program::completed(&text);
        let outcome = desk.python(&text);
        let counts = outcome.value.as_deref().map(counts).unwrap_or_default();
        Action {
            verdict: Verdict::Flagged(compared(&claims, &counts)),
            program: Some(Program { text, outcome }),
            value: None,
        }
    }
}

/// The counts for sizes 1, 2, 3 … that a program came to.
fn counts(value: &str) -> Vec<f64> {
    numbers(value).iter().map(|found| found.value).collect()
}

fn compared(claims: &Claims, counts: &[f64]) -> String {
    let shown = |values: &[f64]| {
        let texts: Vec<String> = values.iter().map(|value| format!("{value:.0}")).collect();
        texts.join(", ")
    };
    if counts.len() < 3 {
        return VERIFY.into();
    }
    let counted = |n: u32| counts.get(usize::try_from(n).ok()?.checked_sub(1)?);
    for &(n, claimed) in &claims.values {
        if let Some(&count) = counted(n)
            && count != claimed as f64
        {
            return format!(
                "{VERIFY}; for n = {n} the answer says {claimed}, trying all cases gives {count:.0}"
            );
        }
    }
    let terms: Vec<f64> = claims.terms.iter().map(|&term| term as f64).collect();
    // The answer may begin its sequence at size 0 or 1.
    let agree = |skipped: usize| {
        let pairs = terms.iter().skip(skipped).zip(counts);
        pairs.clone().count() >= 3 && pairs.clone().all(|(a, b)| a == b)
    };
    if terms.is_empty() || agree(0) || agree(1) {
        return format!("{VERIFY}; trying all cases gives {}", shown(counts));
    }
    format!(
        "{VERIFY}; the answer says {}, trying all cases gives {}",
        shown(&terms),
        shown(counts)
    )
}
