//! Why a file, a key or a tensor was refused, sorted by what the caller can do about it.
//!
//! Every message is one line whatever the file holds: names from the file are clipped and
//! printed with escapes, so that a hostile key can neither break the line nor reach the terminal.
use std::io;
use std::path::PathBuf;

/// The result of reading or writing a GGUF.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a file was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be opened or mapped.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The path is a directory, a pipe or a device.
    #[error("{} is not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The contents of a file on disk were refused; see [`Error::reason`].
    #[error("{}: {error}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<Self>,
    },
    /// A part of a split file is not what its siblings say.
    #[error("split file: {0}")]
    Split(String),
    /// There are no bytes at all, as after a download that never began.
    #[error("the file is empty")]
    Empty,
    /// The first four bytes are not `GGUF`.
    #[error("not a GGUF file: it begins with {magic:?}")]
    NotGguf {
        /// The bytes found instead, escaped.
        magic: String,
    },
    /// The file was written for a big-endian machine.
    #[error("big-endian GGUF files are not supported")]
    BigEndian,
    /// A version that we do not read.
    #[error("GGUF version {0} is not supported, only 2 and 3 are")]
    Version(u32),
    /// The file ends too early: most often an unfinished download.
    #[error("the file is truncated: it ends at byte {len}, inside {what} at byte {offset}")]
    Truncated {
        /// What was being read.
        what: String,
        /// Where that begins.
        offset: usize,
        /// Bytes in the file.
        len: usize,
    },
    /// The header promises more entries than the file has bytes for, or than anyone needs.
    #[error("the file is truncated or damaged: it claims {count} {what}, but {most} are possible")]
    Count {
        /// Entries of what.
        what: &'static str,
        /// Entries claimed.
        count: u64,
        /// The most that there could be.
        most: usize,
    },
    /// A metadata entry is malformed or holds an impossible value.
    #[error("metadata {key:?}: {problem}")]
    Key {
        /// The key, clipped.
        key: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A metadata entry that was asked for does not exist.
    #[error("metadata {key:?} is missing")]
    MissingKey {
        /// The key.
        key: String,
    },
    /// A metadata entry has another type than asked for.
    #[error("metadata {key:?} should be {expected}, but is {found}")]
    KeyType {
        /// The key, clipped.
        key: String,
        /// What was asked for.
        expected: &'static str,
        /// What the file holds.
        found: String,
    },
    /// A tensor is malformed, or lies outside the file.
    #[error("tensor {name:?}: {problem}")]
    Tensor {
        /// The tensor's name, clipped.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A tensor that was asked for does not exist.
    #[error("tensor {name:?} is missing")]
    MissingTensor {
        /// The name.
        name: String,
    },
    /// A tensor has a type that we do not read.
    #[error("tensor {tensor:?} has the unsupported type {}", type_name(*.id, *.name))]
    UnknownType {
        /// The tensor's name, clipped.
        tensor: String,
        /// The type's number in the file.
        id: u32,
        /// Its name, where ggml gave it one.
        name: Option<&'static str>,
    },
    /// Writing failed.
    #[error("cannot write the GGUF: {0}")]
    Write(io::Error),
}

impl Error {
    /// The error without the path it happened in.
    pub fn reason(&self) -> &Self {
        match self {
            Self::InFile { error, .. } => error,
            other => other,
        }
    }

    pub(crate) fn key(key: &str, problem: String) -> Self {
        let key = clip(key);
        Self::Key { key, problem }
    }

    pub(crate) fn tensor(name: &str, problem: String) -> Self {
        let name = clip(name);
        Self::Tensor { name, problem }
    }
}

/// The first characters of a name from a file, so that a message stays a line.
pub(crate) fn clip(name: &str) -> String {
    const LONGEST: usize = 80;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

fn type_name(id: u32, name: Option<&str>) -> String {
    name.map_or_else(|| id.to_string(), |name| format!("{name} ({id})"))
}
