//! `bytes` and `bytearray`: constructors, methods, and texts as bytes and back.
//!
//! Both types share their methods; each gives its own type. Letters and blanks are those of ASCII. Left out: `bytes % values`
//! and `memoryview`.
mod change;
mod decode;
mod encode;
mod failure;
mod hexadecimal;
mod letters;
mod search;
mod split;
mod whole;

use super::{
    constructor, method,
    text::{LONGEST, name_argument, without_receiver},
};
use crate::{
    class::Class,
    value::{Args, Value},
    vm::{Bound, Number, PyResult, Vm},
};
use num_traits::{Signed, ToPrimitive};
use std::{cell::RefCell, rc::Rc};

pub(crate) use decode::decode;
pub(crate) use encode::encode;
pub(crate) use failure::unicode_error_text;

pub(super) fn install(vm: &Vm) {
    constructor(vm, &vm.types.bytes, |vm, class, args| {
        let bytes = new_bytes(vm, "bytes", args)?;
        Ok(vm.wrap(class, Value::bytes(bytes)))
    });
    constructor(vm, &vm.types.bytearray, |vm, class, args| {
        let bytes = new_bytes(vm, "bytearray", args)?;
        Ok(vm.wrap(class, array(bytes)))
    });
    for (name, class) in [
        ("bytes", &vm.types.bytes),
        ("bytearray", &vm.types.bytearray),
    ] {
        method(vm, class, "decode", |vm, args| {
            let (object, args) = without_receiver(args);
            let [encoding, errors] = args.bind(vm, "decode", ["encoding", "errors"], 0)?;
            let encoding = name_argument(vm, "decode() argument 'encoding'", encoding)?;
            let errors = name_argument(vm, "decode() argument 'errors'", errors)?;
            let bytes = vm.bytes_of(&object)?;
            decode(vm, &bytes, encoding.as_deref(), errors.as_deref()).map(Value::str)
        });
        hexadecimal::install(vm, class);
        letters::install(vm, class, name);
        search::install(vm, class, name);
        split::install(vm, class, name);
        whole::install(vm, class, name);
    }
    change::install(vm);
    failure::install(vm);
}

fn array(bytes: Vec<u8>) -> Value {
    Value::ByteArray(Rc::new(RefCell::new(bytes)))
}

/// Bytes of the same type as those of a method's receiver.
fn like(receiver: &Value, bytes: Vec<u8>) -> Value {
    match receiver.plain() {
        Value::ByteArray(_) => array(bytes),
        _ => Value::bytes(bytes),
    }
}

fn new_bytes(vm: &Vm, kind: &str, args: Args) -> PyResult<Vec<u8>> {
    let bound: Bound<3> = args.bind(vm, kind, ["source", "encoding", "errors"], 0)?;
    let [source, encoding, errors] = bound;
    let encoding = name_argument(vm, &format!("{kind}() argument 'encoding'"), encoding)?;
    let errors = name_argument(vm, &format!("{kind}() argument 'errors'"), errors)?;
    let source = match (source, &encoding, &errors) {
        (Some(source), ..) => source,
        (None, None, None) => return Ok(Vec::new()),
        (None, Some(_), _) => return Err(vm.type_error("encoding without a string argument")),
        (None, ..) => return Err(vm.type_error("errors without a string argument")),
    };
    if let Value::Str(text) = source.plain() {
        if encoding.is_none() {
            return Err(vm.type_error("string argument without an encoding"));
        }
        return encode(vm, text, encoding.as_deref(), errors.as_deref());
    }
    match (&encoding, &errors) {
        (None, None) => bytes_from(vm, kind, &source),
        (Some(_), _) => Err(vm.type_error("encoding without a string argument")),
        _ => Err(vm.type_error("errors without a string argument")),
    }
}

