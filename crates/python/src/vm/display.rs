//! Values as text: `repr`, `str`, `format`.
use super::{Number, PyResult, Vm};
use crate::{
    format::{FormatError, Spec},
    number,
    table::Dict,
    text::{Str, quoted},
    value::{IterState, Payload, Value, ViewKind},
};
use std::{cell::RefCell, rc::Rc};

/// No representation is made longer than this: it could not be shown.
const LONGEST: usize = 1 << 26;
/// What was done when it went too deep.
const REPRESENTING: &str = " while getting the repr of an object";

impl Vm {
    pub(crate) fn repr(&self, value: &Value) -> PyResult<Rc<Str>> {
        if let Some(text) = self.call_special(value, &self.names.repr, Vec::new())? {
            return match text.plain() {
                Value::Str(text) => Ok(text.clone()),
                other => {
                    let name = self.class_name(other);
                    let message = format!("__repr__ returned non-string (type {name})");
                    Err(self.type_error(message))
                }
            };
        }
        let mut out = String::new();
        self.write_repr(value, &mut out)?;
        Ok(Str::new(out))
    }

    pub(crate) fn str(&self, value: &Value) -> PyResult<Rc<Str>> {
        if let Value::Str(text) = value {
            return Ok(text.clone());
        }
        if let Some(text) = self.call_special(value, &self.names.str_, Vec::new())? {
            return match text.plain() {
                Value::Str(text) => Ok(text.clone()),
                other => {
                    let name = self.class_name(other);
                    let message = format!("__str__ returned non-string (type {name})");
                    Err(self.type_error(message))
                }
            };
        }
        self.str_of_object(value)
    }

    /// `object.__str__`: the representation, but for texts and exceptions, which have a `__str__` of their own that a
    /// `__repr__` below them does not change.
    pub(crate) fn str_of_object(&self, value: &Value) -> PyResult<Rc<Str>> {
        let own = match value.plain() {
            Value::Str(_) => true,
            Value::Instance(instance) => instance.exception().is_some(),
            _ => false,
        };
        if !own && self.special(value, &self.names.repr).is_some() {
            return self.repr(value);
        }
        self.builtin_str(value)
    }

    /// `str` of builtin types, which for most is their `repr`.
    pub(crate) fn builtin_str(&self, value: &Value) -> PyResult<Rc<Str>> {
        match value.plain() {
            Value::Str(text) => Ok(text.clone()),
            Value::Instance(instance) => match &instance.payload {
                Payload::Exception(state) => {
                    let args = state.borrow().args.clone();
                    match crate::builtins::unicode_error_text(self, instance, &args) {
                        Some(text) => Ok(text),
                        None => self.exception_text(value, &args),
                    }
                }
                _ => self.repr(value),
            },
            _ => {
                let mut out = String::new();
                self.write_builtin_repr(value, &mut out)?;
                Ok(Str::new(out))
            }
        }
    }

    fn exception_text(&self, value: &Value, args: &Rc<Vec<Value>>) -> PyResult<Rc<Str>> {
        let is = |class: &str| self.is_instance(value, &self.types.exception(class));
        match args.as_slice() {
            [] => Ok(Str::new("")),
            [key] if is("KeyError") => self.repr(key),
            [one] => self.str(one),
            [code, text] if is("OSError") => {
                let (code, text) = (self.str(code)?, self.str(text)?);
                Ok(Str::new(format!("[Errno {code}] {text}")))
            }
            _ => self.repr(&Value::Tuple(args.clone())),
        }
    }

    /// Writes the representation behind what is there.
    pub(crate) fn write_repr(&self, value: &Value, out: &mut String) -> PyResult<()> {
        if out.len() > LONGEST {
            return Err(self.memory_error());
        }
        if self.special(value, &self.names.repr).is_some() {
            out.push_str(&self.repr(value)?);
            return Ok(());
        }
        self.write_builtin_repr(value, out)
    }

