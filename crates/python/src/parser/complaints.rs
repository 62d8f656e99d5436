//! Finding better words than "invalid syntax" for common mistakes.
//!
//! Nothing here accepts a program: every function is called where the program is known or suspected to be wrong, and reads on
//! a little to see which mistake it is. While that goes on, `Parser::quiet` keeps mistakes inside from being looked at again.
use super::expressions::Listed;
use super::{Failure, INVALID, Parsed, Parser};
use crate::ast::{Expr, ExprKind};
use crate::lexer::TokenKind;
use std::borrow::Cow;

pub(super) const MAYBE_EQUAL: &str = "invalid syntax. Maybe you meant '==' or ':=' instead of '='?";

impl Parser<'_> {
    /// A complaint about what begins at the token `start`, found at the next token; without words if another is looked for.
    pub(super) fn complaint_at(
        &self,
        start: usize,
        message: impl Into<Cow<'static, str>>,
    ) -> Box<Failure> {
        if self.quiet {
            return self.unexpected();
        }
        self.failure_from(start, message)
    }

    /// On the line of the token `start`, found at the next token.
    pub(super) fn failure_from(
        &self,
        start: usize,
        message: impl Into<Cow<'static, str>>,
    ) -> Box<Failure> {
        let mut failure = self.failure(message);
        failure.line = self.tokens[start.min(self.tokens.len() - 1)].line;
        failure
    }

    pub(super) fn complaint_before(
        &self,
        symbol: &str,
        start: usize,
        message: &'static str,
    ) -> Box<Failure> {
        if self.at(symbol) {
            self.complaint_at(start, message)
        } else {
            self.unexpected()
        }
    }

    pub(super) fn asynchronous(&self) -> Box<Failure> {
        self.failure("asynchronous code is not supported")
    }

    /// Two expressions side by side: a comma is missing, or parentheses behind `print`. If there is nothing to say of it, the
    /// caller will not accept the second one.
    pub(super) fn check_neighbour(&mut self, start: usize) -> Parsed<()> {
        if self.quiet || !self.starts_expression() {
            return Ok(());
        }
        let second = self.position;
        let separable = !self.is_soft_keyword(start) && self.begins_well(second);
        self.position = second;
        if separable && self.tokens[second - 1].bracketed && !self.is_legacy(start) {
            return Err(self.failure_from(start, "invalid syntax. Perhaps you forgot a comma?"));
        }
        self.check_legacy(start)
    }

    /// Whether some expression begins at a token, whatever comes after it.
    fn begins_well(&mut self, start: usize) -> bool {
        self.position = start;
        if self
            .quietly(|parser| {
                if parser.at("lambda") {
                    parser.expression()
                } else {
                    parser.disjunction()
                }
            })
            .is_ok()
        {
            return true;
        }
        self.position = start;
        while self.at("not") || self.at("-") || self.at("+") || self.at("~") {
            self.advance();
        }
        self.quietly(Self::atom).is_ok()
    }

    /// A name at `start` with an expression behind it, as `print` was used in Python 2.
    fn check_legacy(&mut self, start: usize) -> Parsed<()> {
        if self.tokens[start].kind != TokenKind::Name {
            return Ok(());
        }
        let before = self.position;
        self.position = start + 1;
        if self.at("(") || !(self.starts_expression() || self.at("*")) || !self.may_search() {
            self.position = before;
            return Ok(());
        }
        let argument = self.star_expressions();
        self.position = before;
        match argument {
            Ok(_) if self.is_legacy(start) => {
                let name = self.spelling(self.tokens[start]);
                let message =
                    format!("Missing parentheses in call to '{name}'. Did you mean {name}(...)?");
                Err(self.failure_from(start, message))
            }
            Err(inner) if inner.message != INVALID => Err(inner),
            _ => Ok(()),
        }
    }

    fn is_legacy(&self, start: usize) -> bool {
        let token = self.tokens[start];
        token.kind == TokenKind::Name && matches!(self.spelling(token), "print" | "exec")
    }

    /// CPython takes any beginning of a soft keyword for one there, and a name before a literal for a prefix.
    fn is_soft_keyword(&self, start: usize) -> bool {
        let token = self.tokens[start];
        let word = self.spelling(token);
        token.kind == TokenKind::Name
            && (["_", "case", "match"]
                .iter()
                .any(|keyword| keyword.starts_with(word))
                || self.tokens[start + 1].kind == TokenKind::Text)
    }

    /// `=` behind an expression, begun at `start`, where only `==` or `:=` can have been meant.
    pub(super) fn check_mixup(&mut self, start: usize, expression: &Expr) -> Parsed<()> {
        if self.quiet {
            return Ok(());
        }
        if self.at(":=") {
            let failure = self.unexpected();
            self.advance();
            self.expression().map_err(|inner| {
                if inner.message == INVALID {
                    failure
                } else {
                    inner
                }
            })?;
            let kind = described(&expression.kind);
            return Err(self.failure_from(
                start,
                format!("cannot use assignment expressions with {kind}"),
            ));
        }
        if !self.at("=") {
            return Ok(());
        }
        let failure = self.unexpected();
        Err(self.mixup(start)?.unwrap_or(failure))
    }

    /// The complaint about `a = b` that begins at `start`, if what is left of `=` is simple enough.
    pub(super) fn mixup(&mut self, start: usize) -> Parsed<Option<Box<Failure>>> {
        let equals = self.position;
        let first = self.tokens[start];
        self.position = start;
        let opaque = match first.kind {
            TokenKind::Symbol("True" | "False" | "None") => true,
            TokenKind::Symbol("(" | "[") => matches!(
                self.quietly(Self::atom).map(|atom| atom.kind),
                Ok(ExprKind::List(_) | ExprKind::Tuple(_) | ExprKind::Generator(_))
            ),
            _ => false,
        };
        self.position = start;
        let target = self.quietly(Self::bitwise_or);
        let simple = self.position == equals;
        self.position = equals;
        let (Ok(target), true, false) = (target, simple, opaque) else {
            return Ok(None);
        };
        self.advance();
        match self.bitwise_or() {
            Err(inner) if inner.message != INVALID => return Err(inner),
            Err(_) => return Ok(None),
            Ok(_) if self.at("=") || self.at(":=") => return Ok(None),
            Ok(_) => {}
        }
        if matches!(target.kind, ExprKind::Name(_)) && start + 1 == equals {
            return Ok(Some(self.failure_from(start, MAYBE_EQUAL)));
        }
        let kind = described(&target.kind);
        let message = format!("cannot assign to {kind} here. Maybe you meant '==' instead of '='?");
        Ok(Some(self.failure_from(start, message)))
    }

    /// `for` behind the elements of a display, more than one or a starred one.
    pub(super) fn check_element(&mut self, start: usize, listed: &Listed) -> Parsed<()> {
        if listed.tuple {
            let failure = self.unexpected();
            self.clauses()?;
            return Err(if self.quiet {
                failure
            } else {
                self.failure_from(
                    start,
                    "did you forget parentheses around the comprehension target?",
                )
            });
        }
        let starred = matches!(
            listed.items[..],
            [Expr {
                kind: ExprKind::Starred(_),
                ..
            }]
        );
        self.check_unpacking(start, starred)
    }

    pub(super) fn check_unpacking(&mut self, start: usize, starred: bool) -> Parsed<()> {
        if !starred {
            return Ok(());
        }
        self.clauses()?;
        Err(self.complaint_at(start, "iterable unpacking cannot be used in comprehension"))
    }

    pub(super) fn check_dictionary_unpacking(&mut self) -> Parsed<()> {
        if !self.is_for() {
            return Ok(());
        }
        let start = self.position;
        self.clauses()?;
        Err(self.complaint_before(
            "}",
            start,
            "dict unpacking cannot be used in dict comprehension",
        ))
    }

    /// Whether a part may be read again: not if a search is going on that ignores complaints, or too many were made.
    pub(super) const fn may_search(&mut self) -> bool {
        if self.quiet || self.searches == 0 {
            return false;
        }
        self.searches -= 1;
        true
    }

    pub(super) fn quietly<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let quiet = std::mem::replace(&mut self.quiet, true);
        let parsed = parse(self);
        self.quiet = quiet;
        parsed
    }
}

