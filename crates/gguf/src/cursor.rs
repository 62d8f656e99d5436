//! A read position over untrusted bytes: every step is checked against the end.
//!
//! Used by `header` while it walks a file once. All numbers are little-endian.
use crate::{Error, Result};

/// The bytes of a file and how far they have been read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Bytes not yet read.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `len` bytes; `what` names them in the error.
    pub(crate) fn take(&mut self, len: u64, what: &str) -> Result<&'a [u8]> {
        let taken = usize::try_from(len)
            .ok()
            .and_then(|len| self.bytes.get(self.at..self.at.checked_add(len)?))
            .ok_or_else(|| self.truncated(what))?;
        self.at += taken.len();
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let rest = &self.bytes[self.at..];
        let taken = rest.first_chunk().ok_or_else(|| self.truncated(what))?;
        self.at += N;
        Ok(*taken)
    }

    pub(crate) fn u32(&mut self, what: &str) -> Result<u32> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, what: &str) -> Result<u64> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// A length and that many bytes.
    pub(crate) fn string(&mut self, what: &str) -> Result<&'a [u8]> {
        let start = *self;
        let len = self.u64(what)?;
        // Point at the string's beginning, where its wrong length stands.
        self.take(len, what).map_err(|_| start.truncated(what))
    }

    fn truncated(&self, what: &str) -> Error {
        Error::Truncated {
            what: what.to_owned(),
            offset: self.at,
            len: self.bytes.len(),
        }
    }
}
