//! From the syntax tree to instructions: [`module`] for modules, programs and `exec`, [`expression`] for `eval`.
//!
//! Two walks over the tree: `symbols` finds the scopes and what each name is in them (resolved by `scope`), then the
//! [`Compiler`] writes instructions, one [`Unit`] for each code object. A finished code object keeps three promises, which
//! the tests check: at each instruction the height of the stack is the same on all paths, it is never negative, and each
//! path ends with a return or a raise, with no block, handled exception or value left over.
//!
//! Bodies of `finally` are repeated on each way out of their statement, so that code can grow faster than its text;
//! [`LIMIT`] bounds that. Folding of constants is left out on purpose but for negative literals and small tuples.
mod call;
mod condition;
mod enclosing;
mod expression;
mod fold;
mod function;
mod future;
mod name;
mod pattern;
mod scope;
mod statement;
mod symbols;
mod target;
#[cfg(test)]
mod tests;
mod unit;

use crate::{
    ast::{self, ExprKind, Name, StmtKind},
    code::{Code, Constant, Op},
    parser::SyntaxError,
};
use future::Future;
use scope::{Kind, Scopes};
use std::{mem, rc::Rc};
use unit::{Label, Unit};

/// So many instructions a program may have in all.
const LIMIT: usize = 1_000_000;

type Done<T = ()> = Result<T, SyntaxError>;

/// What a text is compiled as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A module or `exec`: returns None.
    Module,
    /// A program: if its last statement is an expression, that value is returned, else None.
    Program,
}

/// The code of a whole text.
pub(crate) fn module(block: &ast::Block, mode: Mode) -> Result<Rc<Code>, SyntaxError> {
    let future = future::find(block)?;
    let scopes = symbols::of_block(block)?;
    let mut compiler = Compiler::new(scopes, future);
    compiler.module(block, mode)?;
    Ok(compiler.unit.finish(Vec::new()))
}

/// The code of an expression alone, whose value it returns.
pub(crate) fn expression(expr: &ast::Expr) -> Result<Rc<Code>, SyntaxError> {
    let scopes = symbols::of_expression(expr)?;
    let mut compiler = Compiler::new(scopes, Future::default());
    compiler.line = expr.line;
    compiler.expression(expr)?;
    compiler.emit(Op::Return);
    Ok(compiler.unit.finish(Vec::new()))
}

fn error<T>(line: u32, message: impl Into<String>) -> Done<T> {
    Err(SyntaxError {
        message: message.into(),
        line,
        class: "SyntaxError",
    })
}

/// An index as an instruction holds it. [`LIMIT`] keeps all of them far below the bound.
fn index(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Lives over one text; `'a` is the tree.
struct Compiler<'a> {
    scopes: Scopes,
    /// What is being written; the units around it wait in the Rust frames of [`Compiler::inside`].
    unit: Unit<'a>,
    /// Of the statement or expression that is being compiled.
    line: u32,
    /// Instructions and statements so far, in all units.
    size: usize,
    future: Future,
}

impl<'a> Compiler<'a> {
    fn new(scopes: Scopes, future: Future) -> Self {
        let name: Name = "<module>".into();
        Self {
            unit: Unit::new(Kind::Module, scopes.module(), None, name.clone(), name),
            scopes,
            line: 1,
            size: 0,
            future,
        }
    }

    fn module(&mut self, block: &'a ast::Block, mode: Mode) -> Done {
        let value = match block.last() {
            Some(ast::Stmt {
                line,
                kind: StmtKind::Expr(value),
            }) if mode == Mode::Program => Some((*line, value)),
            _ => None,
        };
        let before = if value.is_some() {
            &block[..block.len() - 1]
        } else {
            &block[..]
        };
        let body = self.stored_doc(before);
        self.statements(body)?;
        match value {
            Some((line, value)) => {
                self.line = line;
                self.expression(value)?;
            }
            None => self.constant(Constant::None),
        }
        self.emit(Op::Return);
        Ok(())
    }

    /// Stores the docstring of a module or class, if there is one, as `__doc__`; gives the statements after it.
    fn stored_doc(&mut self, block: &'a [ast::Stmt]) -> &'a [ast::Stmt] {
        let (doc, rest) = split_doc(block);
        if let Some(doc) = doc {
            self.constant(Constant::Str(doc.clone()));
            let name = self.unit.name(&"__doc__".into());
            self.emit(Op::StoreName(name));
        }
        rest
    }

    /// Writes a code object of its own by `body` and gives it, finished.
    fn inside(&mut self, unit: Unit<'a>, body: impl FnOnce(&mut Self) -> Done) -> Done<Rc<Code>> {
        let around = mem::replace(&mut self.unit, unit);
        body(self)?;
        let inner = mem::replace(&mut self.unit, around);
        let free = inner
            .free_names()
            .iter()
            .map(|name| self.unit.cell_for_inner(name))
            .collect();
        Ok(inner.finish(free))
    }

    fn emit(&mut self, op: Op) {
        self.size += 1;
        self.unit.emit(op, self.line);
    }

    fn label(&mut self) -> Label {
        self.unit.label()
    }

    fn place(&mut self, label: Label) {
        self.unit.place(label);
    }

    fn constant(&mut self, constant: Constant) {
        let at = self.unit.constant(constant);
        self.emit(Op::Const(at));
    }

    fn error<T>(&self, message: impl Into<String>) -> Done<T> {
        error(self.line, message)
    }
}

/// A docstring at the beginning of a body, and what follows it.
fn split_doc(block: &[ast::Stmt]) -> (Option<&Name>, &[ast::Stmt]) {
    match block.split_first() {
        Some((
            ast::Stmt {
                kind:
                    StmtKind::Expr(ast::Expr {
                        kind: ExprKind::Str(doc),
                        ..
                    }),
                ..
            },
            rest,
        )) => (Some(doc), rest),
        _ => (None, block),
    }
}
