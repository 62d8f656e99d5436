//! What a rendering may use: memory, time, and values of bounded size and depth.
//!
//! Made by `render`, once per rendering; `compile` puts calls of these functions into the program, and `filters` asks
//! before and after each filter and method. Everything that makes a new string or list takes its bytes from `memory`,
//! which never comes back: a template that keeps all it makes stays under the same bound as one that keeps nothing.
//! Values that are stored, compared or looped over are walked through once, so that their tree has at most `MAX_NODES`
//! nodes and `MAX_DEPTH` levels: what minijinja does with a value (print, compare, hash, drop) calls itself for each level.
//!
//! A namespace never becomes part of a value that is kept. It is the only thing in a template that can be changed, so
//! without this one could hold itself, and printing it would never end.
use minijinja::value::{Tuple, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Value};
use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Names of the functions that `compile` calls; none of them is an identifier.
pub(super) const ADD: &str = "+";
pub(super) const MULTIPLY: &str = "*";
pub(super) const CONCAT: &str = "~";
pub(super) const SLICE: &str = "[:]";
pub(super) const SPLAT: &str = "*args";
pub(super) const CHECK: &str = "=";
pub(super) const KEEP: &str = ".=";
/// The factor that `compile` puts into products.
pub(super) const ONE: &str = "reckon_one";

/// Bytes of new values besides 16 times the conversation's own, and of one string besides 4 times.
const MEMORY: usize = 64 << 20;
const STRING: usize = 4 << 20;
/// Nodes and levels of a value. Messages have two levels, tools as JSON schemas a dozen.
const MAX_NODES: usize = 200_000;
const MAX_DEPTH: usize = 64;
/// What a node takes besides its text.
const NODE: usize = 32;
/// Real templates take milliseconds.
const MAX_TIME: Duration = Duration::from_secs(4);

/// What is left to a rendering.
pub(super) struct Budget {
    memory: AtomicUsize,
    longest: usize,
    deadline: Instant,
    namespace: Option<&'static str>,
}

impl Budget {
    /// For a conversation of so many bytes.
    pub(super) fn new(conversation: usize) -> Arc<Self> {
        let namespace = minijinja::functions::namespace(None).ok();
        Arc::new(Self {
            memory: AtomicUsize::new(MEMORY + 16 * conversation),
            longest: STRING + 4 * conversation,
            deadline: Instant::now() + MAX_TIME,
            namespace: namespace.and_then(|value| type_name(&value)),
        })
    }

    /// Registers the functions that `compile` calls.
    pub(super) fn register(self: &Arc<Self>, env: &mut Environment<'_>) {
        env.add_global(ONE, 1);
        let of = || Arc::clone(self);
        let budget = of();
        env.add_function(CHECK, move |value: Value| budget.check(value, true));
        let budget = of();
        env.add_function(KEEP, move |value: Value| budget.check(value, false));
        let budget = of();
        env.add_function(ADD, move |a: Value, b: Value| budget.add(&a, &b));
        let budget = of();
        env.add_function(MULTIPLY, move |a: Value, b: Value| budget.multiply(&a, &b));
        let budget = of();
        env.add_function(CONCAT, move |a: Value, b: Value| budget.text(&[&a, &b]));
        let budget = of();
        env.add_function(SLICE, move |v: Value, a: Value, b: Value, step: Value| {
            budget.slice(&v, &a, &b, &step)
        });
        let budget = of();
        env.add_function(SPLAT, move |lists: minijinja::value::Rest<Value>| {
            budget.list(&lists)
        });
        let budget = of();
        env.set_formatter(move |out, _, value| {
            let written = match value.as_str() {
                Some(text) => {
                    budget.take(text.len())?;
                    out.write_str(text)
                }
                None => out.write_str(&budget.text(&[value])?),
            };
            written.map_err(Error::from)
        });
    }

    /// Longest string, in bytes.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Takes memory for a new value, and looks at the clock.
    pub(super) fn take(&self, bytes: usize) -> Result<(), Error> {
        if Instant::now() > self.deadline {
            return Err(refuse("it takes too long"));
        }
        let left = self.memory.load(Ordering::Relaxed);
        let left = left.checked_sub(bytes);
        let left = left.ok_or_else(|| refuse("its values grow too large"))?;
        // One thread renders; atomic only because minijinja asks for functions that could be shared.
        self.memory.store(left, Ordering::Relaxed);
        Ok(())
    }

