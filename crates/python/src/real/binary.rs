//! Functions of `math` with two numbers, and those that take a float apart or give an integer.
//!
//! The remainder is exact, as IEEE 754 defines it.
use num_bigint::BigUint;

use super::{Failure, elementary};
use crate::number::scaled_to_f64;

type Binary = fn(f64, f64) -> Result<f64, Failure>;

/// The function of that name in `math` that takes two floats and gives a float.
pub(crate) fn binary(name: &str) -> Option<Binary> {
    Some(match name {
        "atan2" => |y, x| Ok(elementary::atan2(y, x)),
        "copysign" => |x, sign| Ok(x.copysign(sign)),
        "fmod" => fmod,
        "remainder" => remainder,
        "pow" => pow,
        "nextafter" => |x, toward| Ok(next_after(x, toward)),
        _ => return None,
    })
}

fn fmod(x: f64, y: f64) -> Result<f64, Failure> {
    let rest = x % y;
    if rest.is_nan() && !x.is_nan() && !y.is_nan() {
        return Err(Failure::Domain);
    }
    Ok(rest)
}

pub(crate) fn remainder(x: f64, y: f64) -> Result<f64, Failure> {
    if x.is_nan() || y.is_nan() {
        return Ok(f64::NAN);
    }
    if x.is_infinite() || y == 0.0 {
        return Err(Failure::Domain);
    }
    if y.is_infinite() {
        return Ok(x);
    }
    let (size, step) = (x.abs(), y.abs());
    let above = size % step;
    let below = step - above;
    let rest = if above < below {
        above
    } else if above > below {
        -below
    } else {
        // Half way: to the even multiple.
        above - 2.0 * ((0.5 * (size - above)) % step)
    };
    Ok(1.0_f64.copysign(x) * rest)
}

/// As C has it, except for what cannot be told.
fn pow(x: f64, y: f64) -> Result<f64, Failure> {
    if !x.is_finite() || !y.is_finite() {
        return Ok(elementary::pow(x, y));
    }
    let power = elementary::pow(x, y);
    if power.is_nan() || (power.is_infinite() && x == 0.0) {
        return Err(Failure::Domain);
    }
    if power.is_infinite() {
        return Err(Failure::Range);
    }
    Ok(power)
}

/// The next float after `x` on the way to the other.
pub(crate) fn next_after(x: f64, toward: f64) -> f64 {
    if x.is_nan() || toward.is_nan() {
        f64::NAN
    } else if x == toward {
        toward
    } else if toward > x {
        x.next_up()
    } else {
        x.next_down()
    }
}

/// The value of the last bit.
pub(crate) fn ulp(x: f64) -> f64 {
    let size = x.abs();
    if !size.is_finite() {
        return size;
    }
    let next = size.next_up();
    if next.is_infinite() {
        size - size.next_down()
    } else {
        next - size
    }
}

/// `x * 2**exponent`; callers bring larger exponents to the ends of `i64`.
pub(crate) fn ldexp(x: f64, exponent: i64) -> Result<f64, Failure> {
    if x == 0.0 || !x.is_finite() {
        return Ok(x);
    }
    let (mantissa, own) = frexp(x);
    let whole = (mantissa.abs() * 9_007_199_254_740_992.0) as u64;
    let exponent = exponent.saturating_add(own - 53);
    let size = scaled_to_f64(&BigUint::from(whole), exponent).ok_or(Failure::Range)?;
    Ok(size.copysign(x))
}

/// A mantissa from 0.5 to 1, and the power of two it is multiplied with.
pub(crate) fn frexp(x: f64) -> (f64, i64) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    if x.is_subnormal() {
        let (mantissa, exponent) = frexp(x * f64::from(1_u32 << 31) * f64::from(1_u32 << 31));
        return (mantissa, exponent - 62);
    }
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i64 - 1022;
    let mantissa = f64::from_bits((x.to_bits() & !(0x7ff << 52)) | 1022 << 52);
    (mantissa, exponent)
}

/// What follows the point, and what is before it.
pub(crate) fn modf(x: f64) -> (f64, f64) {
    if x.is_infinite() {
        return (0.0_f64.copysign(x), x);
    }
    (x.fract().copysign(x), x.trunc())
}

/// Whether two floats differ by little, relative to the larger or absolutely.
pub(crate) fn is_close(a: f64, b: f64, relative: f64, absolute: f64) -> Result<bool, Failure> {
    if relative < 0.0 || absolute < 0.0 {
        return Err(Failure::NegativeTolerance);
    }
    if a == b {
        return Ok(true);
    }
    if a.is_infinite() || b.is_infinite() {
        return Ok(false);
    }
    let apart = (b - a).abs();
    Ok(apart <= (relative * b).abs() || apart <= (relative * a).abs() || apart <= absolute)
}
