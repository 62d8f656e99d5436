//! `complex`: made of two numbers or of a text.
use super::{float, number_of};
use crate::{
    builtins::{constructor, getter, method},
    class::Class,
    number::{self, Complex},
    value::{Args, Value},
    vm::{Number, PyResult, Vm},
};
use std::rc::Rc;

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.complex;
    constructor(vm, class, new);
    getter(
        vm,
        class,
        "real",
        |vm, value| complex(vm, value).map(|z| Value::Float(z.real)),
        None,
    );
    getter(
        vm,
        class,
        "imag",
        |vm, value| complex(vm, value).map(|z| Value::Float(z.imaginary)),
        None,
    );
    method(vm, class, "conjugate", |vm, args| {
        let [value] = args.method(vm, "complex.conjugate")?;
        let z = complex(vm, &value)?;
        Ok(Value::complex(z.real, -z.imaginary))
    });
    method(vm, class, "__complex__", |vm, args| {
        let [value] = args.method(vm, "complex.__complex__")?;
        Ok(number_of(vm, &value)?.value())
    });
    method(vm, class, "__getnewargs__", |vm, args| {
        let [value] = args.method(vm, "complex.__getnewargs__")?;
        let z = complex(vm, &value)?;
        Ok(Value::tuple(vec![
            Value::Float(z.real),
            Value::Float(z.imaginary),
        ]))
    });
}

fn complex(vm: &Vm, value: &Value) -> PyResult<Complex> {
    match number_of(vm, value)? {
        Number::Complex(z) => Ok(z),
        _ => Err(vm.type_error("a complex number is needed")),
    }
}

fn new(vm: &Vm, class: &Rc<Class>, args: Args) -> PyResult {
    let [real, imaginary] = args.bind(vm, "complex", ["real", "imag"], 0)?;
    let real = real.unwrap_or(Value::Int(0));
    if let Value::Str(text) = real.plain() {
        if imaginary.is_some() {
            return Err(vm.type_error("complex() can't take second arg if first is a string"));
        }
        let Some(plain) = plain_digits(text) else {
            let shown = vm.repr(&real)?;
            return Err(vm.value_error(format!("could not convert string to complex: {shown}")));
        };
        return match parse(&plain) {
            Some(z) => Ok(vm.wrap(class, Value::Complex(Rc::new(z)))),
            None => Err(vm.value_error("complex() arg is a malformed string")),
        };
    }
    let z = from_parts(vm, &real, imaginary.as_ref())?;
    Ok(vm.wrap(class, Value::Complex(Rc::new(z))))
}

/// Either part may be complex itself: `real + imaginary * 1j`, without touching signs of zeros that need not change.
fn from_parts(vm: &Vm, real: &Value, imaginary: Option<&Value>) -> PyResult<Complex> {
    if let Some(Value::Str(_)) = imaginary.map(Value::plain) {
        return Err(vm.type_error("complex() second arg can't be a string"));
    }
    let (first, first_turned) = part(vm, real, true)?;
    let Some(imaginary) = imaginary else {
        return Ok(Complex::new(first, first_turned.unwrap_or(0.0)));
    };
    let (second, second_turned) = part(vm, imaginary, false)?;
    Ok(Complex::new(
        second_turned.map_or(first, |turned| first - turned),
        first_turned.map_or(second, |turned| second + turned),
    ))
}

/// The real part of a number, and the imaginary one if it is complex.
fn part(vm: &Vm, value: &Value, first: bool) -> PyResult<(f64, Option<f64>)> {
    if first && let Some(result) = vm.call_special(value, &vm.names.complex, Vec::new())? {
        return match Number::of(&result) {
            Some(Number::Complex(z)) => Ok((z.real, Some(z.imaginary))),
            _ => {
                let name = vm.class_name(&result);
                Err(vm.type_error(format!("__complex__ returned non-complex (type {name})")))
            }
        };
    }
    if let Some(Number::Complex(z)) = Number::of(value) {
        return Ok((z.real, Some(z.imaginary)));
    }
    if float::has_float(vm, value) {
        return Ok((float::from_object(vm, value)?, None));
    }
    let name = vm.class_name(value);
    Err(vm.type_error(match first {
        true => format!("complex() first argument must be a string or a number, not '{name}'"),
        false => format!("complex() second argument must be a number, not '{name}'"),
    }))
}

