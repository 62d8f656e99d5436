//! Where numbers and literals of text end, and which numbers are none.
use super::characters::is_potential;
use super::{Lexed, Lexer, TokenKind};

impl Lexer<'_> {
    pub(super) fn number(&mut self) -> Lexed<()> {
        let start = self.position;
        let radix = match (self.peek(), self.peek_at(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => Some(("hexadecimal", 16)),
            (Some(b'0'), Some(b'o' | b'O')) => Some(("octal", 8)),
            (Some(b'0'), Some(b'b' | b'B')) => Some(("binary", 2)),
            _ => None,
        };
        if let Some((kind, radix)) = radix {
            self.position += 2;
            self.radix_digits(kind, radix)?;
            self.check_end_of_number(kind)?;
        } else {
            self.decimal()?;
        }
        self.push(TokenKind::Number, start);
        Ok(())
    }

    /// The digits behind `0x` and the like, with single underscores before them.
    fn radix_digits(&mut self, kind: &str, radix: u32) -> Lexed<()> {
        loop {
            if self.peek() == Some(b'_') {
                self.position += 1;
            }
            let start = self.position;
            while self
                .peek()
                .is_some_and(|byte| char::from(byte).is_digit(radix))
            {
                self.position += 1;
            }
            if let Some(digit @ b'0'..=b'9') = self.peek() {
                return Err(self.fault(format!(
                    "invalid digit '{}' in {kind} literal",
                    char::from(digit)
                )));
            }
            if start == self.position {
                return Err(self.fault(format!("invalid {kind} literal")));
            }
            if self.peek() != Some(b'_') {
                return Ok(());
            }
        }
    }

    fn decimal(&mut self) -> Lexed<()> {
        let start = self.position;
        if self.peek() != Some(b'.') {
            self.digits()?;
        }
        let whole = &self.text[start..self.position];
        let octal_of_old =
            whole.starts_with('0') && whole.bytes().any(|byte| !matches!(byte, b'0' | b'_'));
        let mut real = false;
        if self.peek() == Some(b'.') {
            real = true;
            self.position += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.digits()?;
            }
        }
        real |= self.exponent()?;
        if matches!(self.peek(), Some(b'j' | b'J')) {
            self.position += 1;
            return self.check_end_of_number("imaginary");
        }
        if octal_of_old && !real {
            return Err(self.fault(
                "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers",
            ));
        }
        self.check_end_of_number("decimal")
    }

    /// Whether there is an exponent; an `e` without digits is left for what follows.
    fn exponent(&mut self) -> Lexed<bool> {
        if !matches!(self.peek(), Some(b'e' | b'E')) {
            return Ok(false);
        }
        let signed = matches!(self.peek_at(1), Some(b'+' | b'-'));
        let digit = self.peek_at(1 + usize::from(signed));
        if digit.is_some_and(|byte| byte.is_ascii_digit()) {
            self.position += 1 + usize::from(signed);
            self.digits()?;
            return Ok(true);
        }
        if signed {
            return Err(self.fault("invalid decimal literal"));
        }
        Ok(false)
    }

    /// Decimal digits with single underscores between them.
    fn digits(&mut self) -> Lexed<()> {
        loop {
            while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.position += 1;
            }
            if self.peek() != Some(b'_') {
                return Ok(());
            }
            self.position += 1;
            if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(self.fault("invalid decimal literal"));
            }
        }
    }

    /// No letter may stick to a number but those of a keyword that can follow one.
    fn check_end_of_number(&self, kind: &str) -> Lexed<()> {
        let rest = &self.text[self.position..];
        let whole = |keyword: &str| {
            let behind = rest.strip_prefix(keyword).map(str::as_bytes);
            behind.is_some_and(|behind| !behind.first().is_some_and(|byte| is_potential(*byte)))
        };
        let keyword = ["and", "else", "for", "or", "not"].into_iter().any(whole)
            || ["if", "in", "is"]
                .iter()
                .any(|keyword| rest.starts_with(keyword));
        let sticks = self
            .peek()
            .is_some_and(|byte| byte < 128 && is_potential(byte));
        if sticks && !keyword {
            return Err(self.fault(format!("invalid {kind} literal")));
        }
        Ok(())
    }

    /// A literal of text or bytes that begins at `start` and whose quote stands at the position.
    pub(super) fn text_literal(&mut self, start: usize) -> Lexed<()> {
        let first_line = self.line;
        let quote = self.peek().unwrap_or(b'"');
        let triple = self.peek_at(1) == Some(quote) && self.peek_at(2) == Some(quote);
        let size = if triple { 3 } else { 1 };
        self.position += size;
        loop {
            let Some(byte) = self.peek() else {
                return Err(self.unterminated(triple, first_line, self.line.saturating_sub(1)));
            };
            if byte == b'\n' && !triple {
                return Err(self.unterminated(triple, first_line, self.line));
            }
            if byte == quote
                && (!triple || (self.peek_at(1) == Some(quote) && self.peek_at(2) == Some(quote)))
            {
                self.position += size;
                break;
            }
            if byte == b'\\' {
                self.position += 1;
            }
            match self.peek() {
                Some(b'\n') => self.end_line(),
                Some(_) => self.position += 1,
                None => {}
            }
        }
        self.push_from_line(TokenKind::Text, start, first_line);
        Ok(())
    }

    fn unterminated(&mut self, triple: bool, first_line: u32, last_line: u32) -> Box<super::Fault> {
        let kind = if triple {
            "unterminated triple-quoted string literal"
        } else {
            "unterminated string literal"
        };
        let mut fault = self.fault(format!("{kind} (detected at line {last_line})"));
        fault.error.line = first_line;
        // The position may be inside of a character: what follows is not read.
        self.position = self.text.len();
        fault
    }
}
