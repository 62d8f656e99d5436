//! `object` and `type`.
use super::{class_method, constructor, getter, method};
use crate::{
    class::{Class, Layout},
    set_table::Set,
    table::Dict,
    text::Str,
    value::{Args, Instance, Payload, Value},
    vm::{PyResult, Raise, Vm},
};
use std::{collections::BTreeSet, rc::Rc};

pub(super) fn install(vm: &Vm) {
    install_object(vm);
    install_type(vm);
    install_type_attributes(vm);
}

/// An object of a class, with the payload that its layout needs.
pub(crate) fn new_object(vm: &Vm, class: &Rc<Class>) -> PyResult {
    if let Some(names @ Value::FrozenSet(_)) = class.lookup(&vm.names.abstract_methods)
        && vm.truth(&names)?
    {
        return Err(abstract_class(vm, class, &names)?);
    }
    let payload = match class.layout {
        Layout::Object => Payload::None,
        Layout::Exception => {
            return Ok(Value::Instance(vm.new_exception(class.clone(), Vec::new())));
        }
        Layout::List => Payload::Value(Value::list(Vec::new())),
        Layout::Dict => Payload::Value(Value::Dict(Dict::new())),
        Layout::Set => Payload::Value(Value::Set(Set::new())),
        _ => {
            let name = class.name();
            let message = format!("object.__new__({name}) is not safe, use {name}.__new__()");
            return Err(vm.type_error(message));
        }
    };
    Ok(Value::Instance(Instance::new(class.clone(), payload)))
}

fn abstract_class(vm: &Vm, class: &Rc<Class>, names: &Value) -> PyResult<Raise> {
    let mut texts: Vec<String> = Vec::new();
    for name in vm.collect(names)? {
        texts.push(vm.str(&name)?.to_string());
    }
    texts.sort();
    let plural = if texts.len() == 1 { "" } else { "s" };
    let message = format!(
        "Can't instantiate abstract class {} with abstract method{plural} {}",
        class.name(),
        texts.join(", ")
    );
    Ok(vm.type_error(message))
}

fn install_object(vm: &Vm) {
    let object = &vm.types.object;
    constructor(vm, object, |vm, class, args| {
        let own_new = !is_of_object(vm, class.lookup(&vm.names.new));
        let own_init = !is_of_object(vm, class.lookup(&vm.names.init));
        if !(args.positional.is_empty() && args.keywords.is_empty()) && (own_new || !own_init) {
            let message = match own_new {
                true => {
                    "object.__new__() takes exactly one argument (the type to instantiate)".into()
                }
                false => format!("{}() takes no arguments", class.name()),
            };
            return Err(vm.type_error(message));
        }
        new_object(vm, class)
    });
    method(vm, object, "__init__", |vm, args| {
        let class = vm.class_of(&args.receiver());
        let own_init = !is_of_object(vm, class.lookup(&vm.names.init));
        if own_init && (args.positional.len() > 1 || !args.keywords.is_empty()) {
            let message =
                "object.__init__() takes exactly one argument (the instance to initialize)";
            return Err(vm.type_error(message));
        }
        Ok(Value::None)
    });
    method(vm, object, "__getattribute__", |vm, args| {
        let [object, name] = args.method(vm, "__getattribute__")?;
        let name = name_argument(vm, &name)?;
        match vm.find_plain(&object, &vm.class_of(&object), &name)? {
            Some(value) => Ok(value),
            None => Err(vm.no_attribute(&object, &name)),
        }
    });
    method(vm, object, "__setattr__", |vm, args| {
        let [object, name, value] = args.method(vm, "__setattr__")?;
        let name = name_argument(vm, &name)?;
        vm.set_plain(&object, &vm.class_of(&object), &name, value)?;
        Ok(Value::None)
    });
    method(vm, object, "__delattr__", |vm, args| {
        let [object, name] = args.method(vm, "__delattr__")?;
        let name = name_argument(vm, &name)?;
        vm.delete_plain(&object, &vm.class_of(&object), &name)?;
        Ok(Value::None)
    });
    method(vm, object, "__dir__", |vm, args| {
        Ok(Value::list(names_of(vm, &args.receiver())))
    });
    install_object_attributes(vm);
}

