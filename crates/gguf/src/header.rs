//! Parses the header of a GGUF and checks everything it claims, once.
//!
//! Called by `File`. The order is that of the file: magic, version, counts, keys and values,
//! tensors. Vectors grow with the entries that were really read, so a false count costs
//! nothing. Every offset in the result lies inside the bytes.
//!
//! No two tensors share a byte. Their sizes then add up to at most the file's, and so does what
//! a loader makes of them: thousands of tensors over the same megabytes would fill any memory.
use crate::cursor::Cursor;
use crate::error::clip;
use crate::kind::{format_from_id, integers_from_id, tensor_type_name};
use crate::tensor::Integers;
use crate::{Error, Format, Kind, Result, TensorInfo};
use std::ops::Range;

/// Fewest bytes of a metadata entry: key length, one byte of key, kind, one byte of value.
const MIN_ENTRY: usize = 8 + 1 + 4 + 1;
/// Fewest bytes of a tensor entry: name length, one byte of name, rank, one size, type, offset.
const MIN_TENSOR: usize = 8 + 1 + 4 + 8 + 4 + 8;
/// Most metadata entries and most tensors; real files have a few hundred of either. An entry
/// takes several times more memory than file, so the file's size alone would not bound it.
const MOST: usize = 1 << 16;
/// Longest key or name; GGUF's own limit for keys.
pub(crate) const LONGEST_NAME: usize = 65_535;
/// Largest `general.alignment`: far above any page size in use.
pub(crate) const LARGEST_ALIGNMENT: u64 = 1 << 20;
const DEFAULT_ALIGNMENT: u64 = 32;

/// Where a metadata value stands in the file.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Box<str>,
    pub(crate) kind: Kind,
    /// For arrays, the kind of the elements and their number.
    pub(crate) array: Option<(Kind, usize)>,
    /// First byte of the value, or of an array's first element.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// All that a header says.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) version: u32,
    /// In file order.
    pub(crate) entries: Vec<Entry>,
    /// Places in `entries`, sorted by key.
    entries_by_key: Vec<usize>,
    /// In file order.
    pub(crate) tensors: Vec<TensorInfo>,
    /// Places in `tensors`, sorted by name.
    tensors_by_name: Vec<usize>,
    /// Tensors that hold integers instead of weights; models have at most a few.
    pub(crate) integers: Vec<Integers>,
}

/// What a tensor holds.
enum Described {
    Weights(TensorInfo),
    Integers(Integers),
}

impl Described {
    fn name(&self) -> &str {
        match self {
            Self::Weights(tensor) => &tensor.name,
            Self::Integers(tensor) => &tensor.name,
        }
    }

    /// The offset and the bytes of the data.
    fn place(&mut self) -> (&mut usize, usize) {
        match self {
            Self::Weights(tensor) => (&mut tensor.offset, tensor.bytes),
            Self::Integers(tensor) => (&mut tensor.offset, tensor.bytes),
        }
    }

    fn range(&self) -> Range<usize> {
        let (offset, bytes) = match self {
            Self::Weights(tensor) => (tensor.offset, tensor.bytes),
            Self::Integers(tensor) => (tensor.offset, tensor.bytes),
        };
        offset..offset + bytes
    }
}

impl Header {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(bytes);
        let version = version(&mut cursor)?;
        let n_tensors = cursor.u64("the number of tensors")?;
        let n_entries = cursor.u64("the number of metadata entries")?;
        at_most("metadata entries", n_entries, MOST)?;
        at_most("tensors", n_tensors, MOST)?;
        let n_entries = count("metadata entries", n_entries, MIN_ENTRY, &cursor)?;

        let entries = repeat(n_entries, || entry(&mut cursor))?;
        let entries_by_key = sorted(&entries, |e| &e.key)
            .map_err(|key| Error::key(key, "appears more than once".into()))?;
        let alignment = alignment(bytes, &entries)?;

