//! The real functions of `math`: floats in, a float or Python's refusal out.
//!
//! Where the platform's C library has the function, Rust's standard library calls it, and so the last bit is CPython's. The
//! inverse hyperbolic functions, the error function and the gamma function, which Rust does not take from there, follow the
//! same steps as C's and CPython's. Cube roots are rounded correctly; CPython shows those of its C library, some of which are
//! off by one in the last place. Not here: what `math` does with whole numbers (see `number`), and `prod`.
mod binary;
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
        "exp" => |x| growing(x, x.exp()),
        "exp2" => |x| growing(x, x.exp2()),
        "expm1" => |x| growing(x, x.exp_m1()),
        "log" => |x| bounded(x, x.ln()),
        "log2" => |x| bounded(x, x.log2()),
        "log10" => |x| bounded(x, x.log10()),
        "log1p" => |x| bounded(x, x.ln_1p()),
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
        "sin" => |x| bounded(x, x.sin()),
        "cos" => |x| bounded(x, x.cos()),
        "tan" => |x| bounded(x, x.tan()),
        "asin" => |x| bounded(x, x.asin()),
        "acos" => |x| bounded(x, x.acos()),
        "atan" => |x| bounded(x, x.atan()),
        "sinh" => |x| growing(x, x.sinh()),
        "cosh" => |x| growing(x, x.cosh()),
        "tanh" => |x| bounded(x, x.tanh()),
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