fn install_object_attributes(vm: &Vm) {
    let object = &vm.types.object;
    class_method(vm, object, "__subclasshook__", |_, _, _| {
        Ok(Value::NotImplemented)
    });
    // Swallows nothing: `announce` refuses keywords that nobody takes.
    class_method(vm, object, "__init_subclass__", |vm, class, args| {
        if args.keywords.is_empty() {
            return Ok(Value::None);
        }
        let message = format!(
            "{}.__init_subclass__() takes no keyword arguments",
            class.name()
        );
        Err(vm.type_error(message))
    });
    getter(
        vm,
        object,
        "__class__",
        |vm, value| Ok(Value::Class(vm.class_of(value))),
        Some(set_class),
    );
    getter(
        vm,
        object,
        "__dict__",
        |vm, value| match vm.own_dict(value) {
            Some(dict) if vm.class_of(value).slots.get().is_none() => Ok(Value::Dict(dict.clone())),
            _ => {
                let name = vm.intern("__dict__");
                Err(vm.no_attribute(value, &name))
            }
        },
        Some(set_dict),
    );
}

/// `object.__dict__ = {...}`: the names are taken over.
fn set_dict(vm: &Vm, object: &Value, value: Value) -> PyResult<()> {
    let (Some(own), Value::Dict(new)) = (vm.own_dict(object), &value) else {
        let name = vm.class_name(&value);
        let message = format!("__dict__ must be set to a dictionary, not a '{name}'");
        return Err(vm.type_error(message));
    };
    let table = new.table.borrow().clone();
    own.table.replace(table);
    Ok(())
}

fn set_class(vm: &Vm, object: &Value, value: Value) -> PyResult<()> {
    match (object, value) {
        (Value::Instance(instance), Value::Class(class))
            if class.layout == instance.class().layout && !class.builtin =>
        {
            *instance.class.borrow_mut() = class;
            Ok(())
        }
        _ => Err(vm.type_error(
            "__class__ assignment only supported for mutable types or ModuleType subclasses",
        )),
    }
}

fn is_of_object(vm: &Vm, found: Option<Value>) -> bool {
    let own = vm.types.object.dict.get_str(&vm.names.new);
    match (&found, &own) {
        (Some(Value::StaticMethod(a)), Some(Value::StaticMethod(b))) => Rc::ptr_eq(a, b),
        (Some(Value::Native(native)), _) => native
            .owner
            .as_ref()
            .is_some_and(|owner| Rc::ptr_eq(owner, &vm.types.object)),
        _ => false,
    }
}

pub(super) fn name_argument(vm: &Vm, name: &Value) -> PyResult<Rc<Str>> {
    match name.plain() {
        Value::Str(name) => Ok(vm.intern(name)),
        other => {
            let kind = vm.class_name(other);
            Err(vm.type_error(format!("attribute name must be string, not '{kind}'")))
        }
    }
}

/// Attributes of an object and of its class, in order of name.
pub(super) fn names_of(vm: &Vm, object: &Value) -> Vec<Value> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut add = |dict: &Rc<Dict>| {
        for key in dict.keys() {
            if let Value::Str(key) = key {
                names.insert(key.to_string());
            }
        }
    };
    if let Some(dict) = vm.own_dict(object) {
        add(dict);
    }
    if !matches!(object, Value::Module(_)) {
        let class = match object {
            Value::Class(class) => class.clone(),
            other => vm.class_of(other),
        };
        for class in class.order() {
            add(&class.dict);
        }
    }
    names.into_iter().map(Value::str).collect()
}

fn class_argument(args: &Args) -> Option<Rc<Class>> {
    match args.positional.first() {
        Some(Value::Class(class)) => Some(class.clone()),
        _ => None,
    }
}

