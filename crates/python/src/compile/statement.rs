//! Statements: instructions that leave the stack as it was.
//!
//! Statements are counted as well as instructions: a repeated `finally` body costs time even where it writes nothing.
use super::{
    Compiler, Done, LIMIT,
    enclosing::{Enclosing, Loop},
    fold,
    scope::Kind,
};
use crate::{
    ast::{Alias, Block, Expr, Handler, Name, Stmt, StmtKind, WithItem},
    code::Op,
};

impl<'a> Compiler<'a> {
    pub(super) fn statements(&mut self, statements: &'a [Stmt]) -> Done {
        statements
            .iter()
            .try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'a Stmt) -> Done {
        self.line = statement.line;
        self.size += 1;
        if self.size > LIMIT {
            return self.error("program too large");
        }
        match &statement.kind {
            StmtKind::Expr(value) => self.expression_statement(value),
            StmtKind::Assign { targets, value } => self.assignment(targets, value),
            StmtKind::AugAssign { target, op, value } => self.augmented(target, *op, value),
            StmtKind::AnnAssign {
                target,
                annotation,
                value,
                simple,
            } => self.annotated(target, annotation, value.as_ref(), *simple),
            StmtKind::Delete(targets) => targets
                .iter()
                .try_for_each(|target| self.delete_target(target)),
            StmtKind::Return(value) => self.returns(value.as_ref()),
            StmtKind::Raise { exception, cause } => self.raise(exception.as_ref(), cause.as_ref()),
            StmtKind::Assert { test, message } => self.assert(test, message.as_ref()),
            StmtKind::Global(_) | StmtKind::Nonlocal(_) | StmtKind::Pass => Ok(()),
            StmtKind::Break => self.break_loop(),
            StmtKind::Continue => self.continue_loop(),
            StmtKind::Import(names) => self.import(names),
            StmtKind::ImportFrom {
                module,
                level,
                names,
            } => self.import_from(module, *level, names),
            StmtKind::FunctionDef(def) => self.function(def),
            StmtKind::ClassDef(def) => self.class(def),
            compound => self.compound(compound),
        }
    }

    fn compound(&mut self, statement: &'a StmtKind) -> Done {
        match statement {
            StmtKind::If { test, body, orelse } => self.if_statement(test, body, orelse),
            StmtKind::While { test, body, orelse } => self.while_loop(test, body, orelse),
            StmtKind::For {
                target,
                iter,
                body,
                orelse,
            } => self.for_loop(target, iter, body, orelse),
            StmtKind::With { items, body } => self.with(items, body),
            StmtKind::Try {
                body,
                handlers,
                orelse,
                finally,
            } if finally.is_empty() => self.try_except(body, handlers, orelse),
            StmtKind::Try {
                body,
                handlers,
                orelse,
                finally,
            } => self.try_finally(finally, |inner| {
                if handlers.is_empty() {
                    inner.statements(body)?;
                    inner.statements(orelse)
                } else {
                    inner.try_except(body, handlers, orelse)
                }
            }),
            StmtKind::Match { subject, cases } => self.match_statement(subject, cases),
            _ => Ok(()),
        }
    }

    fn expression_statement(&mut self, value: &'a Expr) -> Done {
        if fold::constant(value).is_some() {
            return Ok(());
        }
        self.dropped(value)
    }

    fn assignment(&mut self, targets: &'a [Expr], value: &'a Expr) -> Done {
        self.expression(value)?;
        for (at, target) in targets.iter().enumerate() {
            if at + 1 < targets.len() {
                self.emit(Op::Dup);
            }
            self.assign(target)?;
        }
        Ok(())
    }

    fn returns(&mut self, value: Option<&'a Expr>) -> Done {
        if matches!(self.unit.kind, Kind::Module | Kind::Class) {
            return self.error("'return' outside function");
        }
        // A constant need not wait on the stack.
        match value {
            Some(value) if fold::constant(value).is_none() => {
                self.expression(value)?;
                self.leave_all(true)?;
            }
            _ => {
                self.leave_all(false)?;
                self.or_none(value)?;
            }
        }
        self.emit(Op::Return);
        Ok(())
    }

