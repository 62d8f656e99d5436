//! `tuple`, `range` and `slice`.
use super::{constructor, getter, list::search_bound, method, text::without_receiver};
use crate::{
    class::Class,
    value::{Args, Range, Slice, Value},
    vm::{PyResult, Vm},
};
use num_traits::{Signed, ToPrimitive, Zero};
use std::{cell::RefCell, rc::Rc};

pub(super) fn install(vm: &Vm) {
    install_tuple(vm);
    install_range(vm);
    install_slice(vm);
}

fn install_tuple(vm: &Vm) {
    let class = &vm.types.tuple;
    constructor(vm, class, new_tuple);
    method(vm, class, "count", |vm, args| {
        let [tuple, value] = args.method(vm, "tuple.count")?;
        let mut count = 0;
        for item in tuple_of(vm, &tuple)?.iter() {
            count += i64::from(vm.equal(item, &value)?);
        }
        Ok(Value::Int(count))
    });
    method(vm, class, "index", |vm, args| {
        args.no_keywords(vm, "tuple.index")?;
        let (tuple, args) = without_receiver(args);
        let tuple = tuple_of(vm, &tuple)?;
        let [value, start, stop] = args.between(vm, "index", 1)?;
        let (value, len) = (value.unwrap_or(Value::None), tuple.len());
        let start = start.map_or(Ok(0), |start| search_bound(vm, &start, len))?;
        let stop = stop.map_or(Ok(len), |stop| search_bound(vm, &stop, len))?;
        for (at, item) in tuple.iter().enumerate().take(stop).skip(start) {
            if vm.equal(item, &value)? {
                return Ok(Value::size(at));
            }
        }
        Err(vm.value_error("tuple.index(x): x not in tuple"))
    });
    method(vm, class, "__getnewargs__", |vm, args| {
        let [tuple] = args.method(vm, "tuple.__getnewargs__")?;
        Ok(Value::tuple(vec![Value::Tuple(tuple_of(vm, &tuple)?)]))
    });
}

fn new_tuple(vm: &Vm, class: &Rc<Class>, args: Args) -> PyResult {
    // A descendant's own `__init__` may take names.
    let [values] = match class.builtin {
        true => args.between(vm, "tuple", 0)?,
        false => Args::positional(args.positional).between(vm, "tuple", 0)?,
    };
    match values {
        Some(same @ Value::Tuple(_)) if class.builtin => Ok(same),
        Some(values) => Ok(vm.wrap(class, Value::tuple(vm.collect(&values)?))),
        None => Ok(vm.wrap(class, Value::tuple(Vec::new()))),
    }
}

fn tuple_of(vm: &Vm, object: &Value) -> PyResult<Rc<Vec<Value>>> {
    match object.plain() {
        Value::Tuple(tuple) => Ok(tuple.clone()),
        _ => Err(vm.type_error("a tuple is needed")),
    }
}

fn install_range(vm: &Vm) {
    let class = &vm.types.range;
    constructor(vm, class, new_range);
    getter(
        vm,
        class,
        "start",
        |vm, range| Ok(Value::Int(range_of(vm, range)?.start)),
        None,
    );
    getter(
        vm,
        class,
        "stop",
        |vm, range| Ok(Value::Int(range_of(vm, range)?.stop)),
        None,
    );
    getter(
        vm,
        class,
        "step",
        |vm, range| Ok(Value::Int(range_of(vm, range)?.step)),
        None,
    );
    method(vm, class, "count", |vm, args| {
        let [range, value] = args.method(vm, "range.count")?;
        if let Value::Int(_) | Value::Big(_) | Value::Bool(_) = value {
            return vm
                .builtin_contains(&range, &value)
                .map(|found| Value::Int(found.into()));
        }
        let (iterator, mut count) = (vm.builtin_iter(&range)?, 0);
        while let Some(item) = vm.next(&iterator)? {
            count += i64::from(vm.equal(&item, &value)?);
        }
        Ok(Value::Int(count))
    });
    method(vm, class, "index", |vm, args| {
        let [range, value] = args.method(vm, "range.index")?;
        index_in_range(vm, &range, &value)
    });
    method(vm, class, "__reversed__", |vm, args| {
        let [range] = args.method(vm, "range.__reversed__")?;
        let range = range_of(vm, &range)?;
        let left = range.len();
        let next = range.at(left.wrapping_sub(1));
        let state = crate::value::IterState::Range {
            next,
            left,
            step: range.step.wrapping_neg(),
        };
        let state = RefCell::new(state);
        let name = "range_iterator";
        Ok(Value::Iter(Rc::new(crate::value::Iter { name, state })))
    });
}

