//! A pattern or template as a row of tokens: single characters, and pairs that begin with a backslash.
//!
//! One token is looked at ahead, so that a backslash at the end is noticed when the token before it is taken, as CPython does.
use super::tree::{Failure, FailureKind, Outcome};
use crate::text::quoted;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) escaped: bool,
    pub(super) c: char,
}

impl Token {
    pub(super) fn len(self) -> usize {
        1 + usize::from(self.escaped)
    }

    pub(super) fn is(self, c: char) -> bool {
        !self.escaped && self.c == c
    }

    pub(super) fn text(self) -> String {
        match self.escaped {
            true => format!("\\{}", self.c),
            false => self.c.to_string(),
        }
    }
}

pub(super) struct Source {
    chars: Vec<char>,
    /// Behind the token that is next.
    index: usize,
    pub(super) next: Option<Token>,
}

impl Source {
    pub(super) fn new(text: &str) -> Outcome<Self> {
        let mut source = Self {
            chars: text.chars().collect(),
            index: 0,
            next: None,
        };
        source.advance()?;
        Ok(source)
    }

    fn advance(&mut self) -> Outcome<()> {
        let mut index = self.index;
        let Some(mut c) = self.chars.get(index).copied() else {
            self.next = None;
            return Ok(());
        };
        let escaped = c == '\\';
        if escaped {
            index += 1;
            let Some(after) = self.chars.get(index).copied() else {
                let mut failure = Failure::new(FailureKind::Pattern, "bad escape (end of pattern)");
                failure.position = Some(self.chars.len().saturating_sub(1));
                return Err(failure);
            };
            c = after;
        }
        self.index = index + 1;
        self.next = Some(Token { escaped, c });
        Ok(())
    }

    pub(super) fn get(&mut self) -> Outcome<Option<Token>> {
        let this = self.next;
        self.advance()?;
        Ok(this)
    }

    /// Takes the next token if it is this character.
    pub(super) fn accept(&mut self, c: char) -> Outcome<bool> {
        let found = self.next_is(c);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn next_is(&self, c: char) -> bool {
        self.next.is_some_and(|next| next.is(c))
    }

    /// The next character if it is a digit of this base.
    pub(super) fn digit(&self, base: u32) -> Option<char> {
        let next = self.next.filter(|next| !next.escaped)?;
        let ok = next.c.is_ascii() && next.c.is_digit(base);
        ok.then_some(next.c)
    }

    /// At most so many digits of this base.
    pub(super) fn digits(&mut self, most: usize, base: u32) -> Outcome<String> {
        let mut digits = String::new();
        while digits.len() < most
            && let Some(c) = self.digit(base)
        {
            digits.push(c);
            self.advance()?;
        }
        Ok(digits)
    }

    /// What stands before this character, which is taken too.
    pub(super) fn until(&mut self, end: char, what: &str) -> Outcome<String> {
        let mut name = String::new();
        loop {
            match self.get()? {
                None if name.is_empty() => return Err(self.error(format!("missing {what}"), 0)),
                None => {
                    let message = format!("missing {end}, unterminated name");
                    return Err(self.error(message, name.chars().count()));
                }
                Some(token) if token.is(end) => break,
                Some(token) => name.push_str(&token.text()),
            }
        }
        match name.is_empty() {
            true => Err(self.error(format!("missing {what}"), 1)),
            false => Ok(name),
        }
    }

    /// Where the next token begins.
    pub(super) fn tell(&self) -> usize {
        self.index - self.next.map_or(0, Token::len)
    }

    pub(super) fn seek(&mut self, index: usize) -> Outcome<()> {
        self.index = index;
        self.advance()
    }

    /// A complaint about what stands so many characters before the next token.
    pub(super) fn error(&self, message: impl Into<String>, back: usize) -> Failure {
        let mut failure = Failure::new(FailureKind::Pattern, message);
        failure.position = Some(self.tell().saturating_sub(back));
        failure
    }

    pub(super) fn bad_name(&self, name: &str) -> Failure {
        let message = format!("bad character in group name {}", quoted(name));
        self.error(message, name.chars().count() + 1)
    }
}

/// The number of a group, as `int()` reads it; `None` if it is not one. Those too large for any group are the largest number.
pub(super) fn group_number(name: &str) -> Option<u32> {
    let digits = name.trim();
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().unwrap_or(u32::MAX))
}

pub(super) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|first| first == '_' || first.is_alphabetic())
        && chars.all(|c| c == '_' || c.is_alphanumeric())
}
