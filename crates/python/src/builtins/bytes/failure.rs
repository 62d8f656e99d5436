//! `UnicodeEncodeError` and `UnicodeDecodeError`: how they are made, what they tell, and their attributes.
use crate::{
    builtins::getter,
    text::{Str, escaped},
    value::{Instance, Value},
    vm::{PyResult, Raise, Vm},
};
use std::{ops::Range, rc::Rc};

/// Arguments of the exceptions, in order.
const FIELDS: [&str; 5] = ["encoding", "object", "start", "end", "reason"];

pub(super) fn install(vm: &Vm) {
    for class in ["UnicodeEncodeError", "UnicodeDecodeError"] {
        let class = vm.types.exception(class);
        let gets: [fn(&Vm, &Value) -> PyResult; 5] = [
            |_, value| Ok(argument(value, 0)),
            |_, value| Ok(argument(value, 1)),
            |_, value| Ok(argument(value, 2)),
            |_, value| Ok(argument(value, 3)),
            |_, value| Ok(argument(value, 4)),
        ];
        for (name, get) in FIELDS.into_iter().zip(gets) {
            getter(vm, &class, name, get, None);
        }
    }
}

fn argument(value: &Value, at: usize) -> Value {
    let state = match value {
        Value::Instance(instance) => instance.exception(),
        _ => None,
    };
    let args = state.map(|state| state.borrow().args.clone());
    args.and_then(|args| args.get(at).cloned())
        .unwrap_or(Value::None)
}

/// Characters of the text in this range cannot be written.
pub(super) fn cannot_encode(
    vm: &Vm,
    codec: &str,
    text: &str,
    range: Range<usize>,
    reason: &str,
) -> Raise {
    raise(
        vm,
        "UnicodeEncodeError",
        codec,
        Value::str(text),
        range,
        reason,
    )
}

/// Bytes in this range cannot be read.
pub(super) fn cannot_decode(
    vm: &Vm,
    codec: &str,
    bytes: &[u8],
    range: Range<usize>,
    reason: &str,
) -> Raise {
    raise(
        vm,
        "UnicodeDecodeError",
        codec,
        Value::bytes(bytes.to_vec()),
        range,
        reason,
    )
}

fn raise(
    vm: &Vm,
    class: &str,
    codec: &str,
    object: Value,
    range: Range<usize>,
    reason: &str,
) -> Raise {
    let (start, end) = (Value::size(range.start), Value::size(range.end));
    let args = vec![Value::str(codec), object, start, end, Value::str(reason)];
    vm.exception(class, args)
}

pub(super) fn unknown_encoding(vm: &Vm, name: &str) -> Raise {
    vm.error("LookupError", format!("unknown encoding: {name}"))
}

pub(super) fn unknown_handler(vm: &Vm, name: &str) -> Raise {
    vm.error(
        "LookupError",
        format!("unknown error handler name '{name}'"),
    )
}

/// What `str` of such an exception is; nothing for others and for those with other arguments.
pub(crate) fn unicode_error_text(vm: &Vm, exception: &Instance, args: &[Value]) -> Option<Rc<Str>> {
    let is = |class: &str| exception.class().is_subclass(&vm.types.exception(class));
    let [
        Value::Str(codec),
        object,
        Value::Int(start),
        Value::Int(end),
        Value::Str(reason),
    ] = args
    else {
        return None;
    };
    let (verb, one, many) = match object {
        Value::Str(text) if is("UnicodeEncodeError") => {
            let c = text.chars().nth(usize::try_from(*start).ok()?);
            (
                "encode",
                c.map(|c| format!("character '{}'", escaped(c))),
                "characters",
            )
        }
        Value::Bytes(bytes) if is("UnicodeDecodeError") => {
            let byte = bytes.get(usize::try_from(*start).ok()?);
            (
                "decode",
                byte.map(|byte| format!("byte 0x{byte:02x}")),
                "bytes",
            )
        }
        _ => return None,
    };
    let place = match one {
        Some(one) if start.checked_add(1) == Some(*end) => format!("{one} in position {start}"),
        _ => format!("{many} in position {start}-{}", end.saturating_sub(1)),
    };
    Some(Str::new(format!(
        "'{codec}' codec can't {verb} {place}: {reason}"
    )))
}