    fn raise(&mut self, exception: Option<&'a Expr>, cause: Option<&'a Expr>) -> Done {
        let parts = exception.into_iter().chain(cause);
        let count = super::index(parts.clone().count());
        self.expressions(parts)?;
        self.emit(Op::Raise(count));
        Ok(())
    }

    fn assert(&mut self, test: &'a Expr, message: Option<&'a Expr>) -> Done {
        let end = self.label();
        self.jump_if(test, end, true)?;
        self.emit(Op::LoadAssertionError);
        if let Some(message) = message {
            self.expression(message)?;
            self.emit(Op::Call(1));
        }
        self.emit(Op::Raise(1));
        self.place(end);
        Ok(())
    }

    fn import(&mut self, names: &'a [Alias]) -> Done {
        for alias in names {
            let name = self.attribute(&alias.name);
            if let Some(rename) = &alias.rename {
                self.emit(Op::ImportLeaf(name));
                self.store(rename)?;
            } else {
                self.emit(Op::Import(name));
                match alias.name.split_once('.') {
                    Some((first, _)) => self.store(&first.into())?,
                    None => self.store(&alias.name)?,
                }
            }
        }
        Ok(())
    }

    /// A relative import is written with its dots before the name.
    fn import_from(&mut self, module: &Name, level: u32, names: &'a [Alias]) -> Done {
        if level == 0 && &**module == "__future__" && self.line > self.future.line {
            return self.error("from __future__ imports must occur at the beginning of the file");
        }
        let dotted: Name = format!("{}{module}", ".".repeat(level as usize)).into();
        let name = self.unit.name(&dotted);
        self.emit(Op::ImportLeaf(name));
        for alias in names {
            if &*alias.name == "*" {
                self.emit(Op::ImportStar);
                return Ok(());
            }
            let name = self.attribute(&alias.name);
            self.emit(Op::ImportFrom(name));
            self.store(alias.rename.as_ref().unwrap_or(&alias.name))?;
        }
        self.emit(Op::Pop);
        Ok(())
    }

    fn if_statement(&mut self, test: &'a Expr, body: &'a Block, orelse: &'a Block) -> Done {
        let (otherwise, end) = (self.label(), self.label());
        self.jump_if(test, otherwise, false)?;
        self.statements(body)?;
        if !orelse.is_empty() {
            self.emit(Op::Jump(end.target()));
        }
        self.place(otherwise);
        self.statements(orelse)?;
        self.place(end);
        Ok(())
    }

    /// The test stands behind the body, so that one jump is made each time round.
    fn while_loop(&mut self, test: &'a Expr, body: &'a Block, orelse: &'a Block) -> Done {
        let line = self.line;
        let (first, next, exit) = (self.label(), self.label(), self.label());
        if fold::truth(test) != Some(true) {
            self.emit(Op::Jump(next.target()));
        }
        self.place(first);
        self.within(Enclosing::While(Loop { next, exit }), |inner| {
            inner.statements(body)
        })?;
        self.place(next);
        self.line = line;
        self.jump_if(test, first, true)?;
        self.statements(orelse)?;
        self.place(exit);
        Ok(())
    }

    fn for_loop(
        &mut self,
        target: &'a Expr,
        iter: &'a Expr,
        body: &'a Block,
        orelse: &'a Block,
    ) -> Done {
        let line = self.line;
        let (next, end, exit) = (self.label(), self.label(), self.label());
        self.iterated(iter)?;
        self.place(next);
        self.emit(Op::ForIter(end.target()));
        self.within(Enclosing::For(Loop { next, exit }), |inner| {
            inner.assign(target)?;
            inner.statements(body)
        })?;
        self.line = line;
        self.emit(Op::Jump(next.target()));
        self.place(end);
        self.statements(orelse)?;
        self.place(exit);
        Ok(())
    }

