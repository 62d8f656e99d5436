//! Comparisons, containment and truth.
use super::{Alias, Number, PyResult, Raise, Vm};
use crate::{
    ast::CompareOp,
    number,
    set_table::Set,
    table::Dict,
    text::Str,
    value::{Payload, Value},
};
use num_bigint::BigInt;
use num_traits::Zero;
use std::{cmp::Ordering, rc::Rc};

impl Vm {
    pub(crate) fn truth(&self, value: &Value) -> PyResult<bool> {
        Ok(match value {
            Value::Bool(b) => *b,
            Value::None => false,
            Value::Int(n) => *n != 0,
            Value::Float(x) => *x != 0.0,
            Value::Str(text) => !text.is_empty(),
            Value::List(list) => !list.borrow().is_empty(),
            Value::Tuple(values) => !values.is_empty(),
            Value::Dict(dict) => dict.len() > 0,
            Value::Set(set) | Value::FrozenSet(set) => set.len() > 0,
            Value::Bytes(bytes) => !bytes.is_empty(),
            Value::ByteArray(bytes) => !bytes.borrow().is_empty(),
            Value::Big(n) => !n.is_zero(),
            Value::Complex(z) => z.real != 0.0 || z.imaginary != 0.0,
            Value::Range(range) => range.len() > 0,
            Value::View(view) => view.dict.len() > 0,
            Value::Instance(_) | Value::Class(_) => return self.truth_of_object(value),
            _ => true,
        })
    }

    fn truth_of_object(&self, value: &Value) -> PyResult<bool> {
        if let Some(truth) = self.call_special(value, &self.names.bool_, Vec::new())? {
            return match truth {
                Value::Bool(b) => Ok(b),
                other => {
                    let name = self.class_name(&other);
                    let message = format!("__bool__ should return bool, returned {name}");
                    Err(self.type_error(message))
                }
            };
        }
        if Number::breadth(value) == 0 && self.special(value, &self.names.len).is_some() {
            return Ok(self.len(value)? != 0);
        }
        match value {
            Value::Instance(instance) => match &instance.payload {
                Payload::Value(plain) => self.truth(plain),
                _ => Ok(true),
            },
            _ => Ok(true),
        }
    }

    /// `==` as containers use it: the same object is equal to itself.
    pub(crate) fn equal(&self, a: &Value, b: &Value) -> PyResult<bool> {
        match (a, b) {
            (Value::Str(a), Value::Str(b)) => return Ok(**a == **b),
            (Value::Int(a), Value::Int(b)) => return Ok(a == b),
            (Value::Float(a), Value::Float(b)) if a != b => return Ok(a.to_bits() == b.to_bits()),
            _ => {}
        }
        if a.is(b) {
            return Ok(true);
        }
        let result = self.compare(CompareOp::Eq, a, b)?;
        self.truth(&result)
    }

    pub(crate) fn compare(&self, op: CompareOp, a: &Value, b: &Value) -> PyResult {
        let (left, right) = match op {
            CompareOp::Is => return Ok(Value::Bool(a.is(b))),
            CompareOp::IsNot => return Ok(Value::Bool(!a.is(b))),
            CompareOp::In => return Ok(Value::Bool(self.contains(b, a)?)),
            CompareOp::NotIn => return Ok(Value::Bool(!self.contains(b, a)?)),
            CompareOp::Eq => (&self.names.eq, &self.names.eq),
            CompareOp::NotEq => (&self.names.ne, &self.names.ne),
            CompareOp::Lt => (&self.names.lt, &self.names.gt),
            CompareOp::LtE => (&self.names.le, &self.names.ge),
            CompareOp::Gt => (&self.names.gt, &self.names.lt),
            CompareOp::GtE => (&self.names.ge, &self.names.le),
        };
        let own = |value: &Value| matches!(value, Value::Instance(_) | Value::Class(_));
        if own(a) || own(b) {
            if self.compares_as_builtin(a, b, left, right)
                && let Some(result) = self.builtin_compare(op, a.plain(), b.plain())?
            {
                return Ok(Value::Bool(result));
            }
            if let Some(value) = self.by_methods(a, b, left, right, true)? {
                return Ok(value);
            }
            // Without `__ne__`, it is the opposite of `__eq__`; what descends from a text or a list has theirs.
            if op == CompareOp::NotEq
                && let Some(unequal) = self.opposite_of_eq(a, b)?
            {
                return Ok(Value::Bool(unequal));
            }
        }
        let (x, y) = (a.plain(), b.plain());
        if let Some(result) = self.deeper_in(" in comparison", || self.builtin_compare(op, x, y))? {
            return Ok(Value::Bool(result));
        }
        match op {
            CompareOp::Eq => Ok(Value::Bool(a.is(b))),
            CompareOp::NotEq => Ok(Value::Bool(!a.is(b))),
            _ => Err(self.not_ordered(op, a, b)),
        }
    }

