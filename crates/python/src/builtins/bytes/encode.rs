//! Texts to bytes: UTF-8, UTF-16, UTF-32, ASCII and Latin-1, and what to do with characters that an encoding lacks.
use super::failure::{cannot_encode, unknown_encoding, unknown_handler};
use crate::{
    builtins::text::LONGEST,
    text::escaped,
    vm::{PyResult, Vm},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Utf8,
    /// With a mark at the beginning.
    Utf8Signed,
    Ascii,
    Latin1,
    Utf16(Order),
    Utf32(Order),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Little, and a mark says so.
    Marked,
    Little,
    Big,
}

impl Codec {
    /// By any of its names; UTF-8 if there is none.
    pub(super) fn find(vm: &Vm, name: Option<&str>) -> PyResult<Self> {
        let Some(name) = name else {
            return Ok(Self::Utf8);
        };
        let plain: String = name
            .trim()
            .chars()
            .map(|c| {
                if matches!(c, '_' | ' ') {
                    '-'
                } else {
                    c.to_ascii_lowercase()
                }
            })
            .collect();
        Ok(match plain.as_str() {
            "utf-8" | "utf8" | "u8" | "utf" | "cp65001" | "utf8-ucs2" | "utf8-ucs4" => Self::Utf8,
            "utf-8-sig" | "utf8-sig" => Self::Utf8Signed,
            "ascii" | "us-ascii" | "646" | "ansi-x3.4-1968" | "iso646-us" | "us" | "cp367" => {
                Self::Ascii
            }
            "latin-1" | "latin1" | "latin" | "l1" | "iso-8859-1" | "iso8859-1" | "iso8859"
            | "8859" | "cp819" => Self::Latin1,
            "utf-16" | "utf16" | "u16" => Self::Utf16(Order::Marked),
            "utf-16-le" | "utf-16le" | "utf16-le" | "utf16le" | "unicodelittleunmarked" => {
                Self::Utf16(Order::Little)
            }
            "utf-16-be" | "utf-16be" | "utf16-be" | "utf16be" | "unicodebigunmarked" => {
                Self::Utf16(Order::Big)
            }
            "utf-32" | "utf32" | "u32" => Self::Utf32(Order::Marked),
            "utf-32-le" | "utf-32le" | "utf32-le" | "utf32le" => Self::Utf32(Order::Little),
            "utf-32-be" | "utf-32be" | "utf32-be" | "utf32be" => Self::Utf32(Order::Big),
            _ => return Err(unknown_encoding(vm, name)),
        })
    }
}

/// `text.encode(encoding, errors)`.
pub(crate) fn encode(
    vm: &Vm,
    text: &str,
    encoding: Option<&str>,
    errors: Option<&str>,
) -> PyResult<Vec<u8>> {
    match Codec::find(vm, encoding)? {
        Codec::Utf8 => Ok(text.as_bytes().to_vec()),
        Codec::Utf8Signed => Ok(["\u{feff}", text].concat().into_bytes()),
        Codec::Ascii => narrow(vm, text, ("ascii", 128), errors.unwrap_or("strict")),
        Codec::Latin1 => narrow(vm, text, ("latin-1", 256), errors.unwrap_or("strict")),
        Codec::Utf16(order) => wide(vm, text, order, 2),
        Codec::Utf32(order) => wide(vm, text, order, 4),
    }
}

/// Every character is one byte; `codec` is a name and how many characters it has.
fn narrow(vm: &Vm, text: &str, codec: (&str, u32), errors: &str) -> PyResult<Vec<u8>> {
    let (name, size) = codec;
    let byte = |c: char| u8::try_from(c).ok().filter(|byte| u32::from(*byte) < size);
    let mut out = Vec::with_capacity(text.len());
    for (at, c) in text.chars().enumerate() {
        if let Some(byte) = byte(c) {
            out.push(byte);
            continue;
        }
        match errors {
            "strict" => {
                let missing = text
                    .chars()
                    .skip(at)
                    .take_while(|c| byte(*c).is_none())
                    .count();
                let reason = format!("ordinal not in range({size})");
                return Err(cannot_encode(vm, name, text, at..at + missing, &reason));
            }
            "ignore" => {}
            "replace" => out.push(b'?'),
            "backslashreplace" => out.extend(escaped(c).into_bytes()),
            "xmlcharrefreplace" => out.extend(format!("&#{};", u32::from(c)).into_bytes()),
            other => return Err(unknown_handler(vm, other)),
        }
        if out.len() > LONGEST {
            return Err(vm.memory_error());
        }
    }
    Ok(out)
}

/// Units of two or four bytes.
fn wide(vm: &Vm, text: &str, order: Order, width: usize) -> PyResult<Vec<u8>> {
    if text.len().saturating_mul(width) > LONGEST {
        return Err(vm.memory_error());
    }
    let mut out = Vec::with_capacity((text.len() + 1) * width);
    let mut push = |unit: u32| {
        let [a, b, c, d] = unit.to_le_bytes();
        match (order, width) {
            (Order::Big, 2) => out.extend([b, a]),
            (Order::Big, _) => out.extend([d, c, b, a]),
            (_, 2) => out.extend([a, b]),
            _ => out.extend([a, b, c, d]),
        }
    };
    if order == Order::Marked {
        push(0xfeff);
    }
    match width {
        2 => text.encode_utf16().for_each(|unit| push(unit.into())),
        _ => text.chars().for_each(|c| push(c.into())),
    }
    Ok(out)
}
