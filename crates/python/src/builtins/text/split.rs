//! Texts taken apart and put together: `split`, `splitlines`, `partition`, `strip`, `join`.
use super::{
    LONGEST, between, characters::is_space, count_argument, receiver, text_of, wanted_text,
};
use crate::{
    builtins::method,
    text::Str,
    value::{Args, Value},
    vm::{PyResult, Vm},
};

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.str_;
    method(vm, class, "split", |vm, args| {
        split(vm, "split", args, false)
    });
    method(vm, class, "rsplit", |vm, args| {
        split(vm, "rsplit", args, true)
    });
    method(vm, class, "splitlines", |vm, args| {
        let (text, args) = receiver(args);
        let [keep] = args.bind(vm, "splitlines", ["keepends"], 0)?;
        let keep = keep.map_or(Ok(false), |keep| vm.truth(&keep))?;
        Ok(listed(lines(&text, keep)))
    });
    method(vm, class, "partition", |vm, args| {
        partition(vm, "str.partition", args, false)
    });
    method(vm, class, "rpartition", |vm, args| {
        partition(vm, "str.rpartition", args, true)
    });
    for (name, left, right) in [
        ("strip", true, true),
        ("lstrip", true, false),
        ("rstrip", false, true),
    ] {
        let full = format!("str.{name}");
        method(vm, class, name, move |vm, args| {
            let (text, args) = receiver(args);
            let [chars] = between(vm, &full, args, 0)?;
            let stripped = match chars.as_ref().map(Value::plain) {
                None | Some(Value::None) => strip(&text, left, right, is_space),
                Some(Value::Str(set)) => strip(&text, left, right, |c| set.contains(c)),
                Some(_) => {
                    return Err(vm.type_error(format!("{name} arg must be None or str")));
                }
            };
            Ok(match stripped.len() == text.len() {
                true => Value::Str(text.clone()),
                false => Value::str(stripped),
            })
        });
    }
    method(vm, class, "join", |vm, args| {
        let [separator, parts] = args.method(vm, "str.join")?;
        join(vm, &text_of(&separator), &parts)
    });
}

fn strip(text: &str, left: bool, right: bool, is: impl Fn(char) -> bool) -> &str {
    let text = if left {
        text.trim_start_matches(&is)
    } else {
        text
    };
    if right {
        text.trim_end_matches(&is)
    } else {
        text
    }
}

fn listed<'a>(parts: impl IntoIterator<Item = &'a str>) -> Value {
    Value::list(parts.into_iter().map(Value::str).collect())
}

fn split(vm: &Vm, name: &str, args: Args, from_end: bool) -> PyResult {
    let (text, args) = receiver(args);
    let [separator, most] = args.bind(vm, name, ["sep", "maxsplit"], 0)?;
    let most = count_argument(vm, most.as_ref())?;
    let separator = separator.unwrap_or(Value::None);
    let parts = match separator.plain() {
        Value::None if from_end => words_from_end(&text, most),
        Value::None => words(&text, most),
        Value::Str(separator) if separator.is_empty() => {
            return Err(vm.value_error("empty separator"));
        }
        Value::Str(separator) if from_end => {
            let mut parts: Vec<&str> = text
                .rsplitn(most.saturating_add(1), &***separator)
                .collect();
            parts.reverse();
            parts
        }
        Value::Str(separator) => text.splitn(most.saturating_add(1), &***separator).collect(),
        _ => {
            let kind = vm.class_name(&separator);
            return Err(vm.type_error(format!("must be str or None, not {kind}")));
        }
    };
    Ok(listed(parts))
}

/// What stands between blanks; the rest behind `most` cuts keeps its blanks at the end.
fn words(text: &str, most: usize) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() {
        if words.len() == most {
            words.push(rest);
            break;
        }
        let end = rest.find(is_space).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        words.push(word);
        rest = behind.trim_start_matches(is_space);
    }
    words
}

fn words_from_end(text: &str, most: usize) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_end_matches(is_space);
    while !rest.is_empty() {
        if words.len() == most {
            words.push(rest);
            break;
        }
        let blank = rest.char_indices().rev().find(|(_, c)| is_space(*c));
        let start = blank.map_or(0, |(at, c)| at + c.len_utf8());
        let (before, word) = rest.split_at(start);
        words.push(word);
        rest = before.trim_end_matches(is_space);
    }
    words.reverse();
    words
}

fn lines(text: &str, keep: bool) -> Vec<&str> {
    let breaks =
        |c: char| matches!(c, '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(breaks) {
        let (line, behind) = rest.split_at(at);
        let width = match behind.starts_with("\r\n") {
            true => 2,
            false => behind.chars().next().map_or(0, char::len_utf8),
        };
        let (whole, behind) = rest.split_at(at + width);
        lines.push(if keep { whole } else { line });
        rest = behind;
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

fn partition(vm: &Vm, full: &str, args: Args, from_end: bool) -> PyResult {
    let [text, separator] = args.method(vm, full)?;
    let (text, separator) = (text_of(&text), wanted_text(vm, "", &separator)?);
    if separator.is_empty() {
        return Err(vm.value_error("empty separator"));
    }
    let cut = match from_end {
        true => text.rsplit_once(&**separator),
        false => text.split_once(&**separator),
    };
    let whole = Value::Str(text.clone());
    Ok(Value::tuple(match (cut, from_end) {
        (Some((head, tail)), _) => {
            vec![
                Value::str(head),
                Value::Str(separator.clone()),
                Value::str(tail),
            ]
        }
        (None, false) => vec![whole, Value::str(""), Value::str("")],
        (None, true) => vec![Value::str(""), Value::str(""), whole],
    }))
}

/// The values of what `join` is given.
pub(in crate::builtins) fn joined_values(vm: &Vm, parts: &Value) -> PyResult<Vec<Value>> {
    if let Value::List(_) | Value::Tuple(_) = parts {
        return vm.collect(parts);
    }
    let iterator = vm
        .iter(parts)
        .map_err(|raise| match vm.is_error(&raise, "TypeError") {
            true => vm.type_error("can only join an iterable"),
            false => raise,
        })?;
    vm.collect(&iterator)
}

fn join(vm: &Vm, separator: &Str, parts: &Value) -> PyResult {
    let mut out = String::new();
    for (at, part) in joined_values(vm, parts)?.iter().enumerate() {
        let Value::Str(text) = part.plain() else {
            let kind = vm.class_name(part);
            let message = format!("sequence item {at}: expected str instance, {kind} found");
            return Err(vm.type_error(message));
        };
        if at > 0 {
            out.push_str(separator);
        }
        out.push_str(text);
        if out.len() > LONGEST {
            return Err(vm.memory_error());
        }
    }
    Ok(Value::str(out))
}
