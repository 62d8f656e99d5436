//! The builtin types' methods and the builtin functions.
//!
//! [`install`] fills the classes of [`crate::vm::Types`] and the namespace `builtins`. A method is a native function that
//! belongs to a class: the machine checks that `self` is an object of it, and [`Value::plain`] gives the value that an
//! object of a descendant carries. Special methods (`__add__`, `__len__`) are there to be called by name and by `super()`;
//! operators do not go through them.
mod bytes;
mod containers;
mod dictionary;
mod exception;
mod function;
mod functions;
mod list;
mod number;
mod object;
mod printf;
mod set;
mod sort;
mod special;
mod text;

use crate::{
    class::Class,
    table::Dict,
    value::{Args, GetSet, Native, NativeCode, SetAttribute, Value},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

pub(crate) use bytes::unicode_error_text;
pub(crate) use text::is_alphanumeric;

pub(crate) fn install(vm: &Vm) {
    for (name, class) in vm.types.all() {
        let hidden = matches!(
            name,
            "NoneType"
                | "NotImplementedType"
                | "function"
                | "builtin_function_or_method"
                | "method_descriptor"
                | "method"
                | "module"
                | "generator"
                | "getset_descriptor"
                | "dict_keys"
                | "dict_values"
                | "dict_items"
                | "code"
                | "cell"
                | "GenericAlias"
                | "UnionType"
                | "ellipsis"
        );
        if !hidden {
            vm.builtins.set_str(&vm.intern(name), Value::Class(class));
        }
    }
    for (name, class) in vm.types.exceptions() {
        vm.builtins
            .set_str(&vm.intern(name), Value::Class(class.clone()));
    }
    // Names of old that mean the same.
    let os_error = Value::Class(vm.types.exception("OSError"));
    for name in ["IOError", "EnvironmentError"] {
        vm.builtins.set_str(&vm.intern(name), os_error.clone());
    }
    for (name, value) in [
        ("NotImplemented", Value::NotImplemented),
        ("Ellipsis", Value::Ellipsis),
        ("__debug__", Value::Bool(true)),
        ("__name__", Value::str("builtins")),
    ] {
        vm.builtins.set_str(&vm.intern(name), value);
    }
    object::install(vm);
    special::install(vm);
    function::install(vm);
    exception::install(vm);
    number::install(vm);
    text::install(vm);
    bytes::install(vm);
    list::install(vm);
    dictionary::install(vm);
    set::install(vm);
    containers::install(vm);
    functions::install(vm);
}

// The functions below that take any closure only box it: they are compiled once for each of a thousand natives.

/// Adds a method to a class.
pub(crate) fn method(
    vm: &Vm,
    class: &Rc<Class>,
    name: &str,
    code: impl Fn(&Vm, Args) -> PyResult + 'static,
) {
    add_method(vm, class, name, Box::new(code));
}

fn add_method(vm: &Vm, class: &Rc<Class>, name: &str, code: Box<NativeCode>) {
    let native = Native {
        name: name.into(),
        owner: Some(class.clone()),
        code,
        sees_caller: false,
    };
    class
        .dict
        .set_str(&vm.intern(name), Value::Native(Rc::new(native)));
}

/// The code of a method that is given a class first.
type ClassCode = dyn Fn(&Vm, &Rc<Class>, Args) -> PyResult;

/// Adds `__new__`: the class that is wanted is its first argument.
pub(crate) fn constructor(
    vm: &Vm,
    class: &Rc<Class>,
    code: impl Fn(&Vm, &Rc<Class>, Args) -> PyResult + 'static,
) {
    add_constructor(vm, class, Box::new(code));
}

fn add_constructor(vm: &Vm, class: &Rc<Class>, code: Box<ClassCode>) {
    let of = class.clone();
    let new = move |vm: &Vm, mut args: Args| {
        let wanted = match args.positional.first() {
            Some(Value::Class(wanted)) if wanted.is_subclass(&of) => wanted.clone(),
            Some(Value::Class(other)) => {
                let (of, other) = (of.name(), other.name());
                let message = format!("{of}.__new__({other}): {other} is not a subtype of {of}");
                return Err(vm.type_error(message));
            }
            _ => {
                let message = format!("{}.__new__(): not enough arguments", of.name());
                return Err(vm.type_error(message));
            }
        };
        args.positional.remove(0);
        code(vm, &wanted, args)
    };
    let function = Value::native("__new__", new);
    class
        .dict
        .set_str(&vm.names.new, Value::StaticMethod(Rc::new(function)));
}

/// Adds a method of the class: its first argument is the class.
pub(crate) fn class_method(
    vm: &Vm,
    class: &Rc<Class>,
    name: &str,
    code: impl Fn(&Vm, &Rc<Class>, Args) -> PyResult + 'static,
) {
    add_class_method(vm, class, name, Box::new(code));
}

fn add_class_method(vm: &Vm, class: &Rc<Class>, name: &str, code: Box<ClassCode>) {
    let call = move |vm: &Vm, mut args: Args| match args.receiver() {
        Value::Class(class) => {
            args.positional.remove(0);
            code(vm, &class, args)
        }
        _ => Err(vm.type_error("a class is needed")),
    };
    let native = Value::native(name, call);
    class
        .dict
        .set_str(&vm.intern(name), Value::ClassMethod(Rc::new(native)));
}

/// Adds an attribute that is computed.
pub(crate) fn getter(
    vm: &Vm,
    class: &Rc<Class>,
    name: &'static str,
    get: fn(&Vm, &Value) -> PyResult,
    set: Option<SetAttribute>,
) {
    let computed = Value::GetSet(Rc::new(GetSet { name, get, set }));
    class.dict.set_str(&vm.intern(name), computed);
}

/// Adds a function to a namespace.
pub(crate) fn function(
    vm: &Vm,
    names: &Dict,
    name: &str,
    code: impl Fn(&Vm, Args) -> PyResult + 'static,
) {
    names.set_str(&vm.intern(name), Value::native(name, code));
}

/// Adds a builtin function that looks at who calls it: [`Vm::caller`].
pub(crate) fn function_of_caller(vm: &Vm, name: &str, code: fn(&Vm, Args) -> PyResult) {
    let native = Native {
        name: name.into(),
        owner: None,
        code: Box::new(code),
        sees_caller: true,
    };
    let native = Value::Native(Rc::new(native));
    vm.builtins.set_str(&vm.intern(name), native);
}
