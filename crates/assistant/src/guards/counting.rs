//! Class 7, counting misidentification: a combinatorial count is flagged, and compared with brute force where that runs.
//!
//! Nothing is rewritten. A small model that names the wrong sequence also writes working code for it, so the program it
//! is asked for must enumerate the objects themselves for small sizes.

use super::{program, with_note};
use crate::{
    Action, CheckLevel, Guard, GuardBudget, Mark, MarkState, Program, Turn, Verdict,
    detect::{
        Finding,
        counting::{self, Claims},
    },
    jury::Shown,
    number::numbers,
};
use num_bigint::BigInt;
use reckon_compute::direct;
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
        // What can be computed is not only flagged: the guard before this one has done so.
        if direct::compute(&turn.earlier(), turn.question()).is_some() {
            return None;
        }
        counting::look(turn.question(), turn.answer)
    }

    fn may_revise(&self, _: &[Message]) -> bool {
        false
    }

    fn act(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        let claims = counting::claims(turn.answer);
        let flag = || Action::plain(Verdict::Flagged(VERIFY.into())).mark(Mark::unchecked(VERIFY));
        let nothing = claims.values.is_empty() && claims.terms.is_empty();
        if nothing || budget.level() < CheckLevel::Quick {
            return flag();
        }
        let shown = Shown {
            messages: with_note(turn.messages, NOTE.trim_end()),
            fixed: 0,
        };
        let Some(text) = program::generate_program(budget, shown, "") else {
            return flag();
        };
        let text = program::completed(&text);
        let outcome = budget.python(&text);
        let counts = outcome.value.as_deref().map(counts).unwrap_or_default();
        let (state, why) = compared(&claims, &counts);
        Action::plain(Verdict::Flagged(why.clone()))
            .program(Program { text, outcome })
            .mark(Mark::new(state, why))
    }
}

/// The counts for sizes 1, 2, 3 … that a program came to.
fn counts(value: &str) -> Vec<BigInt> {
    let whole = numbers(value)
        .into_iter()
        .filter(|found| found.value.is_integer());
    whole.map(|found| found.value.to_integer()).collect()
}

/// What brute force says of the claims. Agreement in small sizes is no proof: the model that names the wrong sequence
/// also writes the program.
fn compared(claims: &Claims, counts: &[BigInt]) -> (MarkState, String) {
    use MarkState::{Doubtful, Unchecked};
    let shown = |values: &[BigInt]| {
        let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
        texts.join(", ")
    };
    if counts.len() < 3 {
        return (Unchecked, VERIFY.into());
    }
    let counted = |n: u32| counts.get(usize::try_from(n).ok()?.checked_sub(1)?);
    for &(n, claimed) in &claims.values {
        if let Some(count) = counted(n)
            && *count != BigInt::from(claimed)
        {
            let why = format!(
                "{VERIFY}; for n = {n} the answer says {claimed}, trying all cases gives {count}"
            );
            return (Doubtful, why);
        }
    }
    let terms: Vec<BigInt> = claims.terms.iter().map(|&term| term.into()).collect();
    // The answer may begin its sequence at size 0 or 1.
    let agree = |skipped: usize| {
        let pairs = terms.iter().skip(skipped).zip(counts);
        pairs.clone().count() >= 3 && pairs.clone().all(|(a, b)| a == b)
    };
    if terms.is_empty() || agree(0) || agree(1) {
        let why = format!("{VERIFY}; trying all cases gives {}", shown(counts));
        return (Unchecked, why);
    }
    let (said, tried) = (shown(&terms), shown(counts));
    let why = format!("{VERIFY}; the answer says {said}, trying all cases gives {tried}");
    (Doubtful, why)
}
