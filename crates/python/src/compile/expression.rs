//! Expressions: instructions that push one value.
//!
//! Calls are in `call`, conditions and comparisons in `condition`, functions and comprehensions in `function`.
use super::{Compiler, Done, fold, scope::Kind};
use crate::{
    ast::{Expr, ExprKind, Piece},
    code::{Constant, Op},
};

impl<'a> Compiler<'a> {
    pub(super) fn expression(&mut self, expr: &'a Expr) -> Done {
        let around = self.line;
        self.line = expr.line;
        if let Some(constant) = fold::constant(expr) {
            self.constant(constant);
        } else {
            self.made(expr)?;
        }
        self.line = around;
        Ok(())
    }

    pub(super) fn expressions(&mut self, expressions: impl IntoIterator<Item = &'a Expr>) -> Done {
        expressions
            .into_iter()
            .try_for_each(|expr| self.expression(expr))
    }

    /// What is no constant.
    fn made(&mut self, expr: &'a Expr) -> Done {
        match &expr.kind {
            ExprKind::Name(name) => self.load(name),
            ExprKind::Attribute { value, name } => {
                self.expression(value)?;
                let name = self.attribute(name);
                self.emit(Op::LoadAttribute(name));
            }
            ExprKind::Subscript { value, index } => {
                self.expression(value)?;
                self.expression(index)?;
                self.emit(Op::LoadIndex);
            }
            ExprKind::Call {
                function,
                arguments,
            } => self.call(function, arguments)?,
            ExprKind::Unary { op, operand } => {
                self.expression(operand)?;
                self.emit(Op::Unary(*op));
            }
            ExprKind::Binary { left, op, right } => {
                self.expression(left)?;
                self.expression(right)?;
                self.emit(Op::Binary(*op));
            }
            ExprKind::And(items) => self.shortcut(items, Op::JumpIfFalseKeep)?,
            ExprKind::Or(items) => self.shortcut(items, Op::JumpIfTrueKeep)?,
            ExprKind::Compare { left, rest } => self.comparison(left, rest)?,
            ExprKind::IfElse { test, body, orelse } => self.if_else(test, body, orelse)?,
            ExprKind::List(_) | ExprKind::Tuple(_) | ExprKind::Set(_) | ExprKind::Dict(_) => {
                self.display(expr)?
            }
            ExprKind::Lambda(_)
            | ExprKind::ListComp(_)
            | ExprKind::SetComp(_)
            | ExprKind::DictComp(_)
            | ExprKind::Generator(_) => self.function_expression(expr)?,
            _ => self.special(expr)?,
        }
        Ok(())
    }

    fn special(&mut self, expr: &'a Expr) -> Done {
        match &expr.kind {
            ExprKind::Joined(pieces) => self.joined(pieces)?,
            ExprKind::Slice { lower, upper, step } => {
                for part in [lower, upper, step] {
                    self.or_none(part.as_deref())?;
                }
                self.emit(Op::BuildSlice);
            }
            ExprKind::Starred(_) => return self.error("can't use starred expression here"),
            ExprKind::Yield(value) => {
                self.check_yield()?;
                self.or_none(value.as_deref())?;
                self.emit(Op::Yield);
            }
            ExprKind::YieldFrom(value) => {
                self.check_yield()?;
                self.expression(value)?;
                self.emit(Op::GetYieldFromIter);
                self.constant(Constant::None);
                self.emit(Op::YieldFrom);
            }
            ExprKind::Walrus { name, value } => {
                self.expression(value)?;
                self.emit(Op::Dup);
                self.store(name)?;
            }
            // Literals, which are constants.
            _ => {}
        }
        Ok(())
    }

    pub(super) fn or_none(&mut self, expr: Option<&'a Expr>) -> Done {
        if let Some(expr) = expr {
            return self.expression(expr);
        }
        self.constant(Constant::None);
        Ok(())
    }

    fn check_yield(&self) -> Done {
        if matches!(self.unit.kind, Kind::Module | Kind::Class) {
            return self.error("'yield' outside function");
        }
        Ok(())
    }

    /// `and` or `or`.
    fn shortcut(&mut self, items: &'a [Expr], jump: fn(u32) -> Op) -> Done {
        let end = self.label();
        let Some((last, before)) = items.split_last() else {
            return Ok(());
        };
        for item in before {
            self.expression(item)?;
            self.emit(jump(end.target()));
        }
        self.expression(last)?;
        self.place(end);
        Ok(())
    }

    fn if_else(&mut self, test: &'a Expr, body: &'a Expr, orelse: &'a Expr) -> Done {
        let (otherwise, end) = (self.label(), self.label());
        self.jump_if(test, otherwise, false)?;
        self.expression(body)?;
        self.emit(Op::Jump(end.target()));
        self.place(otherwise);
        self.expression(orelse)?;
        self.place(end);
        Ok(())
    }

