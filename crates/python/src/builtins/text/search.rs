//! Finding and exchanging parts: `find`, `index`, `count`, `startswith`, `replace`, `removeprefix` and their like.
use super::{LONGEST, Where, between, count_argument, receiver, text_of, wanted_text};
use crate::{
    builtins::method,
    text::Str,
    value::{Args, Value},
    vm::{PyResult, Vm},
};
use std::rc::Rc;

/// Where a part begins in a text, in bytes.
type Find = fn(&str, &str) -> Option<usize>;

pub(super) fn install(vm: &Vm) {
    let class = &vm.types.str_;
    let finds: [(&str, bool, Find); 4] = [
        ("find", false, |text, part| text.find(part)),
        ("rfind", false, |text, part| text.rfind(part)),
        ("index", true, |text, part| text.find(part)),
        ("rindex", true, |text, part| text.rfind(part)),
    ];
    for (name, must, find) in finds {
        method(vm, class, name, move |vm, args| {
            match found(vm, name, args, find)? {
                Some(at) => Ok(Value::size(at)),
                None if must => Err(vm.value_error("substring not found")),
                None => Ok(Value::Int(-1)),
            }
        });
    }
    method(vm, class, "count", |vm, args| {
        let (text, args) = receiver(args);
        let place = Where::new(vm, "str", "count", args)?;
        let part = wanted_text(vm, "", &place.what)?;
        Ok(Value::size(match place.bounds(vm, text.chars_len())? {
            None => 0,
            Some((start, end)) if part.is_empty() => end - start + 1,
            Some((start, end)) => text.between(start, end).matches(&**part).count(),
        }))
    });
    method(vm, class, "startswith", |vm, args| {
        has_end(vm, "startswith", args, |text, part| text.starts_with(part))
    });
    method(vm, class, "endswith", |vm, args| {
        has_end(vm, "endswith", args, |text, part| text.ends_with(part))
    });
    method(vm, class, "removeprefix", |vm, args| {
        let [text, part] = args.method(vm, "str.removeprefix")?;
        let part = wanted_text(vm, "removeprefix() argument ", &part)?;
        let text = text_of(&text);
        Ok(text
            .strip_prefix(&**part)
            .map_or_else(|| Value::Str(text.clone()), Value::str))
    });
    method(vm, class, "removesuffix", |vm, args| {
        let [text, part] = args.method(vm, "str.removesuffix")?;
        let part = wanted_text(vm, "removesuffix() argument ", &part)?;
        let text = text_of(&text);
        Ok(text
            .strip_suffix(&**part)
            .map_or_else(|| Value::Str(text.clone()), Value::str))
    });
    method(vm, class, "replace", replace);
}

fn found(vm: &Vm, name: &str, args: Args, find: Find) -> PyResult<Option<usize>> {
    let (text, args) = receiver(args);
    let place = Where::new(vm, "str", name, args)?;
    let part = wanted_text(vm, "", &place.what)?;
    let Some((start, end)) = place.bounds(vm, text.chars_len())? else {
        return Ok(None);
    };
    let within = text.between(start, end);
    let at = find(within, &part);
    Ok(at.and_then(|at| within.get(..at)).map(|head| {
        start
            + if text.is_plain() {
                head.len()
            } else {
                head.chars().count()
            }
    }))
}

fn has_end(vm: &Vm, name: &str, args: Args, fits: fn(&str, &str) -> bool) -> PyResult {
    let (text, args) = receiver(args);
    let place = Where::new(vm, "str", name, args)?;
    let bounds = place.bounds(vm, text.chars_len())?;
    let within = bounds.map(|(start, end)| text.between(start, end));
    let has = |part: &Str| within.is_some_and(|within| fits(within, part));
    match place.what.plain() {
        Value::Str(part) => Ok(Value::Bool(has(part))),
        Value::Tuple(parts) => {
            for part in parts.iter() {
                let Value::Str(part) = part.plain() else {
                    let kind = vm.class_name(part);
                    let message = format!("tuple for {name} must only contain str, not {kind}");
                    return Err(vm.type_error(message));
                };
                if has(part) {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        _ => {
            let kind = vm.class_name(&place.what);
            let message = format!("{name} first arg must be str or a tuple of str, not {kind}");
            Err(vm.type_error(message))
        }
    }
}

fn replace(vm: &Vm, args: Args) -> PyResult {
    let (text, args) = receiver(args);
    let [old, new, count] = between(vm, "str.replace", args, 2)?;
    let old = wanted_text(vm, "replace() argument 1 ", &old.unwrap_or(Value::None))?;
    let new = wanted_text(vm, "replace() argument 2 ", &new.unwrap_or(Value::None))?;
    let most = count_argument(vm, count.as_ref())?;
    replaced(vm, &text, &old, &new, most)
}

fn replaced(vm: &Vm, text: &Rc<Str>, old: &str, new: &str, most: usize) -> PyResult {
    let times = match old.is_empty() {
        true => text.chars_len() + 1,
        false => text.matches(old).count(),
    };
    let times = times.min(most);
    if times == 0 {
        return Ok(Value::Str(text.clone()));
    }
    if text.len().saturating_add(times.saturating_mul(new.len())) > LONGEST {
        return Err(vm.memory_error());
    }
    Ok(Value::str(text.replacen(old, new, times)))
}
