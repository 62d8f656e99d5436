//! Functions, methods, properties, generators, modules and `super` as objects.
mod generator;
mod property;

use super::{constructor, getter, method};
use crate::{
    class::Class,
    table::Dict,
    value::{Args, CellRef, Function, Instance, Module, Payload, Value},
    vm::{PyResult, Vm},
};
use std::{cell::RefCell, rc::Rc};

pub(super) fn install(vm: &Vm) {
    install_functions(vm);
    install_methods(vm);
    property::install(vm);
    generator::install(vm);
    install_others(vm);
}

fn install_functions(vm: &Vm) {
    let class = &vm.types.function;
    for name in ["__doc__", "__module__"] {
        class.dict.set_str(&vm.intern(name), Value::None);
    }
    getter(
        vm,
        class,
        "__name__",
        |_, value| match value {
            Value::Function(function) => Ok(Value::Str(function.name.borrow().clone())),
            _ => Ok(Value::None),
        },
        Some(|vm, value, name| match (value, name) {
            (Value::Function(function), Value::Str(name)) => {
                *function.name.borrow_mut() = name;
                Ok(())
            }
            _ => Err(vm.type_error("__name__ must be set to a string object")),
        }),
    );
    getter(
        vm,
        class,
        "__qualname__",
        |_, value| match value {
            Value::Function(function) => Ok(Value::Str(function.qualname.borrow().clone())),
            _ => Ok(Value::None),
        },
        Some(|vm, value, name| match (value, name) {
            (Value::Function(function), Value::Str(name)) => {
                *function.qualname.borrow_mut() = name;
                Ok(())
            }
            _ => Err(vm.type_error("__qualname__ must be set to a string object")),
        }),
    );
    getter(
        vm,
        class,
        "__annotations__",
        |vm, value| match value {
            Value::Function(function) => {
                let name = &vm.names.annotations;
                if let Some(own) = function.dict.get_str(name) {
                    return Ok(own);
                }
                let empty = Value::Dict(Dict::new());
                function.dict.set_str(name, empty.clone());
                Ok(empty)
            }
            _ => Ok(Value::None),
        },
        Some(|vm, value, annotations| {
            if let Value::Function(function) = value {
                function.dict.set_str(&vm.names.annotations, annotations);
            }
            Ok(())
        }),
    );
    install_function_parts(vm);
    method(vm, class, "__get__", bind_function);
    method(vm, class, "__call__", call_receiver);
    constructor(vm, class, new_function);
    install_code(vm);
    install_natives(vm);
}

/// What a function was made of.
fn install_function_parts(vm: &Vm) {
    let class = &vm.types.function;
    getter(
        vm,
        class,
        "__defaults__",
        |_, value| match value {
            Value::Function(function) if !function.defaults.borrow().is_empty() => {
                Ok(Value::Tuple(function.defaults.borrow().clone()))
            }
            _ => Ok(Value::None),
        },
        Some(|vm, value, defaults| {
            let (Value::Function(function), Value::Tuple(_) | Value::None) = (value, &defaults)
            else {
                return Err(vm.type_error("__defaults__ must be set to a tuple object"));
            };
            *function.defaults.borrow_mut() = match defaults {
                Value::Tuple(defaults) => defaults,
                _ => Rc::default(),
            };
            Ok(())
        }),
    );
    getter(
        vm,
        class,
        "__closure__",
        |vm, value| match value {
            Value::Function(function) if !function.closure.is_empty() => {
                let cells = function.closure.iter().map(|cell| cell_object(vm, cell));
                Ok(Value::tuple(cells.collect()))
            }
            _ => Ok(Value::None),
        },
        None,
    );
    getter(
        vm,
        class,
        "__kwdefaults__",
        |_, value| match value {
            Value::Function(function) => {
                let defaults = function.keyword_defaults.borrow().clone();
                Ok(defaults.map_or(Value::None, Value::Dict))
            }
            _ => Ok(Value::None),
        },
        None,
    );
    getter(
        vm,
        class,
        "__globals__",
        |_, value| match value {
            Value::Function(function) => Ok(Value::Dict(function.globals.clone())),
            _ => Ok(Value::None),
        },
        None,
    );
    getter(
        vm,
        class,
        "__code__",
        |_, value| match value {
            Value::Function(function) => Ok(Value::Code(function.code.clone())),
            _ => Ok(Value::None),
        },
        None,
    );
}

fn install_natives(vm: &Vm) {
    let class = &vm.types.native;
    getter(vm, class, "__name__", native_name, None);
    getter(vm, class, "__qualname__", native_name, None);
    method(vm, class, "__call__", call_receiver);
    getter(
        vm,
        class,
        "__self__",
        |_, value| match value {
            Value::Method(method) => Ok(method.receiver.clone()),
            _ => Ok(Value::None),
        },
        None,
    );
    class.dict.set_str(&vm.names.module, Value::str("builtins"));
    let class = &vm.types.method_descriptor;
    getter(vm, class, "__name__", native_name, None);
    getter(vm, class, "__qualname__", native_name, None);
    method(vm, class, "__call__", call_receiver);
    method(vm, class, "__get__", bind_function);
}

