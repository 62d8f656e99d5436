//! `text % values`: the pieces of the format one by one, each with the value that belongs to it.
//!
//! Values come from a tuple in order, from a mapping by key, or are one single value.
use crate::{
    format::{
        Amount, Conversion, FormatError, Layout, Percent, Segment, percent_char, percent_code,
        percent_float, percent_int, percent_text,
    },
    number,
    text::only_ascii,
    value::Value,
    vm::{Number, PyResult, Raise, Vm},
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// What is left of the values.
enum Values<'a> {
    Many(std::slice::Iter<'a, Value>),
    One(Value),
    Used,
}

impl Values<'_> {
    fn take(&mut self) -> Option<Value> {
        if let Self::Many(values) = self {
            return values.next().cloned();
        }
        match std::mem::replace(self, Self::Used) {
            Self::One(value) => Some(value),
            _ => None,
        }
    }
}

impl Vm {
    /// `b'%d' % 3`: bytes as the characters of their numbers, laid out as a text.
    pub(crate) fn percent_bytes(&self, format: &[u8], values: &Value) -> PyResult<Vec<u8>> {
        let text: String = format.iter().copied().map(char::from).collect();
        let text = self.percent_by(&text, values, true)?;
        Ok(text
            .chars()
            .map(|c| u8::try_from(c).unwrap_or(b'?'))
            .collect())
    }

    pub(crate) fn percent_format(&self, format: &str, values: &Value) -> PyResult<String> {
        self.percent_by(format, values, false)
    }

    fn percent_by(&self, format: &str, values: &Value, bytes: bool) -> PyResult<String> {
        let mapping = self.is_percent_mapping(values);
        let mut left = match values.plain() {
            Value::Tuple(values) => Values::Many(values.iter()),
            _ => Values::One(values.clone()),
        };
        let mut out = String::new();
        for segment in Percent::new(format, mapping) {
            match segment.map_err(|error| self.format_error(error))? {
                Segment::Text(text) => out.push_str(text),
                Segment::Conversion(conversion) => {
                    if let Some(key) = conversion.key {
                        let key = match bytes {
                            true => Value::bytes(key.chars().map(|c| c as u8).collect()),
                            false => Value::str(key),
                        };
                        left = Values::One(self.get_item(values, &key)?);
                    }
                    out.push_str(&self.convert(&conversion, &mut left, bytes)?);
                }
            }
            if out.len() > super::text::LONGEST {
                return Err(self.memory_error());
            }
        }
        let unused = match &left {
            Values::Many(values) => values.len() > 0,
            Values::One(_) => true,
            Values::Used => false,
        };
        match unused && !mapping {
            true => {
                let kind = if bytes { "bytes" } else { "string" };
                let message = format!("not all arguments converted during {kind} formatting");
                Err(self.type_error(message))
            }
            false => Ok(out),
        }
    }

    /// Whether keys can be taken from it. Lists count, as they have subscripts.
    fn is_percent_mapping(&self, values: &Value) -> bool {
        match values.plain() {
            Value::Tuple(_) | Value::Str(_) => false,
            Value::Dict(_)
            | Value::List(_)
            | Value::Range(_)
            | Value::Bytes(_)
            | Value::ByteArray(_) => true,
            _ => self.special(values, &self.names.getitem).is_some(),
        }
    }

    fn convert(&self, conversion: &Conversion, left: &mut Values, bytes: bool) -> PyResult<String> {
        let width = match conversion.width {
            Some(Amount::Argument) => self.star(left, "ssize_t")?,
            _ => 0,
        };
        let precision = match conversion.precision {
            Some(Amount::Argument) => self.star(left, "int")?,
            _ => 0,
        };
        let value = left.take().ok_or_else(|| self.too_few())?;
        let layout = conversion
            .layout(width, precision)
            .map_err(|error| self.format_error(error))?;
        if bytes && matches!(conversion.kind, 's' | 'b' | 'r') {
            let text = match conversion.kind {
                'r' => only_ascii(&self.repr(&value)?).into_owned(),
                kind => self.bytes_as_text(kind, &value)?,
            };
            return percent_text(&text, &layout).map_err(|error| self.format_error(error));
        }
        let value = match value.plain() {
            // `%c` takes a single byte.
            Value::Bytes(one) if bytes && conversion.kind == 'c' && one.len() == 1 => {
                Value::Int(one[0].into())
            }
            _ => value,
        };
        self.converted(conversion, &layout, &value)
    }

