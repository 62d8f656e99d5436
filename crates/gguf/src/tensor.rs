//! One tensor of a file: its description and its bytes.
//!
//! Shapes are in GGUF's order: `dims[0]` is the length of a row (`ne0`), the rest count rows.
//! Tensors of integers are tables rather than weights, and kept apart.
use crate::{Format, Kind};

/// What the header says about a tensor; all of it checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    /// The name, unique in its file.
    pub name: String,
    /// How the weights are stored.
    pub format: Format,
    /// One to four sizes, none zero, row length first.
    pub dims: Vec<usize>,
    /// Which part of a split file holds the data; 0 is the first, or the only one.
    pub part: usize,
    /// Where the data begins, from the beginning of that part.
    pub offset: usize,
    /// Bytes of data.
    pub bytes: usize,
}

impl TensorInfo {
    /// Weights in one row.
    pub fn row_len(&self) -> usize {
        self.dims[0]
    }

    /// Rows, over all dimensions but the first.
    pub fn rows(&self) -> usize {
        self.dims[1..].iter().product()
    }

    /// Bytes of one row.
    pub fn row_bytes(&self) -> usize {
        self.bytes / self.rows()
    }

    /// Weights in all.
    pub fn weights(&self) -> usize {
        self.row_len() * self.rows()
    }
}

/// A tensor and its bytes in the file.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'a> {
    /// Name, format and shape.
    pub info: &'a TensorInfo,
    /// The data, row after row.
    pub data: &'a [u8],
}

impl<'a> Tensor<'a> {
    /// Weights in one row.
    pub fn row_len(&self) -> usize {
        self.info.row_len()
    }

    /// Rows, over all dimensions but the first.
    pub fn rows(&self) -> usize {
        self.info.rows()
    }

    /// The bytes of one row.
    ///
    /// # Panics
    /// If there is no row `i`.
    pub fn row(&self, i: usize) -> &'a [u8] {
        assert!(i < self.rows(), "row {i} of {}", self.rows());
        let len = self.info.row_bytes();
        &self.data[i * len..(i + 1) * len]
    }
}

/// A tensor of integers; all of it checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Integers {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Over all dimensions.
    pub(crate) len: usize,
    /// Which part of a split file holds the data.
    pub(crate) part: usize,
    /// Where the data begins, from the beginning of that part.
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
}
