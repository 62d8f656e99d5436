//! Binary operators: an object's own methods first, then what builtin types do.
use super::{Number, PyResult, Raise, Vm};
use crate::{ast::BinOp, table::Dict, text::Str, value::Value};
use num_traits::ToPrimitive;
use std::rc::Rc;

/// No sequence is made longer than this by multiplication.
const LONGEST: usize = 1 << 28;

/// The names of an operator's methods: `__add__`, `__radd__`, `__iadd__`, and its sign.
pub(crate) const OPERATORS: [(BinOp, &str, &str, &str, &str); 13] = [
    (BinOp::Add, "__add__", "__radd__", "__iadd__", "+"),
    (BinOp::Sub, "__sub__", "__rsub__", "__isub__", "-"),
    (BinOp::Mul, "__mul__", "__rmul__", "__imul__", "*"),
    (
        BinOp::MatMul,
        "__matmul__",
        "__rmatmul__",
        "__imatmul__",
        "@",
    ),
    (
        BinOp::Div,
        "__truediv__",
        "__rtruediv__",
        "__itruediv__",
        "/",
    ),
    (
        BinOp::FloorDiv,
        "__floordiv__",
        "__rfloordiv__",
        "__ifloordiv__",
        "//",
    ),
    (BinOp::Mod, "__mod__", "__rmod__", "__imod__", "%"),
    (BinOp::Pow, "__pow__", "__rpow__", "__ipow__", "** or pow()"),
    (
        BinOp::LeftShift,
        "__lshift__",
        "__rlshift__",
        "__ilshift__",
        "<<",
    ),
    (
        BinOp::RightShift,
        "__rshift__",
        "__rrshift__",
        "__irshift__",
        ">>",
    ),
    (BinOp::BitOr, "__or__", "__ror__", "__ior__", "|"),
    (BinOp::BitXor, "__xor__", "__rxor__", "__ixor__", "^"),
    (BinOp::BitAnd, "__and__", "__rand__", "__iand__", "&"),
];

fn names(op: BinOp) -> (&'static str, &'static str, &'static str, &'static str) {
    let found = OPERATORS.iter().find(|row| row.0 == op);
    found.map_or(("", "", "", ""), |row| (row.1, row.2, row.3, row.4))
}

impl Vm {
    pub(crate) fn binary(&self, op: BinOp, a: &Value, b: &Value) -> PyResult {
        match self.try_binary(op, a, b)? {
            Some(value) => Ok(value),
            None => Err(self.unsupported(op, a, b, false)),
        }
    }

    /// `None` where neither side knows what to do.
    pub(crate) fn try_binary(&self, op: BinOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        let own = |value: &Value| matches!(value, Value::Instance(_) | Value::Class(_));
        if own(a) || own(b) {
            let (name, reflected, ..) = names(op);
            let (left, right) = (self.intern(name), self.intern(reflected));
            if settled_by_left(op, a, b)
                && self.special(a, &left).is_none()
                && !self.class_of(b).is_subclass(&self.class_of(a))
            {
                return self.builtin_binary(op, a, b);
            }
            if let Some(value) = self.by_methods(a, b, &left, &right, false)? {
                return Ok(Some(value));
            }
        }
        self.builtin_binary(op, a, b)
    }

    /// `a.__op__(b)`, then `b.__rop__(a)`; the latter first if `b` is of a class below that of `a`. If both are of one
    /// class, the latter is asked in comparisons only (`reflect_same`).
    pub(crate) fn by_methods(
        &self,
        a: &Value,
        b: &Value,
        left: &Rc<Str>,
        right: &Rc<Str>,
        reflect_same: bool,
    ) -> PyResult<Option<Value>> {
        let (of_a, of_b) = (self.class_of(a), self.class_of(b));
        let same = Rc::ptr_eq(&of_a, &of_b);
        let b_first = !same && of_b.is_subclass(&of_a) && self.special(b, right).is_some();
        let attempt = |object: &Value, name: &Rc<Str>, other: &Value| {
            let result = self.call_special(object, name, vec![other.clone()])?;
            Ok(result.filter(|value| !matches!(value, Value::NotImplemented)))
        };
        if b_first && let Some(value) = attempt(b, right, a)? {
            return Ok(Some(value));
        }
        if let Some(value) = attempt(a, left, b)? {
            return Ok(Some(value));
        }
        // `1.5 + n` is a float's to do, whatever class of integers `n` is of.
        let done = Number::breadth(b) > 0
            && Number::breadth(a) >= Number::breadth(b)
            && self.special(a, left).is_none();
        if (!same || reflect_same) && !b_first && !done {
            return attempt(b, right, a);
        }
        Ok(None)
    }

    /// `a op= b`.
    pub(crate) fn in_place(&self, op: BinOp, a: Value, b: &Value) -> PyResult {
        if matches!(a, Value::Instance(_)) {
            let (_, _, name, _) = names(op);
            let name = self.intern(name);
            if let Some(value) = self.call_special(&a, &name, vec![b.clone()])?
                && !matches!(value, Value::NotImplemented)
            {
                return Ok(value);
            }
        }
        if let Some(value) = self.builtin_in_place(op, &a, b)? {
            return Ok(value);
        }
        match self.try_binary(op, &a, b)? {
            Some(value) => Ok(value),
            None => Err(self.unsupported(op, &a, b, true)),
        }
    }

