//! `set` and `frozenset`: constructors and methods. What they do with each other is in `vm/set.rs`.
use super::{constructor, method, text::without_receiver};
use crate::{
    class::Class,
    set_table::Set,
    value::{Args, Value},
    vm::{PyResult, Vm, as_key},
};
use std::rc::Rc;

/// What is done with each of the others in turn.
type Change = fn(&Vm, &Rc<Set>, &Value) -> PyResult<()>;

pub(super) fn install(vm: &Vm) {
    let types = &vm.types;
    constructor(vm, &types.set, |vm, class, _| {
        Ok(vm.wrap(class, Value::Set(Set::new())))
    });
    method(vm, &types.set, "__init__", |vm, args| {
        let (_, set, args) = receiver(vm, args)?;
        let [values] = args.between(vm, "set", 0)?;
        if set.len() > 0 {
            set.clear();
        }
        if let Some(values) = values {
            vm.set_update(&set, &values)?;
        }
        Ok(Value::None)
    });
    constructor(vm, &types.frozenset, new_frozen);
    for class in [&types.set, &types.frozenset] {
        install_results(vm, class);
        install_questions(vm, class);
    }
    install_changes(vm);
    install_updates(vm);
}

fn new_frozen(vm: &Vm, class: &Rc<Class>, args: Args) -> PyResult {
    // A descendant's own `__init__` may take names.
    let [values] = match class.builtin {
        true => args.between(vm, "frozenset", 0)?,
        false => Args::positional(args.positional).between(vm, "frozenset", 0)?,
    };
    match values {
        Some(same @ Value::FrozenSet(_)) if class.builtin => Ok(same),
        Some(values) => Ok(vm.wrap(class, Value::FrozenSet(vm.new_set(&values)?))),
        None => Ok(vm.wrap(class, Value::FrozenSet(Set::new()))),
    }
}

/// The set that a method is called on, whole and by itself, and the other arguments.
fn receiver(vm: &Vm, args: Args) -> PyResult<(Value, Rc<Set>, Args)> {
    let (object, args) = without_receiver(args);
    let set = set_of(vm, &object)?;
    Ok((object, set, args))
}

fn set_of(vm: &Vm, object: &Value) -> PyResult<Rc<Set>> {
    match object.plain() {
        Value::Set(set) | Value::FrozenSet(set) => Ok(set.clone()),
        _ => Err(vm.type_error("a set is needed")),
    }
}

/// A set of the kind of another.
fn alike(object: &Value, set: Rc<Set>) -> Value {
    match object.plain() {
        Value::FrozenSet(_) => Value::FrozenSet(set),
        _ => Value::Set(set),
    }
}

fn install_results(vm: &Vm, class: &Rc<Class>) {
    let name = class.name();
    let full = format!("{name}.copy");
    method(vm, class, "copy", move |vm, args| {
        let [object] = args.method(vm, &full)?;
        match &object {
            Value::FrozenSet(_) => Ok(object),
            _ => Ok(alike(&object, set_of(vm, &object)?.copy())),
        }
    });
    let full = format!("{name}.union");
    method(vm, class, "union", move |vm, args| {
        args.no_keywords(vm, &full)?;
        let (object, set, args) = receiver(vm, args)?;
        let result = set.copy();
        for other in &args.positional {
            if !other.is(&object) {
                vm.set_update(&result, other)?;
            }
        }
        Ok(alike(&object, result))
    });
    let full = format!("{name}.intersection");
    method(vm, class, "intersection", move |vm, args| {
        args.no_keywords(vm, &full)?;
        let (object, set, args) = receiver(vm, args)?;
        Ok(alike(&object, intersection(vm, &set, &args.positional)?))
    });
    let full = format!("{name}.difference");
    method(vm, class, "difference", move |vm, args| {
        args.no_keywords(vm, &full)?;
        let (object, set, args) = receiver(vm, args)?;
        Ok(alike(&object, difference(vm, &set, &args.positional)?))
    });
    let full = format!("{name}.symmetric_difference");
    method(vm, class, "symmetric_difference", move |vm, args| {
        let [object, other] = args.method(vm, &full)?;
        let result = vm.set_symmetric_difference(&set_of(vm, &object)?, &other)?;
        Ok(alike(&object, result))
    });
}

/// What is in all of them; without others a copy.
fn intersection(vm: &Vm, set: &Rc<Set>, others: &[Value]) -> PyResult<Rc<Set>> {
    let Some((first, others)) = others.split_first() else {
        return Ok(set.copy());
    };
    let mut result = vm.set_intersection(set, first)?;
    for other in others {
        result = vm.set_intersection(&result, other)?;
    }
    Ok(result)
}

