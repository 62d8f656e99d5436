//! `hex` and `fromhex`.
use crate::{
    builtins::{
        class_method, method,
        text::{LONGEST, without_receiver},
    },
    class::Class,
    value::Value,
    vm::{PyResult, Vm},
};
use std::{cell::RefCell, rc::Rc};

pub(super) fn install(vm: &Vm, class: &Rc<Class>) {
    method(vm, class, "hex", |vm, args| {
        let (object, args) = without_receiver(args);
        let [separator, every] = args.bind(vm, "hex", ["sep", "bytes_per_sep"], 0)?;
        let separator = separator
            .map(|separator| separator_of(vm, &separator))
            .transpose()?;
        let every = every.map_or(Ok(1), |every| vm.small_integer(&every))?;
        let bytes = vm.bytes_of(&object)?;
        if bytes.len() > LONGEST / 3 {
            return Err(vm.memory_error());
        }
        Ok(Value::str(written(&bytes, separator, every)))
    });
    class_method(vm, class, "fromhex", |vm, class, args| {
        let [text] = args.exactly(vm, "fromhex")?;
        let Value::Str(digits) = text.plain() else {
            let name = vm.class_name(&text);
            return Err(vm.type_error(format!("fromhex() argument must be str, not {name}")));
        };
        let bytes = read(digits).map_err(|at| {
            let message = format!("non-hexadecimal number found in fromhex() arg at position {at}");
            vm.value_error(message)
        })?;
        let is_array = class.is_subclass(&vm.types.bytearray);
        let value = match is_array {
            true => Value::ByteArray(Rc::new(RefCell::new(bytes))),
            false => Value::bytes(bytes),
        };
        match class.builtin {
            true => Ok(value),
            false => vm.call(&Value::Class(class.clone()), vec![value]),
        }
    });
}

fn separator_of(vm: &Vm, value: &Value) -> PyResult<char> {
    let (len, first) = match value.plain() {
        Value::Str(text) => (text.chars_len(), text.chars().next()),
        Value::Bytes(_) | Value::ByteArray(_) => {
            let bytes = vm.bytes_of(value)?;
            (bytes.len(), bytes.first().copied().map(char::from))
        }
        _ => {
            vm.len(value)?;
            return Err(vm.type_error("sep must be str or bytes."));
        }
    };
    match first {
        Some(c) if len == 1 && c.is_ascii() => Ok(c),
        Some(_) if len == 1 => Err(vm.value_error("sep must be ASCII.")),
        _ => Err(vm.value_error("sep must be length 1.")),
    }
}

/// Groups are counted from the end, or from the beginning if `every` is negative.
fn written(bytes: &[u8], separator: Option<char>, every: i64) -> String {
    let size = usize::try_from(every.unsigned_abs()).unwrap_or(usize::MAX);
    let mut out = String::with_capacity(bytes.len() * 3);
    for (at, byte) in bytes.iter().enumerate() {
        let place = if every < 0 { at } else { bytes.len() - at };
        if let Some(separator) = separator
            && at > 0
            && size > 0
            && place % size == 0
        {
            out.push(separator);
        }
        out.push_str(&format!("{byte:02x}"));
    }
    out
}

/// Pairs of digits with blanks between; else where what is wrong stands.
fn read(text: &str) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut chars = text.chars().enumerate();
    while let Some((at, c)) = chars.next() {
        if matches!(c, '\t'..='\r' | ' ') {
            continue;
        }
        let high = c.to_digit(16).ok_or(at)?;
        let low = chars
            .next()
            .and_then(|(_, c)| c.to_digit(16))
            .ok_or(at + 1)?;
        bytes.push(u8::try_from(high * 16 + low).unwrap_or(0));
    }
    Ok(bytes)
}
