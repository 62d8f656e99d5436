//! Powers, logarithms and the functions of angles, in Rust down to the last bit.
//!
//! Those of the platform's C library differ between systems, and a program must print the same digits everywhere. `pxfm` rounds
//! correctly nearly always, as does the C library that most builds of CPython stand on; where that library is less exact, its
//! way of putting a result together from `exp`, `expm1` and `log` is followed here.
use std::f64::consts::LN_2;

pub(crate) use libm::{exp2, expm1, log1p};
pub(crate) use pxfm::{
    f_acos as acos, f_asin as asin, f_atan as atan, f_cos as cos, f_exp as exp, f_log as log,
    f_log2 as log2, f_sin as sin, f_tan as tan,
};

/// From here on `exp(-x)` is lost beside `exp(x)`.
const ONE_SIDED: f64 = 22.0;
/// `exp` of more than this has no room; its half has.
const LARGEST_EXP: f64 = 709.782_712_893_383_9;

/// `x` to the power of `y`.
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    let power = pxfm::f_pow(x, y);
    // Near the ends of what floats hold it has lapses: 1e308 to the power of -0.5 was no number.
    match power.is_normal() {
        true => power,
        false => libm::pow(x, y),
    }
}

/// The angle of a point, also where it is next to nothing.
pub(crate) fn atan2(y: f64, x: f64) -> f64 {
    pxfm::f_atan2(y, x).copysign(y)
}

/// Half of `exp(size)`, also where only that has room.
fn half_exp(size: f64) -> f64 {
    if size <= LARGEST_EXP {
        return 0.5 * exp(size);
    }
    let root = exp(0.5 * size);
    0.5 * root * root
}

pub(crate) fn sinh(x: f64) -> f64 {
    let size = x.abs();
    // Smaller ones are their own.
    if size < f64::EPSILON / 1e3 || x.is_nan() {
        return x;
    }
    let result = if size >= ONE_SIDED {
        half_exp(size)
    } else {
        let t = expm1(size);
        match size < 1.0 {
            true => 0.5 * (2.0 * t - t * t / (t + 1.0)),
            false => 0.5 * (t + t / (t + 1.0)),
        }
    };
    result.copysign(x)
}

pub(crate) fn cosh(x: f64) -> f64 {
    let size = x.abs();
    if size >= ONE_SIDED {
        return half_exp(size);
    }
    if size < 0.5 * LN_2 {
        let t = expm1(size);
        let w = 1.0 + t;
        return 1.0 + (t * t) / (w + w);
    }
    let t = exp(size);
    0.5 * t + 0.5 / t
}

pub(crate) fn tanh(x: f64) -> f64 {
    let size = x.abs();
    let result = if size >= ONE_SIDED {
        1.0
    } else if size >= 1.0 {
        1.0 - 2.0 / (expm1(2.0 * size) + 2.0)
    } else if size < f64::EPSILON / 8.0 || x.is_nan() {
        return x;
    } else {
        let t = expm1(-2.0 * size);
        -t / (t + 2.0)
    };
    result.copysign(x)
}

/// From the natural logarithm of the mantissa, and that of 2 in two parts for the exponent: whole for powers of ten.
pub(crate) fn log10(x: f64) -> f64 {
    // The first part has few enough digits to be multiplied exactly with any exponent.
    const LOG10_2: [f64; 2] = [
        f64::from_bits(0x3fd3_4413_509f_6000),
        f64::from_bits(0x3d59_fef3_11f1_2b36),
    ];
    if !x.is_finite() || x <= 0.0 {
        return log(x);
    }
    // A mantissa from 1 to 2, or from 0.5 to 1 where the exponent is negative.
    let (mut mantissa, exponent) = super::frexp(x);
    let mut exponent = exponent as f64;
    if exponent > 0.0 {
        (mantissa, exponent) = (2.0 * mantissa, exponent - 1.0);
    }
    let low = exponent * LOG10_2[1] + std::f64::consts::LOG10_E * log(mantissa);
    low + exponent * LOG10_2[0]
}
