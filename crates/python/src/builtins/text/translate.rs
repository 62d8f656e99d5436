//! Texts changed character by character: `translate`, and `maketrans`, which makes the table for it.
use super::{LONGEST, text_of, wanted_text};
use crate::{
    builtins::method,
    table::Dict,
    text::Str,
    value::{Args, Value},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.str_;
    method(vm, class, "translate", |vm, args| {
        let [text, table] = args.method(vm, "str.translate")?;
        translate(vm, &text_of(&text), &table)
    });
    let maketrans = Value::native("maketrans", make_table);
    let name = vm.intern("maketrans");
    class
        .dict
        .set_str(&name, Value::StaticMethod(Rc::new(maketrans)));
}

fn translate(vm: &Vm, text: &Str, table: &Value) -> PyResult {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match vm.get_item(table, &code(c)) {
            Ok(replacement) => push_replacement(vm, &replacement, &mut out)?,
            Err(raise) if vm.is_error(&raise, "LookupError") => out.push(c),
            Err(raise) => return Err(raise),
        }
        if out.len() > LONGEST {
            return Err(vm.memory_error());
        }
    }
    Ok(Value::str(out))
}

fn push_replacement(vm: &Vm, replacement: &Value, out: &mut String) -> PyResult<()> {
    match replacement.plain() {
        Value::None => {}
        Value::Str(text) => out.push_str(text),
        Value::Int(code) if (0..0x11_0000).contains(code) => {
            let c = u32::try_from(*code).ok().and_then(char::from_u32);
            out.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Value::Bool(bit) => out.push(char::from(u8::from(*bit))),
        Value::Int(_) | Value::Big(_) => {
            return Err(vm.value_error("character mapping must be in range(0x110000)"));
        }
        _ => {
            return Err(vm.type_error("character mapping must return integer, None or str"));
        }
    }
    Ok(())
}

fn code(c: char) -> Value {
    Value::Int(u32::from(c).into())
}

fn make_table(vm: &Vm, args: Args) -> PyResult {
    args.no_keywords(vm, "str.maketrans")?;
    let [from, to, without] = args.between(vm, "maketrans", 1)?;
    let from = from.unwrap_or(Value::None);
    let table = Dict::new();
    let Some(to) = to else {
        fill_from_dict(vm, &table, &from)?;
        return Ok(Value::Dict(table));
    };
    let to = wanted_text(vm, "maketrans() argument 2 ", &to)?;
    let without = match without {
        None => None,
        Some(without) => Some(wanted_text(vm, "maketrans() argument 3 ", &without)?),
    };
    let Value::Str(from) = from.plain() else {
        let message = "first maketrans argument must be a string if there is a second argument";
        return Err(vm.type_error(message));
    };
    if from.chars_len() != to.chars_len() {
        let message = "the first two maketrans arguments must have equal length";
        return Err(vm.value_error(message));
    }
    for (from, to) in from.chars().zip(to.chars()) {
        vm.dict_set(&table, code(from), code(to))?;
    }
    for c in without.iter().flat_map(|text| text.chars()) {
        vm.dict_set(&table, code(c), Value::None)?;
    }
    Ok(Value::Dict(table))
}

fn fill_from_dict(vm: &Vm, table: &Dict, from: &Value) -> PyResult<()> {
    let Value::Dict(from) = from.plain() else {
        let message = "if you give only one argument to maketrans it must be a dict";
        return Err(vm.type_error(message));
    };
    for (key, value) in from.pairs() {
        let key = match key.plain() {
            Value::Str(text) => {
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => code(c),
                    _ => {
                        let message = "string keys in translate table must be of length 1";
                        return Err(vm.value_error(message));
                    }
                }
            }
            Value::Int(_) | Value::Bool(_) | Value::Big(_) => key,
            _ => {
                let message = "keys in translate table must be strings or integers";
                return Err(vm.type_error(message));
            }
        };
        vm.dict_set(table, key, value)?;
    }
    Ok(())
}
