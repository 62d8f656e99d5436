//! Statements on one line.
use super::operators::augmented;
use super::targets::{Use, invalid_target};
use super::{Parsed, Parser};
use crate::ast::{Alias, Block, Expr, ExprKind, Stmt, StmtKind};
use crate::lexer::TokenKind;
use std::rc::Rc;

impl Parser<'_> {
    /// The statements of one line, with semicolons between them.
    pub(super) fn simple_line(&mut self, block: &mut Block) -> Parsed<()> {
        loop {
            block.push(self.child(Self::simple_statement)?);
            if !self.take(";") || self.kind() == TokenKind::Newline {
                break;
            }
        }
        if self.take_kind(TokenKind::Newline) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    fn simple_statement(&mut self) -> Parsed<Stmt> {
        let line = self.line();
        let kind = self.simple_kind()?;
        self.grow(1)?;
        Ok(Stmt { line, kind })
    }

    fn simple_kind(&mut self) -> Parsed<StmtKind> {
        let TokenKind::Symbol(symbol) = self.kind() else {
            return self.expression_statement();
        };
        match symbol {
            "import" => return self.import(),
            "from" => return self.import_from(),
            "del" => return self.delete(),
            "raise" => return self.raise(),
            "assert" => return self.assert(),
            "async" => return Err(self.asynchronous()),
            "pass" | "break" | "continue" | "return" | "global" | "nonlocal" => self.advance(),
            _ => return self.expression_statement(),
        }
        Ok(match symbol {
            "pass" => StmtKind::Pass,
            "break" => StmtKind::Break,
            "continue" => StmtKind::Continue,
            "global" => StmtKind::Global(self.names()?),
            "nonlocal" => StmtKind::Nonlocal(self.names()?),
            _ if self.starts_expression() || self.at("*") => {
                StmtKind::Return(Some(self.star_expressions()?))
            }
            _ => StmtKind::Return(None),
        })
    }

    /// An expression, or an assignment in any of its forms.
    fn expression_statement(&mut self) -> Parsed<StmtKind> {
        let start = self.position;
        let first = if self.at("yield") {
            self.child(Self::yielded)?
        } else {
            self.star_expressions()?
        };
        let TokenKind::Symbol(symbol) = self.kind() else {
            return Ok(StmtKind::Expr(first));
        };
        if symbol == "=" {
            return self.assignment(start, first);
        }
        if symbol == ":" {
            return self.annotated_assignment(start, first);
        }
        let Some(op) = augmented(symbol) else {
            return Ok(StmtKind::Expr(first));
        };
        let failure = self.unexpected();
        self.advance();
        let value = self.value()?;
        if let ExprKind::Name(_) | ExprKind::Attribute { .. } | ExprKind::Subscript { .. } =
            first.kind
        {
            return Ok(StmtKind::AugAssign {
                target: first,
                op,
                value,
            });
        }
        if self.is_bare_yield(start) {
            return Err(failure);
        }
        let kind = super::complaints::described(&first.kind);
        Err(self.complaint_at(
            start,
            format!("'{kind}' is an illegal expression for augmented assignment"),
        ))
    }

    fn is_bare_yield(&self, start: usize) -> bool {
        self.tokens[start].kind == TokenKind::Symbol("yield")
    }

    /// `first = … = value`, of which the first target was read.
    fn assignment(&mut self, start: usize, first: Expr) -> Parsed<StmtKind> {
        let equals = self.position;
        self.check_assigned(start, &first, (start, equals))?;
        let mut targets = vec![first];
        loop {
            self.expect("=")?;
            let next = self.position;
            let value = self.value()?;
            if !self.at("=") {
                return Ok(StmtKind::Assign { targets, value });
            }
            self.check_assigned(next, &value, (start, equals))?;
            targets.push(value);
        }
    }

    /// Refuses what stands before `=` if nothing can be assigned to it. `first` is where the whole statement and its first `=`
    /// stand: that one may be what was not meant.
    fn check_assigned(&mut self, start: usize, target: &Expr, first: (usize, usize)) -> Parsed<()> {
        if self.is_bare_yield(start) {
            return Err(self.complaint_at(start, "assignment to yield expression not possible"));
        }
        if invalid_target(target, Use::Assign).is_none() {
            return Ok(());
        }
        let here = self.position;
        self.position = first.0;
        let last = self.listed_expressions()?.last;
        self.position = first.1;
        if let Some(failure) = self.mixup(last)? {
            return Err(failure);
        }
        self.position = here;
        self.check_target(start, target, Use::Assign)
    }

    /// `target: annotation = value`.
    fn annotated_assignment(&mut self, start: usize, target: Expr) -> Parsed<StmtKind> {
        let failure = self.unexpected();
        let simple = matches!(target.kind, ExprKind::Name(_)) && start + 1 == self.position;
        if self.is_bare_yield(start) {
            return Err(failure);
        }
        self.advance();
        let annotation = self.expression()?;
        let refused = match target.kind {
            ExprKind::Name(_) | ExprKind::Attribute { .. } | ExprKind::Subscript { .. } => None,
            ExprKind::Tuple(_) => Some("only single target (not tuple) can be annotated"),
            ExprKind::List(_) => Some("only single target (not list) can be annotated"),
            _ => Some("illegal target for annotation"),
        };
        if let Some(message) = refused {
            return Err(self.complaint_at(start, message));
        }
        let value = if self.take("=") {
            Some(self.value()?)
        } else {
            None
        };
        Ok(StmtKind::AnnAssign {
            target,
            annotation,
            value,
            simple,
        })
    }

    fn delete(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let start = self.position;
        let listed = self.listed_expressions()?;
        for target in &listed.items {
            self.check_target(start, target, Use::Delete)?;
        }
        Ok(StmtKind::Delete(listed.items))
    }

    fn raise(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let mut exception = None;
        let mut cause = None;
        if self.starts_expression() {
            exception = Some(self.expression()?);
            if self.take("from") {
                cause = Some(self.expression()?);
            }
        }
        Ok(StmtKind::Raise { exception, cause })
    }

    fn assert(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let test = self.expression()?;
        let message = if self.take(",") {
            Some(self.expression()?)
        } else {
            None
        };
        Ok(StmtKind::Assert { test, message })
    }

    fn import(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let mut names = Vec::new();
        loop {
            let name = Rc::from(self.dotted_name()?);
            let rename = self.rename()?;
            names.push(Alias { name, rename });
            if !self.take(",") {
                return Ok(StmtKind::Import(names));
            }
        }
    }

    fn rename(&mut self) -> Parsed<Option<Rc<str>>> {
        if self.take("as") {
            self.name().map(Some)
        } else {
            Ok(None)
        }
    }

    fn dotted_name(&mut self) -> Parsed<String> {
        let mut name = self.name()?.to_string();
        while self.take(".") {
            name.push('.');
            name.push_str(&self.name()?);
        }
        Ok(name)
    }

    fn import_from(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let mut level = 0;
        loop {
            if self.take(".") {
                level += 1;
            } else if self.take("...") {
                level += 3;
            } else {
                break;
            }
        }
        let module = if level > 0 && self.at("import") {
            String::new()
        } else {
            self.dotted_name()?
        };
        self.expect("import")?;
        let names = self.imported_names()?;
        Ok(StmtKind::ImportFrom {
            module: module.into(),
            level,
            names,
        })
    }

    fn imported_names(&mut self) -> Parsed<Vec<Alias>> {
        if self.take("*") {
            let name = "*".into();
            return Ok(vec![Alias { name, rename: None }]);
        }
        let bracketed = self.take("(");
        let mut names = Vec::new();
        loop {
            let name = self.name()?;
            let rename = self.rename()?;
            names.push(Alias { name, rename });
            if !self.take(",") {
                break;
            }
            if bracketed && self.at(")") {
                break;
            }
            if !bracketed && self.kind() == TokenKind::Newline {
                return Err(
                    self.failure("trailing comma not allowed without surrounding parentheses")
                );
            }
        }
        if bracketed {
            self.expect(")")?;
        }
        Ok(names)
    }
}