/// From `__bytes__`, from so many zeros, from other bytes or from numbers.
fn bytes_from(vm: &Vm, kind: &str, source: &Value) -> PyResult<Vec<u8>> {
    if kind == "bytes"
        && let Some(bytes) = vm.call_special(source, &vm.intern("__bytes__"), Vec::new())?
    {
        return match bytes.plain() {
            Value::Bytes(bytes) => Ok(bytes.to_vec()),
            _ => {
                let name = vm.class_name(&bytes);
                Err(vm.type_error(format!("__bytes__ returned non-bytes (type {name})")))
            }
        };
    }
    if let Value::Bytes(_) | Value::ByteArray(_) = source.plain() {
        return vm.bytes_of(source);
    }
    if let Some(count) = vm.index_number(source)? {
        return zeros(vm, &count);
    }
    let iterator = vm
        .iter(source)
        .map_err(|raise| match vm.is_error(&raise, "TypeError") {
            true => {
                let name = vm.class_name(source);
                vm.type_error(format!("cannot convert '{name}' object to {kind}"))
            }
            false => raise,
        })?;
    let word = if kind == "bytes" { "bytes" } else { "byte" };
    collected(vm, &iterator, word)
}

/// The bytes that an iterator gives as numbers.
fn collected(vm: &Vm, iterator: &Value, word: &str) -> PyResult<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(value) = vm.next(iterator)? {
        bytes.push(byte(vm, &value, word)?);
        if bytes.len() > LONGEST {
            return Err(vm.memory_error());
        }
    }
    Ok(bytes)
}

fn zeros(vm: &Vm, count: &Number) -> PyResult<Vec<u8>> {
    let count = count.big().unwrap_or_default();
    let Some(small) = count.to_i64() else {
        return Err(vm.overflow("cannot fit 'int' into an index-sized integer"));
    };
    if count.is_negative() {
        return Err(vm.value_error("negative count"));
    }
    match usize::try_from(small) {
        Ok(count) if count <= LONGEST => Ok(vec![0; count]),
        _ => Err(vm.memory_error()),
    }
}

/// A number as a byte; `word` is what the error calls it.
fn byte(vm: &Vm, value: &Value, word: &str) -> PyResult<u8> {
    let number = match value {
        Value::Int(n) => u8::try_from(*n).ok(),
        value => vm.integer(value)?.to_u8(),
    };
    number.ok_or_else(|| vm.value_error(format!("{word} must be in range(0, 256)")))
}

/// The receiver of a method without arguments and its bytes.
fn simple(
    vm: &Vm,
    class: &Rc<Class>,
    kind: &str,
    name: &'static str,
    code: fn(&Value, &[u8]) -> Value,
) {
    let full = format!("{kind}.{name}");
    method(vm, class, name, move |vm, args| {
        let [object] = args.method(vm, &full)?;
        Ok(code(&object, &vm.bytes_of(&object)?))
    });
}

impl Vm {
    /// The bytes of something that has bytes.
    pub(crate) fn bytes_of(&self, value: &Value) -> PyResult<Vec<u8>> {
        match value.plain() {
            Value::Bytes(bytes) => Ok(bytes.to_vec()),
            Value::ByteArray(bytes) => Ok(bytes.borrow().clone()),
            _ => {
                let name = self.class_name(value);
                Err(self.type_error(format!("a bytes-like object is required, not '{name}'")))
            }
        }
    }

    /// `part in bytes`: a number or other bytes.
    pub(crate) fn bytes_contain(&self, bytes: &Value, part: &Value) -> PyResult<bool> {
        if let Value::Bytes(_) | Value::ByteArray(_) = part.plain() {
            return Ok(search::find(&self.bytes_of(bytes)?, &self.bytes_of(part)?).is_some());
        }
        if self.index_number(part)?.is_none() {
            return self.bytes_of(part).map(|_| false);
        }
        let byte = byte(self, part, "byte")?;
        Ok(self.bytes_of(bytes)?.contains(&byte))
    }
}
