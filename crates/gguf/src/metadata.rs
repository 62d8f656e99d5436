//! Typed access to the metadata of a file, with errors that name the key and both types.
//!
//! Integers are taken from any integer type they fit, because writers disagree about widths.
//! Strings are checked for UTF-8 when asked for; token arrays may hold other bytes, so
//! [`Metadata::byte_strings`] exists. Arrays are read in place; nothing is copied.
use crate::header::{Entry, Header};
use crate::{Array, Error, Kind, Result, Strings, Value};

/// The most layers for which a per-layer value is spread out; no model has a tenth of it.
const MOST_LAYERS: usize = 16_384;

/// The metadata of a file.
#[derive(Clone, Copy, Debug)]
pub struct Metadata<'a> {
    bytes: &'a [u8],
    header: &'a Header,
}

impl Entry {
    pub(crate) fn value<'a>(&self, file: &'a [u8]) -> Value<'a> {
        let bytes = &file[self.start..self.end];
        match self.array {
            Some((kind, len)) => Value::Array(Array { kind, len, bytes }),
            None => Value::decode(self.kind, bytes),
        }
    }
}

impl<'a> Metadata<'a> {
    pub(crate) fn new(bytes: &'a [u8], header: &'a Header) -> Self {
        Self { bytes, header }
    }

