//! Recomputes, without a model, every equation that an answer states ("12 × 8 = 95").
//!
//! Equations are read as chat models write them: plain text, markdown, LaTeX, with units, currency and percent
//! (`equation/token.rs`, `equation/expression.rs`). An equation that is not understood completely is left out: to call
//! a right equation wrong is worse than to miss a wrong one. So anything that has a second reading (mixed units,
//! percentages added to amounts, a rest that is dropped) is only reported when it holds.
//!
//! Conversions ("1 hour = 60 minutes") and assignments ("x = 5") have no operator on the left and are no equations here.
//!
//! [`repaired_result`] carries corrected results forward to the end of the answer.

mod expression;
mod reading;
mod repair;
mod token;
mod unit;

pub use repair::{Repaired, repaired_result};

use crate::number::Found;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::ops::Range;

/// What is behind this many bytes of an answer is not read.
const MOST_BYTES: usize = 200_000;

/// An equation as an answer states it, e.g. "12 × 8 = 95".
#[derive(Clone, Debug)]
pub struct Equation {
    /// Bytes of the answer, from the first operand to the result.
    pub span: Range<usize>,
    /// The left side as written.
    pub left: String,
    /// The result that the answer claims.
    pub claimed: Found,
    /// The exact value of the left side, in the claim's terms: for "1/4 = 30%" it is 25.
    pub actual: BigRational,
    /// The claim is marked as rounded or as an estimate.
    approximate: bool,
}

impl Equation {
    /// Whether the claim is the value, exactly or rounded as it is written: to at least two decimals, or to as many as
    /// it has if it says that it is rounded. Whole numbers without such a mark are exact.
    pub fn holds(&self) -> bool {
        let off = (&self.actual - &self.claimed.value).abs();
        if off.is_zero() {
            return true;
        }
        if self.approximate {
            return off < step(&self.claimed);
        }
        if self.claimed.decimals > 9 {
            // Digits that a float printed; its last ones are noise.
            let noise = BigRational::new(BigInt::one(), BigInt::from(1_000_000_000));
            return off <= noise * (self.actual.abs() + BigInt::one());
        }
        // Cutting the digits off is common too: 2/3 = 0.66.
        let cut = self.claimed.value.abs() < self.actual.abs();
        let step = step(&self.claimed);
        self.claimed.decimals >= 2 && (off <= &step / BigInt::from(2) || (cut && off < step))
    }
}

/// One in the last place that a number gives; zeros at the end of a whole number may be rounding.
fn step(number: &Found) -> BigRational {
    let ten = |power: usize| BigInt::from(10).pow(u32::try_from(power).unwrap_or(0));
    if number.decimals > 0 {
        return BigRational::new(BigInt::one(), ten(number.decimals));
    }
    let digits = number.value.to_integer().to_string();
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    BigRational::from(ten(zeros.min(digits.len().saturating_sub(2))))
}

/// The equations of an answer that are fully understood, in order.
pub fn equations(answer: &str) -> Vec<Equation> {
    let links = reading::links(bounded(answer));
    links.into_iter().map(|link| link.equation).collect()
}

fn bounded(answer: &str) -> &str {
    let mut end = answer.len().min(MOST_BYTES);
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    &answer[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Left sides with whether they hold.
    fn read(answer: &str) -> Vec<(String, bool)> {
        let all = equations(answer).into_iter();
        all.map(|one| (one.left.clone(), one.holds())).collect()
    }

    fn check(answer: &str, expected: &[(&str, bool)]) {
        let expected: Vec<_> = expected.iter().map(|(left, ok)| ((*left).to_owned(), *ok)).collect();
        assert_eq!(read(answer), expected, "{answer}");
    }

    #[test]
    fn plain_equations() {
        check("So 12 × 8 = 95.", &[("12 × 8", false)]);
        check("7 + 5 = 12, then 12 - 20 = -8", &[("7 + 5", true), ("12 - 20", true)]);
    }
}
