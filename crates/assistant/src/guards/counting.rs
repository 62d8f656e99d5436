//! Class 7, counting misidentification: a combinatorial count is flagged, and compared with brute force where that runs.
//!
//! Nothing is rewritten. A small model that names the wrong sequence also writes working code for it, so the program it
//! is asked for must enumerate the objects themselves for small sizes.

use super::{program, with_note};
use crate::{
    Action, Guard, GuardBudget, Program, Turn, Verdict,
    detect::{
        Finding,
        counting::{self, Claims},
    },
    number::numbers,
};
use num_bigint::BigInt;
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

    fn act(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        let claims = counting::claims(turn.answer);
        if claims.values.is_empty() && claims.terms.is_empty() {
            return Action::plain(Verdict::Flagged(VERIFY.into()));
        }
        let messages = with_note(turn.messages, NOTE.trim_end());
        let Some(text) = program::generate_program(budget, messages, "") else {
            return Action::plain(Verdict::Flagged(VERIFY.into()));
        };
        let text = program::completed(&text);
        let outcome = budget.python(&text);
        let counts = outcome.value.as_deref().map(counts).unwrap_or_default();
        Action {
            verdict: Verdict::Flagged(compared(&claims, &counts)),
            program: Some(Program { text, outcome }),
            value: None,
        }
    }
}

/// The counts for sizes 1, 2, 3 … that a program came to.
fn counts(value: &str) -> Vec<BigInt> {
    let whole = numbers(value)
        .into_iter()
        .filter(|found| found.value.is_integer());
    whole.map(|found| found.value.to_integer()).collect()
}

fn compared(claims: &Claims, counts: &[BigInt]) -> String {
    let shown = |values: &[BigInt]| {
        let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
        texts.join(", ")
    };
    if counts.len() < 3 {
        return VERIFY.into();
    }
    let counted = |n: u32| counts.get(usize::try_from(n).ok()?.checked_sub(1)?);
    for &(n, claimed) in &claims.values {
        if let Some(count) = counted(n)
            && *count != BigInt::from(claimed)
        {
            return format!(
                "{VERIFY}; for n = {n} the answer says {claimed}, trying all cases gives {count}"
            );
        }
    }
    let terms: Vec<BigInt> = claims.terms.iter().map(|&term| term.into()).collect();
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
