//! Special methods of builtin types by name (`int.__add__`, `list.__len__`), for `super()`, `hasattr` and `operator`.
use super::method;
use crate::{
    ast::{BinOp, UnaryOp},
    class::Class,
    value::Value,
    vm::{Number, OPERATORS, Vm},
};
use std::rc::Rc;

pub(super) fn install(vm: &Vm) {
    install_object(vm);
    install_operators(vm);
    install_containers(vm);
    install_iterators(vm);
    install_numbers(vm);
}

/// What every object can be asked.
fn install_object(vm: &Vm) {
    let object = &vm.types.object;
    method(vm, object, "__repr__", |vm, args| {
        let [value] = args.method(vm, "__repr__")?;
        let mut out = String::new();
        vm.write_builtin_repr(&value, &mut out)?;
        Ok(Value::str(out))
    });
    method(vm, object, "__str__", |vm, args| {
        let [value] = args.method(vm, "__str__")?;
        vm.str_of_object(&value).map(Value::Str)
    });
    method(vm, object, "__format__", |vm, args| {
        let [value, spec] = args.method(vm, "__format__")?;
        let spec = vm.str(&spec)?;
        match spec.is_empty() {
            true => vm.str(&value).map(Value::Str),
            false => vm.builtin_format(&value, &spec).map(Value::Str),
        }
    });
    method(vm, object, "__hash__", |vm, args| {
        let [value] = args.method(vm, "__hash__")?;
        match value.plain() {
            Value::Instance(instance) => Ok(Value::Int((Rc::as_ptr(instance).addr() >> 4) as i64)),
            plain => vm.hash(plain).map(Value::Int),
        }
    });
    install_hashes(vm);
    for class in [
        &vm.types.list,
        &vm.types.dict,
        &vm.types.set,
        &vm.types.bytearray,
    ] {
        class.dict.set_str(&vm.names.hash, Value::None);
    }
    for (name, op) in Vm::compare_names() {
        method(vm, object, name, move |vm, args| {
            let [a, b] = args.method(vm, name)?;
            let result = vm.builtin_compare(op, a.plain(), b.plain())?;
            Ok(match result {
                Some(result) => Value::Bool(result),
                None if name == "__eq__" && a.is(&b) => Value::Bool(true),
                None if name == "__ne__" => {
                    // The opposite of what the object's own `__eq__` says.
                    let own = vm.call_special(&a, &vm.names.eq, vec![b.clone()])?;
                    match own {
                        Some(Value::NotImplemented) | None => Value::NotImplemented,
                        Some(equal) => Value::Bool(!vm.truth(&equal)?),
                    }
                }
                None => Value::NotImplemented,
            })
        });
    }
    method(vm, object, "__reduce_ex__", |vm, _| {
        Err(vm.type_error("cannot pickle this object"))
    });
}

/// So that `class Level(int, Named)` has the hash of integers, not that of what stands behind them.
fn install_hashes(vm: &Vm) {
    let types = &vm.types;
    for class in [
        &types.int,
        &types.float,
        &types.complex,
        &types.str_,
        &types.bytes,
        &types.tuple,
        &types.frozenset,
    ] {
        method(vm, class, "__hash__", |vm, args| {
            let [value] = args.method(vm, "__hash__")?;
            vm.hash(value.plain()).map(Value::Int)
        });
    }
}

fn install_operators(vm: &Vm) {
    use BinOp::{Add, BitAnd, BitOr, BitXor, Div, FloorDiv, Mod, Mul, Pow, Sub};
    let types = &vm.types;
    for (op, name, reflected, in_place, _) in OPERATORS {
        let mut classes: Vec<&Rc<Class>> = Vec::new();
        if op != BinOp::MatMul {
            classes.push(&types.int);
        }
        if matches!(op, Add | Sub | Mul | Div | FloorDiv | Mod | Pow) {
            classes.push(&types.float);
        }
        if matches!(op, Add | Sub | Mul | Div | Pow) {
            classes.push(&types.complex);
        }
        if matches!(op, Add | Mul) {
            classes.extend([
                &types.str_,
                &types.list,
                &types.tuple,
                &types.bytes,
                &types.bytearray,
            ]);
        }
        if op == Mod {
            classes.extend([&types.str_, &types.bytes, &types.bytearray]);
        }
        if op == BitOr {
            classes.push(&types.dict);
        }
        if matches!(op, BitOr | BitAnd | BitXor | Sub) {
            classes.extend([
                &types.set,
                &types.frozenset,
                &types.dict_keys,
                &types.dict_items,
            ]);
        }
        for class in classes {
            method(vm, class, name, move |vm, args| {
                let [a, b] = args.method(vm, name)?;
                if Number::is_beyond(&b, &a) {
                    return Ok(Value::NotImplemented);
                }
                let value = vm.builtin_binary(op, &a, &b)?;
                Ok(value.unwrap_or(Value::NotImplemented))
            });
            method(vm, class, reflected, move |vm, args| {
                let [a, b] = args.method(vm, reflected)?;
                if Number::is_beyond(&b, &a) {
                    return Ok(Value::NotImplemented);
                }
                let value = vm.builtin_binary(op, &b, &a)?;
                Ok(value.unwrap_or(Value::NotImplemented))
            });
        }
        for class in [&types.list, &types.dict, &types.set, &types.bytearray] {
            let fits = class.dict.has_str(&vm.intern(name));
            if fits {
                method(vm, class, in_place, move |vm, args| {
                    let [a, b] = args.method(vm, in_place)?;
                    let value = vm.builtin_in_place(op, &a, &b)?;
                    Ok(value.unwrap_or(Value::NotImplemented))
                });
            }
        }
    }
}

