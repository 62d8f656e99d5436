//! Exceptions: making them, asking what they are, and telling them in one line.
use super::{PyResult, Vm};
use crate::{
    class::Class,
    value::{Exception, Instance, Payload, Value},
};
use std::{cell::RefCell, rc::Rc};

/// An exception on its way.
#[derive(Clone)]
pub(crate) struct Raise(pub(crate) Rc<Instance>);

impl Vm {
    /// An exception of this builtin class with a text.
    pub(crate) fn error(&self, class: &str, message: impl Into<String>) -> Raise {
        self.exception(class, vec![Value::str(message.into())])
    }

    pub(crate) fn exception(&self, class: &str, args: Vec<Value>) -> Raise {
        let class = self.types.exception(class);
        Raise(self.new_exception(class, args))
    }

    /// An object of a class of exceptions, without running its `__init__`.
    pub(crate) fn new_exception(&self, class: Rc<Class>, args: Vec<Value>) -> Rc<Instance> {
        let context = self.handled_now();
        let exception = Exception {
            args: Rc::new(args),
            cause: Value::None,
            context: context.map_or(Value::None, Value::Instance),
            suppress_context: false,
        };
        Instance::new(class, Payload::Exception(RefCell::new(exception)))
    }

    pub(crate) fn type_error(&self, message: impl Into<String>) -> Raise {
        self.error("TypeError", message)
    }

    pub(crate) fn value_error(&self, message: impl Into<String>) -> Raise {
        self.error("ValueError", message)
    }

    pub(crate) fn index_error(&self, message: impl Into<String>) -> Raise {
        self.error("IndexError", message)
    }

    pub(crate) fn overflow(&self, message: impl Into<String>) -> Raise {
        self.error("OverflowError", message)
    }

    pub(crate) fn zero_division(&self, message: impl Into<String>) -> Raise {
        self.error("ZeroDivisionError", message)
    }

    pub(crate) fn memory_error(&self) -> Raise {
        self.exception("MemoryError", Vec::new())
    }

    pub(crate) fn key_error(&self, key: Value) -> Raise {
        self.exception("KeyError", vec![key])
    }

    pub(crate) fn stop_iteration(&self, value: Value) -> Raise {
        let args = match value {
            Value::None => Vec::new(),
            value => vec![value],
        };
        self.exception("StopIteration", args)
    }

    /// `AttributeError` with the attributes that programs ask for.
    pub(crate) fn attribute_error(&self, message: String, object: &Value, name: &str) -> Raise {
        let raise = self.error("AttributeError", message);
        let dict = raise.0.dict();
        dict.set_str(&self.intern("name"), Value::str(name));
        dict.set_str(&self.intern("obj"), object.clone());
        raise
    }

    pub(crate) fn name_error(&self, class: &str, message: String, name: &str) -> Raise {
        let raise = self.error(class, message);
        raise
            .0
            .dict()
            .set_str(&self.intern("name"), Value::str(name));
        raise
    }

    /// Whether it is of this builtin class or one below it.
    pub(crate) fn is_error(&self, raise: &Raise, class: &str) -> bool {
        raise.0.class().is_subclass(&self.types.exception(class))
    }

    /// What `raise value` raises.
    pub(crate) fn raised(&self, value: &Value) -> PyResult<Rc<Instance>> {
        match value {
            Value::Instance(instance) if instance.exception().is_some() => Ok(instance.clone()),
            Value::Class(class) if class.is_subclass(&self.types.base_exception) => {
                match self.call(value, Vec::new())? {
                    Value::Instance(instance) if instance.exception().is_some() => Ok(instance),
                    _ => Err(self.type_error("exceptions must derive from BaseException")),
                }
            }
            _ => Err(self.type_error("exceptions must derive from BaseException")),
        }
    }

    /// `raise exception from cause`; without a cause, `None` for it.
    pub(crate) fn raise_from(&self, exception: &Value, cause: Option<&Value>) -> Raise {
        let raised = match self.raised(exception) {
            Ok(raised) => raised,
            Err(raise) => return raise,
        };
        let Some(state) = raised.exception() else {
            return Raise(raised);
        };
        if let Some(cause) = cause {
            let cause = match cause {
                Value::None => Value::None,
                cause => match self.raised(cause) {
                    Ok(cause) => Value::Instance(cause),
                    Err(_) => {
                        return self.type_error("exception causes must derive from BaseException");
                    }
                },
            };
            let mut state = state.borrow_mut();
            state.cause = cause;
            state.suppress_context = true;
        }
        let handled = self.handled_now();
        if let Some(handled) = handled.filter(|handled| !Rc::ptr_eq(handled, &raised)) {
            state.borrow_mut().context = Value::Instance(handled);
        }
        Raise(raised)
    }

    /// The first argument of an exception, else nothing.
    pub(crate) fn argument(&self, exception: &Instance) -> Option<Value> {
        exception
            .exception()
            .and_then(|state| state.borrow().args.first().cloned())
    }
}