    /// Whether the builtin type on the left is asked before a method of the right: a text with only a `__lt__` of its
    /// own is still compared by the `>` of texts.
    fn compares_as_builtin(&self, a: &Value, b: &Value, left: &Rc<Str>, right: &Rc<Str>) -> bool {
        if matches!(a.plain(), Value::Instance(_) | Value::Class(_))
            || self.special(a, left).is_some()
            || Number::breadth(a) < Number::breadth(b)
        {
            return false;
        }
        let (of_a, of_b) = (self.class_of(a), self.class_of(b));
        Rc::ptr_eq(&of_a, &of_b) || !of_b.is_subclass(&of_a) || self.special(b, right).is_none()
    }

    fn opposite_of_eq(&self, a: &Value, b: &Value) -> PyResult<Option<bool>> {
        if !of_builtin_type(a) && !of_builtin_type(b) {
            let eq = &self.names.eq;
            let equal = self.by_methods(a, b, eq, eq, true)?;
            return equal.map(|equal| Ok(!self.truth(&equal)?)).transpose();
        }
        for (own, other) in [(a, b), (b, a)] {
            if of_builtin_type(own) {
                continue;
            }
            let equal = self.call_special(own, &self.names.eq, vec![other.clone()])?;
            if let Some(equal) = equal
                && !matches!(equal, Value::NotImplemented)
            {
                return Ok(Some(!self.truth(&equal)?));
            }
        }
        Ok(None)
    }

