//! Texts made longer to a width: `center`, `ljust`, `rjust`, `zfill`, `expandtabs`.
use super::{LONGEST, between, receiver, tab_argument, text_of, width_argument};
use crate::{
    builtins::method,
    text::Str,
    value::{Args, Value},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

/// How much of the padding stands before the text.
type Before = fn(padding: usize, width: usize) -> usize;

pub(super) fn install(vm: &Vm) {
    let pads: [(&str, Before); 3] = [
        ("ljust", |_, _| 0),
        ("rjust", |padding, _| padding),
        // The odd character stands on the left if the width is odd too.
        ("center", |padding, width| {
            padding / 2 + (padding & width & 1)
        }),
    ];
    for (name, before) in pads {
        let full = format!("str.{name}");
        method(vm, &vm.types.str_, name, move |vm, args| {
            pad(vm, &full, args, before)
        });
    }
    method(vm, &vm.types.str_, "zfill", |vm, args| {
        let [text, width] = args.method(vm, "str.zfill")?;
        zero_filled(vm, &text_of(&text), width_argument(vm, &width)?)
    });
    method(vm, &vm.types.str_, "expandtabs", |vm, args| {
        let (text, args) = receiver(args);
        let [size] = args.bind(vm, "expandtabs", ["tabsize"], 0)?;
        let size = tab_argument(vm, size.as_ref())?;
        expanded(vm, &text, size)
    });
}

fn pad(vm: &Vm, full: &str, args: Args, before: Before) -> PyResult {
    let (text, args) = receiver(args);
    let [width, fill] = between(vm, full, args, 1)?;
    let width = width_argument(vm, &width.unwrap_or(Value::None))?;
    let fill = match fill {
        None => ' ',
        Some(fill) => fill_argument(vm, &fill)?,
    };
    let Some(padding) = width
        .checked_sub(text.chars_len())
        .filter(|padding| *padding > 0)
    else {
        return Ok(Value::Str(text));
    };
    check(
        vm,
        text.len()
            .saturating_add(padding.saturating_mul(fill.len_utf8())),
    )?;
    let left = before(padding, width);
    let fill = fill.to_string();
    let (left, right) = (fill.repeat(left), fill.repeat(padding - left));
    Ok(Value::str(format!("{left}{text}{right}")))
}

fn fill_argument(vm: &Vm, fill: &Value) -> PyResult<char> {
    let Value::Str(text) = fill.plain() else {
        let name = vm.class_name(fill);
        let message = format!("The fill character must be a unicode character, not {name}");
        return Err(vm.type_error(message));
    };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(fill), None) => Ok(fill),
        _ => Err(vm.type_error("The fill character must be exactly one character long")),
    }
}

/// Zeros between the sign and the rest.
fn zero_filled(vm: &Vm, text: &Rc<Str>, width: usize) -> PyResult {
    let Some(padding) = width
        .checked_sub(text.chars_len())
        .filter(|padding| *padding > 0)
    else {
        return Ok(Value::Str(text.clone()));
    };
    check(vm, text.len().saturating_add(padding))?;
    let (sign, rest) = match text.starts_with(['+', '-']) {
        true => text.split_at(1),
        false => ("", &***text),
    };
    Ok(Value::str(format!("{sign}{}{rest}", "0".repeat(padding))))
}

fn expanded(vm: &Vm, text: &str, size: usize) -> PyResult {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        match c {
            '\t' => {
                let blanks = if size == 0 { 0 } else { size - column % size };
                check(vm, out.len().saturating_add(blanks))?;
                out.push_str(&" ".repeat(blanks));
                column += blanks;
            }
            '\n' | '\r' => {
                out.push(c);
                column = 0;
            }
            c => {
                out.push(c);
                column += 1;
            }
        }
    }
    Ok(Value::str(out))
}

fn check(vm: &Vm, bytes: usize) -> PyResult<()> {
    match bytes > LONGEST {
        true => Err(vm.memory_error()),
        false => Ok(()),
    }
}
