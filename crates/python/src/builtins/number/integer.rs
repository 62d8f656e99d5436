//! `int`: reading it from text and objects, its bits and its bytes.
//!
//! Texts of more digits than `sys.set_int_max_str_digits` allows are refused, as CPython does, unless the base is a power
//! of two.
use super::{Text, made, number_of, text_of};
use crate::{
    builtins::{class_method, constructor, method},
    class::Class,
    number,
    value::{Args, Value},
    vm::{Bound, Number, PyResult, Raise, Vm},
};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use std::rc::Rc;

/// So many bytes `to_bytes` makes at most.
const MOST_BYTES: i64 = 1 << 26;
/// Below this a limit on digits does not count.
const FREE_DIGITS: usize = 640;

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.int;
    constructor(vm, class, new);
    for (name, count) in [
        ("bit_length", number::bit_length as fn(&BigInt) -> u64),
        ("bit_count", number::bit_count),
    ] {
        method(vm, class, name, move |vm, args| {
            let [value] = args.method(vm, &format!("int.{name}"))?;
            Ok(Value::u64(count(&big(vm, &value)?)))
        });
    }
    method(vm, class, "__index__", |vm, args| {
        let [value] = args.method(vm, "__index__")?;
        Ok(number_of(vm, &value)?.value())
    });
    method(vm, class, "as_integer_ratio", |vm, args| {
        let [value] = args.method(vm, "int.as_integer_ratio")?;
        Ok(Value::tuple(vec![
            number_of(vm, &value)?.value(),
            Value::Int(1),
        ]))
    });
    method(vm, class, "to_bytes", to_bytes);
    class_method(vm, class, "from_bytes", from_bytes);
}

fn big(vm: &Vm, value: &Value) -> PyResult<BigInt> {
    let number = number_of(vm, value)?;
    number
        .big()
        .ok_or_else(|| vm.type_error("an integer is needed"))
}

fn new(vm: &Vm, class: &Rc<Class>, args: Args) -> PyResult {
    if Rc::ptr_eq(class, &vm.types.bool_) {
        return Err(vm.type_error("int.__new__(bool) is not safe, use bool.__new__()"));
    }
    let value = match args.bind(vm, "int", ["", "base"], 0)? {
        [None, None] => Value::Int(0),
        [None, Some(_)] => return Err(vm.type_error("int() missing string argument")),
        [Some(value), None] => from_object(vm, &value)?,
        [Some(value), Some(base)] => with_base(vm, &value, &base)?,
    };
    Ok(vm.wrap(class, value))
}

fn from_object(vm: &Vm, value: &Value) -> PyResult {
    if let Value::Int(_) | Value::Big(_) = value {
        return Ok(value.clone());
    }
    if let Some(result) = vm.call_special(value, &vm.names.int, Vec::new())? {
        return whole_result(vm, &result, "__int__ returned non-int");
    }
    match Number::of(value) {
        Some(Number::Float(x)) if x.abs() < (1_u64 << 53) as f64 => {
            return Ok(Value::Int(x as i64));
        }
        Some(Number::Float(x)) => return vm.whole_number(x),
        Some(Number::Complex(_)) => {}
        Some(number) => return Ok(number.value()),
        None => {
            if let Some(number) = vm.index_number(value)? {
                return Ok(number.value());
            }
            if let Some(result) = vm.call_special(value, &vm.names.trunc, Vec::new())? {
                return match vm.index_number(&result)? {
                    Some(number) => Ok(number.value()),
                    None => match vm.call_special(&result, &vm.names.int, Vec::new())? {
                        Some(result) => whole_result(vm, &result, "__int__ returned non-int"),
                        None => whole_result(vm, &result, "__trunc__ returned non-Integral"),
                    },
                };
            }
        }
    }
    if let Some(text) = text_of(value) {
        return parse(vm, value, text, 10);
    }
    let name = vm.class_name(value);
    let message = format!(
        "int() argument must be a string, a bytes-like object or a real number, not '{name}'"
    );
    Err(vm.type_error(message))
}

/// What a method gave for an integer.
fn whole_result(vm: &Vm, result: &Value, complaint: &str) -> PyResult {
    match Number::of(result) {
        Some(number @ (Number::Int(_) | Number::Big(_))) => Ok(number.value()),
        _ => {
            let name = vm.class_name(result);
            Err(vm.type_error(format!("{complaint} (type {name})")))
        }
    }
}

fn with_base(vm: &Vm, value: &Value, base: &Value) -> PyResult {
    let base = vm.integer(base)?;
    let base = base.to_u32().filter(|base| matches!(base, 0 | 2..=36));
    let Some(base) = base else {
        return Err(vm.value_error("int() base must be >= 2 and <= 36, or 0"));
    };
    match text_of(value) {
        Some(text) => parse(vm, value, text, base),
        None => Err(vm.type_error("int() can't convert non-string with explicit base")),
    }
}

fn parse(vm: &Vm, value: &Value, text: Text, base: u32) -> PyResult {
    let Text::Good(text) = text else {
        return Err(invalid(vm, value, base)?);
    };
    if let Some(count) = too_many_digits(vm, &text, base) {
        let most = vm.max_digits.get();
        let message = format!(
            "Exceeds the limit ({most} digits) for integer string conversion: value has {count} digits; use sys.set_int_max_str_digits() to increase the limit"
        );
        return Err(vm.value_error(message));
    }
    match number::parse_int(&text, base) {
        Some(n) => Ok(Value::big(n)),
        None => Err(invalid(vm, value, base)?),
    }
}