    /// `list[int]` is equal to another, `int | str` in any order.
    fn same_alias(&self, a: &Alias, b: &Alias) -> PyResult<bool> {
        if !a.origin.is(&b.origin) || a.arguments.len() != b.arguments.len() {
            return Ok(false);
        }
        for (at, one) in a.arguments.iter().enumerate() {
            let others = match a.origin {
                Value::Unbound => &b.arguments[..],
                _ => &b.arguments[at..=at],
            };
            let mut found = false;
            for other in others {
                found = found || self.equal(one, other)?;
            }
            if !found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn not_ordered(&self, op: CompareOp, a: &Value, b: &Value) -> Raise {
        let sign = match op {
            CompareOp::Lt => "<",
            CompareOp::LtE => "<=",
            CompareOp::Gt => ">",
            _ => ">=",
        };
        let (left, right) = (self.class_name(a), self.class_name(b));
        let message = format!("'{sign}' not supported between instances of '{left}' and '{right}'");
        self.type_error(message)
    }

    /// What builtin types say; `None` where they have no opinion.
    pub(crate) fn builtin_compare(
        &self,
        op: CompareOp,
        a: &Value,
        b: &Value,
    ) -> PyResult<Option<bool>> {
        if let (Some(a), Some(b)) = (Number::of(a), Number::of(b)) {
            return Ok(compare_numbers(op, &a, &b));
        }
        match (a, b) {
            (Value::Str(a), Value::Str(b)) => Ok(Some(holds(op, (**a).cmp(&**b)))),
            (Value::List(a), Value::List(b)) => {
                if Rc::ptr_eq(a, b) {
                    return Ok(Some(holds(op, Ordering::Equal)));
                }
                let (a, b) = (a.borrow().clone(), b.borrow().clone());
                self.compare_sequences(op, &a, &b)
            }
            (Value::Tuple(a), Value::Tuple(b)) => self.compare_sequences(op, a, b),
            (Value::Dict(a), Value::Dict(b)) => match op {
                CompareOp::Eq => self.equal_dicts(a, b).map(Some),
                CompareOp::NotEq => self.equal_dicts(a, b).map(|equal| Some(!equal)),
                _ => Ok(None),
            },
            (Value::Bytes(_) | Value::ByteArray(_), Value::Bytes(_) | Value::ByteArray(_)) => {
                Ok(Some(holds(op, self.bytes_of(a)?.cmp(&self.bytes_of(b)?))))
            }
            (Value::Range(a), Value::Range(b)) => Ok(match op {
                CompareOp::Eq => Some(same_range(a, b)),
                CompareOp::NotEq => Some(!same_range(a, b)),
                _ => None,
            }),
            (Value::Instance(a), Value::Instance(b)) => {
                let (Some(a), Some(b)) = (a.native::<Alias>(), b.native::<Alias>()) else {
                    return Ok(None);
                };
                let same = self.same_alias(a, b)?;
                Ok(match op {
                    CompareOp::Eq => Some(same),
                    CompareOp::NotEq => Some(!same),
                    _ => None,
                })
            }
            (Value::Slice(a), Value::Slice(b)) => {
                let parts =
                    |s: &crate::value::Slice| [s.start.clone(), s.stop.clone(), s.step.clone()];
                self.compare_sequences(op, &parts(a), &parts(b))
            }
            (Value::Method(a), Value::Method(b)) => {
                let same = a.function.is(&b.function) && a.receiver.is(&b.receiver);
                Ok(match op {
                    CompareOp::Eq => Some(same),
                    CompareOp::NotEq => Some(!same),
                    _ => None,
                })
            }
            _ => match (self.as_set(a)?, self.as_set(b)?) {
                (Some(a), Some(b)) => self.compare_sets(op, &a, &b).map(Some),
                _ => Ok(None),
            },
        }
    }

    fn compare_sequences(&self, op: CompareOp, a: &[Value], b: &[Value]) -> PyResult<Option<bool>> {
        let equality = matches!(op, CompareOp::Eq | CompareOp::NotEq);
        if equality && a.len() != b.len() {
            return Ok(Some(op == CompareOp::NotEq));
        }
        for (x, y) in a.iter().zip(b) {
            if !self.equal(x, y)? {
                if equality {
                    return Ok(Some(op == CompareOp::NotEq));
                }
                let result = self.compare(op, x, y)?;
                return self.truth(&result).map(Some);
            }
        }
        Ok(Some(holds(op, a.len().cmp(&b.len()))))
    }

    fn equal_dicts(&self, a: &Rc<Dict>, b: &Rc<Dict>) -> PyResult<bool> {
        if Rc::ptr_eq(a, b) {
            return Ok(true);
        }
        if a.len() != b.len() {
            return Ok(false);
        }
        for (key, value) in a.pairs() {
            match self.dict_get(b, &key)? {
                Some(other) if self.equal(&value, &other)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn compare_sets(&self, op: CompareOp, a: &Rc<Set>, b: &Rc<Set>) -> PyResult<bool> {
        let within = |a: &Rc<Set>, b: &Rc<Set>| -> PyResult<bool> {
            for value in a.keys() {
                if !self.set_has(b, &value)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        Ok(match op {
            CompareOp::Eq => a.len() == b.len() && within(a, b)?,
            CompareOp::NotEq => a.len() != b.len() || !within(a, b)?,
            CompareOp::Lt => a.len() < b.len() && within(a, b)?,
            CompareOp::LtE => a.len() <= b.len() && within(a, b)?,
            CompareOp::Gt => b.len() < a.len() && within(b, a)?,
            _ => b.len() <= a.len() && within(b, a)?,
        })
    }

    /// `value in container`.
    pub(crate) fn contains(&self, container: &Value, value: &Value) -> PyResult<bool> {
        if let Some(found) =
            self.call_special(container, &self.names.contains, vec![value.clone()])?
        {
            return self.truth(&found);
        }
        // A class of its own may say by `__iter__` what is in it; one below a list has what is in the list.
        let plain = of_builtin_type(container) && Number::breadth(container) == 0;
        match self.special(container, &self.names.iter) {
            Some(_) if !plain => self.contains_by_iteration(container, value),
            _ => self.builtin_contains(container.plain(), value),
        }
    }

    /// `value in container` of builtin types.
    pub(crate) fn builtin_contains(&self, container: &Value, value: &Value) -> PyResult<bool> {
        let plain = container;
        match plain {
            Value::Dict(dict) => self.dict_has(dict, value),
            Value::Set(set) | Value::FrozenSet(set) => self.set_has(set, &as_key(value)),
            Value::Str(text) => match value.plain() {
                Value::Str(part) => Ok(text.contains(&***part)),
                _ => {
                    let name = self.class_name(value);
                    let message =
                        format!("'in <string>' requires string as left operand, not {name}");
                    Err(self.type_error(message))
                }
            },
            Value::Range(range) => match value.plain() {
                Value::Int(n) => Ok(in_range(range, *n)),
                Value::Bool(b) => Ok(in_range(range, i64::from(*b))),
                Value::Float(x) if x.fract() == 0.0 && x.abs() < 9e15 => {
                    Ok(in_range(range, *x as i64))
                }
                _ => self.contains_by_iteration(container, value),
            },
            Value::Bytes(_) | Value::ByteArray(_) => self.bytes_contain(plain, value),
            Value::View(view) => match view.kind {
                crate::value::ViewKind::Keys => self.dict_has(&view.dict, value),
                _ => self.contains_by_iteration(container, value),
            },
            Value::List(list) => {
                let mut at = 0;
                loop {
                    let Some(item) = list.borrow().get(at).cloned() else {
                        return Ok(false);
                    };
                    if self.equal(&item, value)? {
                        return Ok(true);
                    }
                    at += 1;
                }
            }
            Value::Tuple(values) => {
                for item in values.iter() {
                    if self.equal(item, value)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => self.contains_by_iteration(container, value),
        }
    }

    fn contains_by_iteration(&self, container: &Value, value: &Value) -> PyResult<bool> {
        let iterator = match self.iter(container) {
            Ok(iterator) => iterator,
            Err(raise) if self.is_error(&raise, "TypeError") => {
                let name = self.class_name(container);
                let message = format!("argument of type '{name}' is not iterable");
                return Err(self.type_error(message));
            }
            Err(raise) => return Err(raise),
        };
        while let Some(item) = self.next(&iterator)? {
            if self.equal(&item, value)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// For sorting: `a < b`.
    pub(crate) fn less(&self, a: &Value, b: &Value) -> PyResult<bool> {
        match (a, b) {
            (Value::Int(a), Value::Int(b)) => Ok(a < b),
            (Value::Str(a), Value::Str(b)) => Ok(**a < **b),
            (Value::Float(a), Value::Float(b)) => Ok(a < b),
            _ => {
                let less = self.compare(CompareOp::Lt, a, b)?;
                self.truth(&less)
            }
        }
    }

    /// The operator of `__eq__` and its like.
    pub(crate) fn compare_names() -> [(&'static str, CompareOp); 6] {
        [
            ("__eq__", CompareOp::Eq),
            ("__ne__", CompareOp::NotEq),
            ("__lt__", CompareOp::Lt),
            ("__le__", CompareOp::LtE),
            ("__gt__", CompareOp::Gt),
            ("__ge__", CompareOp::GtE),
        ]
    }
}

/// A set is found in sets by its content.
pub(crate) fn as_key(value: &Value) -> Value {
    match value {
        Value::Set(set) => Value::FrozenSet(set.clone()),
        Value::Instance(instance) => match &instance.payload {
            // A class below it may have a hash of its own.
            Payload::Value(Value::Set(set)) if !own_hash(instance) => Value::FrozenSet(set.clone()),
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

fn own_hash(instance: &crate::value::Instance) -> bool {
    instance
        .class()
        .order()
        .take_while(|class| !class.builtin)
        .any(|class| class.dict.has_str(&crate::text::Str::new("__hash__")))
}

fn holds(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Eq => order.is_eq(),
        CompareOp::NotEq => order.is_ne(),
        CompareOp::Lt => order.is_lt(),
        CompareOp::LtE => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}

fn compare_numbers(op: CompareOp, a: &Number, b: &Number) -> Option<bool> {
    let order = match (a, b) {
        (Number::Complex(_), _) | (_, Number::Complex(_)) => {
            let parts = |n: &Number| match n {
                Number::Complex(z) => Some((z.real, z.imaginary)),
                other => other.float().map(|x| (x, 0.0)),
            };
            let equal = parts(a) == parts(b);
            return match op {
                CompareOp::Eq => Some(equal),
                CompareOp::NotEq => Some(!equal),
                _ => None,
            };
        }
        (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(b),
        (Number::Float(a), b) => {
            let b: BigInt = b.big()?;
            number::compare_int_float(&b, *a).map(Ordering::reverse)
        }
        (a, Number::Float(b)) => number::compare_int_float(&a.big()?, *b),
        (a, b) => Some(a.big()?.cmp(&b.big()?)),
    };
    // Nothing is comparable to NaN, and only `!=` holds.
    Some(order.map_or(op == CompareOp::NotEq, |order| holds(op, order)))
}

/// An object of a program's class that descends from a type with a `__ne__` of its own.
fn of_builtin_type(value: &Value) -> bool {
    matches!(value, Value::Instance(instance) if matches!(instance.payload, Payload::Value(_)))
}

fn in_range(range: &crate::value::Range, n: i64) -> bool {
    let (n, start, step) = (
        i128::from(n),
        i128::from(range.start),
        i128::from(range.step),
    );
    let inside = match step > 0 {
        true => n >= start && n < i128::from(range.stop),
        false => n <= start && n > i128::from(range.stop),
    };
    inside && (n - start) % step == 0
}

fn same_range(a: &crate::value::Range, b: &crate::value::Range) -> bool {
    let len = a.len();
    len == b.len() && (len == 0 || a.start == b.start) && (len <= 1 || a.step == b.step)
}
