//! Files of one JSON object a line, as people and programs leave them: a mark at the start, blank lines, CRLF, a last
//! line that was being written when the power went, all of it packed with gzip.

use crate::{Error, Result};
use flate2::read::MultiGzDecoder;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{
    io::{self, Read},
    path::Path,
};

/// Largest file that is read.
pub(crate) const LARGEST: u64 = 1 << 30;

/// One object and where it stood.
#[derive(Clone, Debug)]
pub struct Line {
    /// From 1.
    pub number: usize,
    /// The object.
    pub value: Value,
}

impl Line {
    /// The object as a row of some kind, or a refusal that names the line.
    pub fn parse<T: DeserializeOwned>(self, path: &Path) -> Result<T> {
        let line = self.number;
        serde_json::from_value(self.value)
            .map_err(|error| Error::line(path, line, error.to_string()))
    }

    /// The same for rows that must hold more than their types say; `read` says what is wrong otherwise.
    pub(crate) fn parse_by<R: DeserializeOwned, T>(
        self,
        path: &Path,
        read: impl FnOnce(R) -> std::result::Result<T, String>,
    ) -> Result<T> {
        let number = self.number;
        read(self.parse(path)?).map_err(|why| Error::line(path, number, why))
    }
}

/// The objects of a file. A last line without an end that does not parse was cut while it was written and is left out;
/// any other line that does not parse is refused with its number.
pub fn read_lines(path: &Path) -> Result<Vec<Line>> {
    let failed = Error::file(path);
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > LARGEST {
        return Err(failed(too_large()));
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    lines(&unpacked(bytes).map_err(failed)?, path)
}

/// What gzip has packed, as far as it may be large; anything else as it is.
fn unpacked(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return Ok(bytes);
    }
    let mut out = Vec::new();
    let mut from = MultiGzDecoder::new(&bytes[..]).take(LARGEST + 1);
    from.read_to_end(&mut out)?;
    if out.len() as u64 > LARGEST {
        return Err(too_large());
    }
    Ok(out)
}

/// The objects in the bytes of a file.
pub(crate) fn lines(bytes: &[u8], path: &Path) -> Result<Vec<Line>> {
    let refuse = |line: usize, why: String| Error::line(path, line, why);
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = Vec::new();
    for (i, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let whole = line.ends_with(b"\n");
        let body = line.trim_ascii();
        if body.is_empty() {
            continue;
        }
        match serde_json::from_slice::<Value>(body) {
            Ok(value) if value.is_object() => lines.push(Line {
                number: i + 1,
                value,
            }),
            Ok(_) => return Err(refuse(i + 1, "not a JSON object".into())),
            Err(_) if !whole => break,
            Err(error) => return Err(refuse(i + 1, error.to_string())),
        }
    }
    Ok(lines)
}

pub(crate) fn too_large() -> io::Error {
    io::Error::other("larger than 1 GiB")
}