    /// All keys and values, in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'a str, Value<'a>)> + use<'a> {
        let bytes = self.bytes;
        let entries = self.header.entries.iter();
        entries.map(move |entry| (&*entry.key, entry.value(bytes)))
    }

    /// Whether the key exists, whatever its type.
    pub fn contains(&self, key: &str) -> bool {
        self.header.entry(key).is_some()
    }

    /// The value of a key, if it exists.
    pub fn value(&self, key: &str) -> Option<Value<'a>> {
        Some(self.header.entry(key)?.value(self.bytes))
    }

    /// An unsigned integer of at most 32 bits.
    pub fn u32(&self, key: &str) -> Result<u32> {
        need(key, self.opt_u32(key)?)
    }

    /// Like [`Self::u32`], if the key exists.
    pub fn opt_u32(&self, key: &str) -> Result<Option<u32>> {
        self.opt_integer(key, "a u32")
    }

    /// An unsigned integer.
    pub fn u64(&self, key: &str) -> Result<u64> {
        need(key, self.opt_u64(key)?)
    }

    /// Like [`Self::u64`], if the key exists.
    pub fn opt_u64(&self, key: &str) -> Result<Option<u64>> {
        self.opt_integer(key, "a u64")
    }

    /// A signed integer.
    pub fn i64(&self, key: &str) -> Result<i64> {
        need(key, self.opt_i64(key)?)
    }

    /// Like [`Self::i64`], if the key exists.
    pub fn opt_i64(&self, key: &str) -> Result<Option<i64>> {
        self.opt_integer(key, "an i64")
    }

    /// A number with a fraction, stored as f32 or f64.
    pub fn f32(&self, key: &str) -> Result<f32> {
        need(key, self.opt_f32(key)?)
    }

    /// Like [`Self::f32`], if the key exists.
    pub fn opt_f32(&self, key: &str) -> Result<Option<f32>> {
        self.opt(key, "an f32", float)
    }

    /// A truth value.
    pub fn bool(&self, key: &str) -> Result<bool> {
        need(key, self.opt_bool(key)?)
    }

    /// Like [`Self::bool`], if the key exists.
    pub fn opt_bool(&self, key: &str) -> Result<Option<bool>> {
        self.opt(key, "a bool", boolean)
    }

    /// A string.
    pub fn str(&self, key: &str) -> Result<&'a str> {
        need(key, self.opt_str(key)?)
    }

    /// Like [`Self::str`], if the key exists.
    pub fn opt_str(&self, key: &str) -> Result<Option<&'a str>> {
        let bytes = self.opt(key, "a string", |value| match value {
            Value::String(bytes) => Some(bytes),
            _ => None,
        })?;
        let text = bytes.map(std::str::from_utf8).transpose();
        text.map_err(|_| Error::key(key, "is not valid UTF-8".into()))
    }

    /// An array of any kind.
    pub fn array(&self, key: &str) -> Result<Array<'a>> {
        need(key, self.opt_array(key)?)
    }

    /// Like [`Self::array`], if the key exists.
    pub fn opt_array(&self, key: &str) -> Result<Option<Array<'a>>> {
        self.opt(key, "an array", |value| match value {
            Value::Array(array) => Some(array),
            _ => None,
        })
    }

    /// An array of strings, all of them valid UTF-8.
    pub fn strings(&self, key: &str) -> Result<impl ExactSizeIterator<Item = &'a str> + use<'a>> {
        let strings = self.byte_strings(key)?;
        if let Some(i) = strings
            .clone()
            .position(|s| std::str::from_utf8(s).is_err())
        {
            return Err(Error::key(key, format!("string {i} is not valid UTF-8")));
        }
        Ok(strings.map(|s| std::str::from_utf8(s).unwrap_or_default()))
    }

    /// An array of strings, as bytes.
    pub fn byte_strings(&self, key: &str) -> Result<Strings<'a>> {
        let array = self.array_of(key, "an array of strings", |kind| kind == Kind::String)?;
        Ok(array.strings())
    }

    /// An array of numbers with a fraction, stored as f32 or f64.
    pub fn f32s(&self, key: &str) -> Result<impl ExactSizeIterator<Item = f32> + use<'a>> {
        let is_float = |kind| matches!(kind, Kind::F32 | Kind::F64);
        let array = self.array_of(key, "an array of f32", is_float)?;
        Ok(array.iter().map(|value| float(value).unwrap_or_default()))
    }

    /// An array of truth values.
    pub fn bools(&self, key: &str) -> Result<impl ExactSizeIterator<Item = bool> + use<'a>> {
        let array = self.array_of(key, "an array of bool", |kind| kind == Kind::Bool)?;
        Ok(array.iter().map(|value| boolean(value).unwrap_or_default()))
    }

    /// An array of signed integers.
    pub fn i64s(&self, key: &str) -> Result<impl ExactSizeIterator<Item = i64> + use<'a>> {
        self.integers(key, "an array of i64")
    }

    /// An array of unsigned integers of at most 32 bits.
    pub fn u32s(&self, key: &str) -> Result<impl ExactSizeIterator<Item = u32> + use<'a>> {
        self.integers(key, "an array of u32")
    }

    /// One integer for each of `n` layers: an array of exactly `n`, or a scalar for all.
    pub fn u32_per_layer(&self, key: &str, n: usize) -> Result<Vec<u32>> {
        match self.per_layer(key, n)? {
            Some(_) => Ok(self.u32s(key)?.collect()),
            None => Ok(vec![self.u32(key)?; n]),
        }
    }

    /// One truth value for each of `n` layers: an array of exactly `n`, or a scalar for all.
    pub fn bool_per_layer(&self, key: &str, n: usize) -> Result<Vec<bool>> {
        match self.per_layer(key, n)? {
            Some(_) => Ok(self.bools(key)?.collect()),
            None => Ok(vec![self.bool(key)?; n]),
        }
    }

    /// The array of a per-layer key, of the right length; `None` if the key is no array.
    fn per_layer(&self, key: &str, n: usize) -> Result<Option<Array<'a>>> {
        // A scalar is spread over `n`, which the file chose too: a limit keeps it honest.
        if n > MOST_LAYERS {
            return Err(Error::key(key, format!("asked for {n} layers")));
        }
        let Some(Value::Array(array)) = self.value(key) else {
            return Ok(None);
        };
        if array.len() != n {
            let problem = format!("has {} elements for {n} layers", array.len());
            return Err(Error::key(key, problem));
        }
        Ok(Some(array))
    }

    fn opt<T>(
        &self,
        key: &str,
        expected: &'static str,
        take: impl Fn(Value<'a>) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        let taken = take(value).ok_or_else(|| wrong_type(key, expected, value));
        taken.map(Some)
    }

    fn opt_integer<T: TryFrom<i128>>(
        &self,
        key: &str,
        expected: &'static str,
    ) -> Result<Option<T>> {
        let integer = self.opt(key, expected, |value| value.integer())?;
        integer
            .map(|v| T::try_from(v).map_err(|_| misfit(key, v, expected)))
            .transpose()
    }

    /// An array of integers, all of which are known to fit.
    fn integers<T: TryFrom<i128> + Default>(
        &self,
        key: &str,
        expected: &'static str,
    ) -> Result<impl ExactSizeIterator<Item = T> + use<'a, T>> {
        let array = self.array_of(key, expected, Kind::is_integer)?;
        let integers = move || {
            array
                .iter()
                .map(|value| value.integer().unwrap_or_default())
        };
        if let Some(v) = integers().find(|&v| T::try_from(v).is_err()) {
            return Err(misfit(key, v, expected));
        }
        Ok(integers().map(|v| T::try_from(v).unwrap_or_default()))
    }

    fn array_of(
        &self,
        key: &str,
        expected: &'static str,
        fits: impl Fn(Kind) -> bool,
    ) -> Result<Array<'a>> {
        let array = self.opt(key, expected, |value| match value {
            Value::Array(array) if fits(array.kind()) => Some(array),
            _ => None,
        });
        need(key, array?)
    }
}

fn need<T>(key: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| Error::MissingKey { key: key.into() })
}

fn wrong_type(key: &str, expected: &'static str, value: Value<'_>) -> Error {
    let found = match value {
        Value::Array(array) => format!("array of {}", array.kind()),
        value => value.kind().to_string(),
    };
    Error::KeyType {
        key: key.into(),
        expected,
        found,
    }
}

fn misfit(key: &str, value: i128, expected: &str) -> Error {
    Error::key(key, format!("{value} does not fit {expected}"))
}

fn float(value: Value<'_>) -> Option<f32> {
    match value {
        Value::F32(v) => Some(v),
        Value::F64(v) => Some(v as f32),
        _ => None,
    }
}

fn boolean(value: Value<'_>) -> Option<bool> {
    match value {
        Value::Bool(v) => Some(v),
        _ => None,
    }
}
