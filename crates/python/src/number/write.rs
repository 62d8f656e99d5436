//! Numbers to text: `repr` of a float, `str` of an integer.
//!
//! A float is written with the fewest digits that read back as the same float.
use num_bigint::{BigInt, BigUint};

use super::convert::decompose;
use crate::format::{FloatStyle, Notation, float_text};

/// `repr` of a float.
pub(crate) fn float_repr(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    if tied_digits(x.abs()).is_some() {
        let style = FloatStyle {
            point_zero: true,
            ..FloatStyle::new(Notation::Shortest)
        };
        return float_text(x, style);
    }
    // Rust has the same digits and takes an exponent at the same sizes, but spells it without sign and zero.
    let text = format!("{x:?}");
    match text.split_once('e') {
        Some((digits, exponent)) => match exponent.strip_prefix('-') {
            Some(below) => format!("{digits}e-{below:0>2}"),
            None => format!("{digits}e+{exponent:0>2}"),
        },
        None => text,
    }
}

/// The shortest digits of a finite float that is not negative, as `1.25e-7`.
pub(crate) fn shortest_digits(size: f64) -> String {
    tied_digits(size).unwrap_or_else(|| format!("{size:e}"))
}

/// Where the exact value is half way between two shortest texts, the even one; Rust takes the upper one.
fn tied_digits(size: f64) -> Option<String> {
    if !size.is_finite() || size == 0.0 {
        return None;
    }
    let (mantissa, exponent) = decompose(size);
    let zeros = mantissa.trailing_zeros();
    let places = u32::try_from(-(exponent + i64::from(zeros))).ok()?;
    // Only numbers of up to eighteen digits in all are near enough to a text of seventeen.
    let exact = u64::checked_pow(5, places)?.checked_mul(mantissa >> zeros)?;
    if places < 2 || exact >= 1_000_000_000_000_000_000 {
        return None;
    }
    let shortest = format!("{size:e}");
    let digits = shortest
        .split('e')
        .next()?
        .bytes()
        .filter(u8::is_ascii_digit)
        .count();
    if digits > exact.ilog10() as usize {
        return None;
    }
    let even = format!("{size:.*e}", digits - 1);
    (even != shortest && even.parse() == Ok(size)).then_some(even)
}

/// In decimal.
pub(crate) fn int_to_string(n: &BigInt) -> String {
    n.to_string()
}

/// Whether the magnitude has more than so many decimal digits, mostly told from its bits.
pub(crate) fn decimal_digits_exceed(n: &BigInt, digits: usize) -> bool {
    let bits = n.bits() as f64;
    // Ten to the power of `digits` has so many bits; only close to it the number itself has to be compared.
    let border = digits as f64 * std::f64::consts::LOG2_10;
    if bits < border - 1.0 {
        return false;
    }
    if bits > border + 2.0 {
        return true;
    }
    match u32::try_from(digits) {
        Ok(digits) => *n.magnitude() >= BigUint::from(10_u8).pow(digits),
        Err(_) => true,
    }
}
