//! Turns the text of a program into tokens: names, numbers, literals, symbols, and the ends of lines and blocks.
//!
//! Keywords and operators are both symbols, told apart by their text. The last token is always `End`, or `Broken` where the
//! text cannot be read on; the parser accepts a broken token nowhere, so that the fault found here is never lost. Lines count
//! from 1. Every step moves on in the text, so that the time is linear.
//!
//! Left out on purpose: the normal form of names (NFKC) and the values of literals, which the parser finds.
mod characters;
mod indentation;
mod literals;
mod symbols;

use crate::parser::SyntaxError;
use indentation::Indentation;
pub(crate) use symbols::closing;

/// How many brackets may be open at once.
const BRACKETS: usize = crate::parser::DEPTH;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Name,
    Number,
    /// A literal of text or bytes, with its prefix and quotes.
    Text,
    /// A keyword or an operator.
    Symbol(&'static str),
    Newline,
    Indent,
    Dedent,
    End,
    Broken,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) line: u32,
    /// Whether brackets are open behind it.
    pub(crate) bracketed: bool,
}

/// Why a text could not be read to its end.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) error: SyntaxError,
    /// Whether it is reported even if the parser fails before it.
    pub(crate) prevails: bool,
}

#[derive(Debug)]
pub(crate) struct Tokens {
    pub(crate) list: Vec<Token>,
    pub(crate) fault: Option<Fault>,
    /// The innermost bracket open at the end, and its line.
    pub(crate) open: Option<(char, u32)>,
}

/// The text as the lexer wants it: without a byte order mark, with `\n` at the end of each line, the last one included.
pub(crate) fn normal_lines(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut normal = if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n")
    } else {
        text.to_owned()
    };
    if !normal.ends_with('\n') {
        normal.push('\n');
    }
    normal
}

/// The tokens of a text with normal lines that begins on `first_line`.
pub(crate) fn tokens(text: &str, first_line: u32) -> Tokens {
    let mut lexer = Lexer {
        text,
        position: 0,
        line: first_line,
        brackets: Vec::new(),
        indentation: Indentation::default(),
        list: Vec::new(),
    };
    let fault = lexer.run().err();
    if fault.is_some() {
        lexer.push(TokenKind::Broken, lexer.position);
    }
    Tokens {
        open: lexer.brackets.last().copied(),
        list: lexer.list,
        fault: fault.map(|fault| *fault),
    }
}

type Lexed<T> = Result<T, Box<Fault>>;

struct Lexer<'a> {
    text: &'a str,
    position: usize,
    line: u32,
    /// Those open, with their lines.
    brackets: Vec<(char, u32)>,
    indentation: Indentation,
    list: Vec<Token>,
}

impl Lexer<'_> {
    fn run(&mut self) -> Lexed<()> {
        while self.position < self.text.len() {
            if self.brackets.is_empty() {
                self.indent()?;
            }
            self.logical_line()?;
        }
        if self.text.ends_with('\n') {
            // The newline behind the last line begins no line of its own.
            self.line = self.line.saturating_sub(1).max(1);
        }
        if let Some(&(open, line)) = self.brackets.last() {
            return Err(soft(never_closed(open, line)));
        }
        for _ in 0..self.indentation.close() {
            self.push(TokenKind::Dedent, self.position);
        }
        self.push(TokenKind::End, self.position);
        Ok(())
    }

    /// Tokens up to the end of a line.
    fn logical_line(&mut self) -> Lexed<()> {
        let mut blank = true;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\x0c' => self.position += 1,
                b'#' => self.skip_comment(),
                b'\n' => {
                    if !blank && self.brackets.is_empty() {
                        self.push(TokenKind::Newline, self.position);
                    }
                    self.end_line();
                    return Ok(());
                }
                b'\\' => self.continuation()?,
                _ => {
                    blank = false;
                    self.token(byte)?;
                }
            }
        }
        Ok(())
    }

    fn token(&mut self, byte: u8) -> Lexed<()> {
        match byte {
            b'0'..=b'9' => self.number(),
            b'.' if self.peek_at(1).is_some_and(|next| next.is_ascii_digit()) => self.number(),
            b'"' | b'\'' => self.text_literal(self.position),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 128.. => self.word(),
            _ => self.symbol(),
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.text.as_bytes()[self.position..];
        let length = rest.iter().position(|byte| *byte == b'\n');
        self.position += length.unwrap_or(rest.len());
    }

    /// A backslash before the end of a line joins it with the next.
    fn continuation(&mut self) -> Lexed<()> {
        if self.peek_at(1) != Some(b'\n') {
            return Err(self.soft_here("unexpected character after line continuation character"));
        }
        if self.position + 2 >= self.text.len() {
            return Err(self.soft_here("unexpected EOF while parsing"));
        }
        self.position += 1;
        self.end_line();
        Ok(())
    }

    /// Past the newline at the position.
    const fn end_line(&mut self) {
        self.position += 1;
        self.line += 1;
    }

    fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.position + ahead).copied()
    }

    /// A token from `start` up to the position.
    fn push(&mut self, kind: TokenKind, start: usize) {
        self.push_from_line(kind, start, self.line);
    }

    fn push_from_line(&mut self, kind: TokenKind, start: usize, line: u32) {
        self.list.push(Token {
            kind,
            start,
            end: self.position,
            line,
            bracketed: !self.brackets.is_empty(),
        });
    }

    fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            message: message.into(),
            line: self.line,
            class: "SyntaxError",
        }
    }

    /// A fault that is reported whatever the parser finds.
    fn fault(&self, message: impl Into<String>) -> Box<Fault> {
        Box::new(Fault {
            error: self.error(message),
            prevails: true,
        })
    }

    fn soft_here(&self, message: &str) -> Box<Fault> {
        soft(self.error(message))
    }
}

/// A fault that is reported if the parser gets as far as here.
fn soft(error: SyntaxError) -> Box<Fault> {
    Box::new(Fault {
        error,
        prevails: false,
    })
}

/// The complaint about a bracket that nothing closes.
pub(crate) fn never_closed(open: char, line: u32) -> SyntaxError {
    SyntaxError {
        message: format!("'{open}' was never closed"),
        line,
        class: "SyntaxError",
    }
}
