//! `float`: reading it from text and objects, fractions and hexadecimal texts of it.
use super::{Text, made, number_of, text_of};
use crate::{
    builtins::{class_method, constructor, method},
    class::Class,
    number::{self, FromHexError},
    value::{Args, Value},
    vm::{Number, PyResult, Vm},
};
use std::rc::Rc;

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.float;
    constructor(vm, class, new);
    method(vm, class, "is_integer", |vm, args| {
        let [value] = args.method(vm, "float.is_integer")?;
        let x = float(vm, &value)?;
        Ok(Value::Bool(x.is_finite() && x == x.trunc()))
    });
    method(vm, class, "hex", |vm, args| {
        let [value] = args.method(vm, "float.hex")?;
        Ok(Value::str(number::float_hex(float(vm, &value)?)))
    });
    method(vm, class, "as_integer_ratio", |vm, args| {
        let [value] = args.method(vm, "float.as_integer_ratio")?;
        let x = float(vm, &value)?;
        match number::as_integer_ratio(x) {
            Some((above, below)) => Ok(Value::tuple(vec![Value::big(above), Value::big(below)])),
            None if x.is_nan() => Err(vm.value_error("cannot convert NaN to integer ratio")),
            None => Err(vm.overflow("cannot convert Infinity to integer ratio")),
        }
    });
    class_method(vm, class, "fromhex", |vm, class, args| {
        let [text] = args.exactly(vm, "float.fromhex")?;
        let Value::Str(text) = text.plain() else {
            return Err(vm.type_error("bad argument type for built-in operation"));
        };
        let x = number::float_from_hex(text).map_err(|error| match error {
            FromHexError::Invalid => vm.value_error(error.message()),
            FromHexError::TooLarge => vm.overflow(error.message()),
        })?;
        made(vm, class, Value::Float(x))
    });
}

fn float(vm: &Vm, value: &Value) -> PyResult<f64> {
    match number_of(vm, value)? {
        Number::Float(x) => Ok(x),
        _ => Err(vm.type_error("a float is needed")),
    }
}

fn new(vm: &Vm, class: &Rc<Class>, mut args: Args) -> PyResult {
    // A class with an `__init__` of its own may take names for that.
    if !class.builtin && !matches!(class.lookup(&vm.names.init), Some(Value::Native(_))) {
        args.keywords.clear();
    }
    let value = match args.between(vm, "float", 0)? {
        [None] => 0.0,
        [Some(value)] => from_object(vm, &value)?,
    };
    Ok(vm.wrap(class, Value::Float(value)))
}

/// `float(value)`.
pub(super) fn from_object(vm: &Vm, value: &Value) -> PyResult<f64> {
    if has_float(vm, value) {
        return vm.float(value);
    }
    let Some(text) = text_of(value) else {
        let name = vm.class_name(value);
        let message = format!("float() argument must be a string or a real number, not '{name}'");
        return Err(vm.type_error(message));
    };
    let parsed = match text {
        Text::Good(text) => number::parse_float(&text),
        Text::Bad => None,
    };
    match parsed {
        Some(x) => Ok(x),
        None => {
            let shown = vm.repr(value)?;
            Err(vm.value_error(format!("could not convert string to float: {shown}")))
        }
    }
}

/// Whether a float comes of it without reading a text.
pub(super) fn has_float(vm: &Vm, value: &Value) -> bool {
    let real = matches!(
        Number::of(value),
        Some(Number::Int(_) | Number::Big(_) | Number::Float(_))
    );
    real || [&vm.names.float, &vm.names.index]
        .iter()
        .any(|name| vm.special(value, name).is_some())
}
