//! Builtin functions over numbers and collections of them.
use super::all_of;
use crate::{
    ast::BinOp,
    builtins::function,
    number,
    value::{Args, Value},
    vm::{Number, PyResult, Vm},
};
use num_traits::{Signed, ToPrimitive};

pub(super) fn install(vm: &Vm) {
    let names = &vm.builtins;
    function(vm, names, "abs", |vm, args| {
        let [value] = args.exactly(vm, "abs")?;
        if let Some(result) = vm.call_special(&value, &vm.names.abs, Vec::new())? {
            return Ok(result);
        }
        match Number::of(&value) {
            Some(Number::Int(n)) => Ok(n
                .checked_abs()
                .map_or_else(|| Value::big(-num_bigint::BigInt::from(n)), Value::Int)),
            Some(Number::Big(n)) => Ok(Value::big(n.abs())),
            Some(Number::Float(x)) => Ok(Value::Float(x.abs())),
            Some(Number::Complex(z)) => z
                .length()
                .map(Value::Float)
                .map_err(|error| vm.complex_error(error)),
            None => {
                let name = vm.class_name(&value);
                Err(vm.type_error(format!("bad operand type for abs(): '{name}'")))
            }
        }
    });
    function(vm, names, "any", |vm, args| {
        let [values] = args.exactly(vm, "any")?;
        let none = all_of(vm, &values, |value| vm.truth(&value).map(|truth| !truth))?;
        Ok(Value::Bool(!none))
    });
    function(vm, names, "all", |vm, args| {
        let [values] = args.exactly(vm, "all")?;
        all_of(vm, &values, |value| vm.truth(&value)).map(Value::Bool)
    });
    function(vm, names, "sum", sum);
    function(vm, names, "min", |vm, args| extreme(vm, args, "min"));
    function(vm, names, "max", |vm, args| extreme(vm, args, "max"));
    function(vm, names, "pow", power);
    function(vm, names, "divmod", divmod);
    function(vm, names, "round", round);
    install_texts(vm);
}

/// Numbers as texts, and characters as numbers.
fn install_texts(vm: &Vm) {
    let names = &vm.builtins;
    for (name, base, prefix) in [("bin", 2, "0b"), ("oct", 8, "0o"), ("hex", 16, "0x")] {
        function(vm, names, name, move |vm, args| {
            let [value] = args.exactly(vm, name)?;
            let n = vm.integer(&value)?;
            let sign = if n.is_negative() { "-" } else { "" };
            Ok(Value::str(format!(
                "{sign}{prefix}{}",
                n.abs().to_str_radix(base)
            )))
        });
    }
    function(vm, names, "chr", |vm, args| {
        let [value] = args.exactly(vm, "chr")?;
        let code = vm
            .integer(&value)?
            .to_u32()
            .filter(|code| *code <= 0x10_ffff);
        let Some(code) = code else {
            return Err(vm.value_error("chr() arg not in range(0x110000)"));
        };
        Ok(Value::str(
            char::from_u32(code).unwrap_or('\u{fffd}').to_string(),
        ))
    });
    function(vm, names, "ord", |vm, args| {
        let [value] = args.exactly(vm, "ord")?;
        let (len, code) = match value.plain() {
            Value::Str(text) => (text.chars_len(), text.chars().next().map(u32::from)),
            Value::Bytes(bytes) => (bytes.len(), bytes.first().map(|byte| u32::from(*byte))),
            other => {
                let name = vm.class_name(other);
                let message = format!("ord() expected string of length 1, but {name} found");
                return Err(vm.type_error(message));
            }
        };
        match code {
            Some(code) if len == 1 => Ok(Value::Int(code.into())),
            _ => {
                let message =
                    format!("ord() expected a character, but string of length {len} found");
                Err(vm.type_error(message))
            }
        }
    });
}

fn sum(vm: &Vm, args: Args) -> PyResult {
    let [values, start] = args.bind(vm, "sum", ["", "start"], 1)?;
    let mut total = start.unwrap_or(Value::Int(0));
    let what = match total.plain() {
        Value::Str(_) => Some("strings [use ''.join(seq) instead]"),
        Value::Bytes(_) => Some("bytes [use b''.join(seq) instead]"),
        _ => None,
    };
    if let Some(what) = what {
        return Err(vm.type_error(format!("sum() can't sum {what}")));
    }
    let iterator = vm.iter(&values.unwrap_or(Value::None))?;
    while let Some(value) = vm.next(&iterator)? {
        total = vm.binary(BinOp::Add, &total, &value)?;
    }
    Ok(total)
}

fn extreme(vm: &Vm, mut args: Args, name: &'static str) -> PyResult {
    let mut option = |wanted: &str| {
        let at = args
            .keywords
            .iter()
            .position(|(known, _)| **known == *wanted)?;
        Some(args.keywords.remove(at).1)
    };
    let (key, default) = (
        option("key").filter(|key| !key.is_none()),
        option("default"),
    );
    if let Some((other, _)) = args.keywords.first() {
        let message = format!("{name}() got an unexpected keyword argument '{other}'");
        return Err(vm.type_error(message));
    }
    let values = match args.positional.as_slice() {
        [] => {
            let message = format!("{name} expected at least 1 argument, got 0");
            return Err(vm.type_error(message));
        }
        [iterable] => vm.iter(iterable)?,
        _ if default.is_some() => {
            let message =
                format!("Cannot specify a default for {name}() with multiple positional arguments");
            return Err(vm.type_error(message));
        }
        many => vm.iter(&Value::tuple(many.to_vec()))?,
    };
    let mut best: Option<(Value, Value)> = None;
    while let Some(value) = vm.next(&values)? {
        let rank = match &key {
            Some(key) => vm.call(key, vec![value.clone()])?,
            None => value.clone(),
        };
        let better = match &best {
            None => true,
            Some((old, _)) if name == "min" => vm.less(&rank, old)?,
            Some((old, _)) => {
                let greater = vm.compare(crate::ast::CompareOp::Gt, &rank, old)?;
                vm.truth(&greater)?
            }
        };
        if better {
            best = Some((rank, value));
        }
    }
    match (best, default) {
        (Some((_, value)), _) => Ok(value),
        (None, Some(default)) => Ok(default),
        (None, None) => Err(vm.value_error(format!("{name}() arg is an empty sequence"))),
    }
}