        let n_tensors = count("tensors", n_tensors, MIN_TENSOR, &cursor)?;
        let twice = |name: &str| Error::tensor(name, "appears more than once".into());
        let mut all = repeat(n_tensors, || tensor(&mut cursor, alignment))?;
        sorted(&all, Described::name).map_err(twice)?;
        place(&mut all, cursor.at(), alignment, bytes.len())?;
        apart(&all)?;
        let (mut tensors, mut integers) = (Vec::new(), Vec::new());
        for described in all {
            match described {
                Described::Weights(tensor) => tensors.push(tensor),
                Described::Integers(tensor) => integers.push(tensor),
            }
        }
        let tensors_by_name = sorted(&tensors, |t| &t.name).map_err(twice)?;

        Ok(Self {
            version,
            entries,
            entries_by_key,
            tensors,
            tensors_by_name,
            integers,
        })
    }

    /// Takes over the tensors of another part of the same model.
    pub(crate) fn append(&mut self, part: usize, other: Self) -> Result<()> {
        let tensors = other.tensors.into_iter();
        self.tensors
            .extend(tensors.map(|t| TensorInfo { part, ..t }));
        let integers = other.integers.into_iter();
        self.integers
            .extend(integers.map(|t| Integers { part, ..t }));
        at_most("tensors", self.tensors.len() as u64, MOST)?;
        let twice = |name: &str| Error::tensor(name, "appears more than once".into());
        sorted(&self.integers, |t| &t.name).map_err(twice)?;
        self.tensors_by_name = sorted(&self.tensors, |t| &t.name).map_err(twice)?;
        Ok(())
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        let found = self
            .entries_by_key
            .binary_search_by(|&i| (*self.entries[i].key).cmp(key));
        Some(&self.entries[self.entries_by_key[found.ok()?]])
    }

    pub(crate) fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        let found = self
            .tensors_by_name
            .binary_search_by(|&i| (*self.tensors[i].name).cmp(name));
        Some(&self.tensors[self.tensors_by_name[found.ok()?]])
    }
}

fn version(cursor: &mut Cursor<'_>) -> Result<u32> {
    if cursor.left() == 0 {
        return Err(Error::Empty);
    }
    let magic = cursor.take(cursor.left().min(4) as u64, "the magic")?;
    if !b"GGUF".starts_with(magic) {
        let magic = magic.escape_ascii().to_string();
        return Err(Error::NotGguf { magic });
    }
    match cursor.u32("the version")? {
        version @ 2..=3 => Ok(version),
        swapped if matches!(swapped.swap_bytes(), 1..=3) => Err(Error::BigEndian),
        version => Err(Error::Version(version)),
    }
}

/// Refuses a count whose entries could not fit into the bytes left.
fn count(what: &'static str, count: u64, min_bytes: usize, cursor: &Cursor<'_>) -> Result<usize> {
    at_most(what, count, cursor.left() / min_bytes)
}

fn at_most(what: &'static str, count: u64, most: usize) -> Result<usize> {
    usize::try_from(count)
        .ok()
        .filter(|&count| count <= most)
        .ok_or(Error::Count { what, count, most })
}

fn repeat<T>(count: usize, mut read: impl FnMut() -> Result<T>) -> Result<Vec<T>> {
    // Not with_capacity and not collect: memory follows what was read, not what was claimed.
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(read()?);
    }
    Ok(all)
}

/// Places in `all` in the order of their names, or a name that appears twice.
fn sorted<T>(all: &[T], name: impl Fn(&T) -> &str) -> std::result::Result<Vec<usize>, &str> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_unstable_by_key(|&i| name(&all[i]));
    let twice = order
        .windows(2)
        .find(|pair| name(&all[pair[0]]) == name(&all[pair[1]]));
    match twice {
        Some(pair) => Err(name(&all[pair[0]])),
        None => Ok(order),
    }
}

/// A key or a tensor name: short, not empty, valid UTF-8.
fn name<'a>(
    cursor: &mut Cursor<'a>,
    what: &'static str,
    error: fn(&str, String) -> Error,
) -> Result<&'a str> {
    let bytes = cursor.string(what)?;
    let problem = match std::str::from_utf8(bytes) {
        Err(_) => "is not valid UTF-8",
        Ok("") => "is empty",
        Ok(_) if bytes.len() > LONGEST_NAME => "is too long",
        Ok(name) => return Ok(name),
    };
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]);
    Err(error(&shown, format!("the name {problem}")))
}

