//! Complex numbers: their arithmetic with CPython's order of operations, and their `repr`.
//!
//! Not here: reading them from text, and the functions of `cmath`.
use super::write::float_repr;
use crate::real::{
    elementary::{atan2, cos, exp, log, pow, sin},
    hypot,
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Complex {
    pub(crate) real: f64,
    pub(crate) imaginary: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComplexError {
    /// `ZeroDivisionError`
    Division,
    /// `ZeroDivisionError`
    PowerOfZero,
    /// `OverflowError`
    Overflow,
    /// `OverflowError`
    TooLong,
}

impl ComplexError {
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Division => "complex division by zero",
            Self::PowerOfZero => "0.0 to a negative or complex power",
            Self::Overflow => "complex exponentiation",
            Self::TooLong => "absolute value too large",
        }
    }
}

impl Complex {
    const ONE: Self = Self::new(1.0, 0.0);

    pub(crate) const fn new(real: f64, imaginary: f64) -> Self {
        Self { real, imaginary }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self::new(self.real + other.real, self.imaginary + other.imaginary)
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self::new(self.real - other.real, self.imaginary - other.imaginary)
    }

    pub(crate) fn times(self, other: Self) -> Self {
        Self::new(
            self.real * other.real - self.imaginary * other.imaginary,
            self.real * other.imaginary + self.imaginary * other.real,
        )
    }

    pub(crate) fn divided_by(self, other: Self) -> Result<Self, ComplexError> {
        let (real, imaginary) = (other.real.abs(), other.imaginary.abs());
        if real >= imaginary {
            if real == 0.0 {
                return Err(ComplexError::Division);
            }
            let ratio = other.imaginary / other.real;
            let divisor = other.real + other.imaginary * ratio;
            return Ok(Self::new(
                (self.real + self.imaginary * ratio) / divisor,
                (self.imaginary - self.real * ratio) / divisor,
            ));
        }
        if imaginary >= real {
            let ratio = other.real / other.imaginary;
            let divisor = other.real * ratio + other.imaginary;
            return Ok(Self::new(
                (self.real * ratio + self.imaginary) / divisor,
                (self.imaginary * ratio - self.real) / divisor,
            ));
        }
        Ok(Self::new(f64::NAN, f64::NAN))
    }

    pub(crate) fn pow(self, exponent: Self) -> Result<Self, ComplexError> {
        let whole = exponent.imaginary == 0.0 && exponent.real == exponent.real.floor();
        let power = if whole && exponent.real.abs() <= 100.0 {
            self.whole_power(exponent.real as i64)?
        } else {
            self.general_power(exponent)?
        };
        if power.real.is_infinite() || power.imaginary.is_infinite() {
            return Err(ComplexError::Overflow);
        }
        Ok(power)
    }

    fn whole_power(self, exponent: i64) -> Result<Self, ComplexError> {
        let count = exponent.unsigned_abs();
        let (mut power, mut square, mut mask) = (Self::ONE, self, 1);
        while count >= mask {
            if count & mask != 0 {
                power = power.times(square);
            }
            mask <<= 1;
            square = square.times(square);
        }
        if exponent > 0 {
            return Ok(power);
        }
        Self::ONE
            .divided_by(power)
            .map_err(|_| ComplexError::PowerOfZero)
    }

    fn general_power(self, exponent: Self) -> Result<Self, ComplexError> {
        if exponent.real == 0.0 && exponent.imaginary == 0.0 {
            return Ok(Self::ONE);
        }
        if self.real == 0.0 && self.imaginary == 0.0 {
            if exponent.imaginary != 0.0 || exponent.real < 0.0 {
                return Err(ComplexError::PowerOfZero);
            }
            return Ok(Self::new(0.0, 0.0));
        }
        let size = hypot(&[self.real, self.imaginary]);
        let mut length = pow(size, exponent.real);
        let angle = atan2(self.imaginary, self.real);
        let mut phase = angle * exponent.real;
        if exponent.imaginary != 0.0 {
            length /= exp(angle * exponent.imaginary);
            phase += exponent.imaginary * log(size);
        }
        // C's cosine complains of it, and CPython takes that for a power of zero.
        if phase.is_infinite() {
            return Err(ComplexError::PowerOfZero);
        }
        Ok(Self::new(length * cos(phase), length * sin(phase)))
    }

    /// `abs`
    pub(crate) fn length(self) -> Result<f64, ComplexError> {
        if self.real.is_infinite() || self.imaginary.is_infinite() {
            return Ok(f64::INFINITY);
        }
        let length = hypot(&[self.real, self.imaginary]);
        if length.is_infinite() {
            return Err(ComplexError::TooLong);
        }
        Ok(length)
    }

    pub(crate) fn repr(self) -> String {
        let imaginary = without_point(self.imaginary);
        if self.real == 0.0 && self.real.is_sign_positive() {
            return format!("{imaginary}j");
        }
        let sign = if imaginary.starts_with('-') { "" } else { "+" };
        format!("({}{sign}{imaginary}j)", without_point(self.real))
    }
}

/// A whole number without `.0`.
fn without_point(x: f64) -> String {
    let text = float_repr(x);
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}
