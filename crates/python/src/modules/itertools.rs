//! `itertools`: each name is a class whose constructor gives a native iterator.
mod choices;

use crate::{
    ast::BinOp,
    builtins::{class_method, constructor},
    class::Class,
    table::Dict,
    value::{Args, Iter, IterState, Value},
    vm::{PyResult, Vm},
};
use num_traits::ToPrimitive;
use std::{cell::RefCell, collections::VecDeque, rc::Rc};

pub(super) fn build(vm: &Vm, names: &Rc<Dict>) -> PyResult<()> {
    add(vm, names, "accumulate", accumulate);
    let chain = add(vm, names, "chain", |_, _, args| {
        Ok(chain(args.positional.into_iter().map(Ok)))
    });
    class_method(vm, &chain, "from_iterable", |vm, _, args| {
        let [iterables] = args.exactly(vm, "from_iterable")?;
        Ok(chain_of(vm.iter(&iterables)?))
    });
    add(vm, names, "compress", compress);
    add(vm, names, "count", count);
    add(vm, names, "cycle", cycle);
    add(vm, names, "dropwhile", |vm, _, args| {
        by_test(vm, args, "dropwhile")
    });
    add(vm, names, "takewhile", |vm, _, args| {
        by_test(vm, args, "takewhile")
    });
    add(vm, names, "filterfalse", |vm, _, args| {
        by_test(vm, args, "filterfalse")
    });
    add(vm, names, "groupby", groupby);
    add(vm, names, "islice", islice);
    add(vm, names, "pairwise", pairwise);
    add(vm, names, "repeat", repeat);
    add(vm, names, "starmap", starmap);
    add(vm, names, "zip_longest", zip_longest);
    add(vm, names, "product", choices::product);
    add(vm, names, "permutations", choices::permutations);
    add(vm, names, "combinations", |vm, _, args| {
        choices::combinations(vm, args, false)
    });
    add(vm, names, "combinations_with_replacement", |vm, _, args| {
        choices::combinations(vm, args, true)
    });
    crate::builtins::function(vm, names, "tee", tee);
    Ok(())
}

fn add(
    vm: &Vm,
    names: &Rc<Dict>,
    name: &str,
    new: impl Fn(&Vm, &Rc<Class>, Args) -> PyResult + 'static,
) -> Rc<Class> {
    let class = vm.types.native_class(name);
    let module = Value::str("itertools");
    class.dict.set_str(&vm.names.module, module);
    constructor(vm, &class, new);
    names.set_str(&vm.intern(name), Value::Class(class.clone()));
    class
}

fn given(value: Option<Value>) -> Value {
    value.unwrap_or(Value::None)
}

/// An option that counts only if it is not `None`.
fn some(value: Option<Value>) -> Option<Value> {
    value.filter(|value| !value.is_none())
}

fn accumulate(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [iterable, function, initial] =
        args.bind(vm, "accumulate", ["iterable", "func", "initial"], 1)?;
    let iterator = vm.iter(&given(iterable))?;
    let function = some(function);
    let mut pending = some(initial);
    let mut total: Option<Value> = None;
    Ok(Value::iter("itertools.accumulate", move |vm| {
        if let Some(first) = pending.take() {
            total = Some(first.clone());
            return Ok(Some(first));
        }
        let Some(value) = vm.next(&iterator)? else {
            return Ok(None);
        };
        let next = match (total.take(), &function) {
            (None, _) => value,
            (Some(total), None) => vm.binary(BinOp::Add, &total, &value)?,
            (Some(total), Some(function)) => vm.call(function, vec![total, value])?,
        };
        total = Some(next.clone());
        Ok(Some(next))
    }))
}

/// One iterable after the other.
fn chain(mut iterables: impl Iterator<Item = PyResult> + 'static) -> Value {
    let mut now: Option<Value> = None;
    Value::iter("itertools.chain", move |vm| {
        loop {
            if let Some(iterator) = &now {
                if let Some(value) = vm.next(iterator)? {
                    return Ok(Some(value));
                }
                now = None;
            }
            match iterables.next() {
                Some(iterable) => now = Some(vm.iter(&iterable?)?),
                None => return Ok(None),
            }
        }
    })
}

fn chain_of(outer: Value) -> Value {
    let mut now: Option<Value> = None;
    Value::iter("itertools.chain", move |vm| {
        loop {
            if let Some(iterator) = &now {
                if let Some(value) = vm.next(iterator)? {
                    return Ok(Some(value));
                }
                now = None;
            }
            match vm.next(&outer)? {
                Some(iterable) => now = Some(vm.iter(&iterable)?),
                None => return Ok(None),
            }
        }
    })
}

