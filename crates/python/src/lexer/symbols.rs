//! Operators and brackets.
//!
//! Every opening bracket is remembered until its closing one, so that the end of a line inside of brackets is a blank.
use super::characters::unexpected;
use super::{BRACKETS, Lexed, Lexer, TokenKind};

/// The longer ones first, so that the first that matches is the right one. The last ones belong to no program: with them the
/// parser complains of the syntax, not of a character.
const OPERATORS: [&str; 51] = [
    "**=", "//=", ">>=", "<<=", "...", "!=", "%=", "&=", "**", "*=", "+=", "-=", "->", "//", "/=",
    ":=", "<<", "<=", "<>", "==", ">=", ">>", "@=", "^=", "|=", "%", "&", "(", ")", "*", "+", ",",
    "-", ".", "/", ":", ";", "<", "=", ">", "@", "[", "]", "^", "{", "|", "}", "~", "!", "?", "$",
];

impl Lexer<'_> {
    pub(super) fn symbol(&mut self) -> Lexed<()> {
        let start = self.position;
        let rest = &self.text[start..];
        let Some(operator) = OPERATORS
            .iter()
            .find(|operator| rest.starts_with(**operator))
        else {
            return self.stray_character();
        };
        match *operator {
            "(" | "[" | "{" => self.open_bracket()?,
            ")" | "]" | "}" => self.close_bracket()?,
            _ => {}
        }
        self.position += operator.len();
        self.push(TokenKind::Symbol(operator), start);
        Ok(())
    }

    fn stray_character(&mut self) -> Lexed<()> {
        let character = self.text[self.position..].chars().next().unwrap_or('\0');
        if character != '`' {
            return Err(self.fault(unexpected(character)));
        }
        let start = self.position;
        self.position += 1;
        self.push(TokenKind::Symbol("`"), start);
        Ok(())
    }

    fn open_bracket(&mut self) -> Lexed<()> {
        if self.brackets.len() >= BRACKETS {
            return Err(self.fault("too many nested parentheses"));
        }
        self.brackets.push((self.bracket_here(), self.line));
        Ok(())
    }

    fn close_bracket(&mut self) -> Lexed<()> {
        let close = self.bracket_here();
        let Some((open, line)) = self.brackets.pop() else {
            return Err(self.fault(format!("unmatched '{close}'")));
        };
        if closing(open) == close {
            return Ok(());
        }
        let place = if line == self.line {
            String::new()
        } else {
            format!(" on line {line}")
        };
        Err(self.fault(format!(
            "closing parenthesis '{close}' does not match opening parenthesis '{open}'{place}"
        )))
    }

    fn bracket_here(&self) -> char {
        self.peek().map_or(' ', char::from)
    }
}

/// The bracket that closes `open`.
pub(crate) const fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}