    /// As the builtin type of the value, or above its class, writes it.
    pub(crate) fn write_builtin_repr(&self, value: &Value, out: &mut String) -> PyResult<()> {
        if let Value::Instance(instance) = value
            && let Payload::Value(plain) = &instance.payload
        {
            return self.repr_of_descendant(value, plain, out);
        }
        match value {
            Value::Unbound | Value::None => out.push_str("None"),
            Value::Ellipsis => out.push_str("Ellipsis"),
            Value::NotImplemented => out.push_str("NotImplemented"),
            Value::Bool(true) => out.push_str("True"),
            Value::Bool(false) => out.push_str("False"),
            Value::Int(n) => out.push_str(&n.to_string()),
            Value::Big(n) => out.push_str(&self.big_text(n)?),
            Value::Float(x) => out.push_str(&number::float_repr(*x)),
            Value::Complex(z) => out.push_str(&z.repr()),
            Value::Str(text) => out.push_str(&quoted(text)),
            Value::Bytes(bytes) => out.push_str(&bytes_repr(bytes)),
            Value::ByteArray(bytes) => {
                let mut text = bytes_repr(&bytes.borrow());
                if text.starts_with("b\"") {
                    // A quirk of CPython: escaped even where the other quote is around.
                    text = text.replace('\'', "\\'");
                }
                out.push_str(&format!("bytearray({text})"));
            }
            Value::Tuple(values) => {
                let close = if values.len() == 1 { ",)" } else { ")" };
                self.write_many(value, values, ("(", close), out)?;
            }
            Value::List(list) => self.write_list(value, list, out)?,
            Value::Set(set) if set.len() == 0 => out.push_str("set()"),
            Value::Set(set) => self.write_many(value, &set.keys(), ("{", "}"), out)?,
            Value::FrozenSet(set) if set.len() == 0 => out.push_str("frozenset()"),
            Value::FrozenSet(set) => {
                self.write_many(value, &set.keys(), ("frozenset({", "})"), out)?;
            }
            Value::Dict(dict) => self.write_dict(value, dict, out)?,
            Value::Range(range) => {
                out.push_str(&match range.step {
                    1 => format!("range({}, {})", range.start, range.stop),
                    step => format!("range({}, {}, {step})", range.start, range.stop),
                });
            }
            Value::Slice(slice) => {
                let parts = [slice.start.clone(), slice.stop.clone(), slice.step.clone()];
                self.write_many(value, &parts, ("slice(", ")"), out)?;
            }
            Value::View(view) => {
                if view.ordered {
                    out.push('o');
                }
                let (name, values) = match view.kind {
                    ViewKind::Keys => ("dict_keys([", self.collect(value)?),
                    ViewKind::Values => ("dict_values([", self.collect(value)?),
                    ViewKind::Items => ("dict_items([", self.collect(value)?),
                };
                self.write_many(value, &values, (name, "])"), out)?;
            }
            other => self.write_object(other, out)?,
        }
        Ok(())
    }

    /// Digits of an integer, unless there are more than CPython would write.
    pub(crate) fn big_text(&self, n: &num_bigint::BigInt) -> PyResult<String> {
        let most = self.max_digits.get();
        if most > 0 && number::decimal_digits_exceed(n, most) {
            let message = format!(
                "Exceeds the limit ({most} digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit"
            );
            return Err(self.value_error(message));
        }
        Ok(number::int_to_string(n))
    }

