//! Reads GGUF files: checks untrusted bytes once, then gives metadata and views of tensors.
//!
//! A model file comes from a stranger. [`File::open`] maps it and checks every count,
//! length, type, offset and dimension once; after that no access can leave the file,
//! and nothing here panics or allocates more than a small multiple of the header's size.
//! Metadata arrays (a vocabulary has 262,144 strings) stay where they are in the file and
//! are read by iterators. [`Writer`] makes files: test fixtures and converted models.
//!
//! Called by `engine`, which decides what keys and shapes a model must have. A model split
//! into several files opens like one. Left out on purpose: big-endian files, version 1, arrays
//! of arrays.
//! The format: `docs/gguf.md` of the ggml project.
//!
//! ```
//! use reckon_gguf::{File, Format, Writer};
//! let mut writer = Writer::new();
//! writer.str("general.architecture", "llama");
//! writer.tensor("norm", Format::F32, &[2])?;
//! let bytes = writer.to_vec(&[&[0; 8]])?;
//!
//! let file = File::parse(bytes)?;
//! assert_eq!(file.metadata().str("general.architecture")?, "llama");
//! assert_eq!(file.tensor("norm")?.data, [0; 8]);
//! # Ok::<(), reckon_gguf::Error>(())
//! ```
mod cursor;
mod error;
mod file;
mod header;
mod kind;
mod metadata;
mod mmap;
mod split;
mod tensor;
mod value;
mod write;

pub use error::{Error, Result};
pub use file::File;
pub use kind::Kind;
pub use metadata::Metadata;
pub use reckon_kernels::Format;
pub use tensor::{Tensor, TensorInfo};
pub use value::{Array, Strings, Value};
pub use write::{DataWriter, Writer};
