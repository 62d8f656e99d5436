//! Writes GGUF version 3: metadata and tensor descriptions first, then the data in order.
//!
//! Used for test fixtures and by tools that convert models. [`Writer`] collects the header,
//! [`DataWriter`] streams the data in pieces of any size, so that a file larger than memory
//! can be made. Keys and names are checked when the header is written: what this module
//! writes, [`crate::File`] reads.
use crate::header::{LARGEST_ALIGNMENT, LONGEST_NAME, integers, size};
use crate::kind::{format_id, integers_id};
use crate::{Array, Error, Format, Kind, Result, Value};
use std::collections::BTreeSet;
use std::io::Write;

/// Collects the header of a file.
#[derive(Clone, Debug)]
pub struct Writer {
    entries: Vec<u8>,
    keys: Vec<String>,
    tensors: Vec<Planned>,
    alignment: u64,
}

#[derive(Clone, Debug)]
struct Planned {
    name: String,
    /// Its type's number.
    id: u32,
    dims: Vec<u64>,
    bytes: u64,
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}

impl Writer {
    /// An empty file with the usual alignment of 32.
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            keys: Vec::new(),
            tensors: Vec::new(),
            alignment: 32,
        }
    }

    /// Sets and writes `general.alignment`; must be a power of two.
    pub fn alignment(&mut self, alignment: u32) -> &mut Self {
        self.alignment = alignment.into();
        self.u32("general.alignment", alignment)
    }

    /// Marks the file as part `number` (from 0) of `count`, which together have `n_tensors` tensors.
    pub fn split(&mut self, number: u16, count: u16, n_tensors: i32) -> &mut Self {
        self.value("split.no", Value::U16(number));
        self.value("split.count", Value::U16(count));
        self.value("split.tensors.count", Value::I32(n_tensors))
    }

    /// Adds a value of any type, such as one read from another file.
    pub fn value(&mut self, key: &str, value: Value<'_>) -> &mut Self {
        self.keys.push(key.to_owned());
        put_string(&mut self.entries, key.as_bytes());
        put_u32(&mut self.entries, value.kind().id());
        put_value(&mut self.entries, value);
        self
    }

    /// Adds an unsigned integer of 32 bits.
    pub fn u32(&mut self, key: &str, value: u32) -> &mut Self {
        self.value(key, Value::U32(value))
    }

    /// Adds an unsigned integer of 64 bits.
    pub fn u64(&mut self, key: &str, value: u64) -> &mut Self {
        self.value(key, Value::U64(value))
    }

    /// Adds a signed integer of 32 bits.
    pub fn i32(&mut self, key: &str, value: i32) -> &mut Self {
        self.value(key, Value::I32(value))
    }

    /// Adds a number with a fraction.
    pub fn f32(&mut self, key: &str, value: f32) -> &mut Self {
        self.value(key, Value::F32(value))
    }

    /// Adds a truth value.
    pub fn bool(&mut self, key: &str, value: bool) -> &mut Self {
        self.value(key, Value::Bool(value))
    }

    /// Adds a string.
    pub fn str(&mut self, key: &str, value: &str) -> &mut Self {
        self.value(key, Value::String(value.as_bytes()))
    }

    /// Adds an array of strings (or of bytes that need not be text).
    pub fn strings<S: AsRef<[u8]>>(&mut self, key: &str, values: &[S]) -> &mut Self {
        let mut bytes = Vec::new();
        for value in values {
            put_string(&mut bytes, value.as_ref());
        }
        self.array(key, Kind::String, values.len(), &bytes)
    }

    /// Adds an array of unsigned integers.
    pub fn u32s(&mut self, key: &str, values: &[u32]) -> &mut Self {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.array(key, Kind::U32, values.len(), &bytes)
    }

    /// Adds an array of signed integers.
    pub fn i32s(&mut self, key: &str, values: &[i32]) -> &mut Self {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.array(key, Kind::I32, values.len(), &bytes)
    }

    /// Adds an array of numbers with a fraction.
    pub fn f32s(&mut self, key: &str, values: &[f32]) -> &mut Self {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.array(key, Kind::F32, values.len(), &bytes)
    }

    /// Adds an array of truth values.
    pub fn bools(&mut self, key: &str, values: &[bool]) -> &mut Self {
        let bytes: Vec<u8> = values.iter().map(|&v| v.into()).collect();
        self.array(key, Kind::Bool, values.len(), &bytes)
    }

    fn array(&mut self, key: &str, kind: Kind, len: usize, bytes: &[u8]) -> &mut Self {
        self.value(key, Value::Array(Array { kind, len, bytes }))
    }

    /// Declares a tensor; `dims` has the row length first. Its data follows in the same order.
    pub fn tensor(&mut self, name: &str, format: Format, dims: &[usize]) -> Result<&mut Self> {
        self.plan(name, format.name(), dims, |dims| {
            let (_, bytes) = size(format, dims)?;
            Ok((format_id(format), bytes))
        })
    }

    /// Declares a tensor of integers: I8, I16, I32 or I64.
    pub fn integers(&mut self, name: &str, kind: Kind, dims: &[usize]) -> Result<&mut Self> {
        self.plan(name, &kind.to_string(), dims, |dims| {
            let id = integers_id(kind).zip(kind.bytes());
            let (id, bytes) = id.ok_or("is no type of a tensor")?;
            Ok((id, integers(dims, bytes)? * bytes))
        })
    }

    /// Declares a tensor whose type's number and bytes are what `size` makes of its dimensions.
    fn plan(
        &mut self,
        name: &str,
        kind: &str,
        dims: &[usize],
        size: impl Fn(&[u64]) -> std::result::Result<(u32, usize), &'static str>,
    ) -> Result<&mut Self> {
        let dims: Vec<u64> = dims.iter().map(|&dim| dim as u64).collect();
        if !(1..=4).contains(&dims.len()) {
            let problem = format!("{} dimensions, not 1 to 4", dims.len());
            return Err(Error::tensor(name, problem));
        }
        let (id, bytes) = size(&dims)
            .map_err(|problem| Error::tensor(name, format!("{kind} {dims:?} {problem}")))?;
        self.tensors.push(Planned {
            name: name.to_owned(),
            id,
            dims,
            bytes: bytes as u64,
        });
        Ok(self)
    }

    /// Writes the header to `out`; the data goes to the result.
    pub fn begin<W: Write>(&self, mut out: W) -> Result<DataWriter<W>> {
        let header = self.header()?;
        out.write_all(&header).map_err(Error::Write)?;
        let sizes = self.tensors.iter().map(|t| (t.name.clone(), t.bytes));
        Ok(DataWriter {
            out,
            alignment: self.alignment,
            sizes: sizes.collect::<Vec<_>>().into_iter(),
            name: String::new(),
            left: 0,
            padding: pad(header.len() as u64, self.alignment),
        })
    }

    /// The whole file in memory, with one slice of data for each tensor.
    pub fn to_vec(&self, data: &[&[u8]]) -> Result<Vec<u8>> {
        let mut writer = self.begin(Vec::new())?;
        for tensor in data {
            writer.write(tensor)?;
        }
        writer.finish()
    }

    fn header(&self) -> Result<Vec<u8>> {
        self.check()?;
        let mut out = b"GGUF".to_vec();
        put_u32(&mut out, 3);
        put_u64(&mut out, self.tensors.len() as u64);
        put_u64(&mut out, self.keys.len() as u64);
        out.extend_from_slice(&self.entries);
        let mut offset: u64 = 0;
        for tensor in &self.tensors {
            put_string(&mut out, tensor.name.as_bytes());
            put_u32(&mut out, tensor.dims.len() as u32);
            for &dim in &tensor.dims {
                put_u64(&mut out, dim);
            }
            put_u32(&mut out, tensor.id);
            put_u64(&mut out, offset);
            let end = offset.checked_add(tensor.bytes);
            offset = end
                .and_then(|end| end.checked_next_multiple_of(self.alignment))
                .ok_or_else(|| Error::tensor(&tensor.name, "the file would be too large".into()))?;
        }
        Ok(out)
    }

    /// Refuses what the reader would refuse.
    fn check(&self) -> Result<()> {
        if !self.alignment.is_power_of_two() || self.alignment > LARGEST_ALIGNMENT {
            let problem = format!("{} is not a sane power of two", self.alignment);
            return Err(Error::key("general.alignment", problem));
        }
        let keys = self.keys.iter().map(String::as_str);
        names(keys).map_err(|(key, problem)| Error::key(key, problem.into()))?;
        let tensors = self.tensors.iter().map(|t| t.name.as_str());
        names(tensors).map_err(|(name, problem)| Error::tensor(name, problem.into()))
    }
}