fn range_of(vm: &Vm, object: &Value) -> PyResult<Rc<Range>> {
    match object {
        Value::Range(range) => Ok(range.clone()),
        _ => Err(vm.type_error("a range is needed")),
    }
}

fn new_range(vm: &Vm, _: &Rc<Class>, args: Args) -> PyResult {
    let [first, second, third] = args.between(vm, "range", 1)?;
    if let (Some(Value::Int(stop)), None) = (&first, &second) {
        let (start, stop, step) = (0, *stop, 1);
        return Ok(Value::Range(Rc::new(Range { start, stop, step })));
    }
    let first = vm.integer(&first.unwrap_or(Value::None))?;
    let (start, stop) = match second {
        Some(stop) => (first, vm.integer(&stop)?),
        None => (0.into(), first),
    };
    let step = third.map_or(Ok(1.into()), |step| vm.integer(&step))?;
    if step.is_zero() {
        return Err(vm.value_error("range() arg 3 must not be zero"));
    }
    if let (Some(start), Some(stop), Some(step)) = (start.to_i64(), stop.to_i64(), step.to_i64()) {
        return Ok(Value::Range(Rc::new(Range { start, stop, step })));
    }
    // So rare that it may be slow.
    let module = vm.import("_wide_range")?;
    let wide = vm.get_attribute(&module, &vm.intern("range"))?;
    vm.call(&wide, [start, stop, step].map(Value::big).to_vec())
}

fn index_in_range(vm: &Vm, object: &Value, value: &Value) -> PyResult {
    let range = range_of(vm, object)?;
    if let Value::Int(_) | Value::Big(_) | Value::Bool(_) = value {
        if !vm.builtin_contains(object, value)? {
            let shown = vm.repr(value)?;
            return Err(vm.value_error(format!("{shown} is not in range")));
        }
        let n = i128::from(vm.small_integer(value)?);
        let at = (n - i128::from(range.start)) / i128::from(range.step);
        return Ok(Value::u64(u64::try_from(at).unwrap_or(0)));
    }
    let (iterator, mut at) = (vm.builtin_iter(object)?, 0);
    while let Some(item) = vm.next(&iterator)? {
        if vm.equal(&item, value)? {
            return Ok(Value::Int(at));
        }
        at += 1;
    }
    Err(vm.value_error("sequence.index(x): x not in sequence"))
}

fn install_slice(vm: &Vm) {
    let class = &vm.types.slice;
    constructor(vm, class, |vm, _, args| {
        let [first, second, step] = args.between(vm, "slice", 1)?;
        let first = first.unwrap_or(Value::None);
        let (start, stop) = match second {
            Some(stop) => (first, stop),
            None => (Value::None, first),
        };
        let step = step.unwrap_or(Value::None);
        Ok(Value::Slice(Rc::new(Slice { start, stop, step })))
    });
    getter(
        vm,
        class,
        "start",
        |vm, slice| Ok(slice_of(vm, slice)?.start.clone()),
        None,
    );
    getter(
        vm,
        class,
        "stop",
        |vm, slice| Ok(slice_of(vm, slice)?.stop.clone()),
        None,
    );
    getter(
        vm,
        class,
        "step",
        |vm, slice| Ok(slice_of(vm, slice)?.step.clone()),
        None,
    );
    method(vm, class, "indices", |vm, args| {
        let [slice, len] = args.method(vm, "slice.indices")?;
        let len = vm.integer(&len)?;
        if len.is_negative() {
            return Err(vm.value_error("length should not be negative"));
        }
        let Some(len) = len.to_usize() else {
            return Err(vm.overflow("Python int too large to convert to C ssize_t"));
        };
        let span = vm.span(&*slice_of(vm, &slice)?, len)?;
        let parts = [span.start, span.stop, span.step];
        Ok(Value::tuple(parts.map(Value::Int).to_vec()))
    });
}

fn slice_of(vm: &Vm, object: &Value) -> PyResult<Rc<Slice>> {
    match object {
        Value::Slice(slice) => Ok(slice.clone()),
        _ => Err(vm.type_error("a slice is needed")),
    }
}