    fn bytes_as_text(&self, kind: char, value: &Value) -> PyResult<String> {
        match value.plain() {
            Value::Bytes(_) | Value::ByteArray(_) => {
                let bytes = self.bytes_of(value)?;
                Ok(bytes.into_iter().map(char::from).collect())
            }
            _ => match self.call_special(value, &self.intern("__bytes__"), Vec::new())? {
                Some(Value::Bytes(bytes)) => Ok(bytes.iter().copied().map(char::from).collect()),
                _ => {
                    let name = self.class_name(value);
                    let message = format!(
                        "%{kind} requires a bytes-like object, or an object that implements __bytes__, not '{name}'"
                    );
                    Err(self.type_error(message))
                }
            },
        }
    }

    fn too_few(&self) -> Raise {
        self.type_error("not enough arguments for format string")
    }

    /// The argument for a star; `kind` is the type of C that must hold it.
    fn star(&self, left: &mut Values, kind: &str) -> PyResult<i64> {
        let value = left.take().ok_or_else(|| self.too_few())?;
        let n = match Number::of(&value) {
            Some(Number::Int(n)) => Some(n),
            Some(Number::Big(_)) => None,
            _ => return Err(self.type_error("* wants int")),
        };
        n.filter(|n| kind != "int" || i32::try_from(*n).is_ok())
            .ok_or_else(|| self.overflow(format!("Python int too large to convert to C {kind}")))
    }

    fn converted(
        &self,
        conversion: &Conversion,
        layout: &Layout,
        value: &Value,
    ) -> PyResult<String> {
        let text = match conversion.kind {
            's' => percent_text(&self.str(value)?, layout),
            'r' => percent_text(&self.repr(value)?, layout),
            'a' => percent_text(&only_ascii(&self.repr(value)?), layout),
            kind @ ('d' | 'i' | 'u' | 'o' | 'x' | 'X') => {
                let n = self.percent_integer(kind, value)?;
                if matches!(kind, 'd' | 'i' | 'u') && n.bits() > 64 {
                    // It raises if there are too many digits.
                    self.big_text(&n)?;
                }
                percent_int(&n, kind, layout)
            }
            kind @ ('e' | 'E' | 'f' | 'F' | 'g' | 'G') => {
                percent_float(self.float(value)?, kind, layout)
            }
            'c' => self.percent_character(layout, value)?,
            _ => Err(conversion.unsupported()),
        };
        text.map_err(|error| self.format_error(error))
    }

    fn percent_character(
        &self,
        layout: &Layout,
        value: &Value,
    ) -> PyResult<Result<String, FormatError>> {
        let wrong = || self.type_error("%c requires int or char");
        if let Value::Str(text) = value.plain() {
            let mut chars = text.chars();
            return match (chars.next(), chars.next()) {
                (Some(c), None) => Ok(percent_char(c, layout)),
                _ => Err(wrong()),
            };
        }
        let code = self
            .index_number(value)?
            .and_then(|n| n.big())
            .ok_or_else(wrong)?;
        Ok(percent_code(code.to_i64().unwrap_or(-1), layout))
    }

    /// The integer for a conversion: digits of a float are cut off, but only where numbers are decimal.
    fn percent_integer(&self, kind: char, value: &Value) -> PyResult<BigInt> {
        let decimal = matches!(kind, 'd' | 'i' | 'u');
        match Number::of(value) {
            Some(Number::Float(x)) if decimal => {
                return match number::float_to_int(x) {
                    Some(n) => Ok(n),
                    None if x.is_nan() => {
                        Err(self.value_error("cannot convert float NaN to integer"))
                    }
                    None => Err(self.overflow("cannot convert float infinity to integer")),
                };
            }
            Some(Number::Float(_) | Number::Complex(_)) => {}
            Some(number) => return Ok(number.big().unwrap_or_default()),
            None => {
                let method = match decimal {
                    true => self.call_special(value, &self.names.int, Vec::new())?,
                    false => None,
                };
                let number = match method {
                    Some(n) => Number::of(&n),
                    None => self.index_number(value)?,
                };
                if let Some(n) = number.and_then(|number| number.big()) {
                    return Ok(n);
                }
            }
        }
        let wanted = if decimal {
            "a real number"
        } else {
            "an integer"
        };
        let name = self.class_name(value);
        Err(self.type_error(format!("%{kind} format: {wanted} is required, not {name}")))
    }
}
