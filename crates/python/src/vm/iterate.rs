//! Iteration: iterators of builtin types, of objects with `__iter__` and `__next__`, of generators.
use super::{PyResult, Vm};
use crate::ast::BinOp;
use crate::value::{Iter, IterState, Value, View, ViewKind};
use crate::{set_table::Set, table::Dict, text::Str};
use std::{cell::RefCell, rc::Rc};

/// More values than this are never collected.
const MOST: u64 = 1 << 27;

impl Vm {
    /// `iter(value)`.
    pub(crate) fn iter(&self, value: &Value) -> PyResult {
        if let Value::Iter(_) | Value::Generator(_) = value {
            return Ok(value.clone());
        }
        if matches!(self.special(value, &self.names.iter), Some(Value::None)) {
            return Err(self.not_iterable(value));
        }
        if let Some(iterator) = self.call_special(value, &self.names.iter, Vec::new())? {
            if self.is_iterator(&iterator) {
                return Ok(iterator);
            }
            let name = self.class_name(&iterator);
            return Err(self.type_error(format!("iter() returned non-iterator of type '{name}'")));
        }
        self.builtin_iter(value)
    }

    /// `iter` of builtin types, and of objects that have only `__getitem__`.
    pub(crate) fn builtin_iter(&self, value: &Value) -> PyResult {
        let state = |name, state| {
            let state = RefCell::new(state);
            Ok(Value::Iter(Rc::new(Iter { name, state })))
        };
        match value.plain() {
            Value::List(list) => {
                let list = list.clone();
                state("list_iterator", IterState::List { list, index: 0 })
            }
            Value::Tuple(tuple) => {
                let tuple = tuple.clone();
                state("tuple_iterator", IterState::Tuple { tuple, index: 0 })
            }
            Value::Range(range) => {
                let (next, left, step) = (range.start, range.len(), range.step);
                state("range_iterator", IterState::Range { next, left, step })
            }
            Value::Str(text) => Ok(iterate_text(text.clone())),
            Value::Dict(dict) => Ok(iterate_table("dict_keyiterator", dict, ViewKind::Keys)),
            Value::Set(set) | Value::FrozenSet(set) => Ok(iterate_set(set)),
            Value::View(view) => Ok(iterate_view(view)),
            Value::Bytes(_) | Value::ByteArray(_) => {
                let bytes = self.bytes_of(value)?;
                let mut bytes = bytes.into_iter();
                Ok(Value::iter("bytes_iterator", move |_| {
                    Ok(bytes.next().map(|byte| Value::Int(byte.into())))
                }))
            }
            _ => self.iterate_by_index(value),
        }
    }

    fn is_iterator(&self, value: &Value) -> bool {
        match value {
            Value::Iter(_) | Value::Generator(_) => true,
            other => self.class_of(other).lookup(&self.names.next).is_some(),
        }
    }

    /// The old way: `__getitem__` with 0, 1, 2 until there is an `IndexError`.
    fn iterate_by_index(&self, value: &Value) -> PyResult {
        if let Value::Class(class) = value {
            let generic = class.lookup(&self.names.class_getitem).is_some();
            if !generic && self.special(value, &self.names.getitem).is_none() {
                return Err(self.not_iterable(value));
            }
        }
        if self.special(value, &self.names.getitem).is_none() {
            return Err(self.not_iterable(value));
        }
        let object = value.clone();
        let mut index = 0;
        Ok(Value::iter("iterator", move |vm| {
            match vm.get_item(&object, &Value::Int(index)) {
                Ok(item) => {
                    index += 1;
                    Ok(Some(item))
                }
                Err(raise) if vm.is_error(&raise, "IndexError") => Ok(None),
                Err(raise) if vm.is_error(&raise, "StopIteration") => Ok(None),
                Err(raise) => Err(raise),
            }
        }))
    }

    fn not_iterable(&self, value: &Value) -> super::Raise {
        let name = self.class_name(value);
        self.type_error(format!("'{name}' object is not iterable"))
    }

