//! The filters, methods and functions that templates may use, each under the rendering's budget.
//!
//! Registered by `render`. minijinja's own do the work; what could come out much larger than what went in is estimated
//! before (`before`), and what came out is taken from the budget. Filters that are not Jinja's (`chain`, `zip`, `lines`)
//! or that print the interpreter's insides (`pprint`, `debug`) are left out.
use super::budget::{Budget, refuse};
use minijinja::value::{Rest, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, State, Value, filters};
use minijinja_contrib::pycompat::unknown_method_callback;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Filters that need nothing of the template they are used in.
const PLAIN: &str = "abs attr batch bool capitalize count d default dictsort e escape first float format groupby \
indent int items join last length list lower max min replace reverse round safe slice sort split sum title trim \
unique upper";
/// Filters that call other filters or tests, by name.
const CALLING: [&str; 5] = ["map", "reject", "rejectattr", "select", "selectattr"];
/// Filters of minijinja's that are left out.
const ABSENT: [&str; 4] = ["chain", "lines", "pprint", "zip"];
/// Largest number given to a filter that makes so many rows, columns or spaces, and to `range`.
const MAX_COUNT: i64 = 10_000;
const MAX_RANGE: u64 = 1 << 30;
/// Longest number in the pattern of `format`: a width or a precision of 9999.
const MAX_DIGITS: usize = 4;

/// Registers everything.
pub(super) fn register(env: &mut Environment<'_>, budget: &Arc<Budget>) {
    for name in ABSENT {
        env.remove_filter(name);
    }
    env.remove_global("debug");
    for name in PLAIN.split(' ') {
        let budget = Arc::clone(budget);
        env.add_filter(name, move |args: Rest<ValueOrKwargs>| {
            let args = args.into_values();
            before(&budget, name, &args)?;
            let out = base().empty_state().apply_filter(name, &args)?;
            after(&budget, &args, out)
        });
    }
    for name in CALLING {
        let budget = Arc::clone(budget);
        env.add_filter(
            name,
            move |state: &mut State<'_, '_>, value: Value, args: Rest<ValueOrKwargs>| {
                budget.size(&value)?;
                let out = calling(state, name, value, args)?;
                after(&budget, &[], Value::from(out))
            },
        );
    }
    let own = Arc::clone(budget);
    env.add_filter("string", move |value: Value| own.text(&[&value]));
    let own = Arc::clone(budget);
    env.set_unknown_method_callback(move |state, value, method, args| {
        let all: Vec<Value> = [value].into_iter().chain(args).cloned().collect();
        // As methods these take the separator or the pattern first.
        let name = match method {
            "join" => "str.join",
            "format" => "str.format",
            _ => method,
        };
        before(&own, name, &all)?;
        let out = unknown_method_callback(state, value, method, args)?;
        after(&own, &all, out)
    });
    let own = Arc::clone(budget);
    env.add_function("range", move |a: i64, b: Option<i64>, step: Option<i64>| {
        own.take(0)?;
        let mut bounds = [Some(a), b, step].into_iter().flatten();
        if bounds.any(|n| n.unsigned_abs() > MAX_RANGE) {
            return Err(refuse("a range is too large"));
        }
        let size = |n: i64| n as isize;
        minijinja::functions::range(size(a), b.map(size), step.map(size))
    });
}

/// minijinja's own filters.
fn base() -> &'static Environment<'static> {
    static BASE: OnceLock<Environment<'static>> = OnceLock::new();
    BASE.get_or_init(Environment::new)
}

/// Filters that look up other filters need the environment in which those are ours.
fn calling(
    state: &mut State<'_, '_>,
    name: &str,
    value: Value,
    args: Rest<ValueOrKwargs>,
) -> Result<Vec<Value>, Error> {
    if name == "map" {
        return filters::map(state, value, args);
    }
    let mut args = args.0.into_iter();
    let mut text = || {
        let arg = args.next().map(ValueOrKwargs::into_value);
        arg.map(|value| Cow::from(value.to_string()))
    };
    let missing = || refuse("the name of an attribute is missing");
    match name {
        "select" => filters::select(state, value, text(), Rest(args.collect())),
        "reject" => filters::reject(state, value, text(), Rest(args.collect())),
        "selectattr" => {
            let (attr, test) = (text().ok_or_else(missing)?, text());
            filters::selectattr(state, value, attr, test, Rest(args.collect()))
        }
        _ => {
            let (attr, test) = (text().ok_or_else(missing)?, text());
            filters::rejectattr(state, value, attr, test, Rest(args.collect()))
        }
    }
}