    /// Takes memory for a string that is about to be made.
    pub(super) fn string(&self, bytes: usize) -> Result<(), Error> {
        if bytes > self.longest {
            return Err(refuse("a string grows too long"));
        }
        self.take(bytes)
    }

    /// Takes memory for a value that shares its parts with others.
    pub(super) fn shallow(&self, value: &Value) -> Result<(), Error> {
        match value.as_str() {
            Some(text) => self.string(text.len()),
            None => self.take(NODE * value.len().unwrap_or(1)),
        }
    }

    /// The values as one string.
    pub(super) fn text(&self, values: &[&Value]) -> Result<String, Error> {
        let mut text = Text {
            text: String::new(),
            most: self.longest,
        };
        for value in values {
            write!(text, "{value}").map_err(|_| refuse("a string grows too long"))?;
        }
        self.take(text.text.len())?;
        Ok(text.text)
    }

    /// Bytes that the tree of a value would take if nothing in it were shared.
    pub(super) fn size(&self, value: &Value) -> Result<usize, Error> {
        let mut walk = Walk {
            nodes: 0,
            bytes: 0,
            namespace: self.namespace,
        };
        walk.visit(value, 0)?;
        self.take(0)?;
        Ok(walk.bytes + NODE * walk.nodes)
    }

    /// Passes on a value that is to be kept. Only a variable may hold a namespace.
    fn check(&self, value: Value, is_variable: bool) -> Result<Value, Error> {
        if !is_variable && self.is_namespace(&value) {
            return Err(refuse(CYCLE));
        }
        self.size(&value)?;
        Ok(value)
    }

    fn is_namespace(&self, value: &Value) -> bool {
        self.namespace.is_some() && type_name(value) == self.namespace
    }

    fn add(&self, a: &Value, b: &Value) -> Result<Value, Error> {
        if let (Some(x), Some(y)) = (a.as_str(), b.as_str()) {
            self.string(x.len() + y.len())?;
            return Ok(Value::from([x, y].concat()));
        }
        if is_list(a) && is_list(b) && a.is_tuple() == b.is_tuple() {
            return self.list(&[a.clone(), b.clone()]);
        }
        arithmetic("+", a, b, i128::checked_add, |x, y| x + y)
    }

    fn multiply(&self, a: &Value, b: &Value) -> Result<Value, Error> {
        let (many, times) = match a.is_number() {
            true => (b, a),
            false => (a, b),
        };
        let times_or = || usize::try_from(times.as_i64()?.max(0)).ok();
        if let Some(text) = many.as_str() {
            let n = times_or().ok_or_else(|| unsupported("*", a, b))?;
            self.string(text.len().saturating_mul(n))?;
            return Ok(Value::from(text.repeat(n)));
        }
        if is_list(many) {
            let n = times_or().ok_or_else(|| unsupported("*", a, b))?;
            // Taken before the copies are made; an empty list costs its repetitions all the same.
            let len = many.len().unwrap_or(1).max(1);
            self.take(NODE.saturating_mul(n).saturating_mul(len))?;
            return self.list(&vec![many.clone(); n]);
        }
        arithmetic("*", a, b, i128::checked_mul, |x, y| x * y)
    }

    /// One list of the items of all of these.
    fn list(&self, lists: &[Value]) -> Result<Value, Error> {
        let mut items = Vec::new();
        for list in lists {
            for item in list.try_iter()?.checked() {
                self.take(NODE)?;
                items.push(item?);
            }
        }
        Ok(match lists.first().is_some_and(Value::is_tuple) {
            true => Value::from(Tuple::from(items)),
            false => Value::from(items),
        })
    }

