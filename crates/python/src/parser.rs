//! Turns tokens into the syntax tree, by recursive descent and, for operators, by precedence.
//!
//! A failure names the token where it was found; which complaint is reported in the end follows CPython: what the lexer found
//! anywhere, then a bracket that was never closed, then what the parser says. Complaints are CPython's where a program is
//! likely to have the mistake.
//!
//! The depth of a tree is bounded: brackets and blocks by the lexer, chains such as `a.b.c` or `elif` by `Parser::grow`. The heads
//! of `with (` and `match` may be read twice, and parts of wrong programs `SEARCHES` times, so that the time is linear.
//!
//! Left out on purpose: `async`, `await`, `except*`, type comments; who may use which name is the compiler's.
mod arguments;
mod atoms;
mod complaints;
mod compound;
mod definitions;
mod expressions;
mod formatted;
mod literals;
mod names;
mod operators;
mod parameters;
mod patterns;
mod simple;
mod targets;
#[cfg(test)]
mod tests;

use crate::ast;
use crate::lexer::{self, Token, TokenKind};
use std::borrow::Cow;
use std::rc::Rc;

/// How many brackets may be nested.
pub(crate) const DEPTH: usize = 200;
/// How many blocks may be nested, the module included.
pub(crate) const BLOCKS: usize = 100;
/// How deep a tree may be in all.
pub(crate) const HEIGHT: usize = 3000;
/// How deep the parser may call itself, where each bracket takes two.
const RECURSION: usize = 2 * DEPTH + 100;

/// Where and why a text is no Python.
#[derive(Clone, Debug)]
pub(crate) struct SyntaxError {
    pub(crate) message: String,
    pub(crate) line: u32,
    /// `SyntaxError`, `IndentationError` or `TabError`.
    pub(crate) class: &'static str,
}

/// The tree of a program.
pub(crate) fn parse_module(text: &str) -> Result<ast::Block, SyntaxError> {
    let text = checked(text)?;
    let mut parser = Parser::new(&text, 1, 0);
    let module = parser.module();
    module.map_err(|failure| parser.settle(*failure))
}

/// The tree of a single expression, for `eval`; blanks before it are allowed.
pub(crate) fn parse_expression(text: &str) -> Result<ast::Expr, SyntaxError> {
    let text = checked(text.trim_start_matches([' ', '\t']))?;
    let mut parser = Parser::new(&text, 1, 0);
    let expression = parser.lone_expression();
    expression.map_err(|failure| parser.settle(*failure))
}

fn checked(text: &str) -> Result<String, SyntaxError> {
    if text.contains('\0') {
        return Err(SyntaxError {
            message: "source code string cannot contain null bytes".to_owned(),
            line: 1,
            class: "SyntaxError",
        });
    }
    Ok(lexer::normal_lines(text))
}

/// Why a rule of the grammar did not match.
#[derive(Debug)]
struct Failure {
    message: Cow<'static, str>,
    class: &'static str,
    line: u32,
    /// The place of the token that did not fit.
    token: usize,
    /// What an f-string inside says of itself begins with that already.
    quoted: bool,
}

/// How often a wrong program is read again, in part, in search of better words: it bounds the time.
const SEARCHES: usize = 10;

const INVALID: &str = "invalid syntax";

