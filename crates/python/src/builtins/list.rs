//! `list`: its constructor and its methods.
//!
//! While a list is sorted it is empty, and no borrow of it is held while values are compared: both may run a program's own
//! code, which may change the list.
use super::{constructor, method, sort, text::without_receiver};
use crate::{
    value::{Args, Value},
    vm::{PyResult, Vm},
};
use std::{cell::RefCell, rc::Rc};

type Values = Rc<RefCell<Vec<Value>>>;

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.list;
    constructor(vm, class, |vm, class, _| {
        Ok(vm.wrap(class, Value::list(Vec::new())))
    });
    method(vm, class, "__init__", fill);
    install_changes(vm);
    install_searches(vm);
}

/// The list that a method is called on, and the other arguments.
fn receiver(vm: &Vm, args: Args) -> PyResult<(Values, Args)> {
    let (object, args) = without_receiver(args);
    Ok((list_of(vm, &object)?, args))
}

fn list_of(vm: &Vm, object: &Value) -> PyResult<Values> {
    match object.plain() {
        Value::List(list) => Ok(list.clone()),
        _ => Err(vm.type_error("a list is needed")),
    }
}

fn fill(vm: &Vm, args: Args) -> PyResult {
    args.no_keywords(vm, "list")?;
    let (list, args) = receiver(vm, args)?;
    let [values] = args.between(vm, "list", 0)?;
    let old = std::mem::take(&mut *list.borrow_mut());
    drop(old);
    if let Some(values) = values {
        extend(vm, &list, &values)?;
    }
    Ok(Value::None)
}

/// Adds all at once where nothing else can happen meanwhile, else one by one, as the iterator may look at the list.
fn extend(vm: &Vm, list: &Values, more: &Value) -> PyResult<()> {
    let plain = matches!(
        more,
        Value::List(_)
            | Value::Tuple(_)
            | Value::Dict(_)
            | Value::Set(_)
            | Value::FrozenSet(_)
            | Value::Range(_)
    );
    if plain {
        let more = vm.collect(more)?;
        list.borrow_mut().extend(more);
        return Ok(());
    }
    let iterator = vm.iter(more)?;
    while let Some(value) = vm.next(&iterator)? {
        list.borrow_mut().push(value);
    }
    Ok(())
}

fn install_changes(vm: &Vm) {
    let class = &vm.types.list;
    method(vm, class, "append", |vm, args| {
        let [list, value] = args.method(vm, "list.append")?;
        list_of(vm, &list)?.borrow_mut().push(value);
        Ok(Value::None)
    });
    method(vm, class, "extend", |vm, args| {
        let [list, more] = args.method(vm, "list.extend")?;
        extend(vm, &list_of(vm, &list)?, &more)?;
        Ok(Value::None)
    });
    method(vm, class, "clear", |vm, args| {
        let [list] = args.method(vm, "list.clear")?;
        let old = std::mem::take(&mut *list_of(vm, &list)?.borrow_mut());
        drop(old);
        Ok(Value::None)
    });
    method(vm, class, "insert", |vm, args| {
        args.no_keywords(vm, "list.insert")?;
        let (list, args) = receiver(vm, args)?;
        let [at, value] = args.exactly(vm, "insert")?;
        let at = vm.small_integer(&at)?;
        let mut list = list.borrow_mut();
        let at = from_end(at, list.len());
        list.insert(at, value);
        Ok(Value::None)
    });
    method(vm, class, "pop", |vm, args| {
        args.no_keywords(vm, "list.pop")?;
        let (list, args) = receiver(vm, args)?;
        let [at] = args.between(vm, "pop", 0)?;
        let at = at.map_or(Ok(-1), |at| vm.small_integer(&at))?;
        let mut list = list.borrow_mut();
        if list.is_empty() {
            return Err(vm.index_error("pop from empty list"));
        }
        match crate::vm::place(at, list.len()) {
            Some(at) => Ok(list.remove(at)),
            None => Err(vm.index_error("pop index out of range")),
        }
    });
    method(vm, class, "remove", |vm, args| {
        let [list, value] = args.method(vm, "list.remove")?;
        let list = list_of(vm, &list)?;
        let Some(at) = find(vm, &list, &value, 0, usize::MAX)? else {
            return Err(vm.value_error("list.remove(x): x not in list"));
        };
        let mut values = list.borrow_mut();
        // Comparing may have made it shorter.
        let old = (at < values.len()).then(|| values.remove(at));
        drop(values);
        drop(old);
        Ok(Value::None)
    });
    method(vm, class, "reverse", |vm, args| {
        let [list] = args.method(vm, "list.reverse")?;
        list_of(vm, &list)?.borrow_mut().reverse();
        Ok(Value::None)
    });
    method(vm, class, "sort", sort_in_place);
}

