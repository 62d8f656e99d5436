//! Offsets in bytes in, offsets in characters out: most languages count a string in characters, so JSON has those.
//!
//! Used by `check` and `guard scan`. Cheap when offsets come in order.
use std::ops::Range;

/// Counts along a text.
pub(crate) struct Characters<'a> {
    text: &'a str,
    byte: usize,
    count: usize,
}

impl<'a> Characters<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            byte: 0,
            count: 0,
        }
    }

    /// Characters before this byte, which must begin one.
    pub(crate) fn before(&mut self, byte: usize) -> usize {
        if byte < self.byte {
            (self.byte, self.count) = (0, 0);
        }
        self.count += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.count
    }

    /// Both ends of a span.
    pub(crate) fn span(&mut self, span: &Range<usize>) -> [usize; 2] {
        [self.before(span.start), self.before(span.end)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_may_go_back() {
        let mut characters = Characters::new("aäb");
        let offsets = [0, 1, 3, 1, 4].map(|byte| characters.before(byte));
        assert_eq!(offsets, [0, 1, 2, 1, 3]);
        assert_eq!(characters.span(&(1..4)), [1, 3]);
    }
}