/// Names must be there, short and unique; else the bad one and why.
fn names<'a>(
    names: impl Iterator<Item = &'a str>,
) -> std::result::Result<(), (&'a str, &'static str)> {
    let mut seen = BTreeSet::new();
    for name in names {
        if name.is_empty() {
            return Err((name, "the name is empty"));
        }
        if name.len() > LONGEST_NAME {
            return Err((name, "the name is too long"));
        }
        if !seen.insert(name) {
            return Err((name, "appears more than once"));
        }
    }
    Ok(())
}

/// Streams the data of the declared tensors, in order; [`Writer::begin`] makes it.
#[derive(Debug)]
pub struct DataWriter<W> {
    out: W,
    alignment: u64,
    sizes: std::vec::IntoIter<(String, u64)>,
    name: String,
    /// Bytes missing from the current tensor.
    left: u64,
    /// Zeros due before the next tensor.
    padding: u64,
}

impl<W: Write> DataWriter<W> {
    /// Writes a piece of the current tensor, which goes on until it is complete.
    /// A piece must not reach into the next tensor.
    pub fn write(&mut self, piece: &[u8]) -> Result<()> {
        if piece.is_empty() {
            return Ok(());
        }
        if self.left == 0 {
            self.next_tensor()?;
        }
        let len = piece.len() as u64;
        self.left = self.left.checked_sub(len).ok_or_else(|| {
            let problem = format!("{len} bytes of data where {} are missing", self.left);
            Error::tensor(&self.name, problem)
        })?;
        self.out.write_all(piece).map_err(Error::Write)
    }