fn install_searches(vm: &Vm) {
    let class = &vm.types.list;
    method(vm, class, "copy", |vm, args| {
        let [list] = args.method(vm, "list.copy")?;
        let values = list_of(vm, &list)?.borrow().clone();
        Ok(Value::list(values))
    });
    method(vm, class, "count", |vm, args| {
        let [list, value] = args.method(vm, "list.count")?;
        let list = list_of(vm, &list)?;
        let (mut count, mut at) = (0, 0);
        while let Some(found) = find(vm, &list, &value, at, usize::MAX)? {
            count += 1;
            at = found + 1;
        }
        Ok(Value::Int(count))
    });
    method(vm, class, "index", |vm, args| {
        args.no_keywords(vm, "list.index")?;
        let (list, args) = receiver(vm, args)?;
        let [value, start, stop] = args.between(vm, "index", 1)?;
        let value = value.unwrap_or(Value::None);
        let len = list.borrow().len();
        let start = start.map_or(Ok(0), |start| search_bound(vm, &start, len))?;
        let stop = stop.map_or(Ok(usize::MAX), |stop| search_bound(vm, &stop, len))?;
        match find(vm, &list, &value, start, stop)? {
            Some(at) => Ok(Value::size(at)),
            None => {
                let shown = vm.repr(&value)?;
                Err(vm.value_error(format!("{shown} is not in list")))
            }
        }
    });
    method(vm, class, "__reversed__", |vm, args| {
        let [list] = args.method(vm, "list.__reversed__")?;
        let list = list_of(vm, &list)?;
        let mut left = list.borrow().len();
        Ok(Value::iter("list_reverseiterator", move |_| {
            let value = left
                .checked_sub(1)
                .and_then(|at| list.borrow().get(at).cloned());
            // Once behind the end, it stays at its end.
            left = if value.is_some() { left - 1 } else { 0 };
            Ok(value)
        }))
    });
}

/// Where in this part of the list the value stands first.
fn find(
    vm: &Vm,
    list: &Values,
    value: &Value,
    start: usize,
    stop: usize,
) -> PyResult<Option<usize>> {
    let mut at = start;
    while at < stop {
        let Some(item) = list.borrow().get(at).cloned() else {
            return Ok(None);
        };
        if vm.equal(&item, value)? {
            return Ok(Some(at));
        }
        at += 1;
    }
    Ok(None)
}

/// A place where a search begins or ends: any integer, counted from the end if it is negative.
pub(super) fn search_bound(vm: &Vm, value: &Value, len: usize) -> PyResult<usize> {
    let Some(number) = vm.index_number(value)? else {
        return Err(vm.type_error("slice indices must be integers or have an __index__ method"));
    };
    let number = number.big().unwrap_or_default();
    let number = if number.sign() == num_bigint::Sign::Minus {
        number + len
    } else {
        number
    };
    Ok(match number.sign() {
        num_bigint::Sign::Minus => 0,
        _ => usize::try_from(number).unwrap_or(usize::MAX),
    })
}

/// The place to insert at, which may be the end.
fn from_end(at: i64, len: usize) -> usize {
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let at = if at < 0 {
        at.saturating_add(len).max(0)
    } else {
        at.min(len)
    };
    usize::try_from(at).unwrap_or(0)
}

/// What `sort` and `sorted` take by name.
pub(super) fn sort_options(vm: &Vm, args: Args) -> PyResult<(Option<Value>, bool)> {
    let [key, reverse] = args.bind(vm, "sort", ["key", "reverse"], 0)?;
    let reverse = match reverse {
        Some(Value::Bool(reverse)) => reverse,
        Some(reverse) => vm.small_integer(&reverse)? != 0,
        None => false,
    };
    Ok((key, reverse))
}

fn sort_in_place(vm: &Vm, args: Args) -> PyResult {
    let (list, args) = receiver(vm, args)?;
    if !args.positional.is_empty() {
        return Err(vm.type_error("sort() takes no positional arguments"));
    }
    let (key, reverse) = sort_options(vm, args)?;
    let values = std::mem::take(&mut *list.borrow_mut());
    let order = sort::order(vm, &values, key.as_ref(), reverse);
    let values = match &order {
        Ok(order) => sort::arranged(values, order),
        Err(_) => values,
    };
    let meanwhile = std::mem::replace(&mut *list.borrow_mut(), values);
    order?;
    // A list that was never touched has room for nothing.
    match meanwhile.capacity() {
        0 => Ok(Value::None),
        _ => Err(vm.value_error("list modified during sort")),
    }
}
