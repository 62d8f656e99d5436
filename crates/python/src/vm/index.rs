//! Subscripts, slices and lengths.
use super::{Number, PyResult, Raise, Vm};
use crate::value::{Range, Slice, Value};
use num_traits::{Signed, ToPrimitive};
use std::{cell::RefCell, rc::Rc};

/// Where a slice begins, where it ends and how it goes, within a length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: i64,
    pub(crate) stop: i64,
    pub(crate) step: i64,
}

impl Span {
    /// Places in order.
    pub(crate) fn places(self) -> impl DoubleEndedIterator<Item = usize> {
        let range = Range {
            start: self.start,
            stop: self.stop,
            step: self.step,
        };
        let count = range.len();
        (0..count).map(move |at| usize::try_from(range.at(at)).unwrap_or(0))
    }
}

/// The numbers of a slice.
#[derive(Clone, Copy)]
struct Bounds {
    start: Option<i64>,
    stop: Option<i64>,
    /// Not zero.
    step: i64,
}

impl Bounds {
    fn within(self, len: usize) -> Span {
        let len = i64::try_from(len).unwrap_or(i64::MAX);
        let forward = self.step > 0;
        let (lowest, highest) = if forward { (0, len) } else { (-1, len - 1) };
        let (first, last) = if forward {
            (lowest, highest)
        } else {
            (highest, lowest)
        };
        let limit = |bound: Option<i64>, default: i64| match bound {
            None => default,
            Some(at) if at < 0 => at.saturating_add(len).clamp(lowest, highest),
            Some(at) => at.clamp(lowest, highest),
        };
        Span {
            start: limit(self.start, first),
            stop: limit(self.stop, last),
            step: self.step,
        }
    }
}

impl Vm {
    pub(crate) fn len(&self, value: &Value) -> PyResult<usize> {
        if let Some(len) = self.call_special(value, &self.names.len, Vec::new())? {
            let Some(number) = self.index_number(&len)? else {
                let name = self.class_name(&len);
                let message = format!("'{name}' object cannot be interpreted as an integer");
                return Err(self.type_error(message));
            };
            let len = number.big().unwrap_or_default();
            if len.is_negative() {
                return Err(self.value_error("__len__() should return >= 0"));
            }
            return len
                .to_usize()
                .ok_or_else(|| self.overflow("cannot fit 'int' into an index-sized integer"));
        }
        self.builtin_len(value)
    }

    /// Of builtin types.
    pub(crate) fn builtin_len(&self, value: &Value) -> PyResult<usize> {
        Ok(match value.plain() {
            Value::Str(text) => text.chars_len(),
            Value::List(list) => list.borrow().len(),
            Value::Tuple(values) => values.len(),
            Value::Dict(dict) => dict.len(),
            Value::Set(set) | Value::FrozenSet(set) => set.len(),
            Value::Range(range) => i64::try_from(range.len())
                .ok()
                .and_then(|len| usize::try_from(len).ok())
                .ok_or_else(|| self.overflow("Python int too large to convert to C ssize_t"))?,
            Value::Bytes(bytes) => bytes.len(),
            Value::ByteArray(bytes) => bytes.borrow().len(),
            Value::View(view) => view.dict.len(),
            _ => {
                let name = self.class_name(value);
                return Err(self.type_error(format!("object of type '{name}' has no len()")));
            }
        })
    }

    pub(crate) fn get_item(&self, object: &Value, index: &Value) -> PyResult {
        match (object, index) {
            (Value::List(list), Value::Int(at)) => {
                let list = list.borrow();
                if let Some(value) = place(*at, list.len()).and_then(|at| list.get(at)) {
                    return Ok(value.clone());
                }
            }
            (Value::Dict(dict), _) => {
                return match self.dict_get(dict, index)? {
                    Some(value) => Ok(value),
                    None => Err(self.key_error(index.clone())),
                };
            }
            (Value::Instance(_) | Value::Class(_), _) => {
                let args = vec![index.clone()];
                if let Some(value) = self.call_special(object, &self.names.getitem, args)? {
                    return Ok(value);
                }
            }
            _ => {}
        }
        if let Value::Class(class) = object {
            return self.class_item(class, index);
        }
        self.builtin_item(object, index)
    }

    /// `Class[index]`: `__class_getitem__`, or a generic type such as `list[int]`.
    fn class_item(&self, class: &Rc<crate::class::Class>, index: &Value) -> PyResult {
        if let Some(method) = class.lookup(&self.names.class_getitem) {
            let object = Value::Class(class.clone());
            let bound = match &method {
                Value::ClassMethod(_) | Value::StaticMethod(_) => {
                    self.bind_to_class(&method, class)?
                }
                function => self.bound(function.clone(), object),
            };
            return self.call(&bound, vec![index.clone()]);
        }
        if class.builtin && self.types.is_generic(class) {
            return Ok(self.generic_alias(Value::Class(class.clone()), index.clone()));
        }
        Err(self.type_error(format!("type '{}' is not subscriptable", class.name())))
    }

