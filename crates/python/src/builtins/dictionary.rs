//! `dict` and what `keys()`, `values()` and `items()` give.
use super::{class_method, constructor, method, text::without_receiver};
use crate::{
    class::Class,
    table::Dict,
    value::{Args, Value, View, ViewKind},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.dict;
    constructor(vm, class, |vm, class, _| {
        Ok(vm.wrap(class, Value::Dict(Dict::new())))
    });
    method(vm, class, "__init__", |vm, args| update(vm, "dict", args));
    method(vm, class, "update", |vm, args| update(vm, "update", args));
    class_method(vm, class, "fromkeys", from_keys);
    install_lookups(vm);
    install_changes(vm);
    install_views(vm);
}

/// The dictionary that a method is called on, and the other arguments.
fn receiver(vm: &Vm, args: Args) -> PyResult<(Rc<Dict>, Args)> {
    let (object, args) = without_receiver(args);
    Ok((dict_of(vm, &object)?, args))
}

fn dict_of(vm: &Vm, object: &Value) -> PyResult<Rc<Dict>> {
    match object.plain() {
        Value::Dict(dict) => Ok(dict.clone()),
        _ => Err(vm.type_error("a dict is needed")),
    }
}

/// A mapping or pairs, and keywords.
fn update(vm: &Vm, name: &str, args: Args) -> PyResult {
    let (
        dict,
        Args {
            positional,
            keywords,
        },
    ) = receiver(vm, args)?;
    let [more] = Args::positional(positional).between(vm, name, 0)?;
    match more {
        Some(Value::Dict(more)) if dict.len() == 0 && !Rc::ptr_eq(&dict, &more) => {
            let table = more.table.borrow().clone();
            dict.table.replace(table);
        }
        Some(more) => vm.dict_update(&dict, &more)?,
        None => {}
    }
    for (name, value) in keywords {
        dict.set_str(&name, value);
    }
    Ok(Value::None)
}

fn from_keys(vm: &Vm, class: &Rc<Class>, args: Args) -> PyResult {
    args.no_keywords(vm, "dict.fromkeys")?;
    let [keys, value] = args.between(vm, "fromkeys", 1)?;
    let (keys, value) = (keys.unwrap_or(Value::None), value.unwrap_or(Value::None));
    let object = vm.call(&Value::Class(class.clone()), Vec::new())?;
    let iterator = vm.iter(&keys)?;
    while let Some(key) = vm.next(&iterator)? {
        match &object {
            Value::Dict(dict) => vm.dict_set(dict, key, value.clone())?,
            _ => vm.set_item(&object, &key, value.clone())?,
        }
    }
    Ok(object)
}

fn install_lookups(vm: &Vm) {
    let class = &vm.types.dict;
    method(vm, class, "get", |vm, args| {
        args.no_keywords(vm, "dict.get")?;
        let (dict, args) = receiver(vm, args)?;
        let [key, default] = args.between(vm, "get", 1)?;
        let found = vm.dict_get(&dict, &key.unwrap_or(Value::None))?;
        Ok(found.or(default).unwrap_or(Value::None))
    });
    method(vm, class, "copy", |vm, args| {
        let [dict] = args.method(vm, "dict.copy")?;
        let table = dict_of(vm, &dict)?.table.borrow().clone();
        Ok(Value::Dict(Dict::from_table(table)))
    });
    for (name, kind) in [
        ("keys", ViewKind::Keys),
        ("values", ViewKind::Values),
        ("items", ViewKind::Items),
    ] {
        let full = format!("dict.{name}");
        method(vm, class, name, move |vm, args| {
            let [object] = args.method(vm, &full)?;
            let dict = dict_of(vm, &object)?;
            let ordered = matches!(object, Value::Instance(_))
                && vm
                    .class_of(&object)
                    .order()
                    .any(|class| *class.name() == *"OrderedDict");
            Ok(Value::View(Rc::new(View {
                kind,
                ordered,
                dict,
            })))
        });
    }
    method(vm, class, "__reversed__", |vm, args| {
        let [dict] = args.method(vm, "dict.__reversed__")?;
        Ok(backwards(&dict_of(vm, &dict)?, ViewKind::Keys))
    });
}

