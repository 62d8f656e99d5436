//! The tests of `match`.
use super::{Frame, PyResult, Vm};
use crate::{
    class::{Class, Layout},
    code::Op,
    table::Dict,
    value::Value,
};
use std::rc::Rc;

impl Vm {
    pub(super) fn match_pattern(&self, frame: &mut Frame, op: Op) -> PyResult<()> {
        match op {
            Op::MatchSequence(count) | Op::MatchSequenceMin(count) => {
                let subject = frame.peek(0);
                let fits = match self.sequence_len(&subject)? {
                    Some(len) if matches!(op, Op::MatchSequence(_)) => len == count as usize,
                    Some(len) => len >= count as usize,
                    None => false,
                };
                frame.push(Value::Bool(fits));
            }
            Op::MatchMapping => {
                let subject = frame.peek(0);
                let is_mapping = match subject.plain() {
                    Value::Dict(_) => true,
                    Value::Instance(_) => self.is_abstract(&subject, "Mapping")?,
                    _ => false,
                };
                frame.push(Value::Bool(is_mapping));
            }
            Op::MatchKey => {
                let key = frame.pop();
                let subject = frame.peek(0);
                let value = self.value_of_key(&subject, &key)?;
                let found = value.is_some();
                frame.push(value.unwrap_or(Value::None));
                frame.push(Value::Bool(found));
            }
            Op::MatchRest => {
                let keys = frame.pop();
                let rest = Dict::new();
                self.dict_update(&rest, &frame.peek(0))?;
                for key in self.collect(&keys)? {
                    self.dict_remove(&rest, &key)?;
                }
                frame.push(Value::Dict(rest));
            }
            Op::MatchClass(positional) => {
                let (names, class) = (frame.pop(), frame.pop());
                let subject = frame.peek(0);
                let values = self.match_class(&subject, &class, positional as usize, &names)?;
                let fits = values.is_some();
                frame.push(Value::tuple(values.unwrap_or_default()));
                frame.push(Value::Bool(fits));
            }
            _ => {}
        }
        Ok(())
    }

    fn sequence_len(&self, subject: &Value) -> PyResult<Option<usize>> {
        match subject.plain() {
            Value::List(_) | Value::Tuple(_) | Value::Range(_) => self.len(subject).map(Some),
            Value::Instance(_) if self.is_abstract(subject, "Sequence")? => {
                self.len(subject).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether an object counts as one of these of `collections.abc`.
    fn is_abstract(&self, subject: &Value, kind: &str) -> PyResult<bool> {
        let module = self.import("collections.abc")?;
        let class = self.get_attribute(&module, &self.intern(kind))?;
        self.subclass_check(&Value::Class(self.class_of(subject)), &class)
    }

    /// The value of a key, unless the mapping does not have it; a `defaultdict` makes none.
    fn value_of_key(&self, subject: &Value, key: &Value) -> PyResult<Option<Value>> {
        if let Value::Dict(dict) = subject.plain() {
            return self.dict_get(dict, key);
        }
        let absent = Value::tuple(vec![Value::None]);
        let found = self.call_method(subject, "get", vec![key.clone(), absent.clone()])?;
        Ok((!found.is(&absent)).then_some(found))
    }

    fn match_class(
        &self,
        subject: &Value,
        class: &Value,
        positional: usize,
        names: &Value,
    ) -> PyResult<Option<Vec<Value>>> {
        let Value::Class(class) = class else {
            return Err(self.type_error("called match pattern must be a class"));
        };
        if !self.is_instance(subject, class) {
            return Ok(None);
        }
        let mut values = Vec::new();
        if positional == 1 && matches_itself(class) {
            values.push(subject.clone());
        } else if positional > 0 {
            let known = match class.lookup(&self.names.match_args) {
                Some(Value::Tuple(known)) => known,
                _ => Rc::default(),
            };
            let most = if matches_itself(class) {
                1
            } else {
                known.len()
            };
            if most < positional {
                let plural = if most == 1 { "" } else { "s" };
                let message = format!(
                    "{}() accepts {most} positional sub-pattern{plural} ({positional} given)",
                    class.name()
                );
                return Err(self.type_error(message));
            }
            for name in known.iter().take(positional) {
                match self.attribute_of(subject, name)? {
                    Some(value) => values.push(value),
                    None => return Ok(None),
                }
            }
        }
        for name in self.collect(names)? {
            match self.attribute_of(subject, &name)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(values))
    }

    fn attribute_of(&self, subject: &Value, name: &Value) -> PyResult<Option<Value>> {
        match name {
            Value::Str(name) => self.optional_attribute(subject, name),
            _ => Ok(None),
        }
    }
}

/// `int(n)` binds the number itself.
fn matches_itself(class: &Rc<Class>) -> bool {
    !matches!(
        class.layout,
        Layout::Object
            | Layout::Exception
            | Layout::Type
            | Layout::Property
            | Layout::Other
            | Layout::Complex
    )
}