    /// What the builtin type of this value, or above it, does.
    pub(crate) fn builtin_item(&self, object: &Value, index: &Value) -> PyResult {
        match object.plain() {
            Value::List(list) => match index {
                Value::Slice(slice) => {
                    let bounds = self.bounds(slice)?;
                    let values = list.borrow();
                    Ok(Value::list(chosen(&values, bounds.within(values.len()))))
                }
                _ => {
                    let at = self.position_within(index, "list indices", || list.borrow().len())?;
                    let value = at.and_then(|at| list.borrow().get(at).cloned());
                    value.ok_or_else(|| self.index_error("list index out of range"))
                }
            },
            Value::Tuple(values) => match index {
                Value::Slice(slice) => {
                    let span = self.span(slice, values.len())?;
                    Ok(Value::tuple(chosen(values, span)))
                }
                _ => {
                    let at = self.position(index, "tuple indices", values.len())?;
                    let value = at.and_then(|at| values.get(at).cloned());
                    value.ok_or_else(|| self.index_error("tuple index out of range"))
                }
            },
            Value::Str(text) => self.text_item(text, index),
            Value::Dict(dict) => match self.dict_get(dict, index)? {
                Some(value) => Ok(value),
                None => {
                    match self.call_special(object, &self.names.missing, vec![index.clone()])? {
                        Some(value) => Ok(value),
                        None => Err(self.key_error(index.clone())),
                    }
                }
            },
            Value::Range(range) => self.range_item(range, index),
            Value::Bytes(_) | Value::ByteArray(_) => self.bytes_item(object.plain(), index),
            _ => Err(self.not_subscriptable(object)),
        }
    }

    fn not_subscriptable(&self, object: &Value) -> Raise {
        let name = self.class_name(object);
        self.type_error(format!("'{name}' object is not subscriptable"))
    }

    fn text_item(&self, text: &Rc<crate::text::Str>, index: &Value) -> PyResult {
        let len = text.chars_len();
        if let Value::Slice(slice) = index {
            let span = self.span(slice, len)?;
            if span.step == 1 {
                let (start, stop) = (span.start.max(0), span.stop.max(0));
                return Ok(Value::str(text.between(start as usize, stop as usize)));
            }
            let chars: Vec<char> = text.chars().collect();
            let chosen = span.places().filter_map(|at| chars.get(at));
            return Ok(Value::str(chosen.collect::<String>()));
        }
        let at = self.position(index, "string indices", len)?;
        match at.and_then(|at| text.char_at(at)) {
            Some(c) => Ok(Value::str(c)),
            None => Err(self.index_error("string index out of range")),
        }
    }

    fn range_item(&self, range: &Range, index: &Value) -> PyResult {
        let len = range.len();
        if let Value::Slice(slice) = index {
            let span = self.span(slice, usize::try_from(len).unwrap_or(usize::MAX))?;
            let at = |place: i64| range.start.saturating_add(range.step.saturating_mul(place));
            return Ok(Value::Range(Rc::new(Range {
                start: at(span.start),
                stop: at(span.stop),
                step: range.step.saturating_mul(span.step),
            })));
        }
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        match self.position(index, "range indices", len)? {
            Some(at) => Ok(Value::Int(range.at(at as u64))),
            None => Err(self.index_error("range object index out of range")),
        }
    }

    fn bytes_item(&self, object: &Value, index: &Value) -> PyResult {
        let bytes = self.bytes_of(object)?;
        if let Value::Slice(slice) = index {
            let span = self.span(slice, bytes.len())?;
            let chosen = span
                .places()
                .filter_map(|at| bytes.get(at).copied())
                .collect();
            return Ok(match object {
                Value::ByteArray(_) => Value::ByteArray(Rc::new(RefCell::new(chosen))),
                _ => Value::bytes(chosen),
            });
        }
        let (what, missing) = match object {
            Value::ByteArray(_) => ("bytearray indices", "bytearray index out of range"),
            _ => ("byte indices", "index out of range"),
        };
        let at = self.position(index, what, bytes.len())?;
        match at.and_then(|at| bytes.get(at)) {
            Some(byte) => Ok(Value::Int((*byte).into())),
            None => Err(self.index_error(missing)),
        }
    }

    /// The place that an index means, if there is one.
    pub(crate) fn position(
        &self,
        index: &Value,
        what: &str,
        len: usize,
    ) -> PyResult<Option<usize>> {
        self.position_within(index, what, || len)
    }

