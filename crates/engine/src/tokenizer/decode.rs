//! Bytes of tokens back into text, as they come.
//!
//! Used by `thinking` and by whoever shows an answer while it is made. A character whose bytes are spread over several
//! tokens is held back until it is whole; bytes that can never become a character are shown as U+FFFD.

/// Puts text together from the bytes of tokens.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    pending: Vec<u8>,
    strip_space: bool,
}

impl Decoder {
    /// `strip_space`: drop one space at the very beginning, the one that encoding had put there.
    pub(super) fn new(strip_space: bool) -> Self {
        Self {
            pending: Vec::new(),
            strip_space,
        }
    }

    /// Appends to `out` what the bytes of the next token complete.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut String) {
        if self.strip_space && !bytes.is_empty() {
            bytes = bytes.strip_prefix(b" ").unwrap_or(bytes);
            self.strip_space = false;
        }
        self.pending.extend_from_slice(bytes);
        let mut start = 0;
        while start < self.pending.len() {
            match std::str::from_utf8(&self.pending[start..]) {
                Ok(text) => {
                    out.push_str(text);
                    start = self.pending.len();
                }
                Err(error) => {
                    let whole = start + error.valid_up_to();
                    out.extend(self.pending[start..whole].utf8_chunks().map(|c| c.valid()));
                    start = whole;
                    let Some(len) = error.error_len() else {
                        break;
                    };
                    out.push(char::REPLACEMENT_CHARACTER);
                    start += len;
                }
            }
        }
        self.pending.drain(..start);
    }

    /// Appends what is left at the end: an unfinished character becomes U+FFFD.
    pub fn flush(&mut self, out: &mut String) {
        if !self.pending.is_empty() {
            self.pending.clear();
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
}
