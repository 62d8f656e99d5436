//! `float.hex` and `float.fromhex`: floats in hexadecimal with a binary exponent.
//!
//! Reading takes any number of digits and rounds half to even.
use num_bigint::BigUint;
use num_traits::Zero;

use super::convert::{decompose, scaled_to_f64};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FromHexError {
    /// `ValueError`
    Invalid,
    /// `OverflowError`
    TooLarge,
}

impl FromHexError {
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Invalid => "invalid hexadecimal floating-point string",
            Self::TooLarge => "hexadecimal value too large to represent as a float",
        }
    }
}

pub(crate) fn float_hex(x: f64) -> String {
    if !x.is_finite() {
        return super::float_repr(x);
    }
    let sign = if x.is_sign_negative() { "-" } else { "" };
    if x == 0.0 {
        return format!("{sign}0x0.0p+0");
    }
    let (mantissa, exponent) = decompose(x);
    let (lead, fraction) = (mantissa >> 52, mantissa & ((1 << 52) - 1));
    format!("{sign}0x{lead}.{fraction:013x}p{:+}", exponent + 52)
}

pub(crate) fn float_from_hex(text: &str) -> Result<f64, FromHexError> {
    let text = text.trim_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    let (negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let text = text.to_ascii_lowercase();
    let magnitude = match text.as_str() {
        "inf" | "infinity" => f64::INFINITY,
        "nan" => f64::NAN,
        digits => finite(digits)?,
    };
    Ok(if negative { -magnitude } else { magnitude })
}

fn finite(text: &str) -> Result<f64, FromHexError> {
    let text = text.strip_prefix("0x").unwrap_or(text);
    let (digits, exponent) = match text.split_once('p') {
        Some((digits, exponent)) => (digits, binary_exponent(exponent)?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || !all.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(FromHexError::Invalid);
    }
    let mantissa = BigUint::parse_bytes(all.as_bytes(), 16).ok_or(FromHexError::Invalid)?;
    if mantissa.is_zero() {
        return Ok(0.0);
    }
    let places = i64::try_from(fraction.len()).unwrap_or(i64::MAX / 4);
    let exponent = exponent.saturating_sub(places.saturating_mul(4));
    scaled_to_f64(&mantissa, exponent).ok_or(FromHexError::TooLarge)
}

/// One too long for a machine's word is as good as infinite.
fn binary_exponent(text: &str) -> Result<i64, FromHexError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(FromHexError::Invalid);
    }
    let size = digits.parse().unwrap_or(i64::MAX / 2).min(i64::MAX / 2);
    Ok(if text.starts_with('-') { -size } else { size })
}
