//! Methods that look at bytes as characters of ASCII: small and capital letters, kinds, widths.
use super::{like, simple};
use crate::{
    builtins::{
        method,
        text::{LONGEST, between, tab_argument, width_argument, without_receiver},
    },
    class::Class,
    value::{Args, Value},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

pub(super) fn install(vm: &Vm, class: &Rc<Class>, kind: &'static str) {
    install_cases(vm, class, kind);
    install_kinds(vm, class, kind);
    for (name, before) in [
        ("ljust", (|_, _| 0) as fn(usize, usize) -> usize),
        ("rjust", |padding, _| padding),
        ("center", |padding, width| {
            padding / 2 + (padding & width & 1)
        }),
    ] {
        method(vm, class, name, move |vm, args| {
            pad(vm, &format!("{kind}.{name}"), args, before)
        });
    }
    method(vm, class, "zfill", move |vm, args| {
        let [object, width] = args.method(vm, &format!("{kind}.zfill"))?;
        let bytes = vm.bytes_of(&object)?;
        let width = width_argument(vm, &width)?;
        let padding = padding(vm, width, bytes.len())?;
        let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
        let (sign, rest) = bytes.split_at(sign);
        Ok(like(&object, [sign, &vec![b'0'; padding], rest].concat()))
    });
    method(vm, class, "expandtabs", |vm, args| {
        let (object, args) = without_receiver(args);
        let [size] = args.bind(vm, "expandtabs", ["tabsize"], 0)?;
        let size = tab_argument(vm, size.as_ref())?;
        let bytes = expanded(vm, &vm.bytes_of(&object)?, size)?;
        Ok(like(&object, bytes))
    });
}

fn install_cases(vm: &Vm, class: &Rc<Class>, kind: &str) {
    let simple = |name, code| simple(vm, class, kind, name, code);
    simple("lower", |object, bytes| {
        like(object, bytes.to_ascii_lowercase())
    });
    simple("upper", |object, bytes| {
        like(object, bytes.to_ascii_uppercase())
    });
    simple("swapcase", |object, bytes| {
        let swap = |byte: &u8| match byte.is_ascii_alphabetic() {
            true => byte ^ 0x20,
            false => *byte,
        };
        like(object, bytes.iter().map(swap).collect())
    });
    simple("capitalize", |object, bytes| {
        let mut bytes = bytes.to_ascii_lowercase();
        bytes
            .iter_mut()
            .take(1)
            .for_each(|byte| byte.make_ascii_uppercase());
        like(object, bytes)
    });
    simple("title", |object, bytes| {
        let mut inside = false;
        let one = |byte: &u8| {
            let letter = if inside {
                byte.to_ascii_lowercase()
            } else {
                byte.to_ascii_uppercase()
            };
            inside = byte.is_ascii_alphabetic();
            letter
        };
        like(object, bytes.iter().map(one).collect())
    });
}

fn install_kinds(vm: &Vm, class: &Rc<Class>, kind: &str) {
    fn all(bytes: &[u8], is: fn(&u8) -> bool) -> Value {
        Value::Bool(!bytes.is_empty() && bytes.iter().all(is))
    }
    let simple = |name, code| simple(vm, class, kind, name, code);
    simple("isalpha", |_, bytes| all(bytes, u8::is_ascii_alphabetic));
    simple("isalnum", |_, bytes| all(bytes, u8::is_ascii_alphanumeric));
    simple("isdigit", |_, bytes| all(bytes, u8::is_ascii_digit));
    simple("isspace", |_, bytes| all(bytes, |byte| is_space(*byte)));
    simple("isascii", |_, bytes| Value::Bool(bytes.is_ascii()));
    simple("islower", |_, bytes| {
        let capital = bytes.iter().any(u8::is_ascii_uppercase);
        Value::Bool(!capital && bytes.iter().any(u8::is_ascii_lowercase))
    });
    simple("isupper", |_, bytes| {
        let small = bytes.iter().any(u8::is_ascii_lowercase);
        Value::Bool(!small && bytes.iter().any(u8::is_ascii_uppercase))
    });
    simple("istitle", |_, bytes| {
        let (mut inside, mut any) = (false, false);
        for byte in bytes {
            let letter = byte.is_ascii_alphabetic();
            if letter && byte.is_ascii_uppercase() == inside {
                return Value::Bool(false);
            }
            inside = letter;
            any |= letter;
        }
        Value::Bool(any)
    });
}

fn pad(vm: &Vm, full: &str, args: Args, before: fn(usize, usize) -> usize) -> PyResult {
    let (object, args) = without_receiver(args);
    let [width, fill] = between(vm, full, args, 1)?;
    let width = width_argument(vm, &width.unwrap_or(Value::None))?;
    let fill = match fill {
        None => b' ',
        Some(fill) => match vm.bytes_of(&fill).as_deref() {
            Ok([byte]) => *byte,
            _ => {
                let (name, given) = (
                    full.rsplit('.').next().unwrap_or(full),
                    vm.class_name(&fill),
                );
                let message =
                    format!("{name}() argument 2 must be a byte string of length 1, not {given}");
                return Err(vm.type_error(message));
            }
        },
    };
    let bytes = vm.bytes_of(&object)?;
    let padding = padding(vm, width, bytes.len())?;
    let left = if padding == 0 {
        0
    } else {
        before(padding, width)
    };
    let parts = [vec![fill; left], bytes, vec![fill; padding - left]];
    Ok(like(&object, parts.concat()))
}

/// How many bytes are missing.
fn padding(vm: &Vm, width: usize, len: usize) -> PyResult<usize> {
    match width.saturating_sub(len) {
        padding if padding > LONGEST => Err(vm.memory_error()),
        padding => Ok(padding),
    }
}

fn expanded(vm: &Vm, bytes: &[u8], size: usize) -> PyResult<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut column = 0;
    for byte in bytes {
        match byte {
            b'\t' => {
                let blanks = if size == 0 { 0 } else { size - column % size };
                if out.len().saturating_add(blanks) > LONGEST {
                    return Err(vm.memory_error());
                }
                out.resize(out.len() + blanks, b' ');
                column += blanks;
            }
            byte => {
                out.push(*byte);
                column = if matches!(byte, b'\n' | b'\r') {
                    0
                } else {
                    column + 1
                };
            }
        }
    }
    Ok(out)
}