    /// Lists, dictionaries and sets change themselves.
    pub(crate) fn builtin_in_place(
        &self,
        op: BinOp,
        a: &Value,
        b: &Value,
    ) -> PyResult<Option<Value>> {
        match (op, a.plain()) {
            (BinOp::Add, Value::List(list)) => {
                let more = self.collect(b)?;
                list.borrow_mut().extend(more);
            }
            (BinOp::Mul, Value::List(list)) => {
                let Some(count) = self.repetitions(b)? else {
                    return Ok(None);
                };
                let repeated = self.repeat(&list.borrow().clone(), count)?;
                *list.borrow_mut() = repeated;
            }
            (BinOp::Add, Value::ByteArray(bytes)) => {
                let more = self.bytes_of(b)?;
                bytes.borrow_mut().extend(more);
            }
            (BinOp::Mul, Value::ByteArray(bytes)) => {
                let whole = Value::bytes(bytes.borrow().clone());
                let Some(repeated) = self.multiply_sequence(&whole, b.plain())? else {
                    return Ok(None);
                };
                let repeated = self.bytes_of(&repeated)?;
                *bytes.borrow_mut() = repeated;
            }
            (BinOp::BitOr, Value::Dict(dict)) => self.dict_update(dict, b)?,
            (BinOp::BitOr | BinOp::BitAnd | BinOp::Sub | BinOp::BitXor, Value::Set(set)) => {
                if !self.set_in_place(op, set, b)? {
                    return Ok(None);
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(a.clone()))
    }

    fn unsupported(&self, op: BinOp, a: &Value, b: &Value, in_place: bool) -> Raise {
        let (.., sign) = names(op);
        let (left, right) = (self.class_name(a), self.class_name(b));
        let message = match (op, a.plain(), b.plain()) {
            (BinOp::Add, Value::Str(_), _) => {
                format!("can only concatenate str (not \"{right}\") to str")
            }
            (BinOp::Add, Value::List(_), _) if !in_place => {
                format!("can only concatenate list (not \"{right}\") to list")
            }
            (BinOp::Add, Value::Tuple(_), _) => {
                format!("can only concatenate tuple (not \"{right}\") to tuple")
            }
            (BinOp::Add, Value::Bytes(_), _) => format!("can't concat {right} to bytes"),
            (BinOp::Mul, Value::Str(_) | Value::List(_) | Value::Tuple(_), _) => {
                format!("can't multiply sequence by non-int of type '{right}'")
            }
            (BinOp::Mul, _, Value::Str(_) | Value::List(_) | Value::Tuple(_)) => {
                format!("can't multiply sequence by non-int of type '{left}'")
            }
            _ => {
                let sign = match (op, in_place) {
                    (BinOp::Pow, true) => "**=".to_owned(),
                    (_, true) => format!("{sign}="),
                    (_, false) => sign.to_owned(),
                };
                format!("unsupported operand type(s) for {sign}: '{left}' and '{right}'")
            }
        };
        self.type_error(message)
    }

    /// What builtin types do with each other.
    pub(crate) fn builtin_binary(
        &self,
        op: BinOp,
        a: &Value,
        b: &Value,
    ) -> PyResult<Option<Value>> {
        if let (BinOp::Mod, Value::Str(format)) = (op, a.plain()) {
            // What is laid out keeps its own `__str__` and `__missing__`.
            return self
                .percent_format(format, b)
                .map(|text| Some(Value::str(text)));
        }
        if let (BinOp::Mod, Value::Bytes(_) | Value::ByteArray(_)) = (op, a.plain()) {
            let laid_out = self.percent_bytes(&self.bytes_of(a)?, b)?;
            return Ok(Some(match a.plain() {
                Value::Bytes(_) => Value::bytes(laid_out),
                _ => Value::ByteArray(Rc::new(std::cell::RefCell::new(laid_out))),
            }));
        }
        let (a, b) = (a.plain(), b.plain());
        if let (Value::Bool(a), Value::Bool(b)) = (a, b) {
            match op {
                BinOp::BitAnd => return Ok(Some(Value::Bool(a & b))),
                BinOp::BitOr => return Ok(Some(Value::Bool(a | b))),
                BinOp::BitXor => return Ok(Some(Value::Bool(a ^ b))),
                _ => {}
            }
        }
        if let (Some(a), Some(b)) = (Number::of(a), Number::of(b)) {
            return self.arithmetic(op, &a, &b);
        }
        match (op, a, b) {
            (BinOp::Add, ..) => self.concatenate(a, b),
            (BinOp::Mul, ..) => self.multiply_sequence(a, b),
            (BinOp::BitOr, Value::Dict(a), Value::Dict(b)) => {
                let dict = Dict::from_table(a.table.borrow().clone());
                self.dict_update(&dict, &Value::Dict(b.clone()))?;
                Ok(Some(Value::Dict(dict)))
            }
            (
                BinOp::BitOr,
                Value::Class(_) | Value::None | Value::Instance(_),
                Value::Class(_) | Value::None | Value::Instance(_),
            ) => self.union_type(a, b),
            (BinOp::BitOr | BinOp::BitAnd | BinOp::Sub | BinOp::BitXor, ..) => {
                self.set_binary(op, a, b)
            }
            _ => Ok(None),
        }
    }

    fn concatenate(&self, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        let too_long = |a: usize, b: usize| match a.saturating_add(b) > LONGEST {
            true => Err(self.memory_error()),
            false => Ok(()),
        };
        Ok(Some(match (a, b) {
            (Value::Str(a), Value::Str(b)) => {
                too_long(a.len(), b.len())?;
                let mut text = String::with_capacity(a.len() + b.len());
                text.push_str(a);
                text.push_str(b);
                Value::str(text)
            }
            (Value::List(a), Value::List(b)) => {
                let mut values = a.borrow().clone();
                values.extend(b.borrow().iter().cloned());
                Value::list(values)
            }
            (Value::Tuple(a), Value::Tuple(b)) => {
                Value::tuple(a.iter().chain(b.iter()).cloned().collect())
            }
            (Value::Bytes(a), Value::Bytes(_) | Value::ByteArray(_)) => {
                let mut bytes = a.to_vec();
                bytes.extend(self.bytes_of(b)?);
                Value::bytes(bytes)
            }
            (Value::ByteArray(a), Value::Bytes(_) | Value::ByteArray(_)) => {
                let mut bytes = a.borrow().clone();
                bytes.extend(self.bytes_of(b)?);
                Value::ByteArray(Rc::new(std::cell::RefCell::new(bytes)))
            }
            _ => return Ok(None),
        }))
    }

    /// How often `* value` repeats a sequence, if it does.
    fn repetitions(&self, value: &Value) -> PyResult<Option<usize>> {
        let Some(number) = self.index_number(value)? else {
            return Ok(None);
        };
        match number {
            Number::Int(n) if n <= 0 => Ok(Some(0)),
            number => match number.big().and_then(|n| n.to_usize()) {
                Some(count) => Ok(Some(count)),
                None if number.float().is_some_and(|x| x < 0.0) => Ok(Some(0)),
                None => Err(self.overflow("cannot fit 'int' into an index-sized integer")),
            },
        }
    }

    fn multiply_sequence(&self, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        let is_sequence = |value: &Value| {
            matches!(
                value,
                Value::Str(_)
                    | Value::List(_)
                    | Value::Tuple(_)
                    | Value::Bytes(_)
                    | Value::ByteArray(_)
            )
        };
        let (sequence, count) = match (is_sequence(a), is_sequence(b)) {
            (true, _) => (a, b),
            (false, true) => (b, a),
            _ => return Ok(None),
        };
        let Some(count) = self.repetitions(count)? else {
            return Ok(None);
        };
        let fits = |len: usize| match len.saturating_mul(count) > LONGEST {
            true => Err(self.memory_error()),
            false => Ok(()),
        };
        Ok(Some(match sequence {
            Value::Str(text) => {
                fits(text.len())?;
                Value::str(text.repeat(count))
            }
            Value::Bytes(bytes) => {
                fits(bytes.len())?;
                Value::bytes(bytes.repeat(count))
            }
            Value::ByteArray(bytes) => {
                fits(bytes.borrow().len())?;
                let bytes = bytes.borrow().repeat(count);
                Value::ByteArray(Rc::new(std::cell::RefCell::new(bytes)))
            }
            Value::List(list) => Value::list(self.repeat(&list.borrow().clone(), count)?),
            Value::Tuple(tuple) => Value::tuple(self.repeat(tuple, count)?),
            _ => return Ok(None),
        }))
    }

    fn repeat(&self, values: &[Value], count: usize) -> PyResult<Vec<Value>> {
        let total = values.len().saturating_mul(count);
        if total > LONGEST / size_of::<Value>() {
            return Err(self.memory_error());
        }
        let mut all = Vec::with_capacity(total);
        for _ in 0..count {
            all.extend_from_slice(values);
        }
        Ok(all)
    }
}

/// Whether the builtin type on the left does this itself, whatever methods the right has: `'%s' % decimal` is a text's to do.
fn settled_by_left(op: BinOp, a: &Value, b: &Value) -> bool {
    let set = |value: &Value| matches!(value, Value::Set(_) | Value::FrozenSet(_));
    match (a.plain(), b.plain()) {
        (Value::Str(_) | Value::Bytes(_) | Value::ByteArray(_), _) => op == BinOp::Mod,
        (Value::Dict(_), Value::Dict(_)) => op == BinOp::BitOr,
        (a, b) => {
            let of_sets = [BinOp::BitOr, BinOp::BitAnd, BinOp::BitXor, BinOp::Sub];
            set(a) && set(b) && of_sets.contains(&op)
        }
    }
}
