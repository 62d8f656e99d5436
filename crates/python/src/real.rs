//! The real functions of `math`: floats in, a float or Python's refusal out.
//!
//! None of it is the platform's: the same digits on every system (see `elementary`). The inverse hyperbolic functions, the
//! error function and the gamma function follow the same steps as C's and CPython's. Cube roots are rounded correctly; CPython
//! shows those of its C library, some of which are off by one in the last place. Not here: what `math` does with whole numbers
//! (see `number`), and `prod`.
mod binary;
pub(crate) mod elementary;
mod error_function;
mod gamma;
mod hyperbolic;
mod logarithm;
mod sums;
#[cfg(test)]
mod tests;

pub(crate) use binary::{binary, frexp, is_close, ldexp, modf, ulp};
pub(crate) use logarithm::{log_int, log2_int, log10_int};
pub(crate) use sums::{dist, fsum, hypot};

/// Why a function has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// `ValueError`
    Domain,
    /// `OverflowError`
    Range,
    /// `OverflowError`
    SumTooLarge,
    /// `ValueError`
    OppositeInfinities,
    /// `ValueError`
    NegativeTolerance,
}

impl Failure {
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Domain => "math domain error",
            Self::Range => "math range error",
            Self::SumTooLarge => "intermediate overflow in fsum",
            Self::OppositeInfinities => "-inf + inf in fsum",
            Self::NegativeTolerance => "tolerances must be non-negative",
        }
    }

    /// Whether it is an `OverflowError`; else it is a `ValueError`.
    pub(crate) fn is_overflow(self) -> bool {
        matches!(self, Self::Range | Self::SumTooLarge)
    }
}

type Unary = fn(f64) -> Result<f64, Failure>;

/// The function of that name in `math` that takes one float and gives a float.
pub(crate) fn unary(name: &str) -> Option<Unary> {
    Some(match name {
        "sqrt" => |x| bounded(x, x.sqrt()),
        "exp" => |x| growing(x, elementary::exp(x)),
        "exp2" => |x| growing(x, elementary::exp2(x)),
        "expm1" => |x| growing(x, elementary::expm1(x)),
        "log" => |x| bounded(x, elementary::log(x)),
        "log2" => |x| bounded(x, elementary::log2(x)),
        "log10" => |x| bounded(x, elementary::log10(x)),
        "log1p" => |x| bounded(x, elementary::log1p(x)),
        "cbrt" => |x| bounded(x, libm::cbrt(x)),
        "fabs" => |x| Ok(x.abs()),
        "degrees" => |x| Ok(x * (180.0 / std::f64::consts::PI)),
        "radians" => |x| Ok(x * (std::f64::consts::PI / 180.0)),
        "erf" => |x| Ok(error_function::erf(x)),
        "erfc" => |x| Ok(error_function::erfc(x)),
        "gamma" => gamma::gamma,
        "lgamma" => gamma::log_gamma,
        _ => return trigonometric(name),
    })
}

fn trigonometric(name: &str) -> Option<Unary> {
    Some(match name {
        "sin" => |x| bounded(x, elementary::sin(x)),
        "cos" => |x| bounded(x, elementary::cos(x)),
        "tan" => |x| bounded(x, elementary::tan(x)),
        "asin" => |x| bounded(x, elementary::asin(x)),
        "acos" => |x| bounded(x, elementary::acos(x)),
        "atan" => |x| bounded(x, elementary::atan(x)),
        "sinh" => |x| growing(x, elementary::sinh(x)),
        "cosh" => |x| growing(x, elementary::cosh(x)),
        "tanh" => |x| bounded(x, elementary::tanh(x)),
        "asinh" => |x| bounded(x, hyperbolic::asinh(x)),
        "acosh" => |x| bounded(x, hyperbolic::acosh(x)),
        "atanh" => |x| bounded(x, hyperbolic::atanh(x)),
        _ => return None,
    })
}

/// An infinite result means a pole.
fn bounded(x: f64, result: f64) -> Result<f64, Failure> {
    if (result.is_nan() && !x.is_nan()) || (result.is_infinite() && x.is_finite()) {
        return Err(Failure::Domain);
    }
    Ok(result)
}

/// An infinite result means that it is too large.
fn growing(x: f64, result: f64) -> Result<f64, Failure> {
    if result.is_infinite() && x.is_finite() {
        return Err(Failure::Range);
    }
    bounded(x, result)
}
