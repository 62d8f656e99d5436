//! Names and keywords, and which characters they consist of.
//!
//! Unicode's `XID_Start` and `XID_Continue` are approximated by what the standard library knows of a character: letters, the
//! commonest combining marks and the commonest digits that are not ASCII.
use super::{Lexed, Lexer, TokenKind};

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

impl Lexer<'_> {
    /// A name, a keyword, or a literal with a prefix.
    pub(super) fn word(&mut self) -> Lexed<()> {
        let start = self.position;
        if let Some(length) = self.prefix_length() {
            self.position += length;
            return self.text_literal(start);
        }
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().position(|byte| !is_potential(*byte));
        self.position = start + length.unwrap_or(rest.len());
        let word = &self.text[start..self.position];
        if !word.is_ascii() {
            self.check_name(word)?;
        }
        let kind = KEYWORDS
            .iter()
            .find(|keyword| **keyword == word)
            .map_or(TokenKind::Name, |keyword| TokenKind::Symbol(keyword));
        self.push(kind, start);
        Ok(())
    }

    /// How many letters at the position are the prefix of a literal.
    fn prefix_length(&self) -> Option<usize> {
        let quote = |byte: Option<u8>| matches!(byte, Some(b'"' | b'\''));
        let first = self.peek()?.to_ascii_lowercase();
        let second = self.peek_at(1)?.to_ascii_lowercase();
        if matches!(first, b'b' | b'u' | b'r' | b'f') && quote(Some(second)) {
            return Some(1);
        }
        let raw = matches!((first, second), (b'r', b'b' | b'f') | (b'b' | b'f', b'r'));
        (raw && quote(self.peek_at(2))).then_some(2)
    }

    fn check_name(&self, word: &str) -> Lexed<()> {
        let allowed = |(index, character): (usize, char)| {
            if index == 0 {
                starts_name(character)
            } else {
                continues_name(character)
            }
        };
        match word.char_indices().find(|found| !allowed(*found)) {
            None => Ok(()),
            Some((_, character)) => Err(self.fault(unexpected(character))),
        }
    }
}

/// The complaint about a character that belongs to no token.
pub(super) fn unexpected(character: char) -> String {
    let code = u32::from(character);
    if is_printable(character) {
        format!("invalid character '{character}' (U+{code:04X})")
    } else {
        format!("invalid non-printable character U+{code:04X}")
    }
}

/// Whether a byte may be of a name; those of other alphabets are looked at afterwards.
pub(super) const fn is_potential(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128
}

fn starts_name(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

fn continues_name(character: char) -> bool {
    starts_name(character)
        || matches!(character,
            '0'..='9' | '·' | '\u{0300}'..='\u{036f}' | '\u{0660}'..='\u{0669}' | '\u{06f0}'..='\u{06f9}'
            | '\u{0966}'..='\u{096f}' | '\u{20d0}'..='\u{20dc}' | '\u{ff10}'..='\u{ff19}')
}

fn is_printable(character: char) -> bool {
    !character.is_control()
        && !character.is_whitespace()
        && !matches!(character,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}')
}