fn power(vm: &Vm, args: Args) -> PyResult {
    let [base, exponent, modulus] = args.bind(vm, "pow", ["base", "exp", "mod"], 2)?;
    let (base, exponent) = (base.unwrap_or(Value::None), exponent.unwrap_or(Value::None));
    let Some(modulus) = modulus.filter(|modulus| !modulus.is_none()) else {
        return vm.binary(BinOp::Pow, &base, &exponent);
    };
    let method = vm.intern("__pow__");
    if let Some(result) =
        vm.call_special(&base, &method, vec![exponent.clone(), modulus.clone()])?
    {
        return Ok(result);
    }
    let integer = |value: &Value| Number::of(value).and_then(|number| number.big());
    match (integer(&base), integer(&exponent), integer(&modulus)) {
        (Some(base), Some(exponent), Some(modulus)) => number::mod_pow(&base, &exponent, &modulus)
            .map(Value::big)
            .map_err(|error| vm.value_error(error.message())),
        _ if [&base, &exponent, &modulus]
            .iter()
            .all(|value| Number::of(value).is_some()) =>
        {
            let message = "pow() 3rd argument not allowed unless all arguments are integers";
            Err(vm.type_error(message))
        }
        _ => {
            let names = [&base, &exponent, &modulus].map(|value| vm.class_name(value));
            let message = format!(
                "unsupported operand type(s) for ** or pow(): '{}', '{}', '{}'",
                names[0], names[1], names[2]
            );
            Err(vm.type_error(message))
        }
    }
}

fn divmod(vm: &Vm, args: Args) -> PyResult {
    let [a, b] = args.exactly(vm, "divmod")?;
    let names = (&vm.names.divmod, &vm.names.rdivmod);
    if let Some(result) = vm.by_methods(&a, &b, names.0, names.1, false)? {
        return Ok(result);
    }
    let real = |value: &Value| {
        matches!(
            Number::of(value),
            Some(Number::Int(_) | Number::Big(_) | Number::Float(_))
        )
    };
    if !real(&a) || !real(&b) {
        let (left, right) = (vm.class_name(&a), vm.class_name(&b));
        let message = format!("unsupported operand type(s) for divmod(): '{left}' and '{right}'");
        return Err(vm.type_error(message));
    }
    let zero = |class: &str, message: &str| Err(vm.error(class, message));
    if !vm.truth(&b)? {
        let float = matches!(a.plain(), Value::Float(_)) || matches!(b.plain(), Value::Float(_));
        return match float {
            true => zero("ZeroDivisionError", "float divmod()"),
            false => zero("ZeroDivisionError", "integer division or modulo by zero"),
        };
    }
    // Not by a `__floordiv__` of a class below a number.
    let (a, b) = (a.plain(), b.plain());
    let quotient = vm.binary(BinOp::FloorDiv, a, b)?;
    let rest = vm.binary(BinOp::Mod, a, b)?;
    Ok(Value::tuple(vec![quotient, rest]))
}

fn round(vm: &Vm, args: Args) -> PyResult {
    let [value, digits] = args.bind(vm, "round", ["number", "ndigits"], 1)?;
    let value = value.unwrap_or(Value::None);
    let digits = digits.filter(|digits| !digits.is_none());
    let own = vm.call_special(&value, &vm.names.round, digits.iter().cloned().collect())?;
    if let Some(result) = own {
        return Ok(result);
    }
    vm.round_number(&value, digits.as_ref())
}

impl Vm {
    /// `round` of builtin numbers.
    pub(crate) fn round_number(&self, value: &Value, digits: Option<&Value>) -> PyResult {
        let places = match digits {
            Some(digits) => Some(self.integer(digits)?),
            None => None,
        };
        let small = places.as_ref().map(|places| {
            let far = if places.is_negative() {
                i64::MIN
            } else {
                i64::MAX
            };
            places.to_i64().unwrap_or(far)
        });
        match (Number::of(value), small) {
            (Some(Number::Float(x)), None) => self.whole_number(number::round_half_even(x)),
            (Some(Number::Float(x)), Some(digits)) => {
                let rounded = number::round_float(x, digits);
                match rounded.is_infinite() && x.is_finite() {
                    true => Err(self.overflow("rounded value too large to represent")),
                    false => Ok(Value::Float(rounded)),
                }
            }
            (Some(number @ (Number::Int(_) | Number::Big(_))), digits) => match digits {
                None | Some(0..) => Ok(number.value()),
                Some(digits) => {
                    let n = number.big().unwrap_or_default();
                    Ok(Value::big(number::round_int(&n, digits)))
                }
            },
            _ => {
                let name = self.class_name(value);
                Err(self.type_error(format!("type {name} doesn't define __round__ method")))
            }
        }
    }

    /// The integer of a float, with Python's errors for what has none.
    pub(crate) fn whole_number(&self, x: f64) -> PyResult {
        if x.is_nan() {
            return Err(self.value_error("cannot convert float NaN to integer"));
        }
        match number::float_to_int(x) {
            Some(n) => Ok(Value::big(n)),
            None => Err(self.overflow("cannot convert float infinity to integer")),
        }
    }
}