/// What is in none of the others, which are taken out of the first difference one by one.
fn difference(vm: &Vm, set: &Rc<Set>, others: &[Value]) -> PyResult<Rc<Set>> {
    let Some((first, others)) = others.split_first() else {
        return Ok(set.copy());
    };
    let result = vm.set_difference(set, first)?;
    for other in others {
        vm.set_difference_update(&result, other)?;
    }
    Ok(result)
}

fn install_questions(vm: &Vm, class: &Rc<Class>) {
    let name = class.name();
    let full = format!("{name}.issubset");
    method(vm, class, "issubset", move |vm, args| {
        let [set, other] = args.method(vm, &full)?;
        let set = set_of(vm, &set)?;
        let other = match other.plain() {
            Value::Set(other) | Value::FrozenSet(other) => other.clone(),
            _ => vm.new_set(&other)?,
        };
        Ok(Value::Bool(
            set.len() <= other.len() && all_in(vm, set.keys(), &other)?,
        ))
    });
    let full = format!("{name}.issuperset");
    method(vm, class, "issuperset", move |vm, args| {
        let [set, other] = args.method(vm, &full)?;
        let set = set_of(vm, &set)?;
        if let Value::Set(other) | Value::FrozenSet(other) = other.plain() {
            return Ok(Value::Bool(
                other.len() <= set.len() && all_in(vm, other.keys(), &set)?,
            ));
        }
        let iterator = vm.iter(&other)?;
        while let Some(value) = vm.next(&iterator)? {
            if !vm.set_has(&set, &value)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    });
    let full = format!("{name}.isdisjoint");
    method(vm, class, "isdisjoint", move |vm, args| {
        let [set, other] = args.method(vm, &full)?;
        let set = set_of(vm, &set)?;
        let iterator = match other.plain() {
            Value::Set(_) | Value::FrozenSet(_) => vm.builtin_iter(&other)?,
            _ => vm.iter(&other)?,
        };
        while let Some(value) = vm.next(&iterator)? {
            if vm.set_has(&set, &value)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    });
}

fn all_in(vm: &Vm, values: Vec<Value>, set: &Set) -> PyResult<bool> {
    for value in values {
        if !vm.set_has(set, &value)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn install_changes(vm: &Vm) {
    let class = &vm.types.set;
    method(vm, class, "add", |vm, args| {
        let [set, value] = args.method(vm, "set.add")?;
        vm.set_add(&*set_of(vm, &set)?, value)?;
        Ok(Value::None)
    });
    method(vm, class, "discard", |vm, args| {
        let [set, value] = args.method(vm, "set.discard")?;
        vm.set_remove(&*set_of(vm, &set)?, &as_key(&value))?;
        Ok(Value::None)
    });
    method(vm, class, "remove", |vm, args| {
        let [set, value] = args.method(vm, "set.remove")?;
        match vm.set_remove(&*set_of(vm, &set)?, &as_key(&value))? {
            true => Ok(Value::None),
            false => Err(vm.key_error(value)),
        }
    });
    method(vm, class, "pop", |vm, args| {
        let [set] = args.method(vm, "set.pop")?;
        let popped = set_of(vm, &set)?.table.borrow_mut().pop();
        popped.ok_or_else(|| vm.key_error(Value::str("pop from an empty set")))
    });
    method(vm, class, "clear", |vm, args| {
        let [set] = args.method(vm, "set.clear")?;
        set_of(vm, &set)?.clear();
        Ok(Value::None)
    });
}

fn install_updates(vm: &Vm) {
    let class = &vm.types.set;
    let changes: [(&str, Change); 2] = [
        ("update", |vm, set, other| vm.set_update(set, other)),
        ("difference_update", Vm::set_difference_update),
    ];
    for (name, change) in changes {
        let full = format!("set.{name}");
        method(vm, class, name, move |vm, args| {
            args.no_keywords(vm, &full)?;
            let (_, set, args) = receiver(vm, args)?;
            for other in &args.positional {
                change(vm, &set, other)?;
            }
            Ok(Value::None)
        });
    }
    method(vm, class, "intersection_update", |vm, args| {
        args.no_keywords(vm, "set.intersection_update")?;
        let (_, set, args) = receiver(vm, args)?;
        let result = intersection(vm, &set, &args.positional)?;
        set.table.borrow_mut().take_over(result.table.take());
        Ok(Value::None)
    });
    method(vm, class, "symmetric_difference_update", |vm, args| {
        let [set, other] = args.method(vm, "set.symmetric_difference_update")?;
        vm.set_symmetric_difference_update(&set_of(vm, &set)?, &other)?;
        Ok(Value::None)
    });
}
