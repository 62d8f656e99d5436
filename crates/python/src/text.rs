//! Python's `str`: UTF-8 with the number of its characters and its hash kept beside it.
//!
//! Indices are characters, as in Python. For ASCII a character is a byte; for other texts finding one is linear, which is
//! what programs about numbers and puzzles can afford. Lone surrogates cannot be held: they become U+FFFD.
use std::{borrow::Cow, cell::Cell, cmp::Ordering, fmt, ops::Deref, rc::Rc};

pub(crate) struct Str {
    text: Box<str>,
    /// Zero until it is asked for.
    hash: Cell<i64>,
    /// `usize::MAX` until it is asked for.
    chars: Cell<usize>,
}

impl Str {
    pub(crate) fn new(text: impl Into<Box<str>>) -> Rc<Self> {
        Rc::new(Self {
            text: text.into(),
            hash: Cell::new(0),
            chars: Cell::new(usize::MAX),
        })
    }

    /// The same in every run: dictionaries and sets do not depend on chance.
    pub(crate) fn hash(&self) -> i64 {
        if self.hash.get() == 0 {
            self.hash.set(hash_bytes(self.text.as_bytes()));
        }
        self.hash.get()
    }

    /// Number of characters.
    pub(crate) fn chars_len(&self) -> usize {
        if self.chars.get() == usize::MAX {
            self.chars.set(self.text.chars().count());
        }
        self.chars.get()
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.chars_len() == self.text.len()
    }

    /// The character at this place, as a text.
    pub(crate) fn char_at(&self, index: usize) -> Option<&str> {
        if self.is_plain() {
            return self.text.get(index..index + 1);
        }
        let (at, c) = self.text.char_indices().nth(index)?;
        self.text.get(at..at + c.len_utf8())
    }

    /// The byte at which this character begins; the end for one past the last.
    pub(crate) fn byte_of(&self, index: usize) -> usize {
        if self.is_plain() {
            return index.min(self.text.len());
        }
        let found = self.text.char_indices().nth(index);
        found.map_or(self.text.len(), |(at, _)| at)
    }

    /// Characters from `start` to `end`.
    pub(crate) fn between(&self, start: usize, end: usize) -> &str {
        if start >= end {
            return "";
        }
        let (from, to) = (self.byte_of(start), self.byte_of(end));
        self.text.get(from..to).unwrap_or_default()
    }
}

/// FNV-1a, and never -1, which means something else; zero, which is not known yet, only without bytes.
pub(crate) fn hash_bytes(bytes: &[u8]) -> i64 {
    if bytes.is_empty() {
        return 0;
    }
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    // Tables use the low bits, which FNV mixes least.
    hash ^= hash >> 32;
    match hash.cast_signed() {
        0 => 1,
        -1 => -2,
        hash => hash,
    }
}

impl Deref for Str {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// As `repr` writes it: in single quotes unless only those stand inside.
pub(crate) fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if is_printable(c) => out.push(c),
            c => out.push_str(&escaped(c)),
        }
    }
    out.push(quote);
    out
}

/// `\x1b`, `\u200b`, `\U0001f600`.
pub(crate) fn escaped(c: char) -> String {
    match u32::from(c) {
        code @ 0..=0xff => format!("\\x{code:02x}"),
        code @ 0x100..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

/// Only ASCII, as `ascii()` writes it.
pub(crate) fn only_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let one = |c: char| match c.is_ascii() {
        true => c.to_string(),
        false => escaped(c),
    };
    Cow::Owned(text.chars().map(one).collect())
}

/// Whether `repr` shows it as it is: no control, format, private or unassigned character, and of the spaces only one.
pub(crate) fn is_printable(c: char) -> bool {
    match c {
        ' '..='~' => true,
        '\0'..='\u{a0}' | '\u{ad}' => false,
        '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{1680}' | '\u{180e}' => {
            false
        }
        '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' => false,
        '\u{3000}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}' => false,
        '\u{e000}'..='\u{f8ff}' | '\u{e0000}'.. => false,
        _ => true,
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Str {}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        *self.text == *other
    }
}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By code points, as UTF-8 is ordered too.
impl Ord for Str {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}