    /// Ends the file and gives back the output; all data must have been written.
    pub fn finish(mut self) -> Result<W> {
        if self.left > 0 {
            let problem = format!("{} bytes of data are missing", self.left);
            return Err(Error::tensor(&self.name, problem));
        }
        if let Some((name, _)) = self.sizes.next() {
            return Err(Error::tensor(&name, "all data is missing".into()));
        }
        self.pad()?;
        self.out.flush().map_err(Error::Write)?;
        Ok(self.out)
    }

    fn next_tensor(&mut self) -> Result<()> {
        let Some((name, bytes)) = self.sizes.next() else {
            return Err(Error::tensor(
                &self.name,
                "data after the last tensor".into(),
            ));
        };
        self.pad()?;
        self.padding = pad(bytes, self.alignment);
        self.name = name;
        self.left = bytes;
        Ok(())
    }

    fn pad(&mut self) -> Result<()> {
        let zeros = std::io::Read::take(std::io::repeat(0), self.padding);
        std::io::copy(&mut { zeros }, &mut self.out).map_err(Error::Write)?;
        Ok(())
    }
}

/// Bytes from `len` to the next multiple of `alignment`.
fn pad(len: u64, alignment: u64) -> u64 {
    (alignment - len % alignment) % alignment
}

fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put_string(out: &mut Vec<u8>, bytes: &[u8]) {
    put_u64(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_value(out: &mut Vec<u8>, value: Value<'_>) {
    match value {
        Value::U8(v) => out.push(v),
        Value::I8(v) => out.extend_from_slice(&v.to_le_bytes()),
        Value::U16(v) => out.extend_from_slice(&v.to_le_bytes()),
        Value::I16(v) => out.extend_from_slice(&v.to_le_bytes()),
        Value::U32(v) => put_u32(out, v),
        Value::I32(v) => out.extend_from_slice(&v.to_le_bytes()),
        Value::F32(v) => out.extend_from_slice(&v.to_le_bytes()),
        Value::Bool(v) => out.push(v.into()),
        Value::String(bytes) => put_string(out, bytes),
        Value::Array(array) => {
            put_u32(out, array.kind.id());
            put_u64(out, array.len as u64);
            out.extend_from_slice(array.bytes);
        }
        Value::U64(v) => put_u64(out, v),
        Value::I64(v) => out.extend_from_slice(&v.to_le_bytes()),
        Value::F64(v) => out.extend_from_slice(&v.to_le_bytes()),
    }
}
