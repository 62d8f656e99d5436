//! The gamma function and its logarithm, by the approximation of Lanczos with 13 terms and CPython's order of operations.
//!
//! Negative arguments go through the reflection formula.
use std::f64::consts::PI;

use super::{
    Failure,
    elementary::{cos, exp, log, pow, sin},
};

const G: f64 = 6.024_680_040_776_73;
const G_MINUS_HALF: f64 = 5.524_680_040_776_73;
const LOG_PI: f64 = 1.144_729_885_849_400_2;

/// Coefficients of the numerator and the denominator, from the constant up.
const TERMS: [(f64, f64); 13] = [
    (23_531_376_880.410_76, 0.0),
    (42_919_803_642.649_1, 39_916_800.0),
    (35_711_959_237.355_67, 120_543_840.0),
    (17_921_034_426.037_21, 150_917_976.0),
    (6_039_542_586.352_028, 105_258_076.0),
    (1_439_720_407.311_721_6, 45_995_730.0),
    (248_874_557.862_054_17, 13_339_535.0),
    (31_426_415.585_400_194, 2_637_558.0),
    (2_876_370.628_935_372_4, 357_423.0),
    (186_056.265_395_223_48, 32_670.0),
    (8_071.672_002_365_816, 1_925.0),
    (210.824_277_751_579_35, 66.0),
    (2.506_628_274_631_000_2, 1.0),
];

/// Up to here factorials are exact.
const LAST_EXACT: f64 = 23.0;

fn lanczos(x: f64) -> f64 {
    let (mut above, mut below) = (0.0, 0.0);
    if x < 5.0 {
        for (over, under) in TERMS.iter().rev() {
            above = above * x + over;
            below = below * x + under;
        }
    } else {
        // In the inverse, which cannot overflow.
        for (over, under) in &TERMS {
            above = above / x + over;
            below = below / x + under;
        }
    }
    above / below
}

/// The sine of `x` times pi, which is exactly zero for whole numbers.
fn sine_of_pi(x: f64) -> f64 {
    let rest = x.abs() % 2.0;
    let sine = match (2.0 * rest).round() as i64 {
        0 => sin(PI * rest),
        1 => cos(PI * (rest - 0.5)),
        2 => sin(PI * (1.0 - rest)),
        3 => -cos(PI * (rest - 1.5)),
        _ => sin(PI * (rest - 2.0)),
    };
    1.0_f64.copysign(x) * sine
}

pub(super) fn gamma(x: f64) -> Result<f64, Failure> {
    if x.is_nan() || x == f64::INFINITY {
        return Ok(x);
    }
    if x == 0.0 || x == f64::NEG_INFINITY || (x < 0.0 && x == x.floor()) {
        return Err(Failure::Domain);
    }
    let size = x.abs();
    let result = if x == x.floor() && x <= LAST_EXACT {
        (1..x as u64).map(|factor| factor as f64).product()
    } else if size < 1e-20 {
        1.0 / x
    } else if size > 200.0 {
        if x < 0.0 {
            0.0 / sine_of_pi(x)
        } else {
            f64::INFINITY
        }
    } else {
        approximate(x)
    };
    if result.is_infinite() {
        Err(Failure::Range)
    } else {
        Ok(result)
    }
}

fn approximate(x: f64) -> f64 {
    let size = x.abs();
    let base = size + G_MINUS_HALF;
    // What rounding took from the base.
    let lost = if size > G_MINUS_HALF {
        (base - size) - G_MINUS_HALF
    } else {
        (base - G_MINUS_HALF) - size
    };
    let correction = lost * G / base;
    let half = pow(base, size / 2.0 - 0.25);
    if x < 0.0 {
        let mut result = -PI / sine_of_pi(size) / size * exp(base) / lanczos(size);
        result -= correction * result;
        if size < 140.0 {
            result / pow(base, size - 0.5)
        } else {
            result / half / half
        }
    } else {
        let mut result = lanczos(size) / exp(base);
        result += correction * result;
        if size < 140.0 {
            result * pow(base, size - 0.5)
        } else {
            result * half * half
        }
    }
}

pub(super) fn log_gamma(x: f64) -> Result<f64, Failure> {
    if x.is_nan() {
        return Ok(x);
    }
    if x.is_infinite() {
        return Ok(f64::INFINITY);
    }
    if x == x.floor() && x <= 2.0 {
        return if x <= 0.0 {
            Err(Failure::Domain)
        } else {
            Ok(0.0)
        };
    }
    let size = x.abs();
    if size < 1e-20 {
        return Ok(-log(size));
    }
    let mut result = log(lanczos(size)) - G;
    result += (size - 0.5) * (log(size + G - 0.5) - 1.0);
    if x < 0.0 {
        result = LOG_PI - log(sine_of_pi(size).abs()) - log(size) - result;
    }
    if result.is_infinite() {
        Err(Failure::Range)
    } else {
        Ok(result)
    }
}