/// A variable that a function shares, as `__closure__` shows it.
fn cell_object(vm: &Vm, cell: &CellRef) -> Value {
    let payload = Payload::Native(Box::new(cell.clone()));
    Value::Instance(Instance::new(vm.types.cell.clone(), payload))
}

/// `types.FunctionType(code, globals, name, defaults, closure)`.
fn new_function(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let parameters = ["code", "globals", "name", "argdefs", "closure"];
    let [code, globals, name, defaults, closure] = args.bind(vm, "function", parameters, 2)?;
    let (Some(Value::Code(code)), Some(Value::Dict(globals))) = (code, globals) else {
        return Err(vm.type_error("function() takes code and a dictionary of globals"));
    };
    let mut cells: Vec<CellRef> = Vec::new();
    if let Some(Value::Tuple(given)) = &closure {
        for cell in given.iter() {
            let own = match cell {
                Value::Instance(instance) => instance.native::<CellRef>().cloned(),
                _ => None,
            };
            cells.push(own.ok_or_else(|| vm.type_error("arg 5 (closure) expected cell"))?);
        }
    }
    if cells.len() != code.free.len() {
        let (needs, got) = (code.free.len(), cells.len());
        let message = format!(
            "{} requires closure of length {needs}, not {got}",
            code.name
        );
        return Err(vm.value_error(message));
    }
    let name = match name {
        Some(Value::Str(name)) => name,
        _ => vm.intern(&code.name),
    };
    Ok(Value::Function(Rc::new(Function {
        name: RefCell::new(name.clone()),
        qualname: RefCell::new(name),
        globals,
        defaults: RefCell::new(match defaults {
            Some(Value::Tuple(defaults)) => defaults,
            _ => Rc::default(),
        }),
        keyword_defaults: RefCell::default(),
        closure: cells,
        dict: Dict::new(),
        code,
    })))
}

fn install_cells(vm: &Vm) {
    getter(
        vm,
        &vm.types.cell,
        "cell_contents",
        |vm, value| {
            let Value::Instance(instance) = value else {
                return Err(vm.type_error("a cell is needed"));
            };
            let cell = instance.native::<CellRef>();
            match cell.map_or(Value::Unbound, |cell| cell.borrow().clone()) {
                Value::Unbound => Err(vm.value_error("Cell is empty")),
                value => Ok(value),
            }
        },
        None,
    );
}

/// What programs ask of code: names of parameters and how many.
fn install_code(vm: &Vm) {
    install_cells(vm);
    let class = &vm.types.code;
    getter(
        vm,
        class,
        "co_name",
        |_, value| match value {
            Value::Code(code) => Ok(Value::str(&*code.name)),
            _ => Ok(Value::None),
        },
        None,
    );
    getter(
        vm,
        class,
        "co_argcount",
        |_, value| match value {
            Value::Code(code) => Ok(Value::Int(code.positional.into())),
            _ => Ok(Value::None),
        },
        None,
    );
    getter(
        vm,
        class,
        "co_kwonlyargcount",
        |_, value| match value {
            Value::Code(code) => Ok(Value::Int(code.keyword_only.into())),
            _ => Ok(Value::None),
        },
        None,
    );
    getter(
        vm,
        class,
        "co_posonlyargcount",
        |_, value| match value {
            Value::Code(code) => Ok(Value::Int(code.positional_only.into())),
            _ => Ok(Value::None),
        },
        None,
    );
    install_flags(vm);
}

fn install_flags(vm: &Vm) {
    let class = &vm.types.code;
    getter(
        vm,
        class,
        "co_flags",
        |_, value| match value {
            Value::Code(code) => Ok(Value::Int(
                i64::from(code.star) * 4
                    + i64::from(code.double_star) * 8
                    + i64::from(code.is_generator) * 32
                    + 3,
            )),
            _ => Ok(Value::None),
        },
        None,
    );
    getter(
        vm,
        class,
        "co_freevars",
        |_, value| match value {
            Value::Code(code) => {
                let own = code.cells.len().saturating_sub(code.free.len());
                let free = code.cells.iter().skip(own);
                Ok(Value::tuple(free.map(|name| Value::str(&**name)).collect()))
            }
            _ => Ok(Value::None),
        },
        None,
    );
    getter(
        vm,
        class,
        "co_varnames",
        |_, value| match value {
            Value::Code(code) => Ok(Value::tuple(
                code.locals.iter().map(|name| Value::str(&**name)).collect(),
            )),
            _ => Ok(Value::None),
        },
        None,
    );
}

fn native_name(_: &Vm, value: &Value) -> PyResult {
    Ok(name_of_native(value))
}

fn name_of_native(value: &Value) -> Value {
    match value {
        Value::Native(native) => Value::str(&*native.name),
        Value::Method(method) => name_of_native(&method.function),
        _ => Value::None,
    }
}

fn call_receiver(vm: &Vm, mut args: Args) -> PyResult {
    let function = args.receiver();
    if !args.positional.is_empty() {
        args.positional.remove(0);
    }
    vm.call_with(&function, args)
}

