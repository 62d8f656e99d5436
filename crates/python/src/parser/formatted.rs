//! F-strings: the texts and values that the body of one consists of.
//!
//! As in CPython 3.11, the body is first taken apart by its braces, brackets and quotes, and each expression is then parsed
//! as a small program of its own, in parentheses. An expression cannot contain the quotes around it, so that f-strings nest no
//! deeper than there are kinds of quotes and each character is read a few times at most.
use super::literals::{merged, text_value};
use super::{Failure, Parsed, Parser};
use crate::ast::{Expr, Piece};
use crate::lexer::closing;
use std::ops::Range;

/// Reads the body of one f-string.
struct Reader<'p, 'a> {
    parser: &'p mut Parser<'a>,
    text: &'a str,
    position: usize,
    end: usize,
    raw: bool,
    /// The line of the program on which the character at `counted` stands.
    line: u32,
    counted: usize,
}

impl Parser<'_> {
    /// The pieces of the f-string whose body is that part of the text. Its token is the next one.
    pub(super) fn formatted(&mut self, body: Range<usize>, raw: bool) -> Parsed<Vec<Piece>> {
        let mut reader = Reader {
            text: self.text,
            position: body.start,
            end: body.end,
            raw,
            line: self.line(),
            counted: self.token().start,
            parser: self,
        };
        reader.pieces(0)
    }
}

impl Reader<'_, '_> {
    /// Pieces up to the end or, inside of a format, up to its closing brace.
    fn pieces(&mut self, level: usize) -> Parsed<Vec<Piece>> {
        let mut pieces = Vec::new();
        loop {
            let (literal, doubled) = self.literal(level)?;
            let text = text_value(&self.text[literal], self.raw)
                .map_err(|message| self.parser.failure(message))?;
            pieces.push(Piece::Text(text.into()));
            if doubled {
                continue;
            }
            match self.peek() {
                Some(b'{') => self.value(level, &mut pieces)?,
                Some(_) if level > 0 => break,
                None if level == 0 => break,
                _ => return Err(self.complaint("expecting '}'")),
            }
        }
        Ok(merged(pieces))
    }

    /// Where a text up to a brace stands, and whether it ends with a doubled brace, which means a single one.
    fn literal(&mut self, level: usize) -> Parsed<(Range<usize>, bool)> {
        let start = self.position;
        while let Some(byte) = self.peek() {
            if byte == b'\\' && !self.raw {
                self.escape();
                continue;
            }
            if !matches!(byte, b'{' | b'}') {
                self.position += 1;
                continue;
            }
            if level > 0 {
                break;
            }
            if self.peek_at(1) == Some(byte) {
                self.position += 2;
                return Ok((start..self.position - 1, true));
            }
            if byte == b'}' {
                return Err(self.complaint("single '}' is not allowed"));
            }
            break;
        }
        Ok((start..self.position, false))
    }

    /// Past a backslash and what it makes no brace of an expression.
    fn escape(&mut self) {
        self.position += 1;
        match self.peek() {
            None | Some(b'{' | b'}') => {}
            Some(b'N') if self.peek_at(1) == Some(b'{') => {
                while self.peek().is_some_and(|byte| byte != b'}') {
                    self.position += 1;
                }
                if self.peek().is_some() {
                    self.position += 1;
                }
            }
            Some(_) => self.position += 1,
        }
    }

    /// An expression in braces, with its conversion and format.
    fn value(&mut self, level: usize, pieces: &mut Vec<Piece>) -> Parsed<()> {
        if level >= 2 {
            return Err(self.complaint("expressions nested too deeply"));
        }
        self.position += 1;
        let start = self.position;
        self.skip_expression()?;
        let value = self.expression(start..self.position)?;
        let shown = self.peek() == Some(b'=');
        if shown {
            self.position += 1;
            while self
                .peek()
                .is_some_and(|byte| byte.is_ascii_whitespace() || byte == 11)
            {
                self.position += 1;
            }
            pieces.push(Piece::Text(self.text[start..self.position].into()));
        }
        let mut conversion = self.conversion()?;
        let mut format = false;
        let mut spec = Vec::new();
        if self.peek() == Some(b':') {
            self.position += 1;
            format = true;
            spec = self.pieces(level + 1)?;
        }
        if self.peek() != Some(b'}') {
            return Err(self.complaint("expecting '}'"));
        }
        self.position += 1;
        if shown && !format && conversion.is_none() {
            conversion = Some('r');
        }
        pieces.push(Piece::Value {
            value,
            conversion,
            spec,
        });
        Ok(())
    }

