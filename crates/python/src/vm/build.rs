//! Instructions that make lists, sets, dictionaries and texts of what is on the stack.
use super::{Frame, PyResult, Vm};
use crate::{
    code::Op,
    value::{Slice, Value},
};
use std::rc::Rc;

impl Vm {
    pub(super) fn build(&self, frame: &mut Frame, op: Op) -> PyResult<()> {
        match op {
            Op::BuildSlice => {
                let (step, stop, start) = (frame.pop(), frame.pop(), frame.pop());
                frame.push(Value::Slice(Rc::new(Slice { start, stop, step })));
            }
            Op::BuildList(count) => {
                let values = frame.pop_many(count);
                frame.push(Value::list(values));
            }
            Op::BuildTuple(count) => {
                let values = frame.pop_many(count);
                frame.push(Value::tuple(values));
            }
            Op::BuildSet(count) => {
                let set = crate::set_table::Set::new();
                for value in frame.pop_many(count) {
                    self.set_add(&set, value)?;
                }
                frame.push(Value::Set(set));
            }
            Op::BuildDict(pairs) => {
                let dict = crate::table::Dict::new();
                let mut values = frame.pop_many(pairs.saturating_mul(2)).into_iter();
                while let (Some(key), Some(value)) = (values.next(), values.next()) {
                    self.dict_set(&dict, key, value)?;
                }
                frame.push(Value::Dict(dict));
            }
            Op::BuildString(count) => {
                let mut text = String::new();
                for part in frame.pop_many(count) {
                    if let Value::Str(part) = part.plain() {
                        text.push_str(part);
                    }
                }
                frame.push(Value::str(text));
            }
            Op::ListAppend(depth) => {
                let value = frame.pop();
                if let Value::List(list) = frame.peek(depth - 1) {
                    list.borrow_mut().push(value);
                }
            }
            Op::SetAdd(depth) => {
                let value = frame.pop();
                if let Value::Set(set) = frame.peek(depth - 1) {
                    self.set_add(&set, value)?;
                }
            }
            Op::DictAdd(depth) => {
                let (value, key) = (frame.pop(), frame.pop());
                if let Value::Dict(dict) = frame.peek(depth - 1) {
                    self.dict_set(&dict, key, value)?;
                }
            }
            _ => self.extend(frame, op)?,
        }
        Ok(())
    }

    fn extend(&self, frame: &mut Frame, op: Op) -> PyResult<()> {
        match op {
            Op::ListExtend => {
                let more = self.spread_iterable(&frame.pop())?;
                if let Value::List(list) = frame.peek(0) {
                    list.borrow_mut().extend(more);
                }
            }
            Op::SetUpdate => {
                let more = frame.pop();
                if let Value::Set(set) = frame.peek(0) {
                    self.set_update(&set, &more)?;
                }
            }
            Op::DictUpdate => {
                let more = frame.pop();
                if let Value::Dict(dict) = frame.peek(0) {
                    if self.mapping_pairs(&more)?.is_none() {
                        let name = self.class_name(&more);
                        let message = format!("'{name}' object is not a mapping");
                        return Err(self.type_error(message));
                    }
                    self.dict_update(&dict, &more)?;
                }
            }
            Op::DictMerge => {
                let more = frame.pop();
                if let Value::Dict(dict) = frame.peek(0) {
                    // The function stands below the list of arguments.
                    let function = frame.peek(2);
                    self.dict_merge(&dict, &more, &function)?;
                }
            }
            Op::ListToTuple => {
                let list = frame.pop();
                let values = match &list {
                    Value::List(list) => list.borrow().clone(),
                    _ => Vec::new(),
                };
                frame.push(Value::tuple(values));
            }
            Op::Format {
                conversion,
                has_spec,
            } => {
                let spec = has_spec.then(|| frame.pop());
                let value = frame.pop();
                let value = match conversion {
                    b'r' => Value::Str(self.repr(&value)?),
                    b's' => Value::Str(self.str(&value)?),
                    b'a' => Value::str(crate::text::only_ascii(&self.repr(&value)?)),
                    _ => value,
                };
                let spec = match &spec {
                    Some(Value::Str(spec)) => spec.to_string(),
                    _ => String::new(),
                };
                frame.push(Value::Str(self.format(&value, &spec)?));
            }
            _ => {}
        }
        Ok(())
    }
}
