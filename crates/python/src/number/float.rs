//! Arithmetic of floats where Python's result is not that of Rust's operator, and the hashes of numbers.
//!
//! `round(x, n)` is the decimal nearest to the exact value, ties to even; `//` and `%` come from the exact remainder; powers
//! have Python's special cases. Equal numbers have equal hashes, whatever their type: the value modulo a prime.
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

use super::complex::{Complex, ComplexError};
use super::convert::decompose;
use crate::real::elementary;

/// The prime of hashes has so many bits, all ones.
const HASH_BITS: u32 = 61;
const HASH_PRIME: u64 = (1 << HASH_BITS) - 1;

/// Why a power of floats is not a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PowError {
    /// `ZeroDivisionError`
    ZeroDivision,
    /// `OverflowError`
    Overflow,
    /// Not a failure: the result is a complex number.
    Complex(Complex),
    /// The complex result does not exist.
    ComplexFailure(ComplexError),
}

impl PowError {
    /// What the exception says; the overflow has it as its text although CPython passes a pair.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::ZeroDivision => "0.0 cannot be raised to a negative power",
            Self::Overflow => "(34, 'Numerical result out of range')",
            Self::Complex(_) => "",
            Self::ComplexFailure(error) => error.message(),
        }
    }
}

/// Floor of the quotient and the remainder, which has the sign of the divisor; the divisor is not zero.
pub(crate) fn float_floor_mod(a: f64, b: f64) -> (f64, f64) {
    let mut rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest == 0.0 {
        rest = 0.0_f64.copysign(b);
    } else if (b < 0.0) != (rest < 0.0) {
        rest += b;
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return (0.0_f64.copysign(a / b), rest);
    }
    let floor = quotient.floor();
    let up = if quotient - floor > 0.5 { 1.0 } else { 0.0 };
    (floor + up, rest)
}

/// `round(x)`, still as a float.
pub(crate) fn round_half_even(x: f64) -> f64 {
    x.round_ties_even()
}

/// The float nearest to `x` rounded to so many digits after the point, or before it. It is infinite for a finite `x` when
/// the rounded value is too large: an `OverflowError`.
pub(crate) fn round_float(x: f64, digits: i64) -> f64 {
    if !x.is_finite() {
        return x;
    }
    match digits {
        324.. => x,
        // Exact, ties to even.
        0..=323 => format!("{x:.*}", digits as usize).parse().unwrap_or(x),
        -308..=-1 => whole(x, digits.unsigned_abs() as usize),
        _ => 0.0_f64.copysign(x),
    }
}

/// Rounds away the last `zeros` digits before the point.
fn whole(x: f64, zeros: usize) -> f64 {
    let (integer, rest) = (x.abs().trunc(), x.fract() != 0.0);
    let text = format!("{integer:0>width$.0}", width = zeros + 1);
    let (kept, cut) = text.split_at(text.len() - zeros);
    let half = format!("5{}", "0".repeat(zeros - 1));
    let odd = kept.ends_with(['1', '3', '5', '7', '9']);
    let up = match cut.cmp(&half) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => rest || odd,
        std::cmp::Ordering::Greater => true,
    };
    let kept = if up { increment(kept) } else { kept.into() };
    let rounded = format!("{kept}e{zeros}").parse().unwrap_or(integer);
    f64::copysign(rounded, x)
}

/// One more, in decimal.
fn increment(digits: &str) -> String {
    let front = digits.trim_end_matches('9');
    let nines = "0".repeat(digits.len() - front.len());
    let mut chars = front.chars();
    let last = chars.next_back().and_then(|c| c.to_digit(10)).unwrap_or(0);
    format!("{}{}{nines}", chars.as_str(), last + 1)
}

/// CPython's hash of an integer.
pub(crate) fn hash_int(n: &BigInt) -> i64 {
    let rest = match n.to_i64() {
        Some(small) => small.unsigned_abs() % HASH_PRIME,
        None => (n.magnitude() % HASH_PRIME).to_u64().unwrap_or(0),
    };
    hash_of(rest, n.sign() == Sign::Minus)
}

/// CPython's hash of a float; not-a-number, which CPython hashes by identity, has 0.
pub(crate) fn hash_float(x: f64) -> i64 {
    if x.is_nan() {
        return 0;
    }
    if x.is_infinite() {
        return if x > 0.0 { 314_159 } else { -314_159 };
    }
    let (mantissa, exponent) = decompose(x);
    // A multiplication by two turns the bits round.
    let turn = exponent.rem_euclid(i64::from(HASH_BITS));
    let turned = ((mantissa << turn) & HASH_PRIME) | (mantissa >> (i64::from(HASH_BITS) - turn));
    hash_of(turned, x < 0.0)
}

/// -1 means a failure inside CPython, and is never a hash.
fn hash_of(rest: u64, negative: bool) -> i64 {
    let hash = rest.cast_signed();
    match if negative { -hash } else { hash } {
        -1 => -2,
        hash => hash,
    }
}

/// `a ** b` of floats.
pub(crate) fn float_pow(a: f64, b: f64) -> Result<f64, PowError> {
    if b == 0.0 || a == 1.0 {
        return Ok(1.0);
    }
    if a.is_nan() || b.is_nan() {
        return Ok(f64::NAN);
    }
    let odd = b.abs() % 2.0 == 1.0;
    if b.is_infinite() {
        let a = a.abs();
        return Ok(if a == 1.0 {
            1.0
        } else if (b > 0.0) == (a > 1.0) {
            f64::INFINITY
        } else {
            0.0
        });
    }
    if a.is_infinite() {
        let magnitude = if b > 0.0 { f64::INFINITY } else { 0.0 };
        return Ok(if odd {
            magnitude.copysign(a)
        } else {
            magnitude
        });
    }
    if a == 0.0 {
        return match b < 0.0 {
            true => Err(PowError::ZeroDivision),
            false => Ok(if odd { a } else { 0.0 }),
        };
    }
    if a < 0.0 && b != b.floor() {
        return Err(match Complex::new(a, 0.0).pow(Complex::new(b, 0.0)) {
            Ok(power) => PowError::Complex(power),
            Err(error) => PowError::ComplexFailure(error),
        });
    }
    let power = elementary::pow(a.abs(), b);
    if power.is_infinite() {
        return Err(PowError::Overflow);
    }
    Ok(if a < 0.0 && odd { -power } else { power })
}
