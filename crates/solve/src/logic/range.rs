//! The integers that matter to a quantifier: `forall x. 1 <= x and x <= 6 => …` is about six of them.
//!
//! Used by the check of models and by the grounding. A bound counts only if outside of it the body is decided: true
//! for `forall`, false for `exists`.
use super::{
    linear::Linear,
    term::{Op, TermId, Terms},
};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};
use std::ops::RangeInclusive;

/// Most values of one variable.
const MOST: i64 = 2000;
/// Most parts of a body that are looked at; one that occurs twice counts twice.
const MOST_STEPS: u32 = 5000;

/// The range of `var` in `body`, if it is bounded and short.
pub(super) fn of(terms: &Terms, var: u32, body: TermId, all: bool) -> Option<RangeInclusive<i64>> {
    let (low, high) = bounds(terms, var, body, !all, &mut { MOST_STEPS });
    let (low, high) = (low?, high?);
    if low > high {
        return Some(low..=low);
    }
    (high.checked_sub(low)? < MOST).then_some(low..=high)
}

type Bounds = (Option<i64>, Option<i64>);

/// Bounds on `var` wherever `id` is true (`truth`) or false.
fn bounds(terms: &Terms, var: u32, id: TermId, truth: bool, steps: &mut u32) -> Bounds {
    if *steps == 0 {
        return (None, None);
    }
    *steps -= 1;
    let args = terms.args(id);
    let mut part = |arg: &TermId, truth| bounds(terms, var, *arg, truth, steps);
    match (terms.op(id), truth) {
        (Op::Not, _) => part(&args[0], !truth),
        (Op::And, true) | (Op::Or, false) => {
            let all = args.iter().map(|arg| part(arg, truth));
            all.fold((None, None), |a, b| (a.0.max(b.0), smaller(a.1, b.1)))
        }
        (Op::And, false) | (Op::Or, true) => {
            let mut all = args.iter().map(|arg| part(arg, truth));
            let first = all.next().unwrap_or((None, None));
            all.fold(first, |a, b| {
                (
                    a.0.zip(b.0).map(|(x, y)| x.min(y)),
                    a.1.zip(b.1).map(|(x, y)| x.max(y)),
                )
            })
        }
        (Op::Eq, true) => compared(terms, var, id, truth),
        (Op::Le | Op::Lt, _) => compared(terms, var, id, truth),
        _ => (None, None),
    }
}

/// `a − b` as `factor · var + constant`, compared with zero.
fn compared(terms: &Terms, var: u32, id: TermId, truth: bool) -> Bounds {
    let args = terms.args(id);
    let Linear { parts, constant } = Linear::difference(terms, args[0], args[1]);
    let mut parts = parts.into_iter();
    let (Some((part, factor)), None) = (parts.next(), parts.next()) else {
        return (None, None);
    };
    if *terms.op(part) != Op::Var(var) {
        return (None, None);
    }
    let limit = -constant / &factor;
    // `<=`, a false `<`, or their opposites; dividing by a negative factor turns them round.
    let strict = (*terms.op(id) == Op::Lt) == truth;
    let upper = factor.is_positive() == truth;
    let (ceiling, floor) = (limit.ceil(), limit.floor());
    match (terms.op(id), upper, strict) {
        (Op::Eq, ..) => (ceiling.to_i64(), floor.to_i64()),
        (_, true, false) => (None, floor.to_i64()),
        (_, true, true) => (None, (ceiling - BigRational::one()).to_i64()),
        (_, false, false) => (ceiling.to_i64(), None),
        (_, false, true) => ((floor + BigRational::one()).to_i64(), None),
    }
}

fn smaller(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
