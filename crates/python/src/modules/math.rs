//! The module `math`: arguments from Python's values, results and refusals from [`crate::real`] and [`crate::number`].
//!
//! Here are the functions of floats; those of integers are in `whole`. Complete for CPython 3.11.
mod whole;

use crate::{
    ast::BinOp,
    builtins::function,
    real::{self, Failure},
    table::Dict,
    value::{Args, Value},
    vm::{Number, PyResult, Raise, Vm},
};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use std::{f64::consts, rc::Rc};

/// Of one float, by [`real::unary`].
const UNARY: [&str; 26] = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "degrees", "erf",
    "erfc", "exp", "exp2", "expm1", "fabs", "gamma", "lgamma", "log1p", "radians", "sin", "sinh",
    "sqrt", "tan", "tanh", "ulp",
];
/// Of two floats, by [`real::binary`].
const BINARY: [&str; 6] = ["atan2", "copysign", "fmod", "nextafter", "pow", "remainder"];

pub(super) fn build(vm: &Vm, names: &Rc<Dict>) -> PyResult<()> {
    for (name, value) in [
        ("pi", consts::PI),
        ("e", consts::E),
        ("tau", consts::TAU),
        ("inf", f64::INFINITY),
        ("nan", f64::NAN),
    ] {
        names.set_str(&vm.intern(name), Value::Float(value));
    }
    for name in UNARY {
        let code = real::unary(name).unwrap_or(|x| Ok(real::ulp(x)));
        function(vm, names, name, move |vm, args| {
            let x = one_float(vm, args, name)?;
            answer(vm, code(x))
        });
    }
    for (name, code) in BINARY
        .into_iter()
        .filter_map(|name| Some((name, real::binary(name)?)))
    {
        function(vm, names, name, move |vm, args| {
            let [x, y] = two(vm, args, name)?;
            let (x, y) = (vm.float(&x)?, vm.float(&y)?);
            answer(vm, code(x, y))
        });
    }
    for (name, test) in [
        ("isfinite", f64::is_finite as fn(f64) -> bool),
        ("isinf", f64::is_infinite),
        ("isnan", f64::is_nan),
    ] {
        function(vm, names, name, move |vm, args| {
            Ok(Value::Bool(test(one_float(vm, args, name)?)))
        });
    }
    add_logarithms(vm, names);
    add_parts(vm, names);
    add_collections(vm, names);
    add_roundings(vm, names);
    function(vm, names, "isclose", is_close);
    whole::add(vm, names);
    Ok(())
}

fn failed(vm: &Vm, failure: Failure) -> Raise {
    match failure.is_overflow() {
        true => vm.overflow(failure.message()),
        false => vm.value_error(failure.message()),
    }
}

fn answer(vm: &Vm, result: Result<f64, Failure>) -> PyResult {
    result
        .map(Value::Float)
        .map_err(|failure| failed(vm, failure))
}

/// The one argument of a function; messages have the module's name before its own.
fn one(vm: &Vm, args: Args, name: &str) -> PyResult {
    let [value] = args.exactly(vm, &format!("math.{name}"))?;
    Ok(value)
}

fn one_float(vm: &Vm, args: Args, name: &str) -> PyResult<f64> {
    match args.positional.as_slice() {
        [Value::Float(x)] if args.keywords.is_empty() => Ok(*x),
        _ => vm.float(&one(vm, args, name)?),
    }
}

/// The module's name is only in the message about keywords.
fn two(vm: &Vm, args: Args, name: &str) -> PyResult<[Value; 2]> {
    args.no_keywords(vm, &format!("math.{name}"))?;
    args.exactly(vm, name)
}

fn add_logarithms(vm: &Vm, names: &Rc<Dict>) {
    type OfInt = fn(&BigInt) -> Result<f64, Failure>;
    for (name, of_int) in [
        ("log2", real::log2_int as OfInt),
        ("log10", real::log10_int),
    ] {
        function(vm, names, name, move |vm, args| {
            logarithm(vm, &one(vm, args, name)?, name, of_int).map(Value::Float)
        });
    }
    function(vm, names, "log", |vm, args| {
        args.no_keywords(vm, "log")?;
        if !matches!(args.positional.len(), 1 | 2) {
            return Err(vm.type_error("math.log requires 1 to 2 arguments"));
        }
        let [value, base] = args.between(vm, "log", 1)?;
        let result = logarithm(vm, &value.unwrap_or(Value::None), "log", real::log_int)?;
        let Some(base) = base else {
            return Ok(Value::Float(result));
        };
        let base = logarithm(vm, &base, "log", real::log_int)?;
        vm.binary(BinOp::Div, &Value::Float(result), &Value::Float(base))
    });
}

/// Integers may be larger than any float.
fn logarithm(
    vm: &Vm,
    value: &Value,
    name: &str,
    of_int: fn(&BigInt) -> Result<f64, Failure>,
) -> PyResult<f64> {
    let result = match Number::of(value).and_then(|number| number.big()) {
        Some(n) => of_int(&n),
        None => match real::unary(name) {
            Some(function) => function(vm.float(value)?),
            None => Err(Failure::Domain),
        },
    };
    result.map_err(|failure| failed(vm, failure))
}