fn install_changes(vm: &Vm) {
    let class = &vm.types.dict;
    method(vm, class, "setdefault", |vm, args| {
        args.no_keywords(vm, "dict.setdefault")?;
        let (dict, args) = receiver(vm, args)?;
        let [key, default] = args.between(vm, "setdefault", 1)?;
        let (key, default) = (key.unwrap_or(Value::None), default.unwrap_or(Value::None));
        if let Some(value) = vm.dict_get(&dict, &key)? {
            return Ok(value);
        }
        vm.dict_set(&dict, key, default.clone())?;
        Ok(default)
    });
    method(vm, class, "pop", |vm, args| {
        args.no_keywords(vm, "dict.pop")?;
        let (dict, args) = receiver(vm, args)?;
        let [key, default] = args.between(vm, "pop", 1)?;
        let key = key.unwrap_or(Value::None);
        // An empty one asks for no hash.
        let removed = if dict.len() == 0 {
            None
        } else {
            vm.dict_remove(&dict, &key)?
        };
        match removed.map(|(_, value)| value).or(default) {
            Some(value) => Ok(value),
            None => Err(vm.key_error(key)),
        }
    });
    method(vm, class, "popitem", |vm, args| {
        let [dict] = args.method(vm, "dict.popitem")?;
        let dict = dict_of(vm, &dict)?;
        let mut table = dict.table.borrow_mut();
        let last = table.before(usize::MAX).map(|(at, _)| at);
        match last.and_then(|at| table.remove(at)) {
            Some(entry) => Ok(Value::tuple(vec![entry.key, entry.value])),
            None => Err(vm.key_error(Value::str("popitem(): dictionary is empty"))),
        }
    });
    method(vm, class, "clear", |vm, args| {
        let [dict] = args.method(vm, "dict.clear")?;
        let old = dict_of(vm, &dict)?.table.take();
        drop(old);
        Ok(Value::None)
    });
}

fn install_views(vm: &Vm) {
    let types = &vm.types;
    for (class, set_like) in [
        (&types.dict_keys, true),
        (&types.dict_values, false),
        (&types.dict_items, true),
    ] {
        let view_name = class.name();
        let reversed_name = format!("{view_name}.__reversed__");
        method(vm, class, "__reversed__", move |vm, args| {
            let [view] = args.method(vm, &reversed_name)?;
            let view = view_of(vm, &view)?;
            Ok(backwards(&view.dict, view.kind))
        });
        if !set_like {
            continue;
        }
        let name = format!("{view_name}.isdisjoint");
        method(vm, class, "isdisjoint", move |vm, args| {
            let [view, other] = args.method(vm, &name)?;
            let iterator = vm.iter(&other)?;
            while let Some(value) = vm.next(&iterator)? {
                if vm.builtin_contains(&view, &value)? {
                    return Ok(Value::Bool(false));
                }
            }
            Ok(Value::Bool(true))
        });
    }
}

fn view_of(vm: &Vm, object: &Value) -> PyResult<Rc<View>> {
    match object {
        Value::View(view) => Ok(view.clone()),
        _ => Err(vm.type_error("a view is needed")),
    }
}

/// Entries from the last to the first; an error if their number changes meanwhile.
pub(super) fn backwards(dict: &Rc<Dict>, kind: ViewKind) -> Value {
    let name = match kind {
        ViewKind::Keys => "dict_reversekeyiterator",
        ViewKind::Values => "dict_reversevalueiterator",
        ViewKind::Items => "dict_reverseitemiterator",
    };
    let dict = dict.clone();
    let (len, mut position) = (dict.len(), usize::MAX);
    Value::iter(name, move |vm| {
        if dict.len() != len {
            return Err(vm.error("RuntimeError", "dictionary changed size during iteration"));
        }
        let table = dict.table.borrow();
        let Some((at, entry)) = table.before(position) else {
            return Ok(None);
        };
        position = at;
        Ok(Some(match kind {
            ViewKind::Keys => entry.key.clone(),
            ViewKind::Values => entry.value.clone(),
            ViewKind::Items => Value::tuple(vec![entry.key.clone(), entry.value.clone()]),
        }))
    })
}
