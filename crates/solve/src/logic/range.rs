//! The integers that matter to a quantifier: `forall x. 1 <= x and x <= 6 => …` is about six of them.
//!
//! Used by the check of models and by the grounding. A bound counts only if outside of it the body is decided: true
//! for `forall`, false for `exists`.
use super::term::{Op, TermId, Terms};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use std::ops::RangeInclusive;

/// Most values of one variable.
const MOST: i64 = 2000;

/// The range of `var` in `body`, if it is bounded and short.
pub(super) fn of(terms: &Terms, var: u32, body: TermId, all: bool) -> Option<RangeInclusive<i64>> {
    let (low, high) = bounds(terms, var, body, !all, 0);
    let (low, high) = (low?, high?);
    if low > high {
        return Some(low..=low);
    }
    (high.checked_sub(low)? < MOST).then_some(low..=high)
}

type Bounds = (Option<i64>, Option<i64>);

/// Bounds on `var` wherever `id` is true (`truth`) or false.
fn bounds(terms: &Terms, var: u32, id: TermId, truth: bool, depth: usize) -> Bounds {
    if depth > 200 {
        return (None, None);
    }
    let args = terms.args(id);
    let part = |arg: &TermId, truth| bounds(terms, var, *arg, truth, depth + 1);
    match (terms.op(id), truth) {
        (Op::Not, _) => part(&args[0], !truth),
        (Op::And, true) | (Op::Or, false) => {
            let all = args.iter().map(|arg| part(arg, truth));
            all.fold((None, None), |a, b| (larger(a.0, b.0), smaller(a.1, b.1)))
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
        (Op::Eq, true) => match offset(terms, var, args[0], args[1]) {
            Some((sign, constant)) => {
                let value = (constant * BigRational::from_integer((-sign).into())).to_i64();
                (value, value)
            }
            None => (None, None),
        },
        (Op::Le | Op::Lt, _) => compared(terms, var, id, truth),
        _ => (None, None),
    }
}

fn compared(terms: &Terms, var: u32, id: TermId, truth: bool) -> Bounds {
    let args = terms.args(id);
    let Some((sign, constant)) = offset(terms, var, args[0], args[1]) else {
        return (None, None);
    };
    // sign·x + constant is a − b; the bound is below zero, at most, or their opposites.
    let strict = (*terms.op(id) == Op::Lt) == truth;
    let upper = (sign > 0) == truth;
    let limit = constant * BigRational::from_integer((-sign).into());
    let limit = match (upper, strict) {
        (true, false) => limit.floor(),
        (true, true) => limit.ceil() - BigRational::one(),
        (false, false) => limit.ceil(),
        (false, true) => limit.floor() + BigRational::one(),
    };
    let limit = limit.to_i64();
    if upper { (None, limit) } else { (limit, None) }
}

/// `a − b` as `sign·var + constant`.
fn offset(terms: &Terms, var: u32, a: TermId, b: TermId) -> Option<(i64, BigRational)> {
    let (x, c) = side(terms, var, a)?;
    let (y, d) = side(terms, var, b)?;
    let sign = x - y;
    (sign.abs() == 1).then(|| (sign, c - d))
}

/// A term as `factor·var + constant`, with a factor of −1, 0 or 1.
fn side(terms: &Terms, var: u32, id: TermId) -> Option<(i64, BigRational)> {
    match terms.op(id) {
        Op::Number(value) => Some((0, value.clone())),
        Op::Var(other) if *other == var => Some((1, BigRational::zero())),
        Op::ToReal => side(terms, var, terms.args(id)[0]),
        Op::Add => {
            let mut sum = (0, BigRational::zero());
            for arg in terms.args(id) {
                let (factor, constant) = side(terms, var, *arg)?;
                sum = (sum.0 + factor, sum.1 + constant);
            }
            Some(sum)
        }
        Op::Mul if terms.args(id).len() == 2 => {
            let factor = terms.as_number(terms.args(id)[0])?;
            let (inner, constant) = side(terms, var, terms.args(id)[1])?;
            let sign = factor
                .to_i64()
                .filter(|f| f.abs() == 1 && factor.is_integer())?;
            Some((sign * inner, constant * factor))
        }
        _ => None,
    }
}

fn larger(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a.max(b)
}

fn smaller(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
