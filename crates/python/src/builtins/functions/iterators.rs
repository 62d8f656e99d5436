//! `iter`, `next`, and the functions that give iterators: `map`, `filter`, `zip`, `enumerate`, `reversed`; `sorted`.
use crate::{
    ast::BinOp,
    builtins::{constructor, function, list, sort},
    class::Class,
    value::{Args, Value},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

pub(super) fn iter(vm: &Vm, args: Args) -> PyResult {
    let [value, sentinel] = args.between(vm, "iter", 1)?;
    let value = value.unwrap_or(Value::None);
    let Some(sentinel) = sentinel else {
        return vm.iter(&value);
    };
    Ok(Value::iter("callable_iterator", move |vm| {
        let result = match vm.call(&value, Vec::new()) {
            Err(raise) if vm.is_error(&raise, "StopIteration") => return Ok(None),
            result => result?,
        };
        Ok((!vm.equal(&result, &sentinel)?).then_some(result))
    }))
}

pub(super) fn next(vm: &Vm, args: Args) -> PyResult {
    let [iterator, default] = args.between(vm, "next", 1)?;
    let iterator = iterator.unwrap_or(Value::None);
    let result = match &iterator {
        Value::Iter(_) | Value::Generator(_) => vm.next_or_stop(&iterator),
        other => match vm.call_special(other, &vm.names.next, Vec::new()) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => {
                let name = vm.class_name(other);
                return Err(vm.type_error(format!("'{name}' object is not an iterator")));
            }
            Err(raise) => Err(raise),
        },
    };
    match (result, default) {
        (Err(raise), Some(default)) if vm.is_error(&raise, "StopIteration") => Ok(default),
        (result, _) => result,
    }
}

pub(super) fn install(vm: &Vm) {
    constructor(vm, &vm.types.map, map);
    constructor(vm, &vm.types.filter, filter);
    constructor(vm, &vm.types.zip, zip);
    constructor(vm, &vm.types.enumerate, enumerate);
    constructor(vm, &vm.types.reversed, |vm, _, args| {
        let [value] = args.exactly(vm, "reversed")?;
        reversed(vm, &value)
    });
    function(vm, &vm.builtins, "sorted", |vm, args| {
        let keywords = args.keywords;
        let [values] = <[Value; 1]>::try_from(args.positional).map_err(|given: Vec<Value>| {
            vm.type_error(format!("sorted expected 1 argument, got {}", given.len()))
        })?;
        let values = vm.collect(&values)?;
        let positional = Vec::new();
        let (key, reverse) = list::sort_options(
            vm,
            Args {
                positional,
                keywords,
            },
        )?;
        sort::sort(vm, values, key, reverse).map(Value::list)
    });
}

fn map(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    args.no_keywords(vm, "map")?;
    let [function, iterables @ ..] = args.positional.as_slice() else {
        return Err(vm.type_error("map() must have at least two arguments."));
    };
    if iterables.is_empty() {
        return Err(vm.type_error("map() must have at least two arguments."));
    }
    let function = function.clone();
    let iterators: Vec<Value> = iterables
        .iter()
        .map(|value| vm.iter(value))
        .collect::<PyResult<_>>()?;
    Ok(Value::iter("map", move |vm| {
        let mut values = Vec::with_capacity(iterators.len());
        for iterator in &iterators {
            match vm.next(iterator)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        vm.call(&function, values).map(Some)
    }))
}

fn filter(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [function, iterable] = args.exactly(vm, "filter")?;
    let iterator = vm.iter(&iterable)?;
    Ok(Value::iter("filter", move |vm| {
        while let Some(value) = vm.next(&iterator)? {
            let keep = match &function {
                Value::None => vm.truth(&value)?,
                function => {
                    let kept = vm.call(function, vec![value.clone()])?;
                    vm.truth(&kept)?
                }
            };
            if keep {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }))
}

fn zip(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let mut strict = false;
    for (name, value) in &args.keywords {
        if **name != *"strict" {
            let message = format!("zip() got an unexpected keyword argument '{name}'");
            return Err(vm.type_error(message));
        }
        strict = vm.truth(value)?;
    }
    let mut iterators = Vec::new();
    for value in &args.positional {
        iterators.push(vm.iter(value)?);
    }
    Ok(Value::iter("zip", move |vm| {
        let mut values = Vec::with_capacity(iterators.len());
        for (at, iterator) in iterators.iter().enumerate() {
            match vm.next(iterator)? {
                Some(value) => values.push(value),
                None if strict => return uneven(vm, &iterators, at),
                None => return Ok(None),
            }
        }
        Ok((!values.is_empty()).then(|| Value::tuple(values)))
    }))
}

/// `zip(strict=True)` when the iterator at this place is the first to end.
fn uneven(vm: &Vm, iterators: &[Value], ended: usize) -> PyResult<Option<Value>> {
    let others = |count: usize| match count {
        1 => "argument 1".to_owned(),
        count => format!("arguments 1-{count}"),
    };
    if ended > 0 {
        let message = format!(
            "zip() argument {} is shorter than {}",
            ended + 1,
            others(ended)
        );
        return Err(vm.value_error(message));
    }
    for (at, iterator) in iterators.iter().enumerate().skip(1) {
        if vm.next(iterator)?.is_some() {
            let message = format!("zip() argument {} is longer than {}", at + 1, others(at));
            return Err(vm.value_error(message));
        }
    }
    Ok(None)
}

fn enumerate(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [iterable, start] = args.bind(vm, "enumerate", ["iterable", "start"], 1)?;
    let iterator = vm.iter(&iterable.unwrap_or(Value::None))?;
    let start = start.map_or(Ok(0.into()), |start| vm.integer(&start))?;
    let mut index = Value::big(start);
    Ok(Value::iter("enumerate", move |vm| {
        let Some(value) = vm.next(&iterator)? else {
            return Ok(None);
        };
        let after = match index {
            Value::Int(n) if n < i64::MAX => Value::Int(n + 1),
            _ => vm.binary(BinOp::Add, &index, &Value::Int(1))?,
        };
        let pair = vec![std::mem::replace(&mut index, after), value];
        Ok(Some(Value::tuple(pair)))
    }))
}

fn reversed(vm: &Vm, value: &Value) -> PyResult {
    if let Some(iterator) = vm.call_special(value, &vm.names.reversed, Vec::new())? {
        return Ok(iterator);
    }
    match value.plain() {
        plain @ (Value::Dict(_) | Value::View(_) | Value::List(_) | Value::Range(_)) => {
            return vm.call_method(plain, "__reversed__", Vec::new());
        }
        Value::Str(_) | Value::Tuple(_) | Value::Bytes(_) | Value::ByteArray(_) => {}
        _ if vm.special(value, &vm.names.getitem).is_some()
            && vm.special(value, &vm.names.len).is_some() => {}
        other => {
            let name = vm.class_name(other);
            return Err(vm.type_error(format!("'{name}' object is not reversible")));
        }
    }
    let object = value.clone();
    let mut left = vm.len(value)?;
    Ok(Value::iter("reversed", move |vm| {
        left = match left.checked_sub(1) {
            Some(at) => at,
            None => return Ok(None),
        };
        vm.get_item(&object, &Value::size(left)).map(Some)
    }))
}