/// Refuses what would come out too large. `args[0]` is what a filter or a method is applied to.
fn before(budget: &Budget, name: &str, args: &[Value]) -> Result<(), Error> {
    let sizes: Result<Vec<usize>, Error> = args.iter().map(|arg| budget.size(arg)).collect();
    let (sizes, text) = (sizes?, |i: usize| args.get(i).and_then(Value::as_str));
    let total: usize = sizes.iter().sum();
    let items = |i: usize| args.get(i).and_then(Value::len).unwrap_or_default();
    let estimate = match name {
        "replace" => {
            let (old, new) = (text(1).unwrap_or_default(), text(2).unwrap_or_default());
            let n = text(0).map_or(0, |subject| subject.matches(old).count());
            n.saturating_mul(new.len())
        }
        "join" => {
            let separator: usize = match text(1) {
                Some(separator) => separator.len(),
                None => sizes.iter().skip(1).sum(),
            };
            items(0).saturating_mul(separator)
        }
        "str.join" => items(1).saturating_mul(text(0).map_or(0, str::len)),
        "indent" | "batch" | "slice" => {
            let count = args
                .iter()
                .skip(1)
                .filter_map(largest)
                .max()
                .unwrap_or_default();
            if count > MAX_COUNT {
                return Err(refuse(&format!("`{name}` by {count}, {MAX_COUNT} allowed")));
            }
            let lines = text(0).map_or(0, |subject| subject.lines().count());
            let width = text(1).map_or(count.max(0) as usize, str::len);
            lines.saturating_mul(width)
        }
        "format" => format_size(text(0).unwrap_or_default(), b'%', total)?,
        "str.format" => format_size(text(0).unwrap_or_default(), b'{', total)?,
        _ => 0,
    };
    if estimate.saturating_add(total) > budget.longest().saturating_mul(2) {
        return Err(refuse(&format!("`{name}` makes a string too long")));
    }
    Ok(())
}

/// What `format` may make of a pattern whose places begin with `mark`: each could hold everything given.
fn format_size(pattern: &str, mark: u8, total: usize) -> Result<usize, Error> {
    let bytes = pattern.as_bytes();
    let places = bytes.iter().filter(|&&byte| byte == mark).count();
    let (mut digits, mut in_field, mut i) = (0, false, 0);
    while let Some(&byte) = bytes.get(i) {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        // A width that is itself an argument: `%*d`, `{:{w}}`.
        let is_dynamic = match (mark, byte) {
            (b'%', b'*') => {
                let mut before = bytes[..i].iter().rev();
                before.find(|b| !b"#0- +.123456789".contains(b)) == Some(&b'%')
            }
            (b'{', b'{') => std::mem::replace(&mut in_field, true),
            (b'{', b'}') => {
                in_field = false;
                false
            }
            _ => false,
        };
        if is_dynamic || digits > MAX_DIGITS {
            return Err(refuse("`format` with such a width is not supported"));
        }
        // A mark written twice is a letter.
        let is_letter = byte == mark && !is_dynamic && bytes.get(i + 1) == Some(&mark);
        in_field &= !is_letter;
        i += 1 + usize::from(is_letter);
    }
    let each = total.saturating_add(10_usize.pow(MAX_DIGITS as u32));
    Ok(places.saturating_mul(each))
}

/// Takes what a filter made from the budget.
fn after(budget: &Budget, args: &[Value], out: Value) -> Result<Value, Error> {
    budget.shallow(&out)?;
    // A list made of a string consists of new strings.
    if out.as_str().is_none() && out.len().is_some() {
        budget.take(args.first().and_then(Value::as_str).map_or(0, str::len))?;
    }
    Ok(out)
}

/// An integer, also among keyword arguments.
fn largest(value: &Value) -> Option<i64> {
    match value.kind() {
        ValueKind::Map => {
            let keys = value.try_iter().ok()?;
            keys.filter_map(|key| value.get_item(&key).ok()?.as_i64())
                .max()
        }
        _ => value.as_i64(),
    }
}