    fn with(&mut self, items: &'a [WithItem], body: &'a Block) -> Done {
        let Some((item, rest)) = items.split_first() else {
            return self.statements(body);
        };
        let line = self.line;
        let (handler, swallowed, end) = (self.label(), self.label(), self.label());
        self.expression(&item.context)?;
        self.emit(Op::SetupWith(handler.target()));
        self.within(Enclosing::With, |inner| {
            match &item.target {
                Some(target) => inner.assign(target)?,
                None => inner.emit(Op::Pop),
            }
            inner.with(rest, body)
        })?;
        self.line = line;
        self.emit(Op::PopBlock);
        self.emit(Op::ExitWith);
        self.emit(Op::Jump(end.target()));
        self.place(handler);
        self.emit(Op::EnterHandler);
        self.emit(Op::ExitWithException);
        self.emit(Op::JumpIfTrue(swallowed.target()));
        self.emit(Op::Reraise);
        self.place(swallowed);
        self.emit(Op::LeaveHandler);
        self.place(end);
        Ok(())
    }

    /// `protected`, then the `finally` body on the way out, with an exception or without.
    fn try_finally(
        &mut self,
        finally: &'a Block,
        protected: impl FnOnce(&mut Self) -> Done,
    ) -> Done {
        let (handler, end) = (self.label(), self.label());
        self.emit(Op::SetupTry(handler.target()));
        self.within(Enclosing::Finally(finally), protected)?;
        self.emit(Op::PopBlock);
        self.statements(finally)?;
        self.emit(Op::Jump(end.target()));
        self.place(handler);
        self.emit(Op::EnterHandler);
        self.within(Enclosing::FinallyHandler, |inner| inner.statements(finally))?;
        self.emit(Op::Reraise);
        self.place(end);
        Ok(())
    }

    fn try_except(&mut self, body: &'a Block, handlers: &'a [Handler], orelse: &'a Block) -> Done {
        let (raised, end) = (self.label(), self.label());
        self.emit(Op::SetupTry(raised.target()));
        self.within(Enclosing::Try, |inner| inner.statements(body))?;
        self.emit(Op::PopBlock);
        self.statements(orelse)?;
        self.emit(Op::Jump(end.target()));
        self.place(raised);
        self.emit(Op::EnterHandler);
        self.within(Enclosing::Handlers, |inner| {
            for (at, handler) in handlers.iter().enumerate() {
                inner.line = handler.line;
                if handler.class.is_none() && at + 1 < handlers.len() {
                    return inner.error("default 'except:' must be last");
                }
                let otherwise = inner.label();
                if let Some(class) = &handler.class {
                    inner.emit(Op::LoadHandled);
                    inner.expression(class)?;
                    inner.emit(Op::ExceptionMatches);
                    inner.emit(Op::JumpIfFalse(otherwise.target()));
                }
                inner.handler(handler)?;
                inner.emit(Op::Jump(end.target()));
                inner.place(otherwise);
            }
            Ok(())
        })?;
        self.emit(Op::Reraise);
        self.place(end);
        Ok(())
    }

    /// The body of a handler, and the end of the handling. A name is deleted also if the body raises.
    fn handler(&mut self, handler: &'a Handler) -> Done {
        let level = Enclosing::Handler(handler.name.as_ref());
        let Some(name) = &handler.name else {
            self.within(level, |inner| inner.statements(&handler.body))?;
            self.emit(Op::LeaveHandler);
            return Ok(());
        };
        let (failed, end) = (self.label(), self.label());
        self.emit(Op::LoadHandled);
        self.store(name)?;
        self.emit(Op::SetupTry(failed.target()));
        self.within(level, |inner| inner.statements(&handler.body))?;
        self.emit(Op::PopBlock);
        self.emit(Op::LeaveHandler);
        self.forget(Some(name))?;
        self.emit(Op::Jump(end.target()));
        self.place(failed);
        self.emit(Op::EnterHandler);
        self.forget(Some(name))?;
        self.emit(Op::Reraise);
        self.place(end);
        Ok(())
    }
}