    /// The pieces of an f-string as one text.
    fn joined(&mut self, pieces: &'a [Piece]) -> Done {
        if pieces.is_empty() {
            self.constant(Constant::Str("".into()));
            return Ok(());
        }
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.constant(Constant::Str(text.clone())),
                Piece::Value {
                    value,
                    conversion,
                    spec,
                } => {
                    self.expression(value)?;
                    let has_spec = !spec.is_empty();
                    if has_spec {
                        self.joined(spec)?;
                    }
                    self.emit(Op::Format {
                        conversion: conversion
                            .and_then(|letter| u8::try_from(letter).ok())
                            .unwrap_or(0),
                        has_spec,
                    });
                }
            }
        }
        if pieces.len() > 1 {
            self.emit(Op::BuildString(super::index(pieces.len())));
        }
        Ok(())
    }

    fn display(&mut self, expr: &'a Expr) -> Done {
        match &expr.kind {
            ExprKind::Tuple(items) if !has_star(items) => {
                self.expressions(items)?;
                self.emit(Op::BuildTuple(super::index(items.len())));
            }
            ExprKind::Tuple(items) => {
                self.list(items)?;
                self.emit(Op::ListToTuple);
            }
            ExprKind::List(items) => self.list(items)?,
            ExprKind::Set(items) => {
                if items.len() > 2 && items.iter().all(fold::is_literal) {
                    self.emit(Op::BuildSet(0));
                    self.constant_set(items)?;
                    self.emit(Op::SetUpdate);
                } else {
                    self.collect(items, Op::BuildSet, Op::SetAdd(1), Op::SetUpdate)?;
                }
            }
            ExprKind::Dict(pairs) => self.dict(pairs)?,
            _ => {}
        }
        Ok(())
    }

    pub(super) fn list(&mut self, items: impl IntoIterator<Item = &'a Expr>) -> Done {
        self.collect(items, Op::BuildList, Op::ListAppend(1), Op::ListExtend)
    }

    /// A set that CPython keeps as a constant. To share equal constants it makes it anew from its own keys in order, and a
    /// display is a copy of it; both can change the order.
    fn constant_set(&mut self, items: &'a [Expr]) -> Done {
        self.emit(Op::BuildSet(0));
        self.emit(Op::BuildList(0));
        self.expressions(items)?;
        self.emit(Op::BuildSet(super::index(items.len())));
        self.emit(Op::ListExtend);
        self.emit(Op::SetUpdate);
        Ok(())
    }

    /// What a loop goes through: a constant set is not copied for it.
    pub(super) fn iterated(&mut self, expr: &'a Expr) -> Done {
        match &expr.kind {
            ExprKind::Set(items) if items.iter().all(fold::is_literal) => {
                self.constant_set(items)?
            }
            _ => self.expression(expr)?,
        }
        self.emit(Op::GetIter);
        Ok(())
    }

    /// Items with stars among them: those before the first star are collected at once.
    fn collect(
        &mut self,
        items: impl IntoIterator<Item = &'a Expr>,
        build: fn(u32) -> Op,
        add: Op,
        extend: Op,
    ) -> Done {
        let mut waiting = Some(0);
        for item in items {
            if let ExprKind::Starred(inner) = &item.kind {
                if let Some(count) = waiting.take() {
                    self.emit(build(count));
                }
                self.expression(inner)?;
                self.emit(extend);
            } else {
                self.expression(item)?;
                match &mut waiting {
                    Some(count) => *count += 1,
                    None => self.emit(add),
                }
            }
        }
        if let Some(count) = waiting {
            self.emit(build(count));
        }
        Ok(())
    }

    fn dict(&mut self, pairs: &'a [(Option<Expr>, Expr)]) -> Done {
        let mut waiting = Some(0);
        for (key, value) in pairs {
            if let Some(key) = key {
                self.expression(key)?;
                self.expression(value)?;
                match &mut waiting {
                    Some(count) => *count += 1,
                    None => self.emit(Op::DictAdd(1)),
                }
            } else {
                if let Some(count) = waiting.take() {
                    self.emit(Op::BuildDict(count));
                }
                self.expression(value)?;
                self.emit(Op::DictUpdate);
            }
        }
        if let Some(count) = waiting {
            self.emit(Op::BuildDict(count));
        }
        Ok(())
    }
}

fn has_star(items: &[Expr]) -> bool {
    items
        .iter()
        .any(|item| matches!(item.kind, ExprKind::Starred(_)))
}
