//! What statements stand around the present one, and how to leave them: loops, `try`, `with`.
//!
//! `return`, `break` and `continue` leave from the inside out. Each level left is taken off the list while its exit is
//! written, so that a `finally` body that itself returns or breaks leaves only what is around it. A value to be returned
//! stays on top of the stack meanwhile.
use super::{Compiler, Done, unit::Label};
use crate::{
    ast::{self, Name},
    code::{Constant, Op},
};

/// CPython's bound, levels counted as it counts them.
const DEEPEST: usize = 20;

#[derive(Clone, Copy)]
pub(super) enum Enclosing<'a> {
    While(Loop),
    /// Its iterator is on the stack.
    For(Loop),
    /// The body of a `try` with handlers.
    Try,
    /// What has this `finally` body.
    Finally(&'a ast::Block),
    /// The `finally` body itself, while an exception waits.
    FinallyHandler,
    /// Its exit is on the stack.
    With,
    /// All handlers of a `try`.
    Handlers,
    /// One handler, with the name of its exception.
    Handler(Option<&'a Name>),
    /// A value to be returned is on the stack.
    Value,
}

#[derive(Clone, Copy)]
pub(super) struct Loop {
    /// `continue` goes there.
    pub(super) next: Label,
    /// `break` goes there.
    pub(super) exit: Label,
}

impl<'a> Compiler<'a> {
    /// Writes what stands inside such a level.
    pub(super) fn within(
        &mut self,
        level: Enclosing<'a>,
        body: impl FnOnce(&mut Self) -> Done,
    ) -> Done {
        if self.unit.enclosing.len() >= DEEPEST {
            return self.error("too many statically nested blocks");
        }
        self.unit.enclosing.push(level);
        body(self)?;
        self.unit.enclosing.pop();
        Ok(())
    }

    /// The exits of all levels. With a value on top of the stack if `value`.
    pub(super) fn leave_all(&mut self, value: bool) -> Done {
        let all = self.unit.enclosing.clone();
        while let Some(level) = self.unit.enclosing.pop() {
            self.leave(level, value)?;
        }
        self.unit.enclosing = all;
        Ok(())
    }

    /// Leaves everything inside the innermost loop, and gives that.
    fn leave_to_loop(&mut self) -> Done<Option<Enclosing<'a>>> {
        let all = self.unit.enclosing.clone();
        let mut found = None;
        while let Some(level) = self.unit.enclosing.pop() {
            if matches!(level, Enclosing::While(_) | Enclosing::For(_)) {
                found = Some(level);
                break;
            }
            self.leave(level, false)?;
        }
        self.unit.enclosing = all;
        Ok(found)
    }

    pub(super) fn break_loop(&mut self) -> Done {
        match self.leave_to_loop()? {
            Some(Enclosing::While(inner)) => self.emit(Op::Jump(inner.exit.target())),
            Some(Enclosing::For(inner)) => {
                self.emit(Op::Pop);
                self.emit(Op::Jump(inner.exit.target()));
            }
            _ => return self.error("'break' outside loop"),
        }
        Ok(())
    }

    pub(super) fn continue_loop(&mut self) -> Done {
        let Some(Enclosing::While(inner) | Enclosing::For(inner)) = self.leave_to_loop()? else {
            return self.error("'continue' not properly in loop");
        };
        self.emit(Op::Jump(inner.next.target()));
        Ok(())
    }

    fn leave(&mut self, level: Enclosing<'a>, value: bool) -> Done {
        let line = self.line;
        match level {
            Enclosing::While(_) | Enclosing::Handlers => {}
            Enclosing::For(_) | Enclosing::Value => {
                self.below(value);
                self.emit(Op::Pop);
            }
            Enclosing::Try => self.emit(Op::PopBlock),
            Enclosing::Finally(body) => {
                self.emit(Op::PopBlock);
                if value {
                    self.within(Enclosing::Value, |inner| inner.statements(body))?;
                } else {
                    self.statements(body)?;
                }
            }
            Enclosing::FinallyHandler => self.emit(Op::LeaveHandler),
            Enclosing::With => {
                self.emit(Op::PopBlock);
                self.below(value);
                self.emit(Op::ExitWith);
            }
            Enclosing::Handler(name) => {
                if name.is_some() {
                    self.emit(Op::PopBlock);
                }
                self.emit(Op::LeaveHandler);
                self.forget(name)?;
            }
        }
        self.line = line;
        Ok(())
    }

    /// Brings up what is below the value.
    fn below(&mut self, value: bool) {
        if value {
            self.emit(Op::Rot2);
        }
    }

    /// Deletes the name of a handled exception. It may be deleted already, so that it is stored first.
    pub(super) fn forget(&mut self, name: Option<&Name>) -> Done {
        let Some(name) = name else { return Ok(()) };
        self.constant(Constant::None);
        self.store(name)?;
        self.delete(name)
    }
}
