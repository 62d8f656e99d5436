//! Generators: frames that stop at a `yield` and go on later.
use super::{Frame, PyResult, Raise, Vm, run::Exit};
use crate::value::{Generator, Value};
use std::rc::Rc;

impl Vm {
    /// Goes on, with this as the value of the `yield`; nothing when the generator has returned.
    pub(crate) fn resume(&self, generator: &Rc<Generator>, sent: Value) -> PyResult<Option<Value>> {
        match self.proceed(generator, Ok(sent))? {
            Exit::Yield(value) => Ok(Some(value)),
            Exit::Return(_) => Ok(None),
        }
    }

    /// Goes on with a value, or with an exception at the `yield`.
    pub(crate) fn proceed(
        &self,
        generator: &Rc<Generator>,
        with: Result<Value, Raise>,
    ) -> PyResult<Exit> {
        if generator.running.get() {
            return Err(self.value_error("generator already executing"));
        }
        let Some(mut frame) = generator.frame.borrow_mut().take() else {
            return with.map(|_| Exit::Return(Value::None));
        };
        let started = generator.started.replace(true);
        let result = match with {
            Ok(sent) => {
                if !started && !sent.is_none() {
                    generator.started.set(false);
                    *generator.frame.borrow_mut() = Some(frame);
                    let message = "can't send non-None value to a just-started generator";
                    return Err(self.type_error(message));
                }
                if started {
                    frame.push(sent);
                }
                generator.running.set(true);
                self.deeper(|| self.run(&mut frame))
            }
            Err(raise) => {
                generator.running.set(true);
                self.deeper(|| self.throw_into(&mut frame, started, raise))
            }
        };
        generator.running.set(false);
        match result {
            Ok(Exit::Yield(value)) => {
                *generator.frame.borrow_mut() = Some(frame);
                Ok(Exit::Yield(value))
            }
            Ok(exit) => Ok(exit),
            Err(raise) if self.is_error(&raise, "StopIteration") => {
                let error = self.error("RuntimeError", "generator raised StopIteration");
                if let Some(state) = error.0.exception() {
                    state.borrow_mut().cause = Value::Instance(raise.0);
                }
                Err(error)
            }
            Err(raise) => Err(raise),
        }
    }

    fn throw_into(&self, frame: &mut Frame, started: bool, raise: Raise) -> PyResult<Exit> {
        let raise = match self.throw_to_delegate(frame, started, raise) {
            Ok(Delegated::Yielded(value)) => return Ok(Exit::Yield(value)),
            Ok(Delegated::Returned) => return self.run(frame),
            Err(raise) => raise,
        };
        match frame.unwind(self, &raise) {
            true => self.run(frame),
            false => Err(raise),
        }
    }

    /// A generator that waits in `yield from` hands the exception on to the one it waits for.
    fn throw_to_delegate(
        &self,
        frame: &mut Frame,
        started: bool,
        raise: Raise,
    ) -> Result<Delegated, Raise> {
        let waits = frame.code.ops.get(frame.next) == Some(&crate::code::Op::YieldFrom);
        if !started || !waits {
            return Err(raise);
        }
        let inner = match frame.peek(0) {
            Value::Generator(inner) => inner,
            other => return self.throw_to_object(frame, &other, raise),
        };
        match self.proceed(&inner, Err(raise))? {
            Exit::Yield(value) => Ok(Delegated::Yielded(value)),
            Exit::Return(value) => {
                frame.pop();
                frame.push(value);
                frame.next += 1;
                Ok(Delegated::Returned)
            }
        }
    }

    /// The same to an iterator of a program's class, which may have `throw` and `close`.
    fn throw_to_object(
        &self,
        frame: &mut Frame,
        inner: &Value,
        raise: Raise,
    ) -> Result<Delegated, Raise> {
        let leaves = self.is_error(&raise, "GeneratorExit");
        let name = self.intern(if leaves { "close" } else { "throw" });
        let Some(method) = self.optional_attribute(inner, &name)? else {
            return Err(raise);
        };
        if leaves {
            self.call(&method, Vec::new())?;
            return Err(raise);
        }
        match self.call(&method, vec![Value::Instance(raise.0)]) {
            Ok(value) => Ok(Delegated::Yielded(value)),
            Err(end) if self.is_error(&end, "StopIteration") => {
                frame.pop();
                frame.push(self.argument(&end.0).unwrap_or(Value::None));
                frame.next += 1;
                Ok(Delegated::Returned)
            }
            Err(raise) => Err(raise),
        }
    }

    /// `yield from`: what to yield now, or nothing if the iterator has ended and its result is on the stack.
    pub(crate) fn delegate(&self, frame: &mut Frame) -> PyResult<Option<Value>> {
        let (sent, iterator) = (frame.pop(), frame.peek(0));
        let value = match &iterator {
            Value::Generator(inner) => match self.proceed(inner, Ok(sent))? {
                Exit::Yield(value) => Ok(value),
                Exit::Return(value) => Err(value),
            },
            _ if !sent.is_none() => match self.call_method(&iterator, "send", vec![sent]) {
                Ok(value) => Ok(value),
                Err(raise) if self.is_error(&raise, "StopIteration") => {
                    Err(self.argument(&raise.0).unwrap_or(Value::None))
                }
                Err(raise) => return Err(raise),
            },
            Value::Iter(_) => self.next(&iterator)?.ok_or(Value::None),
            other => match self.call_special(other, &self.names.next, Vec::new()) {
                Ok(Some(value)) => Ok(value),
                Ok(None) => Err(Value::None),
                Err(raise) if self.is_error(&raise, "StopIteration") => {
                    Err(self.argument(&raise.0).unwrap_or(Value::None))
                }
                Err(raise) => return Err(raise),
            },
        };
        match value {
            Ok(value) => {
                // The next value that is sent comes here again.
                frame.next -= 1;
                Ok(Some(value))
            }
            Err(result) => {
                frame.pop();
                frame.push(result);
                Ok(None)
            }
        }
    }
}

enum Delegated {
    Yielded(Value),
    Returned,
}