    /// The next value of an iterator, or nothing at its end.
    pub(crate) fn next(&self, iterator: &Value) -> PyResult<Option<Value>> {
        match iterator {
            Value::Iter(iter) => self.next_native(iter),
            Value::Generator(generator) => self.resume(generator, Value::None),
            other => match self.call_special(other, &self.names.next, Vec::new()) {
                Ok(Some(value)) => Ok(Some(value)),
                Ok(None) => {
                    let name = self.class_name(other);
                    Err(self.type_error(format!("'{name}' object is not an iterator")))
                }
                Err(raise) if self.is_error(&raise, "StopIteration") => Ok(None),
                Err(raise) => Err(raise),
            },
        }
    }

    pub(crate) fn next_native(&self, iter: &Iter) -> PyResult<Option<Value>> {
        let Ok(mut state) = iter.state.try_borrow_mut() else {
            let message = format!("{} is already running", iter.name);
            return Err(self.value_error(message));
        };
        let value = match &mut *state {
            IterState::Range { next, left, step } => {
                if *left == 0 {
                    return Ok(None);
                }
                *left -= 1;
                let value = *next;
                *next = value.wrapping_add(*step);
                return Ok(Some(Value::Int(value)));
            }
            IterState::List { list, index } => {
                let value = list.borrow().get(*index).cloned();
                *index += 1;
                value
            }
            IterState::Tuple { tuple, index } => {
                let value = tuple.get(*index).cloned();
                *index += 1;
                value
            }
            IterState::Count { next, step } => {
                let after = self.binary(BinOp::Add, next, step)?;
                return Ok(Some(std::mem::replace(next, after)));
            }
            IterState::Repeat { left: Some(0), .. } => return Ok(None),
            IterState::Repeat { value, left } => {
                *left = left.map(|left| left - 1);
                return Ok(Some(value.clone()));
            }
            IterState::Native(next) => self.deeper(|| next(self))?,
            IterState::Done => None,
        };
        if value.is_none() {
            *state = IterState::Done;
        }
        Ok(value)
    }

    /// All values of an iterable.
    pub(crate) fn collect(&self, iterable: &Value) -> PyResult<Vec<Value>> {
        if self.special(iterable, &self.names.iter).is_none() {
            match iterable.plain() {
                Value::List(list) => return Ok(list.borrow().clone()),
                Value::Tuple(values) => return Ok(values.to_vec()),
                Value::Dict(dict) => return Ok(dict.keys()),
                // A range of which nobody could keep all numbers.
                Value::Range(range) if range.len() > MOST => return Err(self.memory_error()),
                Value::Range(range) => {
                    return Ok((0..range.len())
                        .map(|at| Value::Int(range.at(at)))
                        .collect());
                }
                Value::Set(set) | Value::FrozenSet(set) => return Ok(set.keys()),
                _ => {}
            }
        }
        let iterator = self.iter(iterable)?;
        let mut values = Vec::new();
        while let Some(value) = self.next(&iterator)? {
            values.push(value);
        }
        Ok(values)
    }

    /// Whether a failed `iter` was not the failure of a method of the program.
    fn has_no_iterator(&self, value: &Value) -> bool {
        self.special(value, &self.names.iter).is_none()
            && self.special(value, &self.names.getitem).is_none()
    }

    /// What `*value` gives in a display or a call.
    pub(crate) fn spread_iterable(&self, value: &Value) -> PyResult<Vec<Value>> {
        match self.iter(value) {
            Err(raise) if self.is_error(&raise, "TypeError") && self.has_no_iterator(value) => {
                let name = self.class_name(value);
                let message = format!("Value after * must be an iterable, not {name}");
                Err(self.type_error(message))
            }
            Err(raise) => Err(raise),
            Ok(iterator) => self.collect(&iterator),
        }
    }

