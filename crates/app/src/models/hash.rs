//! SHA-256 of streams and files, as lowercase hexadecimal.
use super::progress::Progress;
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Bytes read at once: large enough that the disk and not the loop is the limit.
const CHUNK: usize = 1 << 20;

/// A hash that grows with what is fed to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    /// Adds bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of everything fed.
    pub(crate) fn finish(self) -> String {
        use std::fmt::Write;
        let mut text = String::with_capacity(64);
        for byte in self.0.finalize() {
            write!(text, "{byte:02x}").expect("a string takes everything");
        }
        text
    }
}

/// Feeds all that the reader has and says how many bytes that were.
pub(crate) fn feed_all(
    hasher: &mut Hasher,
    reader: &mut dyn Read,
    progress: &mut Progress,
) -> io::Result<u64> {
    let mut chunk = vec![0; CHUNK];
    let mut total = 0;
    loop {
        let n = match reader.read(&mut chunk) {
            Ok(0) => return Ok(total),
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.feed(&chunk[..n]);
        total += n as u64;
        progress.advance(n as u64);
    }
}

/// The hash of a file.
pub(crate) fn file(path: &Path, progress: &mut Progress) -> io::Result<String> {
    let mut hasher = Hasher::default();
    feed_all(&mut hasher, &mut File::open(path)?, progress)?;
    Ok(hasher.finish())
}
