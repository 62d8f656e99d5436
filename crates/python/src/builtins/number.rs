//! The types `int`, `float` and `complex`: their constructors, attributes and methods.
//!
//! Here is what they share. Operators are in `special`, since the machine does them without any method; what is computed is
//! in [`crate::number`]. `bool` has its constructor among the functions and all else from `int`.
mod complex;
mod float;
mod integer;

use super::{getter, method};
use crate::{
    ast::BinOp,
    class::Class,
    value::Value,
    vm::{Number, PyResult, Vm},
};
use num_traits::Signed;
use std::rc::Rc;

pub(super) fn install(vm: &Vm) {
    integer::install(vm);
    float::install(vm);
    complex::install(vm);
    install_parts(vm);
    for class in [&vm.types.int, &vm.types.float] {
        install_conversions(vm, class);
        install_divmod(vm, class);
    }
    for class in [&vm.types.int, &vm.types.float, &vm.types.complex] {
        install_abs(vm, class);
    }
}

/// The number that a receiver is. The machine has checked that it is one.
fn number_of(vm: &Vm, value: &Value) -> PyResult<Number> {
    Number::of(value).ok_or_else(|| vm.type_error("a number is needed"))
}

/// `real`, `imag` and what rational numbers have besides.
fn install_parts(vm: &Vm) {
    let types = &vm.types;
    for class in [&types.int, &types.float] {
        getter(
            vm,
            class,
            "real",
            |vm, value| Ok(number_of(vm, value)?.value()),
            None,
        );
    }
    getter(vm, &types.int, "imag", |_, _| Ok(Value::Int(0)), None);
    getter(vm, &types.float, "imag", |_, _| Ok(Value::Float(0.0)), None);
    getter(
        vm,
        &types.int,
        "numerator",
        |vm, value| Ok(number_of(vm, value)?.value()),
        None,
    );
    getter(
        vm,
        &types.int,
        "denominator",
        |_, _| Ok(Value::Int(1)),
        None,
    );
}

/// What turns into another type of number, for integers and floats.
fn install_conversions(vm: &Vm, class: &Rc<Class>) {
    for name in ["__int__", "__trunc__"] {
        method(vm, class, name, move |vm, args| {
            let [value] = args.method(vm, name)?;
            whole(vm, &value, f64::trunc)
        });
    }
    method(vm, class, "__floor__", |vm, args| {
        let [value] = args.method(vm, "__floor__")?;
        whole(vm, &value, f64::floor)
    });
    method(vm, class, "__ceil__", |vm, args| {
        let [value] = args.method(vm, "__ceil__")?;
        whole(vm, &value, f64::ceil)
    });
    method(vm, class, "__float__", |vm, args| {
        let [value] = args.method(vm, "__float__")?;
        vm.float(value.plain()).map(Value::Float)
    });
    method(vm, class, "__round__", |vm, args| {
        if args.positional.len() > 2 {
            let given = args.positional.len() - 1;
            let message = format!("__round__ expected at most 1 argument, got {given}");
            return Err(vm.type_error(message));
        }
        let [value, digits] = args.between(vm, "__round__", 1)?;
        let digits = digits.filter(|digits| !digits.is_none());
        vm.round_number(value.unwrap_or(Value::None).plain(), digits.as_ref())
    });
    let shown = format!("{}.conjugate", class.name());
    method(vm, class, "conjugate", move |vm, args| {
        let [value] = args.method(vm, &shown)?;
        Ok(number_of(vm, &value)?.value())
    });
    method(vm, class, "__getnewargs__", |vm, args| {
        let [value] = args.method(vm, "__getnewargs__")?;
        Ok(Value::tuple(vec![number_of(vm, &value)?.value()]))
    });
}

/// An integer as it is, a float made whole.
fn whole(vm: &Vm, value: &Value, rounded: fn(f64) -> f64) -> PyResult {
    match number_of(vm, value)? {
        Number::Float(x) => vm.whole_number(rounded(x)),
        number => Ok(number.value()),
    }
}

fn install_abs(vm: &Vm, class: &Rc<Class>) {
    method(vm, class, "__abs__", |vm, args| {
        let [value] = args.method(vm, "__abs__")?;
        match number_of(vm, &value)? {
            Number::Float(x) => Ok(Value::Float(x.abs())),
            Number::Complex(z) => {
                let length = z.length().map_err(|error| vm.complex_error(error))?;
                Ok(Value::Float(length))
            }
            number => Ok(Value::big(number.big().unwrap_or_default().abs())),
        }
    });
}

fn install_divmod(vm: &Vm, class: &Rc<Class>) {
    let whole_only = Rc::ptr_eq(class, &vm.types.int);
    for (name, reflected) in [("__divmod__", false), ("__rdivmod__", true)] {
        method(vm, class, name, move |vm, args| {
            let [a, b] = args.method(vm, name)?;
            match reflected {
                true => divmod(vm, b.plain(), a.plain(), whole_only),
                false => divmod(vm, a.plain(), b.plain(), whole_only),
            }
        });
    }
}

fn divmod(vm: &Vm, a: &Value, b: &Value, whole_only: bool) -> PyResult {
    let fits = |value: &Value| match Number::of(value) {
        Some(Number::Int(_) | Number::Big(_)) => true,
        Some(Number::Float(_)) => !whole_only,
        _ => false,
    };
    if !fits(a) || !fits(b) {
        return Ok(Value::NotImplemented);
    }
    if !whole_only && !vm.truth(b)? {
        return Err(vm.zero_division("float divmod()"));
    }
    let quotient = vm.binary(BinOp::FloorDiv, a, b)?;
    let rest = vm.binary(BinOp::Mod, a, b)?;
    Ok(Value::tuple(vec![quotient, rest]))
}

/// The text that a constructor is to read a number from: that of a string, or of bytes that are all ASCII.
enum Text {
    Good(String),
    /// Bytes that cannot spell a number.
    Bad,
}

fn text_of(value: &Value) -> Option<Text> {
    let bytes = match value.plain() {
        Value::Str(text) => return Some(Text::Good(text.to_string())),
        Value::Bytes(bytes) => (**bytes).clone(),
        Value::ByteArray(bytes) => bytes.borrow().clone(),
        _ => return None,
    };
    let text = String::from_utf8(bytes).ok().filter(|text| text.is_ascii());
    Some(text.map_or(Text::Bad, Text::Good))
}

/// What a class method gives: of a descendant, whatever calling it with the value gives.
fn made(vm: &Vm, class: &Rc<Class>, value: Value) -> PyResult {
    match class.builtin && !Rc::ptr_eq(class, &vm.types.bool_) {
        true => Ok(value),
        false => vm.call(&Value::Class(class.clone()), vec![value]),
    }
}