    fn write_many(
        &self,
        whole: &Value,
        values: &[Value],
        (open, close): (&str, &str),
        out: &mut String,
    ) -> PyResult<()> {
        self.guarded(whole, out, |out| {
            out.push_str(open);
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                self.write_repr(value, out)?;
            }
            out.push_str(close);
            Ok(())
        })
    }

    /// A list may change while its values are written.
    fn write_list(
        &self,
        whole: &Value,
        list: &Rc<RefCell<Vec<Value>>>,
        out: &mut String,
    ) -> PyResult<()> {
        self.guarded(whole, out, |out| {
            out.push('[');
            let mut at = 0;
            loop {
                let Some(value) = list.borrow().get(at).cloned() else {
                    break;
                };
                if at > 0 {
                    out.push_str(", ");
                }
                self.write_repr(&value, out)?;
                at += 1;
            }
            out.push(']');
            Ok(())
        })
    }

    fn write_dict(&self, whole: &Value, dict: &Rc<Dict>, out: &mut String) -> PyResult<()> {
        self.guarded(whole, out, |out| {
            out.push('{');
            for (at, (key, value)) in dict.pairs().into_iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                self.write_repr(&key, out)?;
                out.push_str(": ");
                self.write_repr(&value, out)?;
            }
            out.push('}');
            Ok(())
        })
    }

    /// A container inside itself is dots.
    fn guarded(
        &self,
        whole: &Value,
        out: &mut String,
        write: impl FnOnce(&mut String) -> PyResult<()>,
    ) -> PyResult<()> {
        let address = whole.address();
        if self.shown.borrow().contains(&address) {
            out.push_str(match whole {
                Value::Dict(_) => "{...}",
                Value::Tuple(_) => "(...)",
                Value::Set(_) => "set(...)",
                _ => "[...]",
            });
            return Ok(());
        }
        self.shown.borrow_mut().push(address);
        let result = self.deeper_in(REPRESENTING, || write(out));
        self.shown.borrow_mut().pop();
        result
    }

    fn repr_of_descendant(&self, value: &Value, plain: &Value, out: &mut String) -> PyResult<()> {
        let name = self.class_name(value);
        match plain {
            Value::Set(set) | Value::FrozenSet(set) => {
                if set.len() == 0 {
                    out.push_str(&format!("{name}()"));
                    return Ok(());
                }
                let open = format!("{name}({{");
                self.write_many(plain, &set.keys(), (&open, "})"), out)
            }
            plain => self.write_repr(plain, out),
        }
    }

    fn write_object(&self, value: &Value, out: &mut String) -> PyResult<()> {
        let text = match value {
            Value::Class(class) => format!("<class '{}'>", self.class_path(class)),
            Value::Function(function) => {
                format!(
                    "<function {} at {:#x}>",
                    function.qualname.borrow(),
                    value.address()
                )
            }
            Value::Native(native) => match &native.owner {
                Some(owner) => format!("<method '{}' of '{}' objects>", native.name, owner.name()),
                None => format!("<built-in function {}>", native.name),
            },
            Value::Method(method) => match &method.function {
                Value::Native(native) => format!(
                    "<built-in method {} of {} object at {:#x}>",
                    native.name,
                    self.class_name(&method.receiver),
                    method.receiver.address()
                ),
                function => {
                    let name = match function {
                        Value::Function(function) => function.qualname.borrow().to_string(),
                        other => self.str(other)?.to_string(),
                    };
                    format!("<bound method {name} of {}>", self.repr(&method.receiver)?)
                }
            },
            Value::Module(module) => format!("<module '{}' (built-in)>", module.name),
            Value::Generator(generator) => {
                format!(
                    "<generator object {} at {:#x}>",
                    generator.qualname,
                    value.address()
                )
            }
            Value::Code(code) => format!("<code object {} at {:#x}>", code.name, value.address()),
            Value::GetSet(computed) => format!("<attribute '{}'>", computed.name),
            Value::Super(parent) => {
                let (class, own) = (parent.class.name(), parent.receiver_class.name());
                format!("<super: <class '{class}'>, <{own} object>>")
            }
            Value::Instance(instance) => match &instance.payload {
                Payload::Exception(state) => {
                    let args = state.borrow().args.clone();
                    out.push_str(&self.class_name(value));
                    return match args.len() {
                        1 => self.write_many(value, &args, ("(", ")"), out),
                        _ => self.write_repr(&Value::Tuple(args), out),
                    };
                }
                _ => match instance.native::<super::types::Alias>() {
                    Some(alias) => self.alias_text(alias)?,
                    None => self.plain_object(value),
                },
            },
            Value::Iter(iter) => match self.counting_text(iter)? {
                Some(text) => text,
                None => self.plain_object(value),
            },
            other => self.plain_object(other),
        };
        out.push_str(&text);
        Ok(())
    }

    /// `count(5)`, `repeat('a', 3)`.
    fn counting_text(&self, iter: &crate::value::Iter) -> PyResult<Option<String>> {
        let state = iter.state.try_borrow();
        Ok(match state.as_deref() {
            Ok(IterState::Count {
                next,
                step: Value::Int(1),
            }) => Some(format!("count({})", self.repr(next)?)),
            Ok(IterState::Count { next, step }) => {
                Some(format!("count({}, {})", self.repr(next)?, self.repr(step)?))
            }
            Ok(IterState::Repeat { value, left: None }) => {
                Some(format!("repeat({})", self.repr(value)?))
            }
            Ok(IterState::Repeat {
                value,
                left: Some(left),
            }) => Some(format!("repeat({}, {left})", self.repr(value)?)),
            _ => None,
        })
    }

    /// `list[int]`, `int | None`.
    fn alias_text(&self, alias: &super::types::Alias) -> PyResult<String> {
        let mut parts = Vec::new();
        for argument in &alias.arguments {
            parts.push(match argument {
                Value::Class(class) if Rc::ptr_eq(class, &self.types.none) => "None".to_owned(),
                Value::Class(class) => self.class_path(class),
                Value::Ellipsis => "...".to_owned(),
                other => self.repr(other)?.to_string(),
            });
        }
        Ok(match &alias.origin {
            Value::Unbound => parts.join(" | "),
            Value::Class(class) => format!("{}[{}]", self.class_path(class), parts.join(", ")),
            other => format!("{}[{}]", self.repr(other)?, parts.join(", ")),
        })
    }

    /// `<__main__.Point object at 0x…>`.
    pub(crate) fn plain_object(&self, value: &Value) -> String {
        let path = self.class_path(&self.class_of(value));
        format!("<{path} object at {:#x}>", value.address())
    }

    /// The name of a class with its module, which builtin ones do not show.
    pub(crate) fn class_path(&self, class: &Rc<crate::class::Class>) -> String {
        let name = match class.dict.get_str(&self.names.qualname) {
            Some(Value::Str(name)) if !class.builtin => name.to_string(),
            _ => class.name().to_string(),
        };
        match class.dict.get_str(&self.names.module) {
            Some(Value::Str(module)) if **module != *"builtins" => format!("{module}.{name}"),
            _ => name,
        }
    }

    /// `format(value, spec)`.
    pub(crate) fn format(&self, value: &Value, spec: &str) -> PyResult<Rc<Str>> {
        let args = vec![Value::str(spec)];
        if let Some(text) = self.call_special(value, &self.names.format, args)? {
            return match text.plain() {
                Value::Str(text) => Ok(text.clone()),
                other => {
                    let name = self.class_name(other);
                    let message = format!("__format__ must return a str, not {name}");
                    Err(self.type_error(message))
                }
            };
        }
        if spec.is_empty() {
            return self.str(value);
        }
        self.builtin_format(value, spec)
    }

    /// What builtin types make of a format specification.
    pub(crate) fn builtin_format(&self, value: &Value, spec: &str) -> PyResult<Rc<Str>> {
        use crate::format;
        let name = self.class_name(value);
        let parse = || Spec::parse(spec, &name).map_err(|error| self.format_error(error));
        let text = match value.plain() {
            Value::Str(text) => format::format_str(text, &parse()?, &name),
            plain => match Number::of(plain) {
                Some(Number::Float(x)) => format::format_float(x, &parse()?, &name),
                Some(Number::Complex(z)) => format::format_complex(z, &parse()?, &name),
                Some(number) => {
                    format::format_int(&number.big().unwrap_or_default(), &parse()?, &name)
                }
                None => {
                    let message = format!("unsupported format string passed to {name}.__format__");
                    return Err(self.type_error(message));
                }
            },
        };
        text.map(Str::new).map_err(|error| self.format_error(error))
    }

    pub(crate) fn format_error(&self, error: FormatError) -> super::Raise {
        match error {
            FormatError::Value(message) => self.value_error(message),
            FormatError::Overflow(message) => self.overflow(message),
            FormatError::Type(message) => self.type_error(message),
            FormatError::Memory => self.memory_error(),
        }
    }
}

/// `b'ab\x00'`.
fn bytes_repr(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        '"'
    } else {
        '\''
    };
    let mut out = format!("b{quote}");
    for byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' => {
                let c = char::from(*byte);
                if c == quote {
                    out.push('\\');
                }
                out.push(c);
            }
            byte => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push(quote);
    out
}