    fn conversion(&mut self) -> Parsed<Option<char>> {
        if self.peek() != Some(b'!') {
            return Ok(None);
        }
        let conversion = self.peek_at(1).map(char::from);
        if conversion.is_none() {
            return Err(self.complaint("expecting '}'"));
        }
        if !matches!(conversion, Some('s' | 'r' | 'a')) {
            return Err(self.complaint("invalid conversion character: expected 's', 'r', or 'a'"));
        }
        self.position += 2;
        if self.peek().is_none() {
            return Err(self.complaint("expecting '}'"));
        }
        Ok(conversion)
    }

    /// Past an expression: up to what ends it outside of brackets and quotes.
    fn skip_expression(&mut self) -> Parsed<()> {
        let mut brackets = Vec::new();
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => {
                    return Err(
                        self.whole_complaint("f-string expression part cannot include a backslash")
                    );
                }
                b'#' => {
                    return Err(self.whole_complaint("f-string expression part cannot include '#'"));
                }
                b'\'' | b'"' => {
                    self.skip_quoted(byte)?;
                    continue;
                }
                b'(' | b'[' | b'{' => {
                    if brackets.len() >= super::DEPTH {
                        return Err(self.complaint("too many nested parenthesis"));
                    }
                    brackets.push(char::from(byte));
                }
                b'!' | b'=' | b'<' | b'>' if brackets.is_empty() => {
                    if self.peek_at(1) == Some(b'=') {
                        self.position += 1;
                    } else if matches!(byte, b'!' | b'=') {
                        return Ok(());
                    }
                }
                b':' | b'}' if brackets.is_empty() => return Ok(()),
                b')' | b']' | b'}' => self.close(char::from(byte), brackets.pop())?,
                _ => {}
            }
            self.position += 1;
        }
        let message = brackets.last().map_or_else(
            || "expecting '}'".to_owned(),
            |open| format!("unmatched '{open}'"),
        );
        Err(self.complaint(&message))
    }

    fn close(&self, close: char, open: Option<char>) -> Parsed<()> {
        match open {
            Some(open) if closing(open) == close => Ok(()),
            Some(open) => Err(self.complaint(&format!(
                "closing parenthesis '{close}' does not match opening parenthesis '{open}'"
            ))),
            None => Err(self.complaint(&format!("unmatched '{close}'"))),
        }
    }

    /// Past a literal inside of an expression.
    fn skip_quoted(&mut self, quote: u8) -> Parsed<()> {
        let triple =
            |reader: &Self| reader.peek_at(1) == Some(quote) && reader.peek_at(2) == Some(quote);
        let size = if triple(self) { 3 } else { 1 };
        self.position += size;
        while let Some(byte) = self.peek() {
            if byte == b'\\' {
                return Err(
                    self.whole_complaint("f-string expression part cannot include a backslash")
                );
            }
            if byte == quote && (size == 1 || triple(self)) {
                self.position += size;
                return Ok(());
            }
            self.position += 1;
        }
        Err(self.complaint("unterminated string"))
    }

    fn expression(&mut self, place: Range<usize>) -> Parsed<Expr> {
        let source = &self.text[place.clone()];
        if source
            .trim_matches([' ', '\t', '\n', '\x0c', '\r'])
            .is_empty()
        {
            return Err(match self.peek() {
                Some(mark @ (b'!' | b':' | b'=')) => self.complaint(&format!(
                    "expression required before '{}'",
                    char::from(mark)
                )),
                _ => self.complaint("empty expression not allowed"),
            });
        }
        let newlines = self.text[self.counted..place.start]
            .bytes()
            .filter(|byte| *byte == b'\n')
            .count();
        self.line = self
            .line
            .saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX));
        self.counted = place.start;
        let program = format!("({source})");
        let mut inner = Parser::new(&program, self.line, self.parser.recursion);
        inner.height = self.parser.height;
        let parsed = inner.deeper(Parser::star_expressions);
        self.parser.height = inner.height;
        parsed.map_err(|failure| self.inner_failure(&mut inner, *failure))
    }

    /// A failure inside of an expression, as one of the whole.
    fn inner_failure(&self, inner: &mut Parser<'_>, failure: Failure) -> Box<Failure> {
        let quoted = failure.quoted || inner.fault.as_ref().is_some_and(|fault| fault.prevails);
        let error = inner.settle(failure);
        let message = if quoted {
            error.message
        } else {
            format!("f-string: {}", error.message)
        };
        let mut outer = self.whole_complaint(message);
        outer.class = error.class;
        outer.line = error.line;
        outer
    }

    fn complaint(&self, message: &str) -> Box<Failure> {
        self.whole_complaint(format!("f-string: {message}"))
    }

    fn whole_complaint(&self, message: impl Into<std::borrow::Cow<'static, str>>) -> Box<Failure> {
        let mut failure = self.parser.failure(message);
        failure.quoted = true;
        failure
    }

    fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        let position = self.position + ahead;
        (position < self.end)
            .then(|| self.text.as_bytes().get(position).copied())
            .flatten()
    }
}
