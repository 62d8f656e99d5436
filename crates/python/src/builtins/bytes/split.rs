//! Bytes taken apart: `split`, `rsplit`, `splitlines`, `partition`, `strip`.
use super::{
    letters::is_space,
    like,
    search::{find, rfind},
};
use crate::{
    builtins::{
        method,
        text::{between, count_argument, without_receiver},
    },
    class::Class,
    value::{Args, Value},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

pub(super) fn install(vm: &Vm, class: &Rc<Class>, kind: &'static str) {
    method(vm, class, "split", |vm, args| {
        split(vm, "split", args, false)
    });
    method(vm, class, "rsplit", |vm, args| {
        split(vm, "rsplit", args, true)
    });
    method(vm, class, "splitlines", |vm, args| {
        let (object, args) = without_receiver(args);
        let [keep] = args.bind(vm, "splitlines", ["keepends"], 0)?;
        let keep = keep.map_or(Ok(false), |keep| vm.truth(&keep))?;
        Ok(listed(&object, lines(&vm.bytes_of(&object)?, keep)))
    });
    for (name, from_end) in [("partition", false), ("rpartition", true)] {
        method(vm, class, name, move |vm, args| {
            let [object, separator] = args.method(vm, &format!("{kind}.{name}"))?;
            partition(vm, &object, &separator, from_end)
        });
    }
    for (name, left, right) in [
        ("strip", true, true),
        ("lstrip", true, false),
        ("rstrip", false, true),
    ] {
        method(vm, class, name, move |vm, args| {
            let (object, args) = without_receiver(args);
            let [set] = between(vm, &format!("{kind}.{name}"), args, 0)?;
            let bytes = vm.bytes_of(&object)?;
            let stripped = match set {
                None | Some(Value::None) => strip(&bytes, left, right, is_space),
                Some(set) => {
                    let set = vm.bytes_of(&set)?;
                    strip(&bytes, left, right, |byte| set.contains(&byte))
                }
            };
            Ok(like(&object, stripped.to_vec()))
        });
    }
}

fn strip(bytes: &[u8], left: bool, right: bool, is: impl Fn(u8) -> bool) -> &[u8] {
    let mut rest = bytes;
    while let Some((_, behind)) = rest.split_first().filter(|(first, _)| left && is(**first)) {
        rest = behind;
    }
    while let Some((_, before)) = rest.split_last().filter(|(last, _)| right && is(**last)) {
        rest = before;
    }
    rest
}

fn listed(object: &Value, parts: Vec<&[u8]>) -> Value {
    Value::list(
        parts
            .into_iter()
            .map(|part| like(object, part.to_vec()))
            .collect(),
    )
}

fn split(vm: &Vm, name: &str, args: Args, from_end: bool) -> PyResult {
    let (object, args) = without_receiver(args);
    let [separator, most] = args.bind(vm, name, ["sep", "maxsplit"], 0)?;
    let most = count_argument(vm, most.as_ref())?;
    let bytes = vm.bytes_of(&object)?;
    let parts = match separator {
        None | Some(Value::None) if from_end => words_from_end(&bytes, most),
        None | Some(Value::None) => words(&bytes, most),
        Some(separator) => {
            let separator = vm.bytes_of(&separator)?;
            if separator.is_empty() {
                return Err(vm.value_error("empty separator"));
            }
            match from_end {
                true => pieces_from_end(&bytes, &separator, most),
                false => pieces(&bytes, &separator, most),
            }
        }
    };
    Ok(listed(&object, parts))
}

fn pieces<'a>(bytes: &'a [u8], separator: &[u8], most: usize) -> Vec<&'a [u8]> {
    let (mut parts, mut rest) = (Vec::new(), bytes);
    while parts.len() < most
        && let Some(at) = find(rest, separator)
    {
        let (part, behind) = rest.split_at(at);
        parts.push(part);
        rest = behind.get(separator.len()..).unwrap_or_default();
    }
    parts.push(rest);
    parts
}

fn pieces_from_end<'a>(bytes: &'a [u8], separator: &[u8], most: usize) -> Vec<&'a [u8]> {
    let (mut parts, mut rest) = (Vec::new(), bytes);
    while parts.len() < most
        && let Some(at) = rfind(rest, separator)
    {
        let (before, found) = rest.split_at(at);
        parts.push(found.get(separator.len()..).unwrap_or_default());
        rest = before;
    }
    parts.push(rest);
    parts.reverse();
    parts
}

/// What stands between blanks; the rest behind `most` cuts keeps its blanks at the end.
fn words(bytes: &[u8], most: usize) -> Vec<&[u8]> {
    let mut words = Vec::new();
    let mut rest = strip(bytes, true, false, is_space);
    while !rest.is_empty() {
        if words.len() == most {
            words.push(rest);
            break;
        }
        let end = rest
            .iter()
            .position(|byte| is_space(*byte))
            .unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        words.push(word);
        rest = strip(behind, true, false, is_space);
    }
    words
}

fn words_from_end(bytes: &[u8], most: usize) -> Vec<&[u8]> {
    let mut words = Vec::new();
    let mut rest = strip(bytes, false, true, is_space);
    while !rest.is_empty() {
        if words.len() == most {
            words.push(rest);
            break;
        }
        let start = rest
            .iter()
            .rposition(|byte| is_space(*byte))
            .map_or(0, |at| at + 1);
        let (before, word) = rest.split_at(start);
        words.push(word);
        rest = strip(before, false, true, is_space);
    }
    words.reverse();
    words
}

fn lines(bytes: &[u8], keep: bool) -> Vec<&[u8]> {
    let (mut lines, mut rest) = (Vec::new(), bytes);
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        let (line, behind) = rest.split_at(at);
        let width = if behind.starts_with(b"\r\n") { 2 } else { 1 };
        let (whole, behind) = rest.split_at(at + width);
        lines.push(if keep { whole } else { line });
        rest = behind;
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

fn partition(vm: &Vm, object: &Value, separator: &Value, from_end: bool) -> PyResult {
    let (bytes, part) = (vm.bytes_of(object)?, vm.bytes_of(separator)?);
    if part.is_empty() {
        return Err(vm.value_error("empty separator"));
    }
    let found = match from_end {
        true => rfind(&bytes, &part),
        false => find(&bytes, &part),
    };
    let whole = |bytes: &[u8]| like(object, bytes.to_vec());
    Ok(Value::tuple(match found {
        Some(at) => {
            let (before, rest) = bytes.split_at(at);
            let behind = rest.get(part.len()..).unwrap_or_default();
            // Bytes hand the separator back as it is.
            let middle = match object.plain() {
                Value::ByteArray(_) => whole(&part),
                _ => separator.clone(),
            };
            vec![whole(before), middle, whole(behind)]
        }
        None if from_end => vec![whole(b""), whole(b""), whole(&bytes)],
        None => vec![whole(&bytes), whole(b""), whole(b"")],
    }))
}