type Parsed<T> = Result<T, Box<Failure>>;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    fault: Option<lexer::Fault>,
    open: Option<(char, u32)>,
    position: usize,
    /// The last token looked at, perhaps by a reading that was given up.
    farthest: usize,
    /// The depth of the highest tree parsed so far among those that will share a parent.
    height: usize,
    recursion: usize,
    /// Whether mistakes are only noticed: a complaint is being looked for already.
    quiet: bool,
    /// How many more times something may be read again in search of a complaint.
    searches: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, first_line: u32, recursion: usize) -> Self {
        let tokens = lexer::tokens(text, first_line);
        Self {
            text,
            tokens: tokens.list,
            fault: tokens.fault,
            open: tokens.open,
            position: 0,
            farthest: 0,
            height: 0,
            recursion,
            quiet: false,
            searches: SEARCHES,
        }
    }

    fn lone_expression(&mut self) -> Parsed<ast::Expr> {
        let line = self.line();
        let mut items = Vec::new();
        items.push(self.expression()?);
        let tuple = self.at(",");
        while self.take(",") && self.starts_expression() {
            items.push(self.expression()?);
        }
        self.take_kind(TokenKind::Newline);
        if self.kind() != TokenKind::End {
            return Err(self.unexpected());
        }
        match items.pop() {
            Some(only) if !tuple => Ok(only),
            last => {
                items.extend(last);
                Ok(node(line, ast::ExprKind::Tuple(items)))
            }
        }
    }

    fn token(&self) -> Token {
        self.token_at(0)
    }

    /// The last token stands for all that would follow it.
    fn token_at(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[last.min(self.position + ahead)]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn line(&self) -> u32 {
        self.token().line
    }

    fn spelling(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    /// Whether a keyword or operator is next.
    fn at(&self, symbol: &str) -> bool {
        self.at_ahead(0, symbol)
    }

    fn at_ahead(&self, ahead: usize, symbol: &str) -> bool {
        matches!(self.token_at(ahead).kind, TokenKind::Symbol(found) if found == symbol)
    }

    /// Whether a word that is a keyword in some places only is next.
    fn at_word(&self, word: &str) -> bool {
        self.kind() == TokenKind::Name && self.spelling(self.token()) == word
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.at(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn take_kind(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.advance();
        }
        found
    }

    fn advance(&mut self) {
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
            self.farthest = self.farthest.max(self.position);
        }
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.take(symbol) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// As `expect`, where nothing else can stand and the complaint says so.
    fn force(&mut self, symbol: &str) -> Parsed<()> {
        if self.take(symbol) {
            return Ok(());
        }
        Err(self.failure(format!("expected '{symbol}'")))
    }

    fn name(&mut self) -> Parsed<ast::Name> {
        let token = self.token();
        if token.kind != TokenKind::Name {
            return Err(self.unexpected());
        }
        self.advance();
        Ok(Rc::from(self.spelling(token)))
    }

    /// What `parse` parses will be a child among others: its height matters if it is the highest.
    fn child<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let siblings = std::mem::take(&mut self.height);
        let parsed = parse(self);
        self.height = self.height.max(siblings);
        parsed
    }

    /// What was parsed gets parents, one above the other.
    fn grow(&mut self, parents: usize) -> Parsed<()> {
        self.height += parents;
        if self.height > HEIGHT {
            return Err(self.failure("too deeply nested"));
        }
        Ok(())
    }

    /// Bounds how deep the parser calls itself.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.recursion >= RECURSION {
            return Err(self.failure("too deeply nested"));
        }
        self.recursion += 1;
        let parsed = parse(self);
        self.recursion -= 1;
        parsed
    }

    fn failure(&self, message: impl Into<Cow<'static, str>>) -> Box<Failure> {
        self.failure_at(self.position, message)
    }

    fn failure_at(&self, position: usize, message: impl Into<Cow<'static, str>>) -> Box<Failure> {
        let token = position.min(self.tokens.len() - 1);
        Box::new(Failure {
            message: message.into(),
            class: "SyntaxError",
            line: self.tokens[token].line,
            token,
            quoted: false,
        })
    }

    /// The next token does not fit, and there is no more to say.
    fn unexpected(&self) -> Box<Failure> {
        self.failure(INVALID)
    }

    /// What is reported of a failure.
    fn settle(&mut self, failure: Failure) -> SyntaxError {
        let at = self.tokens[failure.token];
        if failure.message == INVALID
            && let TokenKind::Indent | TokenKind::Dedent = at.kind
        {
            let unexpected = if at.kind == TokenKind::Indent {
                "indent"
            } else {
                "unindent"
            };
            return SyntaxError {
                message: format!("unexpected {unexpected}"),
                line: at.line,
                class: "IndentationError",
            };
        }
        let farthest = self.tokens[failure.token.max(self.farthest)];
        if let Some(fault) = self
            .fault
            .take_if(|fault| fault.prevails || farthest.kind == TokenKind::Broken)
        {
            return fault.error;
        }
        if let Some((open, line)) = self.open
            && farthest.line > line
        {
            return lexer::never_closed(open, line);
        }
        SyntaxError {
            message: failure.message.into_owned(),
            line: failure.line,
            class: failure.class,
        }
    }
}

const fn node(line: u32, kind: ast::ExprKind) -> ast::Expr {
    ast::Expr { line, kind }
}
