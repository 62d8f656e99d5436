//! Exceptions as objects.
use super::{constructor, getter, method};
use crate::{
    class::Class,
    value::{Exception, Value},
    vm::{PyResult, Vm},
};
use std::cell::RefCell;
use std::rc::Rc;

pub(super) fn install(vm: &Vm) {
    let class = vm.types.base_exception.clone();
    constructor(vm, &class, |vm, class, args| {
        Ok(Value::Instance(
            vm.new_exception(class.clone(), args.positional),
        ))
    });
    method(vm, &class, "__init__", |vm, mut args| {
        let exception = args.receiver();
        if !args.positional.is_empty() {
            args.positional.remove(0);
        }
        if let Some(state) = state(&exception) {
            state.borrow_mut().args = Rc::new(args.positional);
        }
        let own = vm.own_dict(&exception);
        for (name, value) in args.keywords {
            // `ImportError(name=…)` and the like.
            match own {
                Some(dict) if vm.is_instance(&exception, &vm.types.exception("ImportError")) => {
                    dict.set_str(&name, value);
                }
                _ => {
                    let kind = vm.class_name(&exception);
                    return Err(vm.type_error(format!("{kind}() takes no keyword arguments")));
                }
            }
        }
        Ok(Value::None)
    });
    install_links(vm, &class);
    // Where it was raised is not kept.
    getter(
        vm,
        &class,
        "__traceback__",
        |_, _| Ok(Value::None),
        Some(|_, _, _| Ok(())),
    );
    method(vm, &class, "with_traceback", |vm, args| {
        let [exception, _] = args.method(vm, "with_traceback")?;
        Ok(exception)
    });
    method(vm, &class, "add_note", |vm, args| {
        let [exception, note] = args.method(vm, "add_note")?;
        let name = vm.intern("__notes__");
        match vm.optional_attribute(&exception, &name)? {
            Some(Value::List(notes)) => notes.borrow_mut().push(note),
            _ => vm.set_attribute(&exception, &name, Value::list(vec![note]))?,
        }
        Ok(Value::None)
    });
    install_fields(vm);
}

/// `args`, and the exceptions that it came from.
fn install_links(vm: &Vm, class: &Rc<Class>) {
    getter(
        vm,
        class,
        "args",
        |_, value| Ok(field(value, |state| Value::Tuple(state.args.clone()))),
        Some(|vm, value, args| {
            let args = vm.collect(&args)?;
            if let Some(state) = state(value) {
                state.borrow_mut().args = Rc::new(args);
            }
            Ok(())
        }),
    );
    getter(
        vm,
        class,
        "__cause__",
        |_, value| Ok(field(value, |state| state.cause.clone())),
        Some(|_, value, cause| {
            if let Some(state) = state(value) {
                state.borrow_mut().cause = cause;
            }
            Ok(())
        }),
    );
    getter(
        vm,
        class,
        "__context__",
        |_, value| Ok(field(value, |state| state.context.clone())),
        Some(|_, value, context| {
            if let Some(state) = state(value) {
                state.borrow_mut().context = context;
            }
            Ok(())
        }),
    );
    getter(
        vm,
        class,
        "__suppress_context__",
        |_, value| Ok(field(value, |state| Value::Bool(state.suppress_context))),
        Some(|vm, value, suppress| {
            let suppress = vm.truth(&suppress)?;
            if let Some(state) = state(value) {
                state.borrow_mut().suppress_context = suppress;
            }
            Ok(())
        }),
    );
}

fn state(value: &Value) -> Option<&RefCell<Exception>> {
    match value {
        Value::Instance(instance) => instance.exception(),
        _ => None,
    }
}

fn field(value: &Value, choose: fn(&Exception) -> Value) -> Value {
    state(value).map_or(Value::None, |state| choose(&state.borrow()))
}

/// The argument at this place.
fn argument(value: &Value, at: usize) -> Value {
    let args = state(value).map(|state| state.borrow().args.clone());
    args.and_then(|args| args.get(at).cloned())
        .unwrap_or(Value::None)
}

/// Names for arguments: `StopIteration.value`, `SystemExit.code`, `OSError.errno`.
fn install_fields(vm: &Vm) {
    let class = |name: &str| vm.types.exception(name);
    fn first(_: &Vm, value: &Value) -> PyResult {
        Ok(argument(value, 0))
    }
    getter(vm, &class("StopIteration"), "value", first, None);
    getter(vm, &class("SystemExit"), "code", first, None);
    let os_error = class("OSError");
    getter(vm, &os_error, "errno", |_, value| Ok(pair(value, 0)), None);
    getter(
        vm,
        &os_error,
        "strerror",
        |_, value| Ok(pair(value, 1)),
        None,
    );
    getter(
        vm,
        &os_error,
        "filename",
        |_, value| Ok(argument(value, 2)),
        None,
    );
    for (name, field) in [
        ("ImportError", "name"),
        ("ImportError", "path"),
        ("NameError", "name"),
        ("AttributeError", "name"),
        ("AttributeError", "obj"),
    ] {
        class(name).dict.set_str(&vm.intern(field), Value::None);
    }
    let syntax = class("SyntaxError");
    for field in ["msg", "filename", "lineno", "offset", "text"] {
        syntax.dict.set_str(&vm.intern(field), Value::None);
    }
}

/// Only an `OSError` of two arguments or more has a number and a text.
fn pair(value: &Value, at: usize) -> Value {
    match argument(value, 1) {
        Value::None => Value::None,
        _ => argument(value, at),
    }
}
