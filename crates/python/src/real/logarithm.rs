//! Logarithms of integers of any size.
//!
//! What fits into a float is treated as one. Beyond that the logarithm is that of the mantissa plus that of the power of two.
use num_bigint::{BigInt, Sign};

use super::{Failure, elementary};
use crate::number::{frexp_int, int_to_f64};

pub(crate) fn log_int(n: &BigInt) -> Result<f64, Failure> {
    logarithm(n, elementary::log)
}

pub(crate) fn log2_int(n: &BigInt) -> Result<f64, Failure> {
    logarithm(n, elementary::log2)
}

pub(crate) fn log10_int(n: &BigInt) -> Result<f64, Failure> {
    logarithm(n, elementary::log10)
}

fn logarithm(n: &BigInt, function: fn(f64) -> f64) -> Result<f64, Failure> {
    if n.sign() != Sign::Plus {
        return Err(Failure::Domain);
    }
    Ok(match int_to_f64(n) {
        Some(x) => function(x),
        None => {
            let (mantissa, exponent) = frexp_int(n);
            function(mantissa) + function(2.0) * exponent as f64
        }
    })
}