    /// The same in what an `__index__` may have made shorter.
    fn position_within(
        &self,
        index: &Value,
        what: &str,
        len: impl FnOnce() -> usize,
    ) -> PyResult<Option<usize>> {
        match self.index_number(index)? {
            Some(Number::Int(at)) => Ok(place(at, len())),
            Some(_) => Err(self.index_error("cannot fit 'int' into an index-sized integer")),
            None => {
                let name = self.class_name(index);
                let message = match what {
                    "string indices" => format!("{what} must be integers, not '{name}'"),
                    _ => format!("{what} must be integers or slices, not {name}"),
                };
                Err(self.type_error(message))
            }
        }
    }

    /// A slice of something of this length.
    pub(crate) fn span(&self, slice: &Slice, len: usize) -> PyResult<Span> {
        Ok(self.bounds(slice)?.within(len))
    }

    /// What a slice asks for. This may run a program's `__index__`; [`Bounds::within`] does not.
    fn bounds(&self, slice: &Slice) -> PyResult<Bounds> {
        let bound = |value: &Value| match value {
            Value::None => Ok(None),
            value => self.bound_of_slice(value).map(Some),
        };
        let step = bound(&slice.step)?.unwrap_or(1);
        if step == 0 {
            return Err(self.value_error("slice step cannot be zero"));
        }
        Ok(Bounds {
            start: bound(&slice.start)?,
            stop: bound(&slice.stop)?,
            // Nothing is longer than that, and so it can be negated.
            step: step.max(-i64::MAX),
        })
    }

    /// The same slice in numbers, after which no `__index__` is asked.
    fn settled(&self, slice: &Slice) -> PyResult<Slice> {
        let bounds = self.bounds(slice)?;
        let value = |bound: Option<i64>| bound.map_or(Value::None, Value::Int);
        Ok(Slice {
            start: value(bounds.start),
            stop: value(bounds.stop),
            step: Value::Int(bounds.step),
        })
    }

    fn bound_of_slice(&self, value: &Value) -> PyResult<i64> {
        match self.index_number(value)? {
            Some(Number::Int(n)) => Ok(n),
            Some(number) => Ok(match number.big().is_some_and(|n| n.is_negative()) {
                true => i64::MIN,
                false => i64::MAX,
            }),
            None => {
                let message = "slice indices must be integers or None or have an __index__ method";
                Err(self.type_error(message))
            }
        }
    }

    pub(crate) fn set_item(&self, object: &Value, index: &Value, value: Value) -> PyResult<()> {
        if let (Value::List(list), Value::Int(at)) = (object, index) {
            let mut list = list.borrow_mut();
            let at = place(*at, list.len());
            if let Some(slot) = at.and_then(|at| list.get_mut(at)) {
                let old = std::mem::replace(slot, value);
                drop(list);
                drop(old);
                return Ok(());
            }
            return Err(self.index_error("list assignment index out of range"));
        }
        let args = || vec![index.clone(), value.clone()];
        if let Value::Instance(_) | Value::Class(_) = object
            && self
                .call_special(object, &self.names.setitem, args())?
                .is_some()
        {
            return Ok(());
        }
        self.builtin_set_item(object, index, value)
    }

    pub(crate) fn builtin_set_item(
        &self,
        object: &Value,
        index: &Value,
        value: Value,
    ) -> PyResult<()> {
        match object.plain() {
            Value::Dict(dict) => self.dict_set(dict, index.clone(), value),
            Value::List(list) => match index {
                Value::Slice(slice) => self.set_slice(list, slice, &value),
                _ => {
                    let at = self.position_within(index, "list indices", || list.borrow().len())?;
                    let mut list = list.borrow_mut();
                    match at.and_then(|at| list.get_mut(at)) {
                        Some(slot) => {
                            *slot = value;
                            Ok(())
                        }
                        None => Err(self.index_error("list assignment index out of range")),
                    }
                }
            },
            Value::ByteArray(bytes) => {
                if let Value::Slice(slice) = index {
                    let slice = self.settled(slice)?;
                    return self.change_bytes(bytes, |list| self.set_slice(list, &slice, &value));
                }
                let len = || bytes.borrow().len();
                let at = self.position_within(index, "bytearray indices", len)?;
                let byte = u8::try_from(self.small_integer(&value)?)
                    .map_err(|_| self.value_error("byte must be in range(0, 256)"))?;
                match at.and_then(|at| bytes.borrow_mut().get_mut(at).map(|slot| *slot = byte)) {
                    Some(()) => Ok(()),
                    None => Err(self.index_error("bytearray index out of range")),
                }
            }
            _ => {
                let name = self.class_name(object);
                let message = format!("'{name}' object does not support item assignment");
                Err(self.type_error(message))
            }
        }
    }

