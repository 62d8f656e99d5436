//! Arithmetic and functions on values that are exact as long as they can be.

use super::ratio::{self, Ratio, checked, count, factorial, fits, part, root, value_float, whole};
use crate::number::Value;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

/// A function that a question can name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Function {
    Root(u32),
    Power(i32),
    Log(u32),
    Ln,
    Sin,
    Cos,
    Tan,
    Abs,
    Factor(i64, i64),
    FactorialOf,
}

/// A function of a value that is exact.
pub(super) fn applied(function: Function, argument: &Value) -> Option<Value> {
    let Value::Exact(exact) = argument else {
        return None;
    };
    match function {
        Function::Root(degree) => root(exact, degree),
        Function::Power(degree) => ratio::whole_power(exact, degree).map(Value::Exact),
        Function::Factor(above, below) => Some(Value::Exact(exact * part(above, below))),
        Function::Abs => Some(Value::Exact(exact.abs())),
        Function::FactorialOf => factorial_of(argument),
        Function::Ln => exact
            .is_positive()
            .then(|| checked(libm::log(ratio::float(exact)?)))
            .flatten(),
        Function::Log(base) => logarithm(exact, base),
        Function::Sin | Function::Cos | Function::Tan => trigonometric(function, exact),
    }
}

/// Exact where the number is a power of the base.
fn logarithm(exact: &Ratio, base: u32) -> Option<Value> {
    if !exact.is_positive() || base < 2 {
        return None;
    }
    let near = libm::log(ratio::float(exact)?) / libm::log(f64::from(base));
    let rounded = near.round();
    if rounded.abs() < 1000.0
        && ratio::whole_power(&whole(base), rounded.to_i32()?).as_ref() == Some(exact)
    {
        return Some(Value::Exact(whole(rounded.to_i64()?)));
    }
    checked(near)
}

/// Of degrees; exact at multiples of 30 and 45 where the value is rational.
fn trigonometric(function: Function, degrees: &Ratio) -> Option<Value> {
    let turn = degrees - (degrees / whole(360)).floor() * whole(360);
    let radians = ratio::float(&turn)?.to_radians();
    let value = match function {
        Function::Sin => libm::sin(radians),
        Function::Cos => libm::cos(radians),
        _ if (&turn / whole(90)).is_integer() && !(&turn / whole(180)).is_integer() => return None,
        _ => libm::tan(radians),
    };
    let double = (value * 2.0).round();
    let special = (&turn / whole(15)).is_integer() && (value * 2.0 - double).abs() < 1e-12;
    if special {
        Some(Value::Exact(whole(double.to_i64()?) / whole(2)))
    } else {
        checked(value)
    }
}

/// n!
pub(super) fn factorial_of(value: &Value) -> Option<Value> {
    let Value::Exact(exact) = value else {
        return None;
    };
    let n = count(exact, 400)?;
    Some(Value::Exact(factorial(n)?.into()))
}

/// Of a percentage.
pub(super) fn hundredth(value: &Value) -> Option<Value> {
    divide(value, &Value::Exact(whole(100)))
}

pub(super) fn negated(value: &Value) -> Value {
    match value {
        Value::Exact(exact) => Value::Exact(-exact),
        Value::Float(float) => Value::Float(-float),
    }
}

pub(super) fn add(a: &Value, b: &Value) -> Option<Value> {
    both(a, b, |a, b| Some(a + b), |a, b| a + b)
}

pub(super) fn multiply(a: &Value, b: &Value) -> Option<Value> {
    both(a, b, |a, b| Some(a * b), |a, b| a * b)
}

pub(super) fn divide(a: &Value, b: &Value) -> Option<Value> {
    both(a, b, |a, b| (!b.is_zero()).then(|| a / b), |a, b| a / b)
}

pub(super) fn remainder(a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (Value::Exact(a), Value::Exact(b))
            if a.is_integer() && b.is_integer() && b.is_positive() =>
        {
            Some(Value::Exact(
                a.to_integer().mod_floor(&b.to_integer()).into(),
            ))
        }
        _ => None,
    }
}

fn both(
    a: &Value,
    b: &Value,
    exact: impl Fn(&Ratio, &Ratio) -> Option<Ratio>,
    float: impl Fn(f64, f64) -> f64,
) -> Option<Value> {
    match (a, b) {
        (Value::Exact(a), Value::Exact(b)) => exact(a, b).filter(fits).map(Value::Exact),
        _ => checked(float(value_float(a)?, value_float(b)?)),
    }
}