fn entry(cursor: &mut Cursor<'_>) -> Result<Entry> {
    let key = name(cursor, "a metadata key", Error::key)?;
    let what = format!("metadata {:?}", clip(key));
    let kind = kind(cursor, key, &what)?;
    let array = match kind {
        Kind::Array => Some(array_head(cursor, key, &what)?),
        _ => None,
    };
    let (element, len) = array.unwrap_or((kind, 1));
    let start = cursor.at();
    values(cursor, key, element, len, &what)?;
    Ok(Entry {
        key: key.into(),
        kind,
        array,
        start,
        end: cursor.at(),
    })
}

fn kind(cursor: &mut Cursor<'_>, key: &str, what: &str) -> Result<Kind> {
    let id = cursor.u32(what)?;
    Kind::from_id(id).ok_or_else(|| Error::key(key, format!("unknown value type {id}")))
}

/// The kind and the number of an array's elements.
fn array_head(cursor: &mut Cursor<'_>, key: &str, what: &str) -> Result<(Kind, usize)> {
    let element = kind(cursor, key, what)?;
    if element == Kind::Array {
        return Err(Error::key(key, "arrays of arrays are not supported".into()));
    }
    let len = cursor.u64(what)?;
    let min_bytes = element.bytes().unwrap_or(8);
    let len = count("array elements", len, min_bytes, cursor)
        .map_err(|error| Error::key(key, error.to_string()))?;
    Ok((element, len))
}

/// Steps over `len` values of one kind, which must all be there and well formed.
fn values(cursor: &mut Cursor<'_>, key: &str, kind: Kind, len: usize, what: &str) -> Result<()> {
    let Some(bytes) = kind.bytes() else {
        for _ in 0..len {
            cursor.string(what)?;
        }
        return Ok(());
    };
    let values = cursor.take((bytes as u64).saturating_mul(len as u64), what)?;
    if kind == Kind::Bool && values.iter().any(|&b| b > 1) {
        return Err(Error::key(key, "a bool is neither 0 nor 1".into()));
    }
    Ok(())
}

fn alignment(bytes: &[u8], entries: &[Entry]) -> Result<u64> {
    const KEY: &str = "general.alignment";
    let Some(entry) = entries.iter().find(|e| &*e.key == KEY) else {
        return Ok(DEFAULT_ALIGNMENT);
    };
    let value = entry.value(bytes);
    let alignment = value.integer().ok_or_else(|| Error::KeyType {
        key: KEY.into(),
        expected: "an integer",
        found: value.kind().to_string(),
    })?;
    u64::try_from(alignment)
        .ok()
        .filter(|a| a.is_power_of_two() && *a <= LARGEST_ALIGNMENT)
        .ok_or_else(|| Error::key(KEY, format!("{alignment} is not a sane power of two")))
}

/// One tensor's description. Its offset still counts from the data section; see [`place`].
fn tensor(cursor: &mut Cursor<'_>, alignment: u64) -> Result<Described> {
    let name = name(cursor, "a tensor name", Error::tensor)?;
    let what = format!("the description of tensor {:?}", clip(name));
    let n_dims = cursor.u32(&what)?;
    if !(1..=4).contains(&n_dims) {
        return Err(Error::tensor(
            name,
            format!("{n_dims} dimensions, not 1 to 4"),
        ));
    }
    let mut dims = Vec::with_capacity(4);
    for _ in 0..n_dims {
        dims.push(cursor.u64(&what)?);
    }
    let id = cursor.u32(&what)?;
    let mut described = describe(name, id, &dims)?;
    let offset = cursor.u64(&what)?;
    if offset % alignment != 0 {
        let problem = format!("offset {offset} is not a multiple of {alignment}");
        return Err(Error::tensor(name, problem));
    }
    *described.place().0 = usize::try_from(offset)
        .map_err(|_| Error::tensor(name, format!("offset {offset} is beyond the file")))?;
    Ok(described)
}

