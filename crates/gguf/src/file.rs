//! An open GGUF file: its bytes, and the header that was checked against them.
//!
//! The engine's loader opens one, reads metadata, then takes tensors one by one and
//! releases their pages once they are packed. A model that is split into several files
//! (`split`) is one `File` as well: metadata of the first part, tensors of all.
use crate::header::Header;
use crate::mmap::Map;
use crate::split::Split;
use crate::{Array, Error, Metadata, Result, Tensor, TensorInfo};
use std::fs;
use std::path::{Path, PathBuf};

/// A checked GGUF file.
#[derive(Debug)]
pub struct File {
    /// One for each file on disk; the header's tensors say which is theirs.
    parts: Vec<Bytes>,
    header: Header,
    path: Option<PathBuf>,
}

#[derive(Debug)]
enum Bytes {
    Owned(Vec<u8>),
    /// The mapping, and what told the file apart when it was opened.
    Mapped(Map, String),
}

impl Bytes {
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::Mapped(map, _) => map.bytes(),
        }
    }
}

impl File {
    /// Maps and checks a file on disk. It must not be changed while it is open.
    ///
    /// The first part of a split model (`…-00001-of-00003.gguf`) opens its siblings as well.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (bytes, mut header) = open_part(path)?;
        let mut parts = vec![bytes];
        let in_file = |path: &Path| in_file(path.to_owned());
        let split = Split::read(&metadata(&parts[0], &header)).map_err(in_file(path))?;
        if let Some(split) = split {
            let siblings = split.siblings(path).map_err(in_file(path))?;
            for (part, path) in (1..).zip(siblings.iter().map(PathBuf::as_path)) {
                let (bytes, other) = open_part(path)?;
                let found = Split::read(&metadata(&bytes, &other));
                found
                    .and_then(|found| split.check(part, found))
                    .and_then(|()| header.append(part, other))
                    .map_err(in_file(path))?;
                parts.push(bytes);
            }
            let n_tensors = header.tensors.len() + header.integers.len();
            split.check_total(n_tensors).map_err(in_file(path))?;
        }
        Ok(Self {
            parts,
            header,
            path: Some(path.to_owned()),
        })
    }

    /// Checks a file in memory; it must be whole.
    pub fn parse(bytes: Vec<u8>) -> Result<Self> {
        let header = Header::parse(&bytes)?;
        let bytes = Bytes::Owned(bytes);
        if Split::read(&metadata(&bytes, &header))?.is_some() {
            return Err(Error::Split(
                "it has siblings, which only `open` finds".into(),
            ));
        }
        Ok(Self {
            parts: vec![bytes],
            header,
            path: None,
        })
    }

    /// Bytes in the file, over all parts.
    #[expect(clippy::len_without_is_empty, reason = "a checked file is never empty")]
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.as_slice().len()).sum()
    }

    /// Where the file is, or its first part; `None` if it was parsed from memory.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What tells this file apart from any other and from itself before or after a change, without reading it: number,
    /// size and times of each part, as they were when it was mapped. `None` if it was parsed from memory.
    ///
    /// The time of the last change of an inode cannot be set by ordinary means, so another file under the same name,
    /// with the same size and date, has another stamp.
    pub fn stamp(&self) -> Option<String> {
        let stamps = self.parts.iter().map(|part| match part {
            Bytes::Owned(_) => None,
            Bytes::Mapped(_, stamp) => Some(stamp.as_str()),
        });
        stamps
            .collect::<Option<Vec<_>>>()
            .map(|parts| parts.join(" "))
    }

    /// The version of the format, 2 or 3.
    pub fn version(&self) -> u32 {
        self.header.version
    }

    /// The metadata.
    pub fn metadata(&self) -> Metadata<'_> {
        metadata(&self.parts[0], &self.header)
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
        let part = self.parts[info.part].as_slice();
        let data = &part[info.offset..info.offset + info.bytes];
        Some(Tensor { info, data })
    }

    /// A tensor of integers that may be there, as an array over all its dimensions.
    pub fn opt_integers(&self, name: &str) -> Option<Array<'_>> {
        let info = self.header.integers.iter().find(|info| info.name == name)?;
        let part = self.parts[info.part].as_slice();
        Some(Array {
            kind: info.kind,
            len: info.len,
            bytes: &part[info.offset..info.offset + info.bytes],
        })
    }

    /// A hint that the tensor's bytes will not be read again soon, so that the memory they
    /// fill can be given back. They stay readable: from the file, more slowly.
    pub fn release(&self, tensor: &Tensor<'_>) {
        self.release_part(tensor.data);
    }

    /// As `release`, for a stretch of a tensor's data.
    pub fn release_part(&self, part: &[u8]) {
        for bytes in &self.parts {
            // Each mapping ignores bytes that are not its own.
            if let Bytes::Mapped(map, _) = bytes {
                map.release(part);
            }
        }
    }
}

/// Maps one file and checks its header.
fn open_part(path: &Path) -> Result<(Bytes, Header)> {
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
    if about.len() == 0 {
        return Err(in_file(path.to_owned())(Error::Empty));
    }
    let file = fs::File::open(path).map_err(io)?;
    // Asked of the open file, so that it is about the bytes that are mapped, whoever renames what meanwhile.
    let stamp = stamp(&file.metadata().map_err(io)?);
    let bytes = Bytes::Mapped(Map::new(&file).map_err(io)?, stamp);
    let header = Header::parse(bytes.as_slice()).map_err(in_file(path.to_owned()))?;
    Ok((bytes, header))
}

/// See [`File::stamp`]. Device numbers are left out: they may differ after a restart.
#[cfg(unix)]
fn stamp(about: &fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    let changed = (about.ctime(), about.ctime_nsec());
    let modified = (about.mtime(), about.mtime_nsec());
    format!("{} {} {modified:?} {changed:?}", about.ino(), about.len())
}

#[cfg(not(unix))]
fn stamp(about: &fs::Metadata) -> String {
    let times = (about.modified().ok(), about.created().ok());
    format!("{} {times:?}", about.len())
}

fn metadata<'a>(bytes: &'a Bytes, header: &'a Header) -> Metadata<'a> {
    Metadata::new(bytes.as_slice(), header)
}

fn in_file(path: PathBuf) -> impl Fn(Error) -> Error {
    move |error| Error::InFile {
        path: path.clone(),
        error: Box::new(error),
    }
}