fn compress(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [data, selectors] = args.bind(vm, "compress", ["data", "selectors"], 2)?;
    let (data, selectors) = (vm.iter(&given(data))?, vm.iter(&given(selectors))?);
    Ok(Value::iter("itertools.compress", move |vm| {
        while let (Some(value), Some(selector)) = (vm.next(&data)?, vm.next(&selectors)?) {
            if vm.truth(&selector)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }))
}

fn count(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [start, step] = args.bind(vm, "count", ["start", "step"], 0)?;
    let next = start.unwrap_or(Value::Int(0));
    let step = step.unwrap_or(Value::Int(1));
    if crate::vm::Number::of(&next).is_none() && !matches!(next, Value::Instance(_)) {
        return Err(vm.type_error("a number is required"));
    }
    Ok(of_state("itertools.count", IterState::Count { next, step }))
}

fn of_state(name: &'static str, state: IterState) -> Value {
    let state = RefCell::new(state);
    Value::Iter(Rc::new(Iter { name, state }))
}

fn cycle(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [iterable] = args.exactly(vm, "cycle")?;
    let iterator = vm.iter(&iterable)?;
    let (mut seen, mut at, mut first) = (Vec::new(), 0, true);
    Ok(Value::iter("itertools.cycle", move |vm| {
        if first {
            if let Some(value) = vm.next(&iterator)? {
                seen.push(value.clone());
                return Ok(Some(value));
            }
            first = false;
        }
        let value = seen.get(at).cloned();
        at = (at + 1) % seen.len().max(1);
        Ok(value)
    }))
}

/// `dropwhile`, `takewhile` and `filterfalse`.
fn by_test(vm: &Vm, args: Args, name: &'static str) -> PyResult {
    let [test, iterable] = args.exactly(vm, name)?;
    let iterator = vm.iter(&iterable)?;
    let mut dropping = name == "dropwhile";
    let mut done = false;
    Ok(Value::iter(name, move |vm| {
        while !done {
            let Some(value) = vm.next(&iterator)? else {
                return Ok(None);
            };
            if name == "dropwhile" && !dropping {
                return Ok(Some(value));
            }
            let result = match &test {
                Value::None => value.clone(),
                test => vm.call(test, vec![value.clone()])?,
            };
            match (name, vm.truth(&result)?) {
                ("takewhile", true) => return Ok(Some(value)),
                ("takewhile", false) => done = true,
                ("filterfalse" | "dropwhile", false) => {
                    dropping = false;
                    return Ok(Some(value));
                }
                _ => {}
            }
        }
        Ok(None)
    }))
}

/// What `groupby` has read ahead, shared with the group that is read now.
struct Groups {
    iterator: Value,
    key: Option<Value>,
    /// The value that was read last and not given yet, with its key.
    pending: Option<(Value, Value)>,
    /// The key of the group under way, and its number.
    current: Value,
    group: usize,
}

impl Groups {
    fn read(state: &Rc<RefCell<Self>>, vm: &Vm) -> PyResult<bool> {
        if state.borrow().pending.is_some() {
            return Ok(true);
        }
        let (iterator, key) = {
            let state = state.borrow();
            (state.iterator.clone(), state.key.clone())
        };
        let Some(value) = vm.next(&iterator)? else {
            return Ok(false);
        };
        let rank = match &key {
            Some(key) => vm.call(key, vec![value.clone()])?,
            None => value.clone(),
        };
        state.borrow_mut().pending = Some((value, rank));
        Ok(true)
    }

    /// The next value of this group.
    fn next(state: &Rc<RefCell<Self>>, group: usize, vm: &Vm) -> PyResult<Option<Value>> {
        if state.borrow().group != group || !Self::read(state, vm)? {
            return Ok(None);
        }
        let (rank, current) = {
            let state = state.borrow();
            let rank = state.pending.as_ref().map(|(_, rank)| rank.clone());
            (rank.unwrap_or(Value::None), state.current.clone())
        };
        match vm.equal(&rank, &current)? {
            true => Ok(state.borrow_mut().pending.take().map(|(value, _)| value)),
            false => Ok(None),
        }
    }
}

fn groupby(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [iterable, key] = args.bind(vm, "groupby", ["iterable", "key"], 1)?;
    let state = Rc::new(RefCell::new(Groups {
        iterator: vm.iter(&given(iterable))?,
        key: some(key),
        pending: None,
        current: Value::Unbound,
        group: 0,
    }));
    Ok(Value::iter("itertools.groupby", move |vm| {
        // What is left of the group before is skipped.
        let group = state.borrow().group;
        if group > 0 {
            while Groups::next(&state, group, vm)?.is_some() {}
        }
        if !Groups::read(&state, vm)? {
            return Ok(None);
        }
        let key = {
            let mut state = state.borrow_mut();
            let rank = state.pending.as_ref().map(|(_, rank)| rank.clone());
            state.current = rank.unwrap_or(Value::None);
            state.group += 1;
            state.current.clone()
        };
        let (shared, group) = (state.clone(), group + 1);
        let values = Value::iter("itertools._grouper", move |vm| {
            Groups::next(&shared, group, vm)
        });
        Ok(Some(Value::tuple(vec![key, values])))
    }))
}

fn islice(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [iterable, first, second, third] = args.between(vm, "islice", 2)?;
    let iterator = vm.iter(&given(iterable))?;
    let (start, stop, step) = match second {
        None => (None, first, None),
        Some(second) => (first, Some(second), third),
    };
    let bound = |value: Option<Value>, default: Option<u64>| -> PyResult<Option<u64>> {
        let Some(value) = some(value) else {
            return Ok(default);
        };
        let number = vm
            .index_number(&value)?
            .and_then(|number| number.big())
            .and_then(|n| n.to_u64());
        number.map(Some).ok_or_else(|| {
            let message = "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.";
            vm.value_error(message)
        })
    };
    let mut next = bound(start, Some(0))?.unwrap_or(0);
    let stop = bound(stop, None)?;
    let step = bound(step, Some(1))?.unwrap_or(1);
    if step == 0 {
        return Err(vm.value_error("Step for islice() must be a positive integer or None."));
    }
    let mut at = 0u64;
    Ok(Value::iter("itertools.islice", move |vm| {
        loop {
            if stop.is_some_and(|stop| at.max(next) >= stop && next >= stop) {
                // What stands before the end is read, as in CPython.
                while stop.is_some_and(|stop| at < stop.min(next)) && vm.next(&iterator)?.is_some()
                {
                    at += 1;
                }
                return Ok(None);
            }
            let Some(value) = vm.next(&iterator)? else {
                return Ok(None);
            };
            at += 1;
            if at > next {
                next = next.saturating_add(step);
                return Ok(Some(value));
            }
        }
    }))
}

fn pairwise(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [iterable] = args.exactly(vm, "pairwise")?;
    let iterator = vm.iter(&iterable)?;
    let mut last: Option<Value> = None;
    Ok(Value::iter("itertools.pairwise", move |vm| {
        let first = match last.take() {
            Some(last) => last,
            None => match vm.next(&iterator)? {
                Some(first) => first,
                None => return Ok(None),
            },
        };
        let Some(second) = vm.next(&iterator)? else {
            return Ok(None);
        };
        last = Some(second.clone());
        Ok(Some(Value::tuple(vec![first, second])))
    }))
}

fn repeat(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [value, times] = args.bind(vm, "repeat", ["object", "times"], 1)?;
    let value = given(value);
    let left = match times {
        Some(times) => Some(vm.small_integer(&times)?.max(0)),
        None => None,
    };
    Ok(of_state(
        "itertools.repeat",
        IterState::Repeat { value, left },
    ))
}

fn starmap(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [function, iterable] = args.exactly(vm, "starmap")?;
    let iterator = vm.iter(&iterable)?;
    Ok(Value::iter("itertools.starmap", move |vm| {
        let Some(values) = vm.next(&iterator)? else {
            return Ok(None);
        };
        vm.call(&function, vm.collect(&values)?).map(Some)
    }))
}

fn zip_longest(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let mut fill = Value::None;
    for (name, value) in args.keywords {
        if **name != *"fillvalue" {
            return Err(vm.type_error("zip_longest() got an unexpected keyword argument"));
        }
        fill = value;
    }
    let mut iterators: Vec<Option<Value>> = Vec::new();
    for iterable in &args.positional {
        iterators.push(Some(vm.iter(iterable)?));
    }
    Ok(Value::iter("itertools.zip_longest", move |vm| {
        let mut values = Vec::with_capacity(iterators.len());
        for iterator in &mut iterators {
            let value = match iterator {
                Some(iterator) => vm.next(iterator)?,
                None => None,
            };
            if value.is_none() {
                *iterator = None;
            }
            values.push(value.unwrap_or_else(|| fill.clone()));
        }
        let open = iterators.iter().any(Option::is_some);
        Ok(open.then(|| Value::tuple(values)))
    }))
}

/// Iterators over one, each of which keeps what the others have read and it has not.
fn tee(vm: &Vm, args: Args) -> PyResult {
    let [iterable, count] = args.between(vm, "tee", 1)?;
    let iterator = vm.iter(&given(iterable))?;
    let count = count.map_or(Ok(2), |count| vm.small_integer(&count))?;
    let Ok(count @ 0..=10_000) = usize::try_from(count) else {
        return Err(vm.value_error("n must be >= 0"));
    };
    let queues: Rc<RefCell<Vec<VecDeque<Value>>>> =
        Rc::new(RefCell::new(vec![VecDeque::new(); count]));
    let tees = (0..count).map(|at| {
        let (queues, iterator) = (queues.clone(), iterator.clone());
        Value::iter("itertools._tee", move |vm| {
            let kept = queues.borrow_mut()[at].pop_front();
            if kept.is_some() {
                return Ok(kept);
            }
            let Some(value) = vm.next(&iterator)? else {
                return Ok(None);
            };
            for (other, queue) in queues.borrow_mut().iter_mut().enumerate() {
                if other != at {
                    queue.push_back(value.clone());
                }
            }
            Ok(Some(value))
        })
    });
    Ok(Value::tuple(tees.collect()))
}