/// What a tensor of this type and shape holds; its place is not known yet.
fn describe(name: &str, id: u32, dims: &[u64]) -> Result<Described> {
    let unknown = || Error::UnknownType {
        tensor: clip(name),
        id,
        name: tensor_type_name(id),
    };
    let bad = |kind: &str, problem: &str| Error::tensor(name, format!("{kind} {dims:?} {problem}"));
    if let Some(format) = format_from_id(id) {
        let (dims, bytes) = size(format, dims).map_err(|problem| bad(format.name(), problem))?;
        return Ok(Described::Weights(TensorInfo {
            name: name.to_owned(),
            format,
            dims,
            part: 0,
            offset: 0,
            bytes,
        }));
    }
    let kind = integers_from_id(id).ok_or_else(unknown)?;
    let bytes = kind.bytes().ok_or_else(unknown)?;
    let len = integers(dims, bytes).map_err(|problem| bad(&kind.to_string(), problem))?;
    Ok(Described::Integers(Integers {
        name: name.to_owned(),
        kind,
        len,
        part: 0,
        offset: 0,
        bytes: len * bytes,
    }))
}

/// How many integers of `bytes` bytes these dimensions hold; their size in bytes is a number, too.
pub(crate) fn integers(dims: &[u64], bytes: usize) -> std::result::Result<usize, &'static str> {
    // As many as there would be floats.
    let (dims, _) = size(Format::F32, dims)?;
    let len: usize = dims.iter().product();
    len.checked_mul(bytes).map(|_| len).ok_or("is too large")
}

/// Dimensions as sizes, and the bytes they take.
pub(crate) fn size(
    format: Format,
    dims: &[u64],
) -> std::result::Result<(Vec<usize>, usize), &'static str> {
    const TOO_LARGE: &str = "is too large";
    let dims: Vec<usize> = dims
        .iter()
        .map(|&dim| usize::try_from(dim).map_err(|_| TOO_LARGE))
        .collect::<std::result::Result<_, _>>()?;
    if dims.contains(&0) {
        return Err("has a dimension of zero");
    }
    if !dims[0].is_multiple_of(format.block_len()) {
        return Err("has rows that are not whole blocks");
    }
    let product = |dims: &[usize]| dims.iter().try_fold(1usize, |n, &dim| n.checked_mul(dim));
    product(&dims).ok_or(TOO_LARGE)?;
    let row = format.row_bytes(dims[0]);
    let bytes = row.and_then(|row| row.checked_mul(product(&dims[1..])?));
    let bytes = bytes.ok_or(TOO_LARGE)?;
    Ok((dims, bytes))
}

/// Makes the offsets count from the beginning of the file; all data must lie inside it.
fn place(tensors: &mut [Described], header_end: usize, alignment: u64, len: usize) -> Result<()> {
    let data = (header_end as u64).next_multiple_of(alignment) as usize;
    for tensor in tensors {
        let (offset, bytes) = tensor.place();
        let start = data.checked_add(*offset);
        let end = start.and_then(|start| start.checked_add(bytes));
        let (Some(place), Some(_)) = (start, end.filter(|&end| end <= len)) else {
            return Err(Error::Truncated {
                what: format!("the data of tensor {:?}", clip(tensor.name())),
                offset: start.unwrap_or(usize::MAX),
                len,
            });
        };
        *offset = place;
    }
    Ok(())
}

/// Refuses tensors that share a byte.
fn apart(tensors: &[Described]) -> Result<()> {
    let mut order: Vec<&Described> = tensors.iter().collect();
    order.sort_unstable_by_key(|tensor| tensor.range().start);
    for pair in order.windows(2) {
        if pair[0].range().end > pair[1].range().start {
            let problem = format!("overlaps tensor {:?}", clip(pair[0].name()));
            return Err(Error::tensor(pair[1].name(), problem));
        }
    }
    Ok(())
}
