//! Numbers and texts laid out as `format()`, f-strings, `str.format` and the operator `%` do.
//!
//! The specification is parsed once and then applied to a value; errors have CPython's words. Whoever calls names the type in
//! them, as a subclass has its own name. A locale is always C's. Results beyond 64 MiB are refused as `Memory`.
mod complex;
mod digits;
mod layout;
mod number;
mod percent;
mod spec;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use complex::format_complex;
pub(crate) use digits::{FloatStyle, Notation, float_text};
pub(crate) use number::{format_float, format_int};
pub(crate) use percent::{
    Amount, Conversion, Layout, Percent, Segment, percent_char, percent_code, percent_float,
    percent_int, percent_text,
};
pub(crate) use spec::Spec;
pub(crate) use text::format_str;

/// No result may be longer.
pub(crate) const MOST_BYTES: usize = 64 << 20;

/// Why nothing was formatted; the variants are Python's exceptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FormatError {
    Value(String),
    Overflow(&'static str),
    Type(&'static str),
    Memory,
}

impl FormatError {
    fn value(message: &str) -> Self {
        Self::Value(message.to_owned())
    }

    fn unknown_code(kind: char, type_name: &str) -> Self {
        Self::Value(format!(
            "Unknown format code '{}' for object of type '{type_name}'",
            shown(kind)
        ))
    }
}

/// A character in an error: by its code if it is not printable ASCII.
fn shown(c: char) -> String {
    if matches!(c, '!'..='\x7f') {
        c.to_string()
    } else {
        format!("\\x{:x}", u32::from(c))
    }
}