/// What CPython calls an expression in its complaints.
pub(super) const fn described(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::None => "None",
        ExprKind::True => "True",
        ExprKind::False => "False",
        ExprKind::Ellipsis => "ellipsis",
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Imaginary(_)
        | ExprKind::Str(_)
        | ExprKind::Bytes(_) => "literal",
        ExprKind::Joined(_) => "f-string expression",
        ExprKind::Name(_) => "name",
        ExprKind::Attribute { .. } => "attribute",
        ExprKind::Subscript { .. } => "subscript",
        ExprKind::Slice { .. } => "slice",
        ExprKind::Call { .. } => "function call",
        ExprKind::Unary { .. } | ExprKind::Binary { .. } | ExprKind::And(_) | ExprKind::Or(_) => {
            "expression"
        }
        ExprKind::Compare { .. } => "comparison",
        ExprKind::IfElse { .. } => "conditional expression",
        ExprKind::Lambda(_) => "lambda",
        ExprKind::List(_) => "list",
        ExprKind::Tuple(_) => "tuple",
        ExprKind::Set(_) => "set display",
        ExprKind::Dict(_) => "dict literal",
        ExprKind::ListComp(_) => "list comprehension",
        ExprKind::SetComp(_) => "set comprehension",
        ExprKind::DictComp(_) => "dict comprehension",
        ExprKind::Generator(_) => "generator expression",
        ExprKind::Starred(_) => "starred",
        ExprKind::Yield(_) | ExprKind::YieldFrom(_) => "yield expression",
        ExprKind::Walrus { .. } => "named expression",
    }
}
