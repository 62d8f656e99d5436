//! Instructions of `try`, `raise` and `with`.
use super::{Frame, PyResult, Raise, Vm};
use crate::{code::Op, value::Value};

impl Vm {
    pub(super) fn exceptional(&self, frame: &mut Frame, op: Op) -> PyResult<()> {
        match op {
            Op::SetupTry(handler) => frame.blocks.push(super::frame::Block {
                handler,
                stack: frame.stack.len(),
                handled: frame.handled.len(),
            }),
            Op::PopBlock => drop(frame.blocks.pop()),
            Op::EnterHandler => {
                if let Value::Instance(exception) = frame.pop() {
                    frame.enter_handler(self, exception);
                }
            }
            Op::LeaveHandler => frame.leave_handler(self),
            Op::LoadHandled => {
                let handled = frame.handled.last().cloned();
                frame.push(handled.map_or(Value::None, Value::Instance));
            }
            Op::ExceptionMatches => {
                let (class, exception) = (frame.pop(), frame.pop());
                frame.push(Value::Bool(self.exception_matches(&exception, &class)?));
            }
            Op::Reraise => {
                if let Some(exception) = frame.handled.last() {
                    return Err(Raise(exception.clone()));
                }
            }
            Op::Raise(count) => return Err(self.raise_op(frame, count)),
            Op::LoadAssertionError => {
                let class = self.types.exception("AssertionError");
                frame.push(Value::Class(class));
            }
            Op::SetupWith(handler) => {
                let manager = frame.pop();
                let (exit, entered) = self.enter_with(&manager)?;
                frame.push(exit);
                frame.blocks.push(super::frame::Block {
                    handler,
                    stack: frame.stack.len(),
                    handled: frame.handled.len(),
                });
                frame.push(entered);
            }
            Op::ExitWith => {
                let exit = frame.pop();
                self.call(&exit, vec![Value::None, Value::None, Value::None])?;
            }
            Op::ExitWithException => {
                let exit = frame.pop();
                let exception = frame.handled.last().cloned();
                let exception = exception.map_or(Value::None, Value::Instance);
                let class = Value::Class(self.class_of(&exception));
                let swallowed = self.call(&exit, vec![class, exception, Value::None])?;
                frame.push(Value::Bool(self.truth(&swallowed)?));
            }
            _ => {}
        }
        Ok(())
    }

    fn raise_op(&self, frame: &mut Frame, count: u32) -> Raise {
        match count {
            0 => match self.handled_now() {
                Some(exception) => Raise(exception),
                None => self.error("RuntimeError", "No active exception to reraise"),
            },
            1 => self.raise_from(&frame.pop(), None),
            _ => {
                let (cause, exception) = (frame.pop(), frame.pop());
                self.raise_from(&exception, Some(&cause))
            }
        }
    }

    fn exception_matches(&self, exception: &Value, class: &Value) -> PyResult<bool> {
        match class {
            Value::Class(class) if class.is_subclass(&self.types.base_exception) => {
                Ok(self.is_instance(exception, class))
            }
            Value::Tuple(classes) => {
                for class in classes.iter() {
                    if self.exception_matches(exception, class)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => {
                let message =
                    "catching classes that do not inherit from BaseException is not allowed";
                Err(self.type_error(message))
            }
        }
    }

    fn enter_with(&self, manager: &Value) -> PyResult<(Value, Value)> {
        let class = self.class_of(manager);
        let find = |name, missed| {
            class.lookup(name).ok_or_else(|| {
                let message = "object does not support the context manager protocol";
                self.type_error(format!("'{}' {message}{missed}", class.name()))
            })
        };
        let enter = find(&self.names.enter, "")?;
        let exit = find(&self.names.exit, " (missed __exit__ method)")?;
        let exit = self.bind(&exit, manager, &class)?;
        let enter = self.bind(&enter, manager, &class)?;
        Ok((exit, self.call(&enter, Vec::new())?))
    }
}