    fn set_slice(
        &self,
        list: &Rc<RefCell<Vec<Value>>>,
        slice: &Slice,
        value: &Value,
    ) -> PyResult<()> {
        let bounds = self.bounds(slice)?;
        // As long as it is now, whatever the iteration makes of it.
        let span = bounds.within(list.borrow().len());
        let new = match self.iter(value) {
            Ok(iterator) => self.collect(&iterator)?,
            Err(_) => return Err(self.type_error("can only assign an iterable")),
        };
        let mut list = list.borrow_mut();
        if span.step == 1 {
            let start = (span.start.max(0) as usize).min(list.len());
            let stop = (span.stop.max(0) as usize).clamp(start, list.len());
            let old: Vec<Value> = list.splice(start..stop, new).collect();
            drop(list);
            drop(old);
            return Ok(());
        }
        let places: Vec<usize> = span.places().collect();
        if places.len() != new.len() {
            let message = format!(
                "attempt to assign sequence of size {} to extended slice of size {}",
                new.len(),
                places.len()
            );
            return Err(self.value_error(message));
        }
        for (at, value) in places.into_iter().zip(new) {
            if let Some(slot) = list.get_mut(at) {
                *slot = value;
            }
        }
        Ok(())
    }

    /// Does with bytes what is done with a list of numbers.
    fn change_bytes(
        &self,
        bytes: &RefCell<Vec<u8>>,
        change: impl FnOnce(&Rc<RefCell<Vec<Value>>>) -> PyResult<()>,
    ) -> PyResult<()> {
        let numbers: Vec<Value> = bytes
            .borrow()
            .iter()
            .map(|n| Value::Int((*n).into()))
            .collect();
        let list = Rc::new(RefCell::new(numbers));
        change(&list)?;
        let mut changed = Vec::with_capacity(list.borrow().len());
        for number in list.borrow().iter() {
            let byte = u8::try_from(self.small_integer(number)?);
            changed.push(byte.map_err(|_| self.value_error("byte must be in range(0, 256)"))?);
        }
        *bytes.borrow_mut() = changed;
        Ok(())
    }

    pub(crate) fn delete_item(&self, object: &Value, index: &Value) -> PyResult<()> {
        if let Value::Instance(_) | Value::Class(_) = object
            && self
                .call_special(object, &self.names.delitem, vec![index.clone()])?
                .is_some()
        {
            return Ok(());
        }
        self.builtin_delete_item(object, index)
    }

    pub(crate) fn builtin_delete_item(&self, object: &Value, index: &Value) -> PyResult<()> {
        match object.plain() {
            Value::Dict(dict) => match self.dict_remove(dict, index)? {
                Some(_) => Ok(()),
                None => Err(self.key_error(index.clone())),
            },
            Value::List(list) => {
                if let Value::Slice(slice) = index {
                    let bounds = self.bounds(slice)?;
                    let len = list.borrow().len();
                    let mut places: Vec<usize> = bounds.within(len).places().collect();
                    places.sort_unstable();
                    let mut doomed = places.into_iter().peekable();
                    let mut at = 0;
                    list.borrow_mut().retain(|_| {
                        let goes = doomed.next_if_eq(&at).is_some();
                        at += 1;
                        !goes
                    });
                    return Ok(());
                }
                match self.position_within(index, "list indices", || list.borrow().len())? {
                    Some(at) => {
                        let old = list.borrow_mut().remove(at);
                        drop(old);
                        Ok(())
                    }
                    None => Err(self.index_error("list assignment index out of range")),
                }
            }
            Value::ByteArray(bytes) => {
                if let Value::Slice(slice) = index {
                    let slice = Value::Slice(Rc::new(self.settled(slice)?));
                    return self.change_bytes(bytes, |list| {
                        self.builtin_delete_item(&Value::List(list.clone()), &slice)
                    });
                }
                let len = || bytes.borrow().len();
                match self.position_within(index, "bytearray indices", len)? {
                    Some(at) => {
                        bytes.borrow_mut().remove(at);
                        Ok(())
                    }
                    None => Err(self.index_error("bytearray index out of range")),
                }
            }
            _ => {
                let name = self.class_name(object);
                let message = format!("'{name}' object doesn't support item deletion");
                Err(self.type_error(message))
            }
        }
    }
}

/// The place of an index that may count from the end.
pub(crate) fn place(index: i64, len: usize) -> Option<usize> {
    let at = match index < 0 {
        true => index.checked_add(i64::try_from(len).ok()?)?,
        false => index,
    };
    usize::try_from(at).ok().filter(|at| *at < len)
}

fn chosen(values: &[Value], span: Span) -> Vec<Value> {
    span.places()
        .filter_map(|at| values.get(at).cloned())
        .collect()
}
