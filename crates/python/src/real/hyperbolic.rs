//! The inverse hyperbolic functions from logarithms, in the order of operations of C's library.
//!
//! Rust's own take another way and differ in the last bits.

use super::elementary::{log, log1p};

/// Above this a square has no room for adding one.
const LARGE: f64 = (1_u32 << 28) as f64;
const TINY: f64 = 1.0 / LARGE;

/// Whether the upper half of a float's bits is above that of the border: how C's `asinh` compares.
fn is_above(size: f64, border: f64) -> bool {
    size.to_bits() >> 32 > border.to_bits() >> 32
}

pub(super) fn asinh(x: f64) -> f64 {
    let size = x.abs();
    if !x.is_finite() || size < TINY {
        return x;
    }
    let result = if is_above(size, LARGE) {
        log(size) + std::f64::consts::LN_2
    } else if is_above(size, 2.0) {
        log(2.0 * size + 1.0 / ((x * x + 1.0).sqrt() + size))
    } else {
        let square = x * x;
        log1p(size + square / (1.0 + (1.0 + square).sqrt()))
    };
    result.copysign(x)
}

pub(super) fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        f64::NAN
    } else if x >= LARGE {
        log(x) + std::f64::consts::LN_2
    } else if x > 2.0 {
        log(2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt()))
    } else {
        let above = x - 1.0;
        log1p(above + (2.0 * above + above * above).sqrt())
    }
}

pub(super) fn atanh(x: f64) -> f64 {
    let size = x.abs();
    let result = if size < TINY {
        return x;
    } else if size < 0.5 {
        let double = size + size;
        0.5 * log1p(double + double * size / (1.0 - size))
    } else if size < 1.0 {
        0.5 * log1p((size + size) / (1.0 - size))
    } else if size == 1.0 {
        f64::INFINITY
    } else {
        f64::NAN
    };
    result.copysign(x)
}