/// What `complex()` makes of a text of plain digits: `1+2j`, `-j`, `(3)`.
fn parse(text: &str) -> Option<Complex> {
    let blank = [' ', '\t', '\n', '\x0b', '\x0c', '\r'];
    let mut text = text.trim_matches(blank);
    if let Some(inner) = text.strip_prefix('(') {
        text = inner.strip_suffix(')')?.trim_matches(blank);
    }
    let (first, rest) = leading_float(text);
    let turned = |rest: &str| matches!(rest, "j" | "J");
    let unit = |sign: &str| if sign.starts_with('-') { -1.0 } else { 1.0 };
    match first {
        Some(x) if rest.is_empty() => Some(Complex::new(x, 0.0)),
        Some(x) if turned(rest) => Some(Complex::new(0.0, x)),
        Some(x) => {
            let bare = rest.strip_prefix(['+', '-'])?;
            match leading_float(rest) {
                (Some(y), rest) => turned(rest).then(|| Complex::new(x, y)),
                (None, _) => turned(bare).then(|| Complex::new(x, unit(rest))),
            }
        }
        None => {
            let bare = rest.strip_prefix(['+', '-']).unwrap_or(rest);
            turned(bare).then(|| Complex::new(0.0, unit(rest)))
        }
    }
}

/// ASCII digits and blanks for those of other scripts, and no underscores; `None` if one is not between two digits.
fn plain_digits(text: &str) -> Option<String> {
    let plain = |c: char| match number::decimal_digit(c) {
        Some(digit) => char::from_digit(digit, 10).unwrap_or(c),
        None if c.is_whitespace() && !c.is_ascii() => ' ',
        None => c,
    };
    let all: Vec<char> = text.chars().map(plain).collect();
    let digit = |at: Option<usize>| {
        at.and_then(|at| all.get(at))
            .is_some_and(char::is_ascii_digit)
    };
    let mut kept = String::with_capacity(all.len());
    for (at, c) in all.iter().enumerate() {
        if *c != '_' {
            kept.push(*c);
        } else if !digit(at.checked_sub(1)) || !digit(at.checked_add(1)) {
            return None;
        }
    }
    Some(kept)
}

/// The longest float that the text begins with, and what follows it.
fn leading_float(text: &str) -> (Option<f64>, &str) {
    let bytes = text.as_bytes();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let digits = |from: usize| {
        bytes
            .iter()
            .skip(from)
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let lower: String = text
        .chars()
        .skip(sign)
        .take(8)
        .collect::<String>()
        .to_ascii_lowercase();
    let word = ["infinity", "inf", "nan"]
        .iter()
        .find(|word| lower.starts_with(**word));
    let end = match word {
        Some(word) => sign + word.len(),
        None => {
            let whole = digits(sign);
            let mut end = sign + whole;
            let mut count = whole;
            if bytes.get(end) == Some(&b'.') {
                let fraction = digits(end + 1);
                count += fraction;
                end += 1 + fraction;
            }
            if count == 0 {
                return (None, text);
            }
            if matches!(bytes.get(end), Some(b'e' | b'E')) {
                let signed = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
                let exponent = digits(end + 1 + signed);
                if exponent > 0 {
                    end += 1 + signed + exponent;
                }
            }
            end
        }
    };
    match text.split_at_checked(end) {
        Some((float, rest)) => (float.parse().ok(), rest),
        None => (None, text),
    }
}