/// How many digits there are, if that is more than allowed.
fn too_many_digits(vm: &Vm, text: &str, base: u32) -> Option<usize> {
    let most = vm.max_digits.get();
    if most == 0 || text.len() <= most.max(FREE_DIGITS) {
        return None;
    }
    let bare = text.trim().trim_start_matches(['+', '-']);
    let prefixed = matches!(bare.get(..2), Some("0x" | "0X" | "0o" | "0O" | "0b" | "0B"));
    let base = match base {
        0 if prefixed => return None,
        0 => 10,
        base if base.is_power_of_two() => return None,
        base => base,
    };
    // What follows the first character that is no digit is complained of later.
    let digit = |c: char| c == '_' || c.is_digit(base) || number::decimal_digit(c).is_some();
    let end = bare.find(|c| !digit(c)).unwrap_or(bare.len());
    let digits = bare.get(..end).unwrap_or(bare);
    let count = match base {
        10 => number::count_digits(digits),
        _ => digits.chars().filter(|c| *c != '_').count(),
    };
    (count > most).then_some(count)
}

/// The complaint shows at most 200 characters of the text.
fn invalid(vm: &Vm, value: &Value, base: u32) -> PyResult<Raise> {
    let shown = vm.repr(value.plain())?;
    let shown: String = shown.chars().take(200).collect();
    Ok(vm.value_error(format!(
        "invalid literal for int() with base {base}: {shown}"
    )))
}

/// Takes `signed` and the byte order out of the last two arguments; big comes first unless the program says otherwise.
fn order_and_sign(
    vm: &Vm,
    name: &str,
    order: Option<Value>,
    signed: Option<Value>,
) -> PyResult<(bool, bool)> {
    let little = match order {
        None => false,
        Some(order) => match order.plain() {
            Value::Str(text) if ***text == *"little" => true,
            Value::Str(text) if ***text == *"big" => false,
            Value::Str(_) => {
                return Err(vm.value_error("byteorder must be either 'little' or 'big'"));
            }
            other => {
                let kind = vm.class_name(other);
                let message = format!("{name}() argument 'byteorder' must be str, not {kind}");
                return Err(vm.type_error(message));
            }
        },
    };
    let signed = signed.map_or(Ok(false), |signed| vm.truth(&signed))?;
    Ok((little, signed))
}

/// `signed` goes by name only.
fn two_by_place(vm: &Vm, name: &str, args: &Args) -> PyResult<()> {
    let given = args.positional.len();
    match given > 2 {
        true => {
            let message = format!("{name}() takes at most 2 positional arguments ({given} given)");
            Err(vm.type_error(message))
        }
        false => Ok(()),
    }
}

fn to_bytes(vm: &Vm, mut args: Args) -> PyResult {
    let receiver = args.receiver();
    args.positional.drain(..1.min(args.positional.len()));
    two_by_place(vm, "to_bytes", &args)?;
    let bound: Bound<3> = args.bind(vm, "to_bytes", ["length", "byteorder", "signed"], 0)?;
    let [length, order, signed] = bound;
    let length = length.map_or(Ok(1), |length| vm.small_integer(&length))?;
    let (little, signed) = order_and_sign(vm, "to_bytes", order, signed)?;
    if length > MOST_BYTES {
        return Err(vm.memory_error());
    }
    let Ok(length) = usize::try_from(length) else {
        return Err(vm.value_error("length argument must be non-negative"));
    };
    let n = big(vm, &receiver)?;
    match number::to_bytes(&n, length, little, signed) {
        Ok(bytes) => Ok(Value::bytes(bytes)),
        Err(error) => Err(vm.overflow(error.message())),
    }
}

fn from_bytes(vm: &Vm, class: &Rc<Class>, args: Args) -> PyResult {
    two_by_place(vm, "from_bytes", &args)?;
    let bound = args.bind(vm, "from_bytes", ["bytes", "byteorder", "signed"], 1)?;
    let [bytes, order, signed] = bound;
    let (little, signed) = order_and_sign(vm, "from_bytes", order, signed)?;
    let bytes = bytes_of(vm, &bytes.unwrap_or(Value::None))?;
    let n = number::from_bytes(&bytes, little, signed);
    made(vm, class, Value::big(n))
}

/// The bytes that an object is or lists.
fn bytes_of(vm: &Vm, value: &Value) -> PyResult<Vec<u8>> {
    let own = vm.call_special(value, &vm.intern("__bytes__"), Vec::new())?;
    match own.as_ref().unwrap_or(value).plain() {
        Value::Bytes(bytes) => return Ok((**bytes).clone()),
        Value::ByteArray(bytes) => return Ok(bytes.borrow().clone()),
        _ => {}
    }
    let listed = !matches!(value.plain(), Value::Str(_)) && Number::of(value).is_none();
    let iterator = match listed.then(|| vm.iter(value)) {
        Some(Ok(iterator)) => iterator,
        Some(Err(raise)) if !vm.is_error(&raise, "TypeError") => return Err(raise),
        _ => {
            let name = vm.class_name(value);
            return Err(vm.type_error(format!("cannot convert '{name}' object to bytes")));
        }
    };
    let mut bytes = Vec::new();
    while let Some(item) = vm.next(&iterator)? {
        let n = vm.integer(&item)?;
        let byte = n.to_u8().filter(|_| !n.is_negative());
        bytes.push(byte.ok_or_else(|| vm.value_error("bytes must be in range(0, 256)"))?);
    }
    Ok(bytes)
}
