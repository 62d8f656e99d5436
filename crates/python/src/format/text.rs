//! Texts laid out by a specification: cut to the precision, padded to the width, on the left unless told otherwise.
use super::{
    FormatError,
    layout::{limited, padded},
    spec::{Align, Sign, Spec},
};

pub(crate) fn format_str(text: &str, spec: &Spec, type_name: &str) -> Result<String, FormatError> {
    if let Some(kind) = spec.kind.filter(|&kind| kind != 's') {
        return Err(FormatError::unknown_code(kind, type_name));
    }
    if let (None, Some((separator, _))) = (spec.kind, spec.grouping) {
        return Err(FormatError::Value(format!(
            "Cannot specify '{separator}' with 's'."
        )));
    }
    refuse_number_parts(spec)?;
    let text = cut(text, spec.precision);
    let width = limited(spec.width.unwrap_or(0))?;
    let padding = match width.checked_sub(text.len()) {
        // The bytes are no fewer than the characters.
        None if text.is_ascii() => 0,
        _ => width.saturating_sub(text.chars().count()),
    };
    padded(spec.fill, spec.align.unwrap_or(Align::Left), padding, text)
}

fn refuse_number_parts(spec: &Spec) -> Result<(), FormatError> {
    let message = match spec.sign {
        Some(Sign::Space) => "Space not allowed in string format specifier",
        Some(_) => "Sign not allowed in string format specifier",
        None if spec.no_negative_zero => {
            "Negative zero coercion (z) not allowed in string format specifier"
        }
        None if spec.alternate => "Alternate form (#) not allowed in string format specifier",
        None if spec.align == Some(Align::AfterSign) => {
            "'=' alignment not allowed in string format specifier"
        }
        None => return Ok(()),
    };
    Err(FormatError::value(message))
}

/// At most so many characters.
pub(super) fn cut(text: &str, precision: Option<u64>) -> &str {
    let most = precision
        .and_then(|most| usize::try_from(most).ok())
        .unwrap_or(usize::MAX);
    if most >= text.len() {
        return text;
    }
    match text.char_indices().nth(most) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}
