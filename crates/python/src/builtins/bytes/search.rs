//! Finding and exchanging parts of bytes: `find`, `index`, `count`, `startswith`, `replace` and their like.
use super::{byte, like};
use crate::{
    builtins::{
        method,
        text::{LONGEST, Where, between, count_argument, without_receiver},
    },
    class::Class,
    value::{Args, Value},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

type Find = fn(&[u8], &[u8]) -> Option<usize>;

/// Where a part first begins.
pub(super) fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    let Some((first, rest)) = part.split_first() else {
        return Some(0);
    };
    let mut at = 0;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| byte == first)?;
        if bytes.get(at + 1..)?.starts_with(rest) {
            return Some(at);
        }
        at += 1;
    }
}

/// Where a part last begins.
pub(super) fn rfind(bytes: &[u8], part: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(part.len())?;
    (0..=last)
        .rev()
        .find(|at| bytes.get(*at..).is_some_and(|rest| rest.starts_with(part)))
}

/// How often a part is there, one behind the other.
fn count(bytes: &[u8], part: &[u8]) -> usize {
    if part.is_empty() {
        return bytes.len() + 1;
    }
    let (mut count, mut rest) = (0, bytes);
    while let Some(at) = find(rest, part) {
        count += 1;
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    count
}

pub(super) fn install(vm: &Vm, class: &Rc<Class>, kind: &'static str) {
    let finds: [(&str, bool, Find); 4] = [
        ("find", false, find),
        ("rfind", false, rfind),
        ("index", true, find),
        ("rindex", true, rfind),
    ];
    for (name, must, find) in finds {
        method(vm, class, name, move |vm, args| {
            let (object, args) = without_receiver(args);
            let place = Where::new(vm, kind, name, args)?;
            let part = wanted(vm, &place.what)?;
            let bytes = vm.bytes_of(&object)?;
            let found = place.bounds(vm, bytes.len())?.and_then(|(start, end)| {
                let at = find(bytes.get(start..end)?, &part)?;
                Some(start + at)
            });
            match found {
                Some(at) => Ok(Value::size(at)),
                None if must => Err(vm.value_error("subsection not found")),
                None => Ok(Value::Int(-1)),
            }
        });
    }
    method(vm, class, "count", move |vm, args| {
        let (object, args) = without_receiver(args);
        let place = Where::new(vm, kind, "count", args)?;
        let part = wanted(vm, &place.what)?;
        let bytes = vm.bytes_of(&object)?;
        let within = place
            .bounds(vm, bytes.len())?
            .and_then(|(start, end)| bytes.get(start..end));
        Ok(Value::size(within.map_or(0, |within| count(within, &part))))
    });
    method(vm, class, "startswith", move |vm, args| {
        has_end(vm, (kind, "startswith"), args, <[u8]>::starts_with)
    });
    method(vm, class, "endswith", move |vm, args| {
        has_end(vm, (kind, "endswith"), args, <[u8]>::ends_with)
    });
    method(vm, class, "removeprefix", move |vm, args| {
        let [object, part] = args.method(vm, &format!("{kind}.removeprefix"))?;
        let (bytes, part) = (vm.bytes_of(&object)?, vm.bytes_of(&part)?);
        Ok(like(
            &object,
            bytes.strip_prefix(&*part).unwrap_or(&bytes).to_vec(),
        ))
    });
    method(vm, class, "removesuffix", move |vm, args| {
        let [object, part] = args.method(vm, &format!("{kind}.removesuffix"))?;
        let (bytes, part) = (vm.bytes_of(&object)?, vm.bytes_of(&part)?);
        Ok(like(
            &object,
            bytes.strip_suffix(&*part).unwrap_or(&bytes).to_vec(),
        ))
    });
    method(vm, class, "replace", move |vm, args| {
        let (object, args) = without_receiver(args);
        let [old, new, most] = between(vm, &format!("{kind}.replace"), args, 2)?;
        let old = vm.bytes_of(&old.unwrap_or(Value::None))?;
        let new = vm.bytes_of(&new.unwrap_or(Value::None))?;
        let most = count_argument(vm, most.as_ref())?;
        let bytes = replaced(vm, &vm.bytes_of(&object)?, (&old, &new), most)?;
        Ok(like(&object, bytes))
    });
}

/// What is searched for: bytes, or a number for one.
fn wanted(vm: &Vm, value: &Value) -> PyResult<Vec<u8>> {
    if let Value::Bytes(_) | Value::ByteArray(_) = value.plain() {
        return vm.bytes_of(value);
    }
    if vm.index_number(value)?.is_none() {
        let name = vm.class_name(value);
        let message = format!("argument should be integer or bytes-like object, not '{name}'");
        return Err(vm.type_error(message));
    }
    Ok(vec![byte(vm, value, "byte")?])
}

fn has_end(
    vm: &Vm,
    (kind, name): (&str, &str),
    args: Args,
    fits: fn(&[u8], &[u8]) -> bool,
) -> PyResult {
    let (object, args) = without_receiver(args);
    let place = Where::new(vm, kind, name, args)?;
    let bytes = vm.bytes_of(&object)?;
    let within = place
        .bounds(vm, bytes.len())?
        .and_then(|(start, end)| bytes.get(start..end));
    let has = |part: &[u8]| within.is_some_and(|within| fits(within, part));
    match place.what.plain() {
        Value::Bytes(_) | Value::ByteArray(_) => Ok(Value::Bool(has(&vm.bytes_of(&place.what)?))),
        Value::Tuple(parts) => {
            for part in parts.iter() {
                if has(&vm.bytes_of(part)?) {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        _ => {
            let given = vm.class_name(&place.what);
            let message =
                format!("{name} first arg must be bytes or a tuple of bytes, not {given}");
            Err(vm.type_error(message))
        }
    }
}

fn replaced(vm: &Vm, bytes: &[u8], (old, new): (&[u8], &[u8]), most: usize) -> PyResult<Vec<u8>> {
    let times = count(bytes, old).min(most);
    if bytes.len().saturating_add(times.saturating_mul(new.len())) > LONGEST {
        return Err(vm.memory_error());
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    for _ in 0..times {
        let at = find(rest, old).unwrap_or(0);
        let (before, behind) = rest.split_at(at);
        out.extend_from_slice(before);
        out.extend_from_slice(new);
        // Between bytes stands an empty part.
        let (kept, passed) = if old.is_empty() {
            (1, 1)
        } else {
            (0, old.len())
        };
        let cut = passed.min(behind.len());
        out.extend(behind.iter().take(kept));
        rest = behind.split_at(cut).1;
    }
    out.extend_from_slice(rest);
    Ok(out)
}
