//! Exact fractions, and the few functions that leave them: roots, powers, logarithms.
//!
//! Everything is bounded: a power or factorial whose digits would not fit a screen is nothing.

use crate::number::Value;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// An exact fraction.
pub(super) type Ratio = BigRational;

/// Results with more bits are refused; about 1,200 decimal digits.
const MOST_BITS: u64 = 4000;

/// A whole number.
pub(super) fn whole(value: impl Into<BigInt>) -> Ratio {
    Ratio::from_integer(value.into())
}

/// `above / below`; `below` is a fixed number of the program.
pub(super) fn part(above: i64, below: i64) -> Ratio {
    Ratio::new(above.into(), below.max(1).into())
}

/// The value of digits with an optional point; zero for what is none of that.
pub(super) fn decimal(digits: &str) -> Ratio {
    let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
    let all: BigInt = format!("{before}{after}").parse().unwrap_or_default();
    let places = u32::try_from(after.len()).unwrap_or(0);
    Ratio::new(all, BigInt::from(10).pow(places))
}

/// As a float; nothing where that is not finite.
pub(super) fn float(value: &Ratio) -> Option<f64> {
    value.to_f64().filter(|float| float.is_finite())
}

/// The float of a value.
pub(super) fn value_float(value: &Value) -> Option<f64> {
    match value {
        Value::Exact(exact) => float(exact),
        Value::Float(float) => Some(*float),
    }
}

/// A float that is finite, and not so large that it may have lost digits.
pub(super) fn checked(value: f64) -> Option<Value> {
    (value.is_finite() && value.abs() < 9e15).then_some(Value::Float(value))
}

/// Whether a result is small enough to go on with.
pub(super) fn fits(value: &Ratio) -> bool {
    value.numer().bits() <= MOST_BITS && value.denom().bits() <= MOST_BITS
}

/// A whole number that fits `usize` and is at most `most`.
pub(super) fn count(value: &Ratio, most: usize) -> Option<usize> {
    let count = value.is_integer().then(|| value.to_usize())??;
    (count <= most).then_some(count)
}

/// `base` to a power: exact where the power is whole or the root is.
pub(super) fn power(base: &Ratio, exponent: &Ratio) -> Option<Value> {
    if let Some(whole) = exponent.is_integer().then(|| exponent.to_i32()).flatten() {
        return whole_power(base, whole).map(Value::Exact);
    }
    if base.is_negative() {
        return None;
    }
    if let Some(degree) = exponent.denom().to_u32()
        && let Some(Value::Exact(root)) = root(base, degree)
        && let Some(times) = exponent.numer().to_i32()
    {
        return whole_power(&root, times).map(Value::Exact);
    }
    checked(libm::pow(float(base)?, float(exponent)?))
}

/// `base` to a whole power, if the result is not too long.
pub(super) fn whole_power(base: &Ratio, exponent: i32) -> Option<Ratio> {
    if base.is_zero() {
        return (exponent > 0).then(Ratio::zero);
    }
    let bits = base.numer().bits().max(base.denom().bits());
    let simple = base.abs().is_one();
    if !simple && bits.saturating_mul(u64::from(exponent.unsigned_abs())) > 2 * MOST_BITS {
        return None;
    }
    Some(base.pow(exponent)).filter(fits)
}

/// The root of a degree, exact where it is.
pub(super) fn root(value: &Ratio, degree: u32) -> Option<Value> {
    if !(1..=64).contains(&degree) || value.is_negative() && degree.is_multiple_of(2) {
        return None;
    }
    let (above, below) = (
        value.numer().nth_root(degree),
        value.denom().nth_root(degree),
    );
    let exact = Ratio::new(above, below);
    if &exact.pow(i32::try_from(degree).ok()?) == value {
        return Some(Value::Exact(exact));
    }
    let size = float(&value.abs())?;
    let root = match degree {
        2 => size.sqrt(),
        3 => libm::cbrt(size),
        _ => libm::pow(size, 1.0 / f64::from(degree)),
    };
    checked(if value.is_negative() { -root } else { root })
}

/// `n!`, for at most 400: longer ones are no answer that somebody reads.
pub(super) fn factorial(n: usize) -> Option<BigInt> {
    (n <= 400).then(|| (1..=n).fold(BigInt::one(), |product, next| product * next))
}

/// How many ways there are to choose `k` out of `n`.
pub(super) fn choose(n: usize, k: usize) -> Option<BigInt> {
    if n > 1000 {
        return None;
    }
    if k > n {
        return Some(BigInt::zero());
    }
    let k = k.min(n - k);
    Some((0..k).fold(BigInt::one(), |product, i| product * (n - i) / (i + 1)))
}