fn install_containers(vm: &Vm) {
    let types = &vm.types;
    let sized = [
        &types.str_,
        &types.list,
        &types.tuple,
        &types.dict,
        &types.set,
        &types.frozenset,
        &types.range,
        &types.bytes,
        &types.bytearray,
        &types.dict_keys,
        &types.dict_values,
        &types.dict_items,
    ];
    for class in sized {
        method(vm, class, "__len__", |vm, args| {
            let [value] = args.method(vm, "__len__")?;
            vm.builtin_len(&value).map(Value::size)
        });
        method(vm, class, "__iter__", |vm, args| {
            let [value] = args.method(vm, "__iter__")?;
            vm.builtin_iter(&value)
        });
        method(vm, class, "__contains__", |vm, args| {
            let [container, value] = args.method(vm, "__contains__")?;
            vm.builtin_contains(container.plain(), &value)
                .map(Value::Bool)
        });
    }
    for class in [
        &types.str_,
        &types.list,
        &types.tuple,
        &types.dict,
        &types.range,
        &types.bytes,
        &types.bytearray,
    ] {
        method(vm, class, "__getitem__", |vm, args| {
            let [object, index] = args.method(vm, "__getitem__")?;
            vm.builtin_item(&object, &index)
        });
    }
    for class in [&types.list, &types.dict, &types.bytearray] {
        method(vm, class, "__setitem__", |vm, args| {
            let [object, index, value] = args.method(vm, "__setitem__")?;
            vm.builtin_set_item(&object, &index, value)?;
            Ok(Value::None)
        });
        method(vm, class, "__delitem__", |vm, args| {
            let [object, index] = args.method(vm, "__delitem__")?;
            vm.builtin_delete_item(&object, &index)?;
            Ok(Value::None)
        });
    }
}

/// `__iter__` and `__next__` of iterators; classes that are made later copy those of `zip`.
fn install_iterators(vm: &Vm) {
    let types = &vm.types;
    for class in [
        &types.zip,
        &types.map,
        &types.filter,
        &types.enumerate,
        &types.reversed,
        &types.generator,
    ] {
        for (name, is_next) in [("__iter__", false), ("__next__", true)] {
            // No class owns it, so that all of them can share it.
            let native = crate::value::Native {
                name: name.into(),
                owner: Some(vm.types.object.clone()),
                code: Box::new(move |vm, args| {
                    let [iterator] = args.method(vm, name)?;
                    if !is_next {
                        return Ok(iterator);
                    }
                    vm.next_or_stop(&iterator)
                }),
                sees_caller: false,
            };
            class
                .dict
                .set_str(&vm.intern(name), Value::Native(Rc::new(native)));
        }
    }
}

fn install_numbers(vm: &Vm) {
    let types = &vm.types;
    let unary: [(&'static str, UnaryOp); 3] = [
        ("__neg__", UnaryOp::Minus),
        ("__pos__", UnaryOp::Plus),
        ("__invert__", UnaryOp::Invert),
    ];
    for class in [&types.int, &types.float, &types.complex] {
        for (name, op) in unary {
            if op == UnaryOp::Invert && !Rc::ptr_eq(class, &types.int) {
                continue;
            }
            method(vm, class, name, move |vm, args| {
                let [value] = args.method(vm, name)?;
                vm.unary(op, value.plain())
            });
        }
        method(vm, class, "__bool__", |vm, args| {
            let [value] = args.method(vm, "__bool__")?;
            vm.truth(value.plain()).map(Value::Bool)
        });
    }
}

impl Vm {
    /// The next value, or `StopIteration` with what a generator returned.
    pub(crate) fn next_or_stop(&self, iterator: &Value) -> crate::vm::PyResult {
        if let Value::Generator(generator) = iterator {
            return self.generator_step(generator, Ok(Value::None));
        }
        match self.next(iterator)? {
            Some(value) => Ok(value),
            None => Err(self.stop_iteration(Value::None)),
        }
    }
}
