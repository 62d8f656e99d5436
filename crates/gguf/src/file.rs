//! An open GGUF file: its bytes, and the header that was checked against them.
//!
//! The engine's loader opens one, reads metadata, then takes tensors one by one and
//! releases their pages once they are packed.
use crate::header::Header;
use crate::mmap::Map;
use crate::{Array, Error, Metadata, Result, Tensor, TensorInfo};
use std::fs;
use std::path::{Path, PathBuf};

/// A checked GGUF file.
#[derive(Debug)]
pub struct File {
    bytes: Bytes,
    header: Header,
    path: Option<PathBuf>,
}

#[derive(Debug)]
enum Bytes {
    Owned(Vec<u8>),
    Mapped(Map),
}

impl Bytes {
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::Mapped(map) => map.bytes(),
        }
    }
}

impl File {
    /// Maps and checks a file on disk. It must not be changed while it is open.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let io = |error| Error::Io {
            path: path.to_owned(),
            error,
        };
        // Asked before opening: opening a pipe would wait for its writer.
        let about = fs::metadata(path).map_err(io)?;
        if !about.is_file() {
            return Err(Error::NotAFile {
                path: path.to_owned(),
            });
        }
        let in_file = |error| Error::InFile {
            path: path.to_owned(),
            error: Box::new(error),
        };
        if about.len() == 0 {
            return Err(in_file(Error::Empty));
        }
        let map = fs::File::open(path).and_then(|file| Map::new(&file));
        let bytes = Bytes::Mapped(map.map_err(io)?);
        let header = Header::parse(bytes.as_slice()).map_err(in_file)?;
        Ok(Self {
            bytes,
            header,
            path: Some(path.to_owned()),
        })
    }

    /// Checks a file in memory.
    pub fn parse(bytes: Vec<u8>) -> Result<Self> {
        let header = Header::parse(&bytes)?;
        Ok(Self {
            bytes: Bytes::Owned(bytes),
            header,
            path: None,
        })
    }

    /// Bytes in the file.
    #[expect(clippy::len_without_is_empty, reason = "a checked file is never empty")]
    pub fn len(&self) -> usize {
        self.bytes.as_slice().len()
    }

    /// Where the file is; `None` if it was parsed from memory.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The version of the format, 2 or 3.
    pub fn version(&self) -> u32 {
        self.header.version
    }

    /// The metadata.
    pub fn metadata(&self) -> Metadata<'_> {
        Metadata::new(self.bytes.as_slice(), &self.header)
    }

    /// All tensors of weights, in file order.
    pub fn tensors(&self) -> impl ExactSizeIterator<Item = &TensorInfo> {
        self.header.tensors.iter()
    }

    /// A tensor that must be there.
    pub fn tensor(&self, name: &str) -> Result<Tensor<'_>> {
        self.opt_tensor(name).ok_or_else(|| Error::MissingTensor {
            name: name.to_owned(),
        })
    }

    /// A tensor that may be there.
    pub fn opt_tensor(&self, name: &str) -> Option<Tensor<'_>> {
        let info = self.header.tensor(name)?;
        let data = &self.bytes.as_slice()[info.offset..info.offset + info.bytes];
        Some(Tensor { info, data })
    }

    /// A tensor of integers that may be there, as an array over all its dimensions.
    pub fn opt_integers(&self, name: &str) -> Option<Array<'_>> {
        let info = self.header.integers.iter().find(|info| info.name == name)?;
        Some(Array {
            kind: info.kind,
            len: info.len,
            bytes: &self.bytes.as_slice()[info.offset..info.offset + info.bytes],
        })
    }

    /// A hint that the tensor's bytes will not be read again soon, so that the memory they
    /// fill can be given back. They stay readable: from the file, more slowly.
    pub fn release(&self, tensor: &Tensor<'_>) {
        self.release_part(tensor.data);
    }

    /// As `release`, for a stretch of a tensor's data.
    pub fn release_part(&self, part: &[u8]) {
        if let Bytes::Mapped(map) = &self.bytes {
            map.release(part);
        }
    }
}
