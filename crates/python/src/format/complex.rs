//! Complex numbers laid out by a specification: each part as a float, the imaginary one always with a sign.
use super::{
    FormatError,
    digits::{FloatStyle, float_text},
    layout::{grouped, limited, padded, sign_text},
    number::{float_style, split_number},
    spec::{Align, Sign, Spec},
};
use crate::number::Complex;

pub(crate) fn format_complex(
    number: Complex,
    spec: &Spec,
    type_name: &str,
) -> Result<String, FormatError> {
    let style = FloatStyle {
        point_zero: false,
        ..float_style(spec, type_name, "")?
    };
    if spec.fill == '0' {
        return Err(FormatError::value(
            "Zero padding is not allowed in complex format specifier",
        ));
    }
    if spec.align == Some(Align::AfterSign) {
        return Err(FormatError::value(
            "'=' alignment flag is not allowed in complex format specifier",
        ));
    }
    // Without a type it is as `repr`: the real part only if it is not zero, and in parentheses.
    let as_repr = spec.kind.is_none();
    let no_real = as_repr && number.real == 0.0 && number.real.is_sign_positive();
    let imaginary_sign = if no_real { spec.sign } else { Some(Sign::Plus) };
    let imaginary = part(number.imaginary, style, imaginary_sign, spec);
    let text = if no_real {
        format!("{imaginary}j")
    } else {
        let real = part(number.real, style, spec.sign, spec);
        if as_repr {
            format!("({real}{imaginary}j)")
        } else {
            format!("{real}{imaginary}j")
        }
    };
    let width = limited(spec.width.unwrap_or(0))?;
    let align = spec.align.unwrap_or(Align::Right);
    padded(spec.fill, align, width.saturating_sub(text.len()), &text)
}

fn part(x: f64, style: FloatStyle, sign: Option<Sign>, spec: &Spec) -> String {
    let text = float_text(x, style);
    let (negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text.as_str()),
    };
    let (digits, rest) = split_number(text);
    let digits = match digits {
        "" => String::new(),
        digits => grouped(digits, 0, spec.grouping),
    };
    format!("{}{digits}{rest}", sign_text(negative, sign))
}
