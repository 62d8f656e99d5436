//! The arguments of calls and classes.
use super::{Parsed, Parser, node};
use crate::ast::{Argument, Expr, ExprKind};
use crate::lexer::TokenKind;

/// Which kinds of arguments were read, for the rules of their order.
#[derive(Default)]
struct Seen {
    keyword: bool,
    double_star: bool,
}

impl Parser<'_> {
    /// Arguments with their parentheses; only a call may have a generator without parentheses of its own.
    pub(super) fn arguments(&mut self, call: bool) -> Parsed<Vec<Argument>> {
        let line = self.line();
        self.expect("(")?;
        let mut arguments = Vec::new();
        let mut seen = Seen::default();
        while !self.at(")") {
            let start = self.position;
            let argument = self.child(|parser| parser.argument(&mut seen))?;
            if self.is_for() {
                if !call {
                    return Err(self.unexpected());
                }
                if arguments.is_empty() {
                    self.check_unpacking(start, matches!(argument, Argument::Star(_)))?;
                }
                let generator = self.bare_generator(argument, line, arguments.is_empty())?;
                return Ok(vec![Argument::Positional(generator)]);
            }
            arguments.push(argument);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    fn argument(&mut self, seen: &mut Seen) -> Parsed<Argument> {
        let start = self.position;
        if self.take("**") {
            seen.double_star = true;
            return Ok(Argument::DoubleStar(self.expression()?));
        }
        if self.at("*") {
            if seen.double_star {
                return Err(self.complaint_at(
                    start,
                    "iterable argument unpacking follows keyword argument unpacking",
                ));
            }
            self.advance();
            return Ok(Argument::Star(self.expression()?));
        }
        if self.kind() == TokenKind::Name && self.at_ahead(1, "=") {
            let name = self.name()?;
            self.advance();
            let value = self.expression()?;
            if self.is_for() {
                self.clauses()?;
                return Err(self.complaint_at(start, super::complaints::MAYBE_EQUAL));
            }
            seen.keyword = true;
            return Ok(Argument::Keyword(name, value));
        }
        if let Some(walrus) = self.walrus()? {
            if !self.at("=") {
                self.check_order(seen)?;
            }
            return Ok(Argument::Positional(walrus));
        }
        let value = self.expression()?;
        self.check_positional(start, seen)?;
        Ok(Argument::Positional(value))
    }

    fn check_positional(&self, start: usize, seen: &Seen) -> Parsed<()> {
        if self.at("=") {
            let symbol = self.spelling(self.tokens[start]);
            if matches!(symbol, "True" | "False" | "None") && start + 1 == self.position {
                return Err(self.complaint_at(start, format!("cannot assign to {symbol}")));
            }
            return Err(self.complaint_at(
                start,
                "expression cannot contain assignment, perhaps you meant \"==\"?",
            ));
        }
        self.check_order(seen)
    }

    fn check_order(&self, seen: &Seen) -> Parsed<()> {
        if self.is_for() || !(self.at(",") || self.at(")")) {
            return Ok(());
        }
        if seen.double_star {
            return Err(self.complaint_at(
                self.position,
                "positional argument follows keyword argument unpacking",
            ));
        }
        if seen.keyword {
            return Err(self.complaint_at(
                self.position,
                "positional argument follows keyword argument",
            ));
        }
        Ok(())
    }

    /// A generator that is the only argument of a call, from its first `for` to the closing parenthesis.
    fn bare_generator(&mut self, element: Argument, line: u32, allowed: bool) -> Parsed<Expr> {
        let start = self.position;
        let Argument::Positional(element) = element else {
            return Err(self.unexpected());
        };
        let comprehension = self.comprehension(None, element)?;
        if allowed && self.take(")") {
            return Ok(node(line, ExprKind::Generator(comprehension)));
        }
        if self.at(",") || self.at(")") {
            return Err(self.complaint_at(start, "Generator expression must be parenthesized"));
        }
        Err(self.unexpected())
    }
}
