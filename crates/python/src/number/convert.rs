//! Between integers and floats: each conversion is exact or rounds half to even, once.
//!
//! All of them go through a pair of a whole mantissa and a power of two. `None` means too large for a float, or, from a
//! float, that it is no number.
use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

/// Integers up to here are floats, all of them.
const EXACT: i64 = 1 << 53;

/// `mantissa * 2**exponent`, rounded half to even.
pub(crate) fn scaled_to_f64(mantissa: &BigUint, exponent: i64) -> Option<f64> {
    let Some(zeros) = mantissa.trailing_zeros() else {
        return Some(0.0);
    };
    let top = i64::try_from(mantissa.bits())
        .ok()?
        .saturating_add(exponent);
    if top > 1024 {
        return None;
    }
    let lowest = (top - 53).max(-1074);
    let cut = lowest.saturating_sub(exponent);
    let kept = if cut <= 0 {
        (mantissa << cut.unsigned_abs()).to_u64()?
    } else {
        let cut = cut.unsigned_abs();
        let kept = (mantissa >> cut).to_u64()?;
        let half = mantissa.bit(cut - 1);
        kept + u64::from(half && (kept & 1 == 1 || zeros < cut - 1))
    };
    let value = kept as f64 * power_of_two(lowest);
    value.is_finite().then_some(value)
}

/// For exponents from -1074 to 1023.
fn power_of_two(exponent: i64) -> f64 {
    let bits = if exponent >= -1022 {
        (exponent + 1023).unsigned_abs() << 52
    } else {
        1_u64 << (exponent + 1074)
    };
    f64::from_bits(bits)
}

/// The magnitude of a finite float as a whole mantissa and a power of two.
pub(super) fn decompose(x: f64) -> (u64, i64) {
    let bits = x.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52) & 0x7ff {
        0 => (fraction, -1074),
        exponent => (fraction | 1 << 52, exponent as i64 - 1075),
    }
}

fn signed(magnitude: BigUint, negative: bool) -> BigInt {
    BigInt::from_biguint(if negative { Sign::Minus } else { Sign::Plus }, magnitude)
}

/// The nearest float, or `None` if that would be infinite.
pub(crate) fn int_to_f64(n: &BigInt) -> Option<f64> {
    if let Some(small) = n.to_i64() {
        return Some(small as f64);
    }
    let magnitude = scaled_to_f64(n.magnitude(), 0)?;
    Some(if n.sign() == Sign::Minus {
        -magnitude
    } else {
        magnitude
    })
}

/// A mantissa from 0.5 to 1 and a power of two whose product is the integer, rounded to 53 bits half to even.
pub(crate) fn frexp_int(n: &BigInt) -> (f64, i64) {
    let bits = i64::try_from(n.bits()).unwrap_or(i64::MAX);
    let mantissa = scaled_to_f64(n.magnitude(), -bits).unwrap_or(0.0);
    let (mantissa, bits) = if mantissa == 1.0 {
        (0.5, bits + 1)
    } else {
        (mantissa, bits)
    };
    (
        if n.sign() == Sign::Minus {
            -mantissa
        } else {
            mantissa
        },
        bits,
    )
}

/// The float nearest to the exact quotient; the divisor is not zero.
pub(crate) fn true_divide(a: &BigInt, b: &BigInt) -> Option<f64> {
    if let (Some(a), Some(b)) = (a.to_i64(), b.to_i64())
        && a.unsigned_abs() <= EXACT.unsigned_abs()
        && b.unsigned_abs() <= EXACT.unsigned_abs()
    {
        return Some(a as f64 / b as f64);
    }
    let negative = (a.sign() == Sign::Minus) != (b.sign() == Sign::Minus);
    let magnitude = quotient(a.magnitude(), b.magnitude())?;
    Some(if negative { -magnitude } else { magnitude })
}

fn quotient(a: &BigUint, b: &BigUint) -> Option<f64> {
    let more = i64::try_from(a.bits()).ok()? - i64::try_from(b.bits()).ok()?;
    if a.is_zero() || more < -1080 {
        return Some(0.0);
    }
    if b.is_zero() || more > 1025 {
        return None;
    }
    // Enough bits for any float, and one below them that tells whether anything was left.
    let shift = more - 66;
    let (whole, rest) = if shift < 0 {
        (a << shift.unsigned_abs()).div_rem(b)
    } else {
        a.div_rem(&(b << shift.unsigned_abs()))
    };
    let sticky = BigUint::from(u8::from(!rest.is_zero()));
    scaled_to_f64(&((whole << 1_u8) | sticky), shift - 1)
}

/// Without the fraction; `None` for infinities and not-a-number.
pub(crate) fn float_to_int(x: f64) -> Option<BigInt> {
    if x.abs() < EXACT as f64 {
        return Some(BigInt::from(x as i64));
    }
    if !x.is_finite() {
        return None;
    }
    let (mantissa, exponent) = decompose(x);
    Some(signed(
        BigUint::from(mantissa) << exponent.unsigned_abs(),
        x < 0.0,
    ))
}

/// The float as a fraction in lowest terms.
pub(crate) fn as_integer_ratio(x: f64) -> Option<(BigInt, BigInt)> {
    if !x.is_finite() {
        return None;
    }
    let (mantissa, exponent) = decompose(x);
    if mantissa == 0 {
        return Some((BigInt::zero(), BigInt::one()));
    }
    let zeros = mantissa.trailing_zeros();
    let (mantissa, exponent) = (
        BigUint::from(mantissa >> zeros),
        exponent + i64::from(zeros),
    );
    let size = exponent.unsigned_abs();
    Some(if exponent < 0 {
        (signed(mantissa, x < 0.0), BigInt::one() << size)
    } else {
        (signed(mantissa << size, x < 0.0), BigInt::one())
    })
}

/// Exact: the integer is never rounded.
pub(crate) fn compare_int_float(a: &BigInt, b: f64) -> Option<Ordering> {
    if let Some(small) = a.to_i64()
        && small.unsigned_abs() <= EXACT.unsigned_abs()
    {
        return (small as f64).partial_cmp(&b);
    }
    match float_to_int(b) {
        Some(whole) => Some(
            a.cmp(&whole)
                .then_with(|| 0.0_f64.total_cmp(&(b.fract() + 0.0))),
        ),
        None => 0.0.partial_cmp(&b),
    }
}
