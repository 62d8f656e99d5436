//! Carries the corrected results of false equations forward to the result of the answer.
//!
//! The answer's reasoning is taken as it is; only its arithmetic is redone. That can be told only if every number of
//! the equations behind the first false one is known to come from the question or from an earlier equation, and if the
//! answer's result is what the last equation claims. Else nothing is returned.

use super::{
    bounded,
    expression::{Literal, meant},
    reading::{self, Link},
};
use crate::number::{self, Found};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;

/// Words of an answer that takes something back: which of its equations count cannot be told.
const TAKEN_BACK: &[&str] = &[
    "wait",
    "mistake",
    "correction",
    "correct this",
    "apologize",
    "apologies",
    "sorry",
    "let's recalculate",
    "recheck",
    "re-evaluate",
    "incorrect",
    "oops",
];

/// What the answer should come to if its equations are computed rightly.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The result as the answer states it.
    pub was: Found,
    /// The exact value that its equations give.
    pub value: BigRational,
}

/// A claim that is false, or depends on a false one, and what it should have been.
struct Corrected {
    was: BigRational,
    value: BigRational,
}

/// The value that the answer's last equation should give if the false ones before it, or it itself, are recomputed.
/// Nothing if all equations hold, or if it cannot be told.
pub fn repaired_result(answer: &str, question: &str) -> Option<Repaired> {
    let answer = bounded(answer);
    let mut links = reading::links(answer);
    // The sides of a chain all come to the same claim; the first is what the others were made of.
    links.dedup_by(|later, first| later.equation.claimed.span == first.equation.claimed.span);
    let first = links.iter().position(|link| !link.equation.holds())?;
    let lower = answer.to_lowercase();
    if TAKEN_BACK.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let given = number::numbers(question);
    let is_given = |value: &BigRational| given.iter().any(|known| known.value == *value);
    let mut corrected: Vec<Corrected> = Vec::new();
    for (at, link) in links.iter().enumerate().skip(first) {
        let value = recomputed(link, &corrected)?;
        let claimed = &link.equation.claimed.value;
        let right = super::Equation {
            actual: value.clone(),
            ..link.equation.clone()
        };
        let known = |literal: &Literal| {
            is_given(&literal.value) || is_small(literal) || claimed_before(&links[..at], literal)
        };
        if !corrected.is_empty() && !link.node.literals().into_iter().all(known) {
            return None;
        }
        if right.holds() {
            continue;
        }
        // A number that is also something else: which of the two a later equation means cannot be told.
        let other = corrected
            .iter()
            .any(|one| one.was == *claimed && one.value != value);
        let right_elsewhere = links
            .iter()
            .any(|one| one.equation.claimed.value == *claimed && one.equation.holds());
        let last = at + 1 == links.len();
        if !last && (other || is_given(claimed) || right_elsewhere) {
            return None;
        }
        corrected.push(Corrected {
            was: claimed.clone(),
            value,
        });
    }
    let last = &links.last()?.equation;
    let repaired = corrected.last()?;
    let was = result(answer, question, &last.claimed)?;
    if repaired.was != was.value || last.claimed.value != was.value {
        return None;
    }
    // Who asks "how much more" gets the difference of the smaller from the larger, whichever that is now.
    let flipped = last.holds() && was.value.is_positive() && repaired.value.is_negative();
    let value = if flipped {
        repaired.value.abs()
    } else {
        repaired.value.clone()
    };
    let lost_whole = was.decimals == 0 && !value.is_integer();
    let lost_sign = was.value.is_positive() && value.is_negative();
    // A count that is no longer one says that the reasoning is wrong too.
    (!lost_whole && !lost_sign && value != was.value).then_some(Repaired { was, value })
}

/// The value of the left side with all corrected numbers put in.
fn recomputed(link: &Link, corrected: &[Corrected]) -> Option<BigRational> {
    let equation = &link.equation;
    let replaced = |literal: &Literal| {
        corrected
            .iter()
            .rev()
            .find(|one| one.was == literal.value)
            .map(|one| one.value.clone())
    };
    let used = link
        .node
        .literals()
        .into_iter()
        .any(|literal| replaced(literal).is_some());
    if !used {
        return Some(equation.actual.clone());
    }
    // Percent has two readings, and which one held was decided with the old numbers.
    if link.node.literals().iter().any(|literal| literal.percent)
        && equation.actual != link.node.value(&meant)?
    {
        return None;
    }
    link.node
        .value(&|literal| replaced(literal).unwrap_or_else(|| meant(literal)))
}

/// Counts and factors that need no source.
fn is_small(literal: &Literal) -> bool {
    literal.value.is_integer() && literal.value.abs() <= BigRational::from(BigInt::from(12))
        || [24, 30, 52, 60, 100, 365, 1000]
            .iter()
            .any(|known| literal.value == BigRational::from(BigInt::from(*known)))
}

fn claimed_before(links: &[Link], literal: &Literal) -> bool {
    let mut claims = links.iter().map(|link| &link.equation.claimed);
    claims.any(|claim| claim.value == literal.value)
}

/// The result of the answer, if that is the claim of its last equation: it ends on it, or on numbers that are given.
fn result(answer: &str, question: &str, claim: &Found) -> Option<Found> {
    let is_claim = |one: &Found| one.value == claim.value;
    let ends_on = number::claimed(answer).filter(is_claim);
    ends_on.or_else(|| {
        let given = number::numbers(question);
        let is_given = |one: &Found| given.iter().any(|known| known.value == one.value);
        let behind = number::numbers(&answer[claim.span.end..]);
        let nothing_new = behind.iter().all(|one| is_claim(one) || is_given(one));
        nothing_new.then(|| claim.clone())
    })
}
