//! Functions and classes, with their decorators.
use super::{Parsed, Parser};
use crate::ast::{ClassDef, Expr, FunctionDef, StmtKind};
use crate::lexer::TokenKind;
use std::rc::Rc;

impl Parser<'_> {
    /// A definition; its line is that of `def` or `class`, not that of its first decorator.
    pub(super) fn definition(&mut self, line: &mut u32) -> Parsed<StmtKind> {
        let mut decorators = Vec::new();
        while self.take("@") {
            decorators.push(self.child(Self::named_expression)?);
            if !self.take_kind(TokenKind::Newline) {
                return Err(self.unexpected());
            }
        }
        *line = self.line();
        if self.at("async") {
            return Err(self.asynchronous());
        }
        if self.take("def") {
            self.function(decorators, *line)
        } else if self.take("class") {
            self.class(decorators, *line)
        } else {
            Err(self.unexpected())
        }
    }

    fn function(&mut self, decorators: Vec<Expr>, line: u32) -> Parsed<StmtKind> {
        let name = self.name()?;
        self.force("(")?;
        let parameters = self.child(|parser| parser.parameters(true))?;
        self.expect(")")?;
        let returns = if self.at("->") && self.starts_after_arrow() {
            self.advance();
            Some(self.expression()?)
        } else {
            None
        };
        self.force(":")?;
        let body = self.child(|parser| parser.block("function definition", line))?;
        Ok(StmtKind::FunctionDef(Rc::new(FunctionDef {
            name,
            parameters,
            body,
            decorators,
            returns,
        })))
    }

    /// Whether an annotation follows the arrow: else the arrow itself is out of place.
    fn starts_after_arrow(&mut self) -> bool {
        self.position += 1;
        let starts = self.starts_expression();
        self.position -= 1;
        starts
    }

    fn class(&mut self, decorators: Vec<Expr>, line: u32) -> Parsed<StmtKind> {
        let name = self.name()?;
        let arguments = if self.at("(") {
            self.child(|parser| parser.arguments(false))?
        } else {
            Vec::new()
        };
        self.colon()?;
        let body = self.child(|parser| parser.block("class definition", line))?;
        Ok(StmtKind::ClassDef(Rc::new(ClassDef {
            name,
            arguments,
            body,
            decorators,
        })))
    }
}