fn bind_function(vm: &Vm, args: Args) -> PyResult {
    let [function, object, _] = args.between(vm, "__get__", 2)?;
    let (Some(function), Some(object)) = (function, object) else {
        return Ok(Value::None);
    };
    Ok(match object {
        Value::None => function,
        object => vm.bound(function, object),
    })
}

fn install_methods(vm: &Vm) {
    let class = &vm.types.method;
    getter(
        vm,
        class,
        "__self__",
        |_, value| match value {
            Value::Method(method) => Ok(method.receiver.clone()),
            _ => Ok(Value::None),
        },
        None,
    );
    getter(
        vm,
        class,
        "__func__",
        |_, value| match value {
            Value::Method(method) => Ok(method.function.clone()),
            _ => Ok(Value::None),
        },
        None,
    );
    for name in [
        "__name__",
        "__qualname__",
        "__doc__",
        "__module__",
        "__wrapped__",
        "__annotations__",
        "__defaults__",
        "__code__",
        "__isabstractmethod__",
    ] {
        // What a method does not have itself, its function has.
        let get: fn(&Vm, &Value) -> PyResult = match name {
            "__name__" => |vm, value| of_function(vm, value, "__name__"),
            "__qualname__" => |vm, value| of_function(vm, value, "__qualname__"),
            "__doc__" => |vm, value| of_function(vm, value, "__doc__"),
            "__module__" => |vm, value| of_function(vm, value, "__module__"),
            "__annotations__" => |vm, value| of_function(vm, value, "__annotations__"),
            "__defaults__" => |vm, value| of_function(vm, value, "__defaults__"),
            "__code__" => |vm, value| of_function(vm, value, "__code__"),
            "__isabstractmethod__" => |vm, value| of_function(vm, value, "__isabstractmethod__"),
            _ => |vm, value| of_function(vm, value, "__wrapped__"),
        };
        getter(vm, class, name, get, None);
    }
    constructor(vm, class, |vm, _, args| {
        let [function, receiver] = args.exactly(vm, "method")?;
        Ok(vm.bound(function, receiver))
    });
    method(vm, class, "__call__", call_receiver);
}

fn of_function(vm: &Vm, value: &Value, name: &str) -> PyResult {
    match value {
        Value::Method(method) => vm.attribute(&method.function, name),
        _ => Ok(Value::None),
    }
}

fn install_others(vm: &Vm) {
    constructor(vm, &vm.types.super_, |vm, _, args| {
        match args.between::<2>(vm, "super", 1)? {
            [Some(Value::Class(class)), Some(receiver)] => vm.new_super(class, receiver),
            [Some(Value::Class(_)), None] => {
                Err(vm.type_error("super() of one argument is not supported"))
            }
            [other, _] => {
                let name = vm.class_name(&other.unwrap_or(Value::None));
                Err(vm.type_error(format!("super() argument 1 must be a type, not {name}")))
            }
        }
    });
    constructor(vm, &vm.types.module, |vm, class: &Rc<Class>, args| {
        let [name, doc] = args.bind(vm, "module", ["name", "doc"], 1)?;
        let name = vm.str(&name.unwrap_or(Value::None))?;
        let module = Module {
            name: vm.intern(&name),
            dict: Dict::new(),
        };
        module.dict.set_str(&vm.names.name, Value::Str(name));
        module
            .dict
            .set_str(&vm.names.doc, doc.unwrap_or(Value::None));
        if class.builtin {
            return Ok(Value::Module(Rc::new(module)));
        }
        Ok(Value::Instance(Instance::new(class.clone(), Payload::None)))
    });
    for (class, value) in [
        (&vm.types.none, Value::None),
        (&vm.types.ellipsis, Value::Ellipsis),
        (&vm.types.not_implemented, Value::NotImplemented),
    ] {
        constructor(vm, class, move |vm, _, args| {
            args.exactly::<0>(vm, "NoneType")?;
            Ok(value.clone())
        });
    }
    method(vm, &vm.types.none, "__bool__", |_, _| {
        Ok(Value::Bool(false))
    });
    for class in [&vm.types.generic_alias, &vm.types.union] {
        getter(
            vm,
            class,
            "__args__",
            |_, value| match value {
                Value::Instance(instance) => {
                    let alias = instance.native::<crate::vm::Alias>();
                    Ok(alias.map_or(Value::None, |alias| Value::tuple(alias.arguments.clone())))
                }
                _ => Ok(Value::None),
            },
            None,
        );
    }
    let alias = &vm.types.generic_alias;
    getter(
        vm,
        alias,
        "__origin__",
        |vm, value| Ok(vm.alias_origin(value).unwrap_or(Value::None)),
        None,
    );
    // `list[int]()` makes a list.
    method(vm, alias, "__call__", |vm, mut args| {
        let origin = vm.alias_origin(&args.receiver()).unwrap_or(Value::None);
        if !args.positional.is_empty() {
            args.positional.remove(0);
        }
        vm.call_with(&origin, args)
    });
}
