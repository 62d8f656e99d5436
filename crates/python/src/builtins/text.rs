//! `str`: its constructor and its methods, of CPython 3.11.
//!
//! Places are characters outside and bytes inside; a text is valid UTF-8, so that searching its bytes finds whole characters.
//! No result is longer than [`LONGEST`]. What Unicode says of characters is the standard library's, corrected where Python
//! sees it differently; it knows some characters that are younger than Python 3.11.
mod case;
mod characters;
mod kind;
mod pad;
mod search;
mod split;
mod template;
mod translate;

use super::{bytes, constructor, method};
use crate::{
    format::MOST_BYTES,
    text::Str,
    value::{Args, Value},
    vm::{Bound, Number, PyResult, Vm},
};
use num_traits::Signed;
use std::rc::Rc;

pub(crate) use characters::is_alphanumeric;
pub(super) use split::joined_values;

/// No text that a method makes may have more bytes.
pub(super) const LONGEST: usize = MOST_BYTES;

pub(super) fn install(vm: &Vm) {
    constructor(vm, &vm.types.str_, |vm, class, args| {
        let bound = args.bind(vm, "str", ["object", "encoding", "errors"], 0)?;
        Ok(vm.wrap(class, Value::Str(new_text(vm, bound)?)))
    });
    method(vm, &vm.types.str_, "encode", |vm, args| {
        let (text, args) = receiver(args);
        let [encoding, errors] = args.bind(vm, "encode", ["encoding", "errors"], 0)?;
        let encoding = name_argument(vm, "encode() argument 'encoding'", encoding)?;
        let errors = name_argument(vm, "encode() argument 'errors'", errors)?;
        bytes::encode(vm, &text, encoding.as_deref(), errors.as_deref()).map(Value::bytes)
    });
    method(vm, &vm.types.str_, "__getnewargs__", |vm, args| {
        let [text] = args.method(vm, "str.__getnewargs__")?;
        Ok(Value::tuple(vec![Value::Str(text_of(&text))]))
    });
    case::install(vm);
    kind::install(vm);
    pad::install(vm);
    search::install(vm);
    split::install(vm);
    template::install(vm);
    translate::install(vm);
}

fn new_text(vm: &Vm, [object, encoding, errors]: Bound<3>) -> PyResult<Rc<Str>> {
    let encoding = name_argument(vm, "str() argument 'encoding'", encoding)?;
    let errors = name_argument(vm, "str() argument 'errors'", errors)?;
    let Some(object) = object else {
        return Ok(Str::new(""));
    };
    if encoding.is_none() && errors.is_none() {
        return vm.str(&object);
    }
    match object.plain() {
        Value::Str(_) => Err(vm.type_error("decoding str is not supported")),
        Value::Bytes(_) | Value::ByteArray(_) => {
            let bytes = vm.bytes_of(&object)?;
            let text = bytes::decode(vm, &bytes, encoding.as_deref(), errors.as_deref())?;
            Ok(Str::new(text))
        }
        _ => {
            let name = vm.class_name(&object);
            let message = format!("decoding to str: need a bytes-like object, {name} found");
            Err(vm.type_error(message))
        }
    }
}

/// The text that a value is or carries, empty for another: methods are called only with texts.
pub(super) fn text_of(value: &Value) -> Rc<Str> {
    match value.plain() {
        Value::Str(text) => text.clone(),
        _ => Str::new(""),
    }
}

/// The text that a method is called on, and what follows it.
fn receiver(args: Args) -> (Rc<Str>, Args) {
    let (object, args) = without_receiver(args);
    (text_of(&object), args)
}

pub(super) fn without_receiver(mut args: Args) -> (Value, Args) {
    let object = args.receiver();
    if !args.positional.is_empty() {
        args.positional.remove(0);
    }
    (object, args)
}

/// The name of an encoding or of a way to treat errors, if it is given; `what` is for the error.
pub(super) fn name_argument(vm: &Vm, what: &str, value: Option<Value>) -> PyResult<Option<String>> {
    match value {
        None => Ok(None),
        Some(value) => match value.plain() {
            Value::Str(name) => Ok(Some(name.to_string())),
            _ => {
                let name = vm.class_name(&value);
                Err(vm.type_error(format!("{what} must be str, not {name}")))
            }
        },
    }
}

