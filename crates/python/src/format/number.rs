//! Integers and floats laid out by a specification.
//!
//! An integer with a float's type is rounded to a float first, as in Python. The limit on decimal digits is the caller's.
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

use super::{
    FormatError,
    digits::{FloatStyle, Notation, float_text},
    layout::{Parts, assembled, limited},
    spec::Spec,
};

pub(crate) fn format_int(n: &BigInt, spec: &Spec, type_name: &str) -> Result<String, FormatError> {
    let kind = spec.kind.unwrap_or('d');
    if matches!(kind, 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%') {
        let float = crate::number::int_to_f64(n)
            .ok_or(FormatError::Overflow("int too large to convert to float"))?;
        return format_float(float, spec, type_name);
    }
    if !matches!(kind, 'b' | 'c' | 'd' | 'n' | 'o' | 'x' | 'X') {
        return Err(FormatError::unknown_code(kind, type_name));
    }
    if spec.precision.is_some() {
        return Err(FormatError::value(
            "Precision not allowed in integer format specifier",
        ));
    }
    if spec.no_negative_zero {
        return Err(FormatError::value(
            "Negative zero coercion (z) not allowed in integer format specifier",
        ));
    }
    if kind == 'c' {
        return character(n, spec);
    }
    let (digits, prefix) = in_base(n, kind);
    let parts = Parts {
        negative: n.sign() == Sign::Minus,
        prefix: if spec.alternate { prefix } else { "" },
        digits: &digits,
        rest: "",
    };
    assembled(spec, &parts)
}

/// The magnitude's digits and the base's prefix.
pub(super) fn in_base(n: &BigInt, kind: char) -> (String, &'static str) {
    let magnitude = n.magnitude();
    match kind {
        'b' => (format!("{magnitude:b}"), "0b"),
        'o' => (format!("{magnitude:o}"), "0o"),
        'x' => (format!("{magnitude:x}"), "0x"),
        'X' => (format!("{magnitude:X}"), "0X"),
        _ => (magnitude.to_string(), ""),
    }
}

fn character(n: &BigInt, spec: &Spec) -> Result<String, FormatError> {
    if spec.sign.is_some() {
        return Err(FormatError::value(
            "Sign not allowed with integer format specifier 'c'",
        ));
    }
    if spec.alternate {
        return Err(FormatError::value(
            "Alternate form (#) not allowed with integer format specifier 'c'",
        ));
    }
    let code = n.to_i64().ok_or(FormatError::Overflow(
        "Python int too large to convert to C long",
    ))?;
    let c = char_of(code).ok_or(FormatError::Overflow("%c arg not in range(0x110000)"))?;
    let parts = Parts {
        negative: false,
        prefix: "",
        digits: "",
        rest: &c.to_string(),
    };
    assembled(spec, &parts)
}

/// The character of a code; a surrogate, which a text cannot hold, is replaced.
pub(super) fn char_of(code: i64) -> Option<char> {
    let code = u32::try_from(code).ok().filter(|&code| code < 0x11_0000)?;
    Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}

pub(crate) fn format_float(x: f64, spec: &Spec, type_name: &str) -> Result<String, FormatError> {
    let style = float_style(spec, type_name, "%")?;
    let percent = spec.kind == Some('%');
    let text =
        float_text(if percent { x * 100.0 } else { x }, style) + if percent { "%" } else { "" };
    let (negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text.as_str()),
    };
    let (digits, rest) = split_number(text);
    assembled(
        spec,
        &Parts {
            negative,
            prefix: "",
            digits,
            rest,
        },
    )
}

/// The digits before the point, and everything from there on.
pub(super) fn split_number(text: &str) -> (&str, &str) {
    let whole = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at(whole)
}

/// How a float is written by the specification; `also` are further types that are allowed.
pub(super) fn float_style(
    spec: &Spec,
    type_name: &str,
    also: &str,
) -> Result<FloatStyle, FormatError> {
    let kind = spec.kind.unwrap_or('r');
    let known = matches!(kind, 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n') || also.contains(kind);
    if spec.kind.is_some() && !known {
        return Err(FormatError::unknown_code(kind, type_name));
    }
    if spec
        .precision
        .is_some_and(|precision| precision > i32::MAX as u64)
    {
        return Err(FormatError::value("precision too big"));
    }
    let precision = spec.precision.map(|precision| precision as usize);
    let notation = match (kind, precision) {
        ('r', None) => Notation::Shortest,
        ('e' | 'E', precision) => Notation::Exponent(precision.unwrap_or(6)),
        ('f' | 'F' | '%', precision) => Notation::Fixed(precision.unwrap_or(6)),
        (_, precision) => Notation::General(precision.unwrap_or(6)),
    };
    let style = FloatStyle {
        notation,
        alternate: spec.alternate,
        point_zero: kind == 'r',
        upper: matches!(kind, 'E' | 'F' | 'G'),
        no_negative_zero: spec.no_negative_zero,
    };
    limited(style.length() as u64)?;
    Ok(style)
}