    /// So many values; with `after` a list of the rest stands between.
    pub(crate) fn unpack(
        &self,
        value: &Value,
        before: usize,
        after: Option<usize>,
    ) -> PyResult<Vec<Value>> {
        let iterator = match self.iter(value) {
            Ok(iterator) => iterator,
            Err(raise) if self.is_error(&raise, "TypeError") && self.has_no_iterator(value) => {
                let name = self.class_name(value);
                return Err(self.type_error(format!("cannot unpack non-iterable {name} object")));
            }
            Err(raise) => return Err(raise),
        };
        let Some(after) = after else {
            return self.unpack_exactly(&iterator, before);
        };
        let mut values = self.collect(&iterator)?;
        if values.len() < before + after {
            let (expected, got) = (before + after, values.len());
            let message =
                format!("not enough values to unpack (expected at least {expected}, got {got})");
            return Err(self.value_error(message));
        }
        let last = values.split_off(values.len() - after);
        let middle = values.split_off(before);
        values.push(Value::list(middle));
        values.extend(last);
        Ok(values)
    }

    fn unpack_exactly(&self, iterator: &Value, count: usize) -> PyResult<Vec<Value>> {
        let mut values = Vec::with_capacity(count.min(1 << 10));
        while values.len() < count {
            match self.next(iterator)? {
                Some(value) => values.push(value),
                None => {
                    let got = values.len();
                    let message =
                        format!("not enough values to unpack (expected {count}, got {got})");
                    return Err(self.value_error(message));
                }
            }
        }
        if self.next(iterator)?.is_some() {
            let message = format!("too many values to unpack (expected {count})");
            return Err(self.value_error(message));
        }
        Ok(values)
    }
}

fn iterate_text(text: Rc<Str>) -> Value {
    let mut at = 0;
    Value::iter("str_iterator", move |_| {
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            return Ok(None);
        };
        at += c.len_utf8();
        let mut buffer = [0; 4];
        Ok(Some(Value::str(&*c.encode_utf8(&mut buffer))))
    })
}

fn iterate_view(view: &View) -> Value {
    let name = match view.kind {
        ViewKind::Keys => "dict_keyiterator",
        ViewKind::Values => "dict_valueiterator",
        ViewKind::Items => "dict_itemiterator",
    };
    iterate_table(name, &view.dict, view.kind)
}

/// Keys in the order of their slots; an error if their number changes meanwhile.
fn iterate_set(set: &Rc<Set>) -> Value {
    let set = set.clone();
    let len = set.len();
    let mut place = 0;
    Value::iter("set_iterator", move |vm| {
        if set.len() != len {
            return Err(vm.error("RuntimeError", "Set changed size during iteration"));
        }
        let table = set.table.borrow();
        let Some((at, key)) = table.first_from(place) else {
            return Ok(None);
        };
        place = at + 1;
        Ok(Some(key.clone()))
    })
}

/// Entries in order; an error if their number changes meanwhile, as in CPython.
fn iterate_table(name: &'static str, dict: &Rc<Dict>, kind: ViewKind) -> Value {
    let dict = dict.clone();
    let len = dict.len();
    let (mut position, mut left) = (0, len);
    Value::iter(name, move |vm| {
        if dict.len() != len {
            return Err(vm.error("RuntimeError", "dictionary changed size during iteration"));
        }
        let table = dict.table.borrow();
        let Some((at, entry)) = table.at_or_behind(position) else {
            return Ok(None);
        };
        // A key that was taken out and put in again stands behind the others.
        left = match left.checked_sub(1) {
            Some(left) => left,
            None => {
                return Err(vm.error("RuntimeError", "dictionary keys changed during iteration"));
            }
        };
        position = at + 1;
        Ok(Some(match kind {
            ViewKind::Keys => entry.key.clone(),
            ViewKind::Values => entry.value.clone(),
            ViewKind::Items => Value::tuple(vec![entry.key.clone(), entry.value.clone()]),
        }))
    })
}
