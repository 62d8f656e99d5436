//! Bytes to texts: UTF-8, UTF-16, UTF-32, ASCII and Latin-1, and what to do with bytes that mean no character.
//!
//! A text cannot hold lone surrogates, so that `surrogateescape` gives replacement characters for what cannot be read.
use super::{
    encode::{Codec, Order},
    failure::{cannot_decode, unknown_handler},
};
use crate::{
    builtins::text::LONGEST,
    vm::{PyResult, Vm},
};
use std::{ops::Range, str::Utf8Error};

/// What is being read, and what has been.
struct Reading<'a> {
    vm: &'a Vm,
    codec: &'static str,
    bytes: &'a [u8],
    errors: &'a str,
    out: String,
}

/// `bytes.decode(encoding, errors)`.
pub(crate) fn decode(
    vm: &Vm,
    bytes: &[u8],
    encoding: Option<&str>,
    errors: Option<&str>,
) -> PyResult<String> {
    if bytes.is_empty() {
        // CPython does not even look at the names then.
        return Ok(String::new());
    }
    let errors = errors.unwrap_or("strict");
    let reading = |codec| Reading {
        vm,
        codec,
        bytes,
        errors,
        out: String::new(),
    };
    match Codec::find(vm, encoding)? {
        Codec::Utf8 => reading("utf-8").utf8(0),
        Codec::Utf8Signed => {
            let marked = bytes.starts_with("\u{feff}".as_bytes());
            reading("utf-8").utf8(if marked { 3 } else { 0 })
        }
        Codec::Ascii => reading("ascii").ascii(),
        Codec::Latin1 => Ok(bytes.iter().copied().map(char::from).collect()),
        Codec::Utf16(order) => {
            let (big, start) = byte_order(bytes, order, 2);
            reading(if big { "utf-16-be" } else { "utf-16-le" }).utf16(big, start)
        }
        Codec::Utf32(order) => {
            let (big, start) = byte_order(bytes, order, 4);
            reading(if big { "utf-32-be" } else { "utf-32-le" }).utf32(big, start)
        }
    }
}

/// Whether the highest byte of a unit comes first, and where the text begins.
fn byte_order(bytes: &[u8], order: Order, width: usize) -> (bool, usize) {
    let (little, big): (&[u8], &[u8]) = match width {
        2 => (b"\xff\xfe", b"\xfe\xff"),
        _ => (b"\xff\xfe\0\0", b"\0\0\xfe\xff"),
    };
    match order {
        Order::Little => (false, 0),
        Order::Big => (true, 0),
        Order::Marked if bytes.starts_with(little) => (false, width),
        Order::Marked if bytes.starts_with(big) => (true, width),
        Order::Marked => (false, 0),
    }
}

impl Reading<'_> {
    /// These bytes mean nothing.
    fn fault(&mut self, range: Range<usize>, reason: &str) -> PyResult<()> {
        match self.errors {
            "strict" | "surrogatepass" => {
                return Err(cannot_decode(
                    self.vm, self.codec, self.bytes, range, reason,
                ));
            }
            "ignore" => {}
            "replace" | "surrogateescape" => self.out.push(char::REPLACEMENT_CHARACTER),
            "backslashreplace" => {
                for byte in self.bytes.get(range).unwrap_or_default() {
                    self.out.push_str(&format!("\\x{byte:02x}"));
                }
            }
            other => return Err(unknown_handler(self.vm, other)),
        }
        match self.out.len() > LONGEST {
            true => Err(self.vm.memory_error()),
            false => Ok(()),
        }
    }

    fn utf8(mut self, start: usize) -> PyResult<String> {
        let mut at = start;
        while let Some(rest) = self.bytes.get(at..) {
            let error: Utf8Error = match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.out.push_str(text);
                    break;
                }
                Err(error) => error,
            };
            let (valid, behind) = rest.split_at(error.valid_up_to());
            self.out.push_str(&String::from_utf8_lossy(valid));
            let begin = at + valid.len();
            let (len, reason) = match (error.error_len(), behind.first()) {
                (None, _) => (behind.len(), "unexpected end of data"),
                (Some(len), Some(0xc2..=0xf4)) => (len, "invalid continuation byte"),
                (Some(len), _) => (len, "invalid start byte"),
            };
            self.fault(begin..begin + len, reason)?;
            at = begin + len;
        }
        Ok(self.out)
    }

    fn ascii(mut self) -> PyResult<String> {
        for (at, byte) in self.bytes.iter().enumerate() {
            match byte.is_ascii() {
                true => self.out.push(char::from(*byte)),
                false => self.fault(at..at + 1, "ordinal not in range(128)")?,
            }
        }
        Ok(self.out)
    }

    fn utf16(mut self, big: bool, start: usize) -> PyResult<String> {
        let bytes = self.bytes;
        let unit = |at: usize| match (bytes.get(at), bytes.get(at + 1)) {
            (Some(a), Some(b)) if big => Some(u16::from_be_bytes([*a, *b])),
            (Some(a), Some(b)) => Some(u16::from_le_bytes([*a, *b])),
            _ => None,
        };
        let mut at = start;
        while at < bytes.len() {
            let Some(first) = unit(at) else {
                self.fault(at..bytes.len(), "truncated data")?;
                break;
            };
            match (first, unit(at + 2)) {
                (0xd800..=0xdbff, None) => {
                    self.fault(at..bytes.len(), "unexpected end of data")?;
                    break;
                }
                (0xd800..=0xdbff, Some(second @ 0xdc00..=0xdfff)) => {
                    let pair = char::decode_utf16([first, second]);
                    self.out
                        .extend(pair.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
                    at += 4;
                    continue;
                }
                (0xd800..=0xdbff, Some(_)) => self.fault(at..at + 2, "illegal UTF-16 surrogate")?,
                (0xdc00..=0xdfff, _) => self.fault(at..at + 2, "illegal encoding")?,
                (other, _) => self.out.extend(char::from_u32(other.into())),
            }
            at += 2;
        }
        Ok(self.out)
    }

    fn utf32(mut self, big: bool, start: usize) -> PyResult<String> {
        let bytes = self.bytes;
        let mut at = start;
        while at < bytes.len() {
            let Some(&[a, b, c, d]) = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>())
            else {
                self.fault(at..bytes.len(), "truncated data")?;
                break;
            };
            let code = match big {
                true => u32::from_be_bytes([a, b, c, d]),
                false => u32::from_le_bytes([a, b, c, d]),
            };
            match char::from_u32(code) {
                Some(c) => self.out.push(c),
                None if code < 0x11_0000 => {
                    let reason = "code point in surrogate code point range(0xd800, 0xe000)";
                    self.fault(at..at + 4, reason)?;
                }
                None => self.fault(at..at + 4, "code point not in range(0x110000)")?,
            }
            at += 4;
        }
        Ok(self.out)
    }
}
