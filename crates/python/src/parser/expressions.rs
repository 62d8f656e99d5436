//! Expressions as a whole: conditional ones, lambdas, assignments within, lists without brackets, `yield`.
use super::{Parsed, Parser, node};
use crate::ast::{Comprehension, Expr, ExprKind, Lambda, Name, Parameters};
use crate::lexer::TokenKind;
use std::rc::Rc;

/// The beginning of an expression that ends with another expression.
enum Beginning {
    Lambda(u32, Parameters),
    /// `body if test else`.
    Condition(u32, Expr, Expr),
}

/// Expressions with commas between them.
pub(super) struct Listed {
    pub(super) line: u32,
    pub(super) items: Vec<Expr>,
    /// Whether a comma makes it a tuple.
    pub(super) tuple: bool,
    /// Where the last item begins.
    pub(super) last: usize,
}

impl Parser<'_> {
    /// An expression without commas, stars or `:=` at its top.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| parser.child(Self::chained_expression))
    }

    fn chained_expression(&mut self) -> Parsed<Expr> {
        let mut beginnings = Vec::new();
        let mut last = loop {
            let line = self.line();
            if self.take("lambda") {
                let parameters = self.child(|parser| parser.parameters(false))?;
                self.expect(":")?;
                beginnings.push(Beginning::Lambda(line, parameters));
                continue;
            }
            let start = self.position;
            let body = self.child(Self::disjunction)?;
            self.check_neighbour(start)?;
            if !self.take("if") {
                break body;
            }
            let test = self.child(Self::disjunction)?;
            if !self.take("else") {
                let message = "expected 'else' after 'if' expression";
                let plain = self.quiet || self.at(":");
                return Err(if plain {
                    self.unexpected()
                } else {
                    self.failure_from(start, message)
                });
            }
            beginnings.push(Beginning::Condition(line, body, test));
        };
        self.grow(beginnings.len())?;
        for beginning in beginnings.into_iter().rev() {
            last = match beginning {
                Beginning::Lambda(line, parameters) => node(
                    line,
                    ExprKind::Lambda(Rc::new(Lambda {
                        parameters,
                        body: last,
                    })),
                ),
                Beginning::Condition(line, body, test) => node(
                    line,
                    ExprKind::IfElse {
                        test: Box::new(test),
                        body: Box::new(body),
                        orelse: Box::new(last),
                    },
                ),
            };
        }
        Ok(last)
    }

    /// An expression or `name := value`.
    pub(super) fn named_expression(&mut self) -> Parsed<Expr> {
        if let Some(walrus) = self.walrus()? {
            return Ok(walrus);
        }
        let start = self.position;
        let expression = self.expression()?;
        self.check_mixup(start, &expression)?;
        Ok(expression)
    }

    pub(super) fn walrus(&mut self) -> Parsed<Option<Expr>> {
        if self.kind() != TokenKind::Name || !self.at_ahead(1, ":=") {
            return Ok(None);
        }
        self.child(|parser| {
            let line = parser.line();
            let name = parser.name()?;
            parser.advance();
            let value = Box::new(parser.expression()?);
            parser.grow(1)?;
            Ok(Some(node(line, ExprKind::Walrus { name, value })))
        })
    }

    /// An item of a display or an argument list: perhaps with a star.
    pub(super) fn star_named_expression(&mut self) -> Parsed<Expr> {
        if self.at("*") {
            self.starred()
        } else {
            self.named_expression()
        }
    }

    fn star_expression(&mut self) -> Parsed<Expr> {
        if self.at("*") {
            self.starred()
        } else {
            self.expression()
        }
    }

    fn starred(&mut self) -> Parsed<Expr> {
        let line = self.line();
        self.expect("*")?;
        self.child(|parser| {
            let value = parser.bitwise_or()?;
            parser.grow(1)?;
            Ok(node(line, ExprKind::Starred(Box::new(value))))
        })
    }

    /// One expression or, with commas, a tuple without brackets.
    pub(super) fn star_expressions(&mut self) -> Parsed<Expr> {
        self.child(|parser| {
            let listed = parser.listed(Self::star_expression)?;
            parser.gathered(listed)
        })
    }

    pub(super) fn star_named_expressions(&mut self) -> Parsed<Expr> {
        self.child(|parser| {
            let listed = parser.listed(Self::star_named_expression)?;
            parser.gathered(listed)
        })
    }

    /// As `star_expressions`, with the items apart.
    pub(super) fn listed_expressions(&mut self) -> Parsed<Listed> {
        self.listed(Self::star_expression)
    }

    pub(super) fn listed(&mut self, item: impl Fn(&mut Self) -> Parsed<Expr>) -> Parsed<Listed> {
        let line = self.line();
        let mut last = self.position;
        let mut items = vec![item(self)?];
        let tuple = self.at(",");
        while self.take(",") && (self.starts_expression() || self.at("*")) {
            last = self.position;
            items.push(item(self)?);
        }
        Ok(Listed {
            line,
            items,
            tuple,
            last,
        })
    }

    pub(super) fn gathered(&mut self, mut listed: Listed) -> Parsed<Expr> {
        if !listed.tuple
            && let Some(only) = listed.items.pop()
        {
            return Ok(only);
        }
        self.grow(1)?;
        Ok(node(listed.line, ExprKind::Tuple(listed.items)))
    }

    /// What may stand on the right of `=`.
    pub(super) fn value(&mut self) -> Parsed<Expr> {
        if self.at("yield") {
            self.child(Self::yielded)
        } else {
            self.star_expressions()
        }
    }

    pub(super) fn yielded(&mut self) -> Parsed<Expr> {
        let line = self.line();
        self.expect("yield")?;
        let kind = if self.take("from") {
            ExprKind::YieldFrom(Box::new(self.expression()?))
        } else if self.starts_expression() || self.at("*") {
            ExprKind::Yield(Some(Box::new(self.star_expressions()?)))
        } else {
            ExprKind::Yield(None)
        };
        self.grow(1)?;
        Ok(node(line, kind))
    }

    /// Whether the next token can begin an expression (without a star).
    pub(super) fn starts_expression(&self) -> bool {
        match self.kind() {
            TokenKind::Name | TokenKind::Number | TokenKind::Text => true,
            TokenKind::Symbol(symbol) => matches!(
                symbol,
                "(" | "["
                    | "{"
                    | "-"
                    | "+"
                    | "~"
                    | "..."
                    | "not"
                    | "lambda"
                    | "None"
                    | "True"
                    | "False"
                    | "await"
            ),
            _ => false,
        }
    }

    /// The clauses behind the element of a comprehension, whose `for` is next.
    pub(super) fn comprehension(
        &mut self,
        key: Option<Expr>,
        element: Expr,
    ) -> Parsed<Rc<Comprehension>> {
        let clauses = self.clauses()?;
        self.grow(1)?;
        Ok(Rc::new(Comprehension {
            key,
            element,
            clauses,
        }))
    }

    pub(super) fn is_for(&self) -> bool {
        self.at("for") || (self.at("async") && self.at_ahead(1, "for"))
    }

    /// Names with commas between them.
    pub(super) fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name()?];
        while self.take(",") {
            names.push(self.name()?);
        }
        Ok(names)
    }
}