    /// As Python slices: a bound beyond an end is that end.
    fn slice(&self, v: &Value, start: &Value, stop: &Value, step: &Value) -> Result<Value, Error> {
        let number = |value: &Value| match value.is_none() {
            true => Ok(None),
            false => value.as_i64().map(Some).ok_or_else(|| refuse(NO_INDEX)),
        };
        let (start, stop) = (number(start)?, number(stop)?);
        let step = number(step)?.unwrap_or(1);
        if step == 0 {
            return Err(refuse("a slice cannot have a step of 0"));
        }
        if let Some(text) = v.as_str() {
            self.string(text.len())?;
            let chars: Vec<char> = text.chars().collect();
            let picked = indices(chars.len(), start, stop, step).map(|i| chars[i]);
            return Ok(Value::from(picked.collect::<String>()));
        }
        if v.is_undefined() || v.is_none() {
            return Ok(Value::from(Vec::<Value>::new()));
        }
        if !is_list(v) {
            return Err(refuse(&format!("a {} cannot be sliced", v.kind())));
        }
        let mut items = Vec::new();
        for item in v.try_iter()?.checked() {
            self.take(NODE)?;
            items.push(item?);
        }
        let picked = indices(items.len(), start, stop, step).map(|i| items[i].clone());
        Ok(match v.is_tuple() {
            true => Value::from(Tuple::from(picked.collect::<Vec<_>>())),
            false => Value::from(picked.collect::<Vec<_>>()),
        })
    }
}

const NO_INDEX: &str = "the bounds of a slice are integers";
const CYCLE: &str = "a namespace cannot be part of another value";

/// The places that a slice picks, in order.
fn indices(
    len: usize,
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
) -> impl Iterator<Item = usize> {
    let len = len as i64;
    // Going down, the place before the first is -1.
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let place = |bound: i64| match bound {
        ..0 => bound.saturating_add(len).max(low),
        _ => bound.min(high),
    };
    let (first, last) = match step > 0 {
        true => (start.map_or(0, place), stop.map_or(len, place)),
        false => (start.map_or(len - 1, place), stop.map_or(-1, place)),
    };
    let distance = if step > 0 { last - first } else { first - last };
    let n = distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs());
    (0..n as i64).map(move |i| (first + i * step) as usize)
}

/// Sums and products of numbers: integers stay integers as long as they fit.
fn arithmetic(
    sign: &str,
    a: &Value,
    b: &Value,
    integers: fn(i128, i128) -> Option<i128>,
    floats: fn(f64, f64) -> f64,
) -> Result<Value, Error> {
    let is_whole = |v: &Value| v.is_integer() || v.kind() == ValueKind::Bool;
    let whole = |v: &Value| i128::try_from(v.clone()).ok().filter(|_| is_whole(v));
    if let (Some(x), Some(y)) = (whole(a), whole(b)) {
        let result = integers(x, y).ok_or_else(|| refuse("an integer is too large"))?;
        return Ok(i64::try_from(result).map_or_else(|_| Value::from(result), Value::from));
    }
    let float = |v: &Value| match whole(v) {
        Some(integer) => Some(integer as f64),
        None => f64::try_from(v.clone()).ok().filter(|_| v.is_number()),
    };
    match (float(a), float(b)) {
        (Some(x), Some(y)) => Ok(Value::from(floats(x, y))),
        _ => Err(unsupported(sign, a, b)),
    }
}

fn is_list(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable)
}

fn type_name(value: &Value) -> Option<&'static str> {
    value.as_object().map(|object| object.type_name())
}

fn unsupported(sign: &str, a: &Value, b: &Value) -> Error {
    refuse(&format!(
        "`{sign}` does not go with {} and {}",
        a.kind(),
        b.kind()
    ))
}

pub(super) fn refuse(problem: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, problem.to_owned())
}

/// Counts the tree of a value.
struct Walk {
    nodes: usize,
    bytes: usize,
    namespace: Option<&'static str>,
}

impl Walk {
    fn visit(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(refuse("a value has too many parts"));
        }
        if depth > MAX_DEPTH {
            return Err(refuse("a value is nested too deeply"));
        }
        match value.kind() {
            ValueKind::String => self.bytes += value.as_str().map_or(0, str::len),
            ValueKind::Bytes => self.bytes += value.as_bytes().map_or(0, <[u8]>::len),
            ValueKind::Seq | ValueKind::Iterable => {
                for item in value.try_iter()? {
                    self.visit(&item, depth + 1)?;
                }
            }
            ValueKind::Map => {
                if depth > 0 && self.namespace.is_some() && type_name(value) == self.namespace {
                    return Err(refuse(CYCLE));
                }
                for key in value.try_iter()? {
                    self.visit(&key, depth + 1)?;
                    self.visit(&value.get_item(&key)?, depth + 1)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// A string that refuses to grow beyond its bound.
struct Text {
    text: String,
    most: usize,
}

impl fmt::Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.text.len() + part.len() > self.most {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}
