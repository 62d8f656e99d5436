//! One metadata value, decoded from the bytes of the file when it is asked for.
//!
//! Scalars are copied out; strings and arrays are views. The header check has walked every
//! value before, so decoding cannot run out of bytes; if the file is changed while it is
//! mapped, a decoder yields zeros or empty strings instead of leaving its range.
use crate::{Kind, Result, cursor::Cursor};

/// A metadata value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Value<'a> {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    /// Text by intention, but the format does not promise UTF-8.
    String(&'a [u8]),
    Array(Array<'a>),
    U64(u64),
    I64(i64),
    F64(f64),
}

impl<'a> Value<'a> {
    /// The type.
    pub fn kind(&self) -> Kind {
        match self {
            Self::U8(_) => Kind::U8,
            Self::I8(_) => Kind::I8,
            Self::U16(_) => Kind::U16,
            Self::I16(_) => Kind::I16,
            Self::U32(_) => Kind::U32,
            Self::I32(_) => Kind::I32,
            Self::F32(_) => Kind::F32,
            Self::Bool(_) => Kind::Bool,
            Self::String(_) => Kind::String,
            Self::Array(_) => Kind::Array,
            Self::U64(_) => Kind::U64,
            Self::I64(_) => Kind::I64,
            Self::F64(_) => Kind::F64,
        }
    }

    /// The value of any integer type.
    pub fn integer(&self) -> Option<i128> {
        Some(match *self {
            Self::U8(v) => v.into(),
            Self::I8(v) => v.into(),
            Self::U16(v) => v.into(),
            Self::I16(v) => v.into(),
            Self::U32(v) => v.into(),
            Self::I32(v) => v.into(),
            Self::U64(v) => v.into(),
            Self::I64(v) => v.into(),
            _ => return None,
        })
    }

    /// Decodes a value that is neither an array nor a string.
    fn scalar(kind: Kind, bytes: &[u8]) -> Self {
        let word = bytes.iter().rev().fold(0u64, |w, &b| w << 8 | u64::from(b));
        // The kind says how many of the word's low bytes count.
        match kind {
            Kind::U8 => Self::U8(word as u8),
            Kind::I8 => Self::I8(word as i8),
            Kind::U16 => Self::U16(word as u16),
            Kind::I16 => Self::I16(word as i16),
            Kind::U32 => Self::U32(word as u32),
            Kind::I32 => Self::I32(word as i32),
            Kind::F32 => Self::F32(f32::from_bits(word as u32)),
            Kind::Bool => Self::Bool(word != 0),
            Kind::U64 | Kind::String | Kind::Array => Self::U64(word),
            Kind::I64 => Self::I64(word as i64),
            Kind::F64 => Self::F64(f64::from_bits(word)),
        }
    }

    pub(crate) fn decode(kind: Kind, bytes: &'a [u8]) -> Self {
        match kind {
            Kind::String => Self::String(bytes.get(8..).unwrap_or_default()),
            kind => Self::scalar(kind, bytes),
        }
    }
}

/// An array of values of one kind, left where it is in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Array<'a> {
    pub(crate) kind: Kind,
    pub(crate) len: usize,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Array<'a> {
    /// The type of the elements; never [`Kind::Array`].
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements as the file has them, lengths of strings included.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The elements of an array of strings; an empty iterator for any other kind.
    pub fn strings(&self) -> Strings<'a> {
        let len = if self.kind == Kind::String {
            self.len
        } else {
            0
        };
        Strings {
            cursor: Cursor::new(self.bytes),
            len,
        }
    }

    /// The elements in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Value<'a>> + use<'a> {
        let mut strings = self.strings();
        let Self { kind, len, bytes } = *self;
        let step = kind.bytes().unwrap_or(0);
        (0..len).map(move |i| match kind {
            Kind::String => Value::String(strings.next().unwrap_or_default()),
            kind => Value::scalar(
                kind,
                bytes.get(i * step..(i + 1) * step).unwrap_or_default(),
            ),
        })
    }
}

/// The strings of an array, as bytes.
#[derive(Clone, Debug)]
pub struct Strings<'a> {
    cursor: Cursor<'a>,
    len: usize,
}

impl<'a> Iterator for Strings<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.len = self.len.checked_sub(1)?;
        let string: Result<_> = self.cursor.string("");
        Some(string.unwrap_or_default())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl ExactSizeIterator for Strings<'_> {}
