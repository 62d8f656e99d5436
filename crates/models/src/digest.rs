//! SHA-256 of bytes, streams and files, as lowercase hexadecimal.
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Bytes read at once: large enough that the disk and not the loop is the limit.
const CHUNK: usize = 1 << 20;

/// A digest that grows with what is fed to it.
#[derive(Clone, Debug, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Adds bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of everything fed.
    pub fn finish(self) -> String {
        use std::fmt::Write;
        let mut text = String::with_capacity(64);
        for byte in self.0.finalize() {
            write!(text, "{byte:02x}").expect("a string takes everything");
        }
        text
    }
}

/// The digest of bytes.
pub fn sha256_of(bytes: impl AsRef<[u8]>) -> String {
    let mut hasher = Hasher::default();
    hasher.feed(bytes.as_ref());
    hasher.finish()
}

/// The digest of a file, read from its beginning to its end; `on_bytes` hears how many were read since it was last told.
pub fn sha256_of_file(path: &Path, on_bytes: &mut dyn FnMut(u64)) -> io::Result<String> {
    let mut hasher = Hasher::default();
    feed_all(&mut hasher, &mut File::open(path)?, on_bytes)?;
    Ok(hasher.finish())
}

/// Feeds all that the reader has and returns how many bytes that were.
pub(crate) fn feed_all(
    hasher: &mut Hasher,
    reader: &mut dyn Read,
    on_bytes: &mut dyn FnMut(u64),
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
        on_bytes(n as u64);
    }
}