/// What takes a float apart, and puts it together.
fn add_parts(vm: &Vm, names: &Rc<Dict>) {
    function(vm, names, "frexp", |vm, args| {
        let (mantissa, exponent) = real::frexp(one_float(vm, args, "frexp")?);
        Ok(Value::tuple(vec![
            Value::Float(mantissa),
            Value::Int(exponent),
        ]))
    });
    function(vm, names, "modf", |vm, args| {
        let (fraction, whole) = real::modf(one_float(vm, args, "modf")?);
        Ok(Value::tuple(vec![
            Value::Float(fraction),
            Value::Float(whole),
        ]))
    });
    function(vm, names, "ldexp", |vm, args| {
        /// No float is moved farther than from the smallest to beyond the largest.
        const FAR: i64 = 10_000;
        let [x, exponent] = two(vm, args, "ldexp")?;
        let x = vm.float(&x)?;
        let Some(exponent) = Number::of(&exponent).and_then(|number| number.big()) else {
            return Err(vm.type_error("Expected an int as second argument to ldexp."));
        };
        let far = if exponent.is_negative() { -FAR } else { FAR };
        let exponent = exponent
            .to_i64()
            .map_or(far, |exponent| exponent.clamp(-FAR, FAR));
        answer(vm, real::ldexp(x, exponent))
    });
}

fn floats(vm: &Vm, values: &[Value]) -> PyResult<Vec<f64>> {
    values.iter().map(|value| vm.float(value)).collect()
}

/// Functions of many numbers.
fn add_collections(vm: &Vm, names: &Rc<Dict>) {
    function(vm, names, "fsum", |vm, args| {
        let iterator = vm.iter(&one(vm, args, "fsum")?)?;
        let mut numbers = Vec::new();
        while let Some(value) = vm.next(&iterator)? {
            numbers.push(vm.float(&value)?);
        }
        answer(vm, real::fsum(&numbers))
    });
    function(vm, names, "prod", |vm, args| {
        let given = args.positional.len();
        if given == 0 || (given == 2 && args.keywords.is_empty()) {
            let message = format!("prod() takes exactly 1 positional argument ({given} given)");
            return Err(vm.type_error(message));
        }
        let [values, start] = args.bind(vm, "prod", ["", "start"], 1)?;
        let iterator = vm.iter(&values.unwrap_or(Value::None))?;
        let mut product = start.unwrap_or(Value::Int(1));
        while let Some(value) = vm.next(&iterator)? {
            product = vm.binary(BinOp::Mul, &product, &value)?;
        }
        Ok(product)
    });
    function(vm, names, "hypot", |vm, args| {
        args.no_keywords(vm, "math.hypot")?;
        Ok(Value::Float(real::hypot(&floats(vm, &args.positional)?)))
    });
    function(vm, names, "dist", |vm, args| {
        let [from, to] = two(vm, args, "dist")?;
        let (from, to) = (vm.collect(&from)?, vm.collect(&to)?);
        if from.len() != to.len() {
            return Err(vm.value_error("both points must have the same number of dimensions"));
        }
        Ok(Value::Float(real::dist(
            &floats(vm, &from)?,
            &floats(vm, &to)?,
        )))
    });
}

/// `ceil`, `floor`, `trunc`: an object's own method first.
fn add_roundings(vm: &Vm, names: &Rc<Dict>) {
    type Rounding = fn(f64) -> f64;
    for (name, method, rounding) in [
        ("ceil", &vm.names.ceil, f64::ceil as Rounding),
        ("floor", &vm.names.floor, f64::floor),
        ("trunc", &vm.names.trunc, f64::trunc),
    ] {
        let method = method.clone();
        function(vm, names, name, move |vm, args| {
            let value = one(vm, args, name)?;
            if let Value::Float(x) = &value {
                return whole_float(vm, rounding(*x));
            }
            if let Some(result) = vm.call_special(&value, &method, Vec::new())? {
                return Ok(result);
            }
            match Number::of(&value) {
                Some(number @ (Number::Int(_) | Number::Big(_))) => Ok(number.value()),
                None | Some(Number::Complex(_)) if name == "trunc" => {
                    let kind = vm.class_name(&value);
                    Err(vm.type_error(format!("type {kind} doesn't define __trunc__ method")))
                }
                _ => whole_float(vm, rounding(vm.float(&value)?)),
            }
        });
    }
}

/// The integer that a float without a fraction is.
fn whole_float(vm: &Vm, x: f64) -> PyResult {
    match x.abs() < (1_u64 << 53) as f64 {
        true => Ok(Value::Int(x as i64)),
        false => vm.whole_number(x),
    }
}

fn is_close(vm: &Vm, args: Args) -> PyResult {
    let given = args.positional.len();
    if given > 2 {
        let message = format!("isclose() takes exactly 2 positional arguments ({given} given)");
        return Err(vm.type_error(message));
    }
    let bound = args.bind(vm, "isclose", ["a", "b", "rel_tol", "abs_tol"], 2)?;
    let [a, b, relative, absolute] = bound;
    let float = |value: Option<Value>, default: f64| match value {
        Some(value) => vm.float(&value),
        None => Ok(default),
    };
    let (a, b) = (float(a, 0.0)?, float(b, 0.0)?);
    let (relative, absolute) = (float(relative, 1e-9)?, float(absolute, 0.0)?);
    let close = real::is_close(a, b, relative, absolute);
    close
        .map(Value::Bool)
        .map_err(|failure| failed(vm, failure))
}
