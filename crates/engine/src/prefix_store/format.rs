//! The file of one prefix: a header, the tokens, the pages of each layer's KV cache, and a SHA-256 of all that.
//!
//! ```text
//! magic and version   [8]
//! fingerprint         [32]      of the model, see `fingerprint`
//! tokens              u32       how many
//! caches              u32       layers with a KV cache of their own
//! tokens              [tokens] u32
//! first pages         [caches] u32    number of the first page held; 0 where a layer does not slide
//! pages               of each cache, from its first page to the one with the last token
//! sha256              [32]      of everything before
//! ```
//! Integers are little-endian; a page is the bytes that `KvCache::pages` gives.
//!
//! A file is untrusted. The model says how long it must be, so that is known before anything is allocated; a state is
//! handed out only after the digest of the whole file agreed.

use super::Fingerprint;
use crate::state::State;
use crate::{Model, Prompt, Token};
use reckon_kernels::KvCache;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};

/// The last byte is the version of the format.
const MAGIC: [u8; 8] = *b"RKNPRFX\x01";

const DIGEST: usize = 32;

/// Bytes before the tokens.
const HEADER: usize = MAGIC.len() + DIGEST + 4 + 4;

/// Why a file gives no state.
#[derive(Debug)]
pub(super) enum Refused {
    /// It could not be read; it may be fine.
    Unread,
    /// It is not what this model wrote, or no longer.
    Damaged,
    /// It is for a model with a longer context than this one has.
    TooLong,
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Damaged,
            _ => Self::Unread,
        }
    }
}

/// Bytes of the file that a state becomes.
pub(super) fn file_bytes(state: &State) -> u64 {
    let caches = state.caches.iter().flatten();
    let len = state.tokens().len();
    let pages = caches.map(|cache| (cache.page_range(len).len() * cache.page_bytes()) as u64 + 4);
    (HEADER + 4 * len + DIGEST) as u64 + pages.sum::<u64>()
}

/// Writes a state.
pub(super) fn write(out: &File, model: &Model, state: &State) -> io::Result<()> {
    let mut out = Hashing::new(BufWriter::new(out));
    let tokens = state.tokens();
    let caches = || state.caches.iter().flatten();
    let count = |n: usize| u32::try_from(n).map_err(io::Error::other);
    out.write_all(&MAGIC)?;
    out.write_all(model.fingerprint())?;
    out.write_all(&count(tokens.len())?.to_le_bytes())?;
    out.write_all(&count(caches().count())?.to_le_bytes())?;
    for token in tokens {
        out.write_all(&token.to_le_bytes())?;
    }
    for cache in caches() {
        let first = cache.page_range(tokens.len()).start;
        out.write_all(&count(first)?.to_le_bytes())?;
    }
    for cache in caches() {
        for page in cache.pages(tokens.len()) {
            out.write_all(&page)?;
        }
    }
    let digest = out.hasher.finalize();
    out.inner.write_all(&digest)?;
    out.inner.flush()
}

/// Reads only what the file is about: its tokens. They are checked for being a prompt of this model, and nothing more.
pub(super) fn read_tokens(file: &File, model: &Model) -> Result<Vec<Token>, Refused> {
    Ok(read_header(&mut BufReader::new(file), file, model)?.tokens)
}

/// Reads a whole file and checks all of it.
pub(super) fn read(file: &File, model: &Model) -> Result<State, Refused> {
    let mut from = Hashing::new(BufReader::new(file));
    let header = read_header(&mut from, file, model)?;
    let mut state = model.state();
    let end = KvCache::pages_of(header.tokens.len());
    for (cache, first) in state.caches.iter_mut().flatten().zip(&header.first_pages) {
        cache.restore(*first..end, |page| from.read_exact(page))?;
    }
    let digest: Fingerprint = from.hasher.finalize().into();
    if digest != bytes::<DIGEST>(&mut from.inner)? {
        return Err(Refused::Damaged);
    }
    state.push(&header.tokens, &Prompt::default());
    // Also with a digest that fits, a layer may lack what attention will read.
    state.is_complete().then_some(state).ok_or(Refused::Damaged)
}

struct Header {
    tokens: Vec<Token>,
    /// For each cache.
    first_pages: Vec<usize>,
}

fn read_header(from: &mut impl Read, file: &File, model: &Model) -> Result<Header, Refused> {
    let damaged = |is_fine: bool| is_fine.then_some(()).ok_or(Refused::Damaged);
    let empty = model.state();
    let caches: Vec<&KvCache> = empty.caches.iter().flatten().collect();
    damaged(bytes(from)? == MAGIC)?;
    damaged(&bytes::<DIGEST>(from)? == model.fingerprint())?;
    let n_tokens = number(from)?;
    damaged(n_tokens > 0 && number(from)? == caches.len())?;
    // Both counts are small here: the number of layers is the model's, and the context bounds the tokens.
    if n_tokens > model.n_ctx() {
        return Err(Refused::TooLong);
    }
    let mut tokens = Vec::with_capacity(n_tokens);
    for _ in 0..n_tokens {
        tokens.push(Token::from_le_bytes(bytes(from)?));
    }
    damaged(model.check(&tokens).is_ok())?;
    let end = KvCache::pages_of(n_tokens);
    let mut expected = (HEADER + 4 * n_tokens + DIGEST) as u64;
    let mut first_pages = Vec::with_capacity(caches.len());
    for cache in caches {
        let first = number(from)?;
        damaged(first < end)?;
        expected += 4 + ((end - first) * cache.page_bytes()) as u64;
        first_pages.push(first);
    }
    damaged(file.metadata()?.len() == expected)?;
    Ok(Header {
        tokens,
        first_pages,
    })
}

fn bytes<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn number(from: &mut impl Read) -> io::Result<usize> {
    // Targets have at least 32 bits.
    Ok(u32::from_le_bytes(bytes(from)?) as usize)
}

/// Reads or writes, and hashes what passes.
struct Hashing<T> {
    inner: T,
    hasher: Sha256,
}

impl<T> Hashing<T> {
    fn new(inner: T) -> Self {
        Self {
            inner,
            hasher: Sha256::new(),
        }
    }
}

impl<T: Read> Read for Hashing<T> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(out)?;
        self.hasher.update(&out[..n]);
        Ok(n)
    }
}

impl<T: Write> Write for Hashing<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
