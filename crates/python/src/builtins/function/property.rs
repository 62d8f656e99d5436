//! Properties, static methods and class methods.
use crate::{
    builtins::{constructor, getter, method},
    class::Class,
    value::{Property, Value},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.property;
    constructor(vm, class, |vm, _, args| {
        let bound = args.bind(vm, "property", ["fget", "fset", "fdel", "doc"], 0)?;
        let [get, set, delete, doc] = bound.map(|part| part.unwrap_or(Value::None));
        let doc = match (&doc, &get) {
            (Value::None, Value::Function(function)) => {
                function.dict.get_str(&vm.names.doc).unwrap_or(Value::None)
            }
            _ => doc,
        };
        Ok(Value::Property(Rc::new(Property {
            get,
            set,
            delete,
            doc,
        })))
    });
    for (name, change) in [
        (
            "getter",
            (|property: &mut Property, value| property.get = value) as fn(&mut Property, Value),
        ),
        ("setter", |property, value| property.set = value),
        ("deleter", |property, value| property.delete = value),
    ] {
        method(vm, class, name, move |vm, args| {
            let [property, function] = args.method(vm, name)?;
            let Value::Property(property) = property else {
                return Err(vm.type_error("a property is needed"));
            };
            let mut property = (*property).clone();
            change(&mut property, function);
            Ok(Value::Property(Rc::new(property)))
        });
    }
    getter(vm, class, "fget", |_, value| part(value, |p| &p.get), None);
    getter(vm, class, "fset", |_, value| part(value, |p| &p.set), None);
    getter(
        vm,
        class,
        "fdel",
        |_, value| part(value, |p| &p.delete),
        None,
    );
    getter(
        vm,
        class,
        "__doc__",
        |_, value| part(value, |p| &p.doc),
        None,
    );
    getter(
        vm,
        class,
        "__isabstractmethod__",
        |vm, value| {
            let Value::Property(property) = value else {
                return Ok(Value::Bool(false));
            };
            let name = vm.intern("__isabstractmethod__");
            let found = vm.optional_attribute(&property.get, &name)?;
            Ok(found.unwrap_or(Value::Bool(false)))
        },
        None,
    );
    install_wrappers(vm);
}

fn part(value: &Value, choose: fn(&Property) -> &Value) -> PyResult {
    match value {
        Value::Property(property) => Ok(choose(property).clone()),
        _ => Ok(Value::None),
    }
}

/// `staticmethod` and `classmethod`.
fn install_wrappers(vm: &Vm) {
    constructor(vm, &vm.types.staticmethod, |vm, _, args| {
        let [function] = args.exactly(vm, "staticmethod")?;
        Ok(Value::StaticMethod(Rc::new(function)))
    });
    constructor(vm, &vm.types.classmethod, |vm, _, args| {
        let [function] = args.exactly(vm, "classmethod")?;
        Ok(Value::ClassMethod(Rc::new(function)))
    });
    for class in [
        &vm.types.staticmethod,
        &vm.types.classmethod,
        &vm.types.property,
    ] {
        method(vm, class, "__get__", |vm, args| {
            let [attribute, object, class] = args.between(vm, "__get__", 2)?;
            let object = object.unwrap_or(Value::None);
            let class = match class {
                Some(Value::Class(class)) => class,
                _ => vm.class_of(&object),
            };
            let attribute = attribute.unwrap_or(Value::None);
            match object {
                Value::None => vm.bind_to_class(&attribute, &class),
                object => vm.bind(&attribute, &object, &class),
            }
        });
    }
    for class in [&vm.types.staticmethod, &vm.types.classmethod] {
        install_names(vm, class);
        for name in ["__func__", "__wrapped__"] {
            getter(
                vm,
                class,
                name,
                |_, value| match value {
                    Value::StaticMethod(inner) | Value::ClassMethod(inner) => Ok((**inner).clone()),
                    _ => Ok(Value::None),
                },
                None,
            );
        }
        getter(
            vm,
            class,
            "__isabstractmethod__",
            |vm, value| match value {
                Value::StaticMethod(inner) | Value::ClassMethod(inner) => {
                    let name = vm.intern("__isabstractmethod__");
                    let found = vm.optional_attribute(inner, &name)?;
                    Ok(found.unwrap_or(Value::Bool(false)))
                }
                _ => Ok(Value::Bool(false)),
            },
            None,
        );
    }
}

/// What these know of the function that they wrap.
fn install_names(vm: &Vm, class: &Rc<Class>) {
    type Get = fn(&Vm, &Value) -> PyResult;
    let names: [(&str, Get); 5] = [
        ("__name__", |vm, value| of_inner(vm, value, "__name__")),
        ("__qualname__", |vm, value| {
            of_inner(vm, value, "__qualname__")
        }),
        ("__doc__", |vm, value| of_inner(vm, value, "__doc__")),
        ("__module__", |vm, value| of_inner(vm, value, "__module__")),
        ("__annotations__", |vm, value| {
            of_inner(vm, value, "__annotations__")
        }),
    ];
    for (name, get) in names {
        getter(vm, class, name, get, None);
    }
}

/// An attribute of the function that a `staticmethod` or `classmethod` wraps.
fn of_inner(vm: &Vm, value: &Value, name: &str) -> PyResult {
    match value {
        Value::StaticMethod(inner) | Value::ClassMethod(inner) => {
            vm.get_attribute(inner, &vm.intern(name))
        }
        _ => Ok(Value::None),
    }
}