/// A text, or an error that calls it `what` (with a blank behind it, if not empty).
fn wanted_text(vm: &Vm, what: &str, value: &Value) -> PyResult<Rc<Str>> {
    match value.plain() {
        Value::Str(text) => Ok(text.clone()),
        _ => {
            let name = vm.class_name(value);
            Err(vm.type_error(format!("{what}must be str, not {name}")))
        }
    }
}

/// A method without arguments.
fn simple(vm: &Vm, name: &'static str, code: fn(&Vm, &Rc<Str>) -> PyResult) {
    let full = format!("str.{name}");
    method(vm, &vm.types.str_, name, move |vm, args| {
        let [text] = args.method(vm, &full)?;
        code(vm, &text_of(&text))
    });
}

/// What is searched for and where, as `find(what, start, end)` takes it.
pub(super) struct Where {
    pub(super) what: Value,
    start: Option<Value>,
    end: Option<Value>,
}

impl Where {
    /// `class` and `name` are for messages.
    pub(super) fn new(vm: &Vm, class: &str, name: &str, args: Args) -> PyResult<Self> {
        args.no_keywords(vm, &format!("{class}.{name}"))?;
        let given = args.positional.len();
        let mut values = args.positional.into_iter();
        match (values.next(), given) {
            (Some(what), 1..=3) => Ok(Self {
                what,
                start: values.next(),
                end: values.next(),
            }),
            (None, _) => {
                Err(vm.type_error(format!("{name}() takes at least 1 argument (0 given)")))
            }
            _ => {
                let message = format!("{name}() takes at most 3 arguments ({given} given)");
                Err(vm.type_error(message))
            }
        }
    }

    /// From where to where in something of this length; nothing if it would begin behind its end.
    pub(super) fn bounds(&self, vm: &Vm, len: usize) -> PyResult<Option<(usize, usize)>> {
        let start = limit(vm, self.start.as_ref(), 0, len)?;
        let end = limit(vm, self.end.as_ref(), len, len)?.min(len);
        Ok((start <= end).then_some((start, end)))
    }
}

/// A place that may count from the end. It may lie behind the end, and is then where nothing is found.
fn limit(vm: &Vm, value: Option<&Value>, default: usize, len: usize) -> PyResult<usize> {
    let value = match value {
        None | Some(Value::None) => return Ok(default),
        Some(value) => value,
    };
    let at = match vm.index_number(value)? {
        Some(Number::Int(at)) => at,
        Some(Number::Big(at)) if at.is_negative() => i64::MIN,
        Some(_) => i64::MAX,
        None => {
            let message = "slice indices must be integers or None or have an __index__ method";
            return Err(vm.type_error(message));
        }
    };
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let at = if at < 0 {
        at.saturating_add(len).max(0)
    } else {
        at
    };
    Ok(usize::try_from(at).unwrap_or(usize::MAX))
}

/// A count, of which every negative one means "all".
pub(super) fn count_argument(vm: &Vm, value: Option<&Value>) -> PyResult<usize> {
    match value {
        None => Ok(usize::MAX),
        Some(value) => Ok(usize::try_from(vm.small_integer(value)?).unwrap_or(usize::MAX)),
    }
}

/// A width, of which every negative one is zero.
pub(super) fn width_argument(vm: &Vm, value: &Value) -> PyResult<usize> {
    Ok(usize::try_from(vm.small_integer(value)?).unwrap_or(0))
}

/// The width of a tabulator, which is narrower in CPython; eight if it is not given.
pub(super) fn tab_argument(vm: &Vm, value: Option<&Value>) -> PyResult<usize> {
    let Some(value) = value else {
        return Ok(8);
    };
    let size = i32::try_from(vm.small_integer(value)?)
        .map_err(|_| vm.overflow("Python int too large to convert to C int"))?;
    Ok(usize::try_from(size).unwrap_or(0))
}

/// Positional arguments behind the receiver; `full` is the name with its class.
pub(super) fn between<const N: usize>(
    vm: &Vm,
    full: &str,
    args: Args,
    least: usize,
) -> PyResult<Bound<N>> {
    args.no_keywords(vm, full)?;
    let name = full.rsplit('.').next().unwrap_or(full);
    args.between(vm, name, least)
}