fn install_type(vm: &Vm) {
    let class = &vm.types.type_;
    constructor(vm, class, |vm, metaclass, args| {
        let keywords = args.keywords;
        let [name, bases, names] = Args::positional(args.positional).exactly(vm, "type.__new__")?;
        match (name.plain(), bases.plain(), names.plain()) {
            (Value::Str(name), ..) if name.contains('\0') => {
                Err(vm.value_error("type name must not contain null characters"))
            }
            (Value::Str(name), Value::Tuple(bases), Value::Dict(names)) => {
                let winner = vm.most_derived(metaclass, bases)?;
                if let Some(Value::StaticMethod(new)) = winner.lookup(&vm.names.new)
                    && matches!(*new, Value::Function(_))
                    && !Rc::ptr_eq(&winner, metaclass)
                {
                    let mut positional = vec![Value::Class(winner)];
                    positional.extend([Value::Str(name.clone()), Value::Tuple(bases.clone())]);
                    positional.push(Value::Dict(names.clone()));
                    return vm.call_with(
                        &new,
                        Args {
                            positional,
                            keywords,
                        },
                    );
                }
                vm.new_class(&winner, name, bases, names, keywords)
            }
            _ => Err(vm.type_error("type.__new__() takes a name, bases and names")),
        }
    });
    method(vm, class, "__init__", |_, _| Ok(Value::None));
    method(vm, class, "__call__", |vm, mut args| {
        let Some(class) = class_argument(&args) else {
            return Err(vm.type_error("a class is needed"));
        };
        args.positional.remove(0);
        vm.construct(&class, args)
    });
    method(vm, class, "mro", |vm, args| {
        let class = class_argument(&args).ok_or_else(|| vm.type_error("a class is needed"))?;
        Ok(Value::list(
            class.order().cloned().map(Value::Class).collect(),
        ))
    });
    method(vm, class, "__subclasses__", |vm, args| {
        let class = class_argument(&args).ok_or_else(|| vm.type_error("a class is needed"))?;
        let below = class.descendants.borrow();
        let below = below.iter().filter_map(|class| class.upgrade());
        Ok(Value::list(below.map(Value::Class).collect()))
    });
    method(vm, class, "__instancecheck__", |vm, args| {
        let [class, object] = args.method(vm, "__instancecheck__")?;
        match class {
            Value::Class(class) => Ok(Value::Bool(vm.is_instance(&object, &class))),
            _ => Ok(Value::Bool(false)),
        }
    });
    method(vm, class, "__subclasscheck__", |vm, args| {
        match args.method(vm, "__subclasscheck__")? {
            [Value::Class(class), Value::Class(other)] => {
                Ok(Value::Bool(other.is_subclass(&class)))
            }
            _ => Err(vm.type_error("issubclass() arg 1 must be a class")),
        }
    });
}

fn of(vm: &Vm, value: &Value) -> PyResult<Rc<Class>> {
    match value {
        Value::Class(class) => Ok(class.clone()),
        _ => Err(vm.type_error("a class is needed")),
    }
}

fn install_type_attributes(vm: &Vm) {
    let class = &vm.types.type_;
    getter(
        vm,
        class,
        "__name__",
        |vm, value| Ok(Value::Str(of(vm, value)?.name())),
        Some(|vm, value, name| {
            let class = of(vm, value)?;
            let Value::Str(name) = name else {
                let (own, kind) = (class.name(), vm.class_name(&name));
                let message = format!("can only assign string to {own}.__name__, not '{kind}'");
                return Err(vm.type_error(message));
            };
            *class.name.borrow_mut() = name;
            Ok(())
        }),
    );
    getter(
        vm,
        class,
        "__qualname__",
        |vm, value| {
            let class = of(vm, value)?;
            let own = class.dict.get_str(&vm.names.qualname);
            Ok(own.unwrap_or_else(|| Value::Str(class.name())))
        },
        Some(|vm, value, name| {
            of(vm, value)?.dict.set_str(&vm.names.qualname, name);
            Ok(())
        }),
    );
    install_relations(vm);
}

/// What a class descends from and where it was written.
fn install_relations(vm: &Vm) {
    let class = &vm.types.type_;
    getter(
        vm,
        class,
        "__mro__",
        |vm, value| {
            let class = of(vm, value)?;
            Ok(Value::tuple(
                class.order().cloned().map(Value::Class).collect(),
            ))
        },
        None,
    );
    getter(
        vm,
        class,
        "__bases__",
        |vm, value| {
            let class = of(vm, value)?;
            Ok(Value::tuple(
                class.bases.iter().cloned().map(Value::Class).collect(),
            ))
        },
        None,
    );
    getter(
        vm,
        class,
        "__base__",
        |vm, value| {
            let class = of(vm, value)?;
            Ok(class
                .bases
                .first()
                .cloned()
                .map_or(Value::None, Value::Class))
        },
        None,
    );
    getter(
        vm,
        class,
        "__module__",
        |vm, value| {
            let class = of(vm, value)?;
            Ok(class
                .lookup(&vm.names.module)
                .unwrap_or_else(|| Value::str("builtins")))
        },
        Some(|vm, value, module| {
            of(vm, value)?.dict.set_str(&vm.names.module, module);
            Ok(())
        }),
    );
    getter(
        vm,
        class,
        "__doc__",
        |vm, value| {
            let class = of(vm, value)?;
            Ok(class.dict.get_str(&vm.names.doc).unwrap_or(Value::None))
        },
        Some(|vm, value, doc| {
            of(vm, value)?.dict.set_str(&vm.names.doc, doc);
            Ok(())
        }),
    );
    getter(
        vm,
        class,
        "__dict__",
        |vm, value| {
            let class = of(vm, value)?;
            // A copy: classes are changed by setting attributes.
            Ok(Value::Dict(Dict::from_table(
                class.dict.table.borrow().clone(),
            )))
        },
        None,
    );
}
