//! Prefix cache on a disk: K/V of the fixed beginnings of prompts, kept across processes.
//!
//! The scheduler asks it for a prompt that nothing in memory has the beginning of, and gives it the beginnings that
//! requests allow to be kept (`Request::keep_prefix`), and nothing else. One file per prefix (`format`), named
//! after the model's fingerprint and the tokens. Answers have the same bits with and without it:
//! - a file counts only for the same weights, precision and code (`fingerprint`) and the same tokens, with a checksum;
//! - the last few tokens are computed once more from what was read, and must give the bits that the file has. That takes
//!   one small pass, and holds against whatever the fingerprint does not know of.
//!
//! Whatever is wrong with a file, it is removed and the prompt is read as if it had never been there. Whatever is wrong
//! with the directory (not there, read-only, full, readable by others) means that nothing is kept. Files are written
//! beside their name and renamed, so processes may share a directory; there are no locks and no flush to the device,
//! since a torn file fails its checksum. Bounded by bytes; the file that was used least recently goes first.

#![expect(
    clippy::disallowed_methods,
    reason = "the one place of the engine that keeps files, in a directory that the caller gives"
)]

mod fingerprint;
mod format;

use crate::forward::{BatchItem, Scratch, Wanted};
use crate::state::State;
use crate::{Model, Prompt, Token};
pub(crate) use fingerprint::{Fingerprint, fingerprint};
use format::Refused;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Fewest tokens that are worth a file: opening and checking it costs about as much as reading a few dozen.
const LEAST: usize = 64;

/// Tokens that are computed once more when a file is read.
const RECOMPUTED: usize = 8;

/// Most files in the directory, and most that are looked at.
const MOST_FILES: usize = 256;

const ENDING: &str = ".prefix";

/// Ends the name of a file that is being written, and what is left of one whose writer was killed.
const UNFINISHED: &str = ".new";

/// After this time nobody writes to an unfinished file any more.
const ABANDONED: Duration = Duration::from_secs(3600);

/// K/V of fixed prefixes, in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixStore {
    directory: PathBuf,
    most_bytes: u64,
}

/// A file of the directory.
struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl PrefixStore {
    /// Keeps at most so many bytes in this directory, which must be for nothing else: it is made when something is
    /// kept, for its owner alone. One that others can look into is not used.
    pub fn new(directory: impl Into<PathBuf>, most_bytes: u64) -> Self {
        Self {
            directory: directory.into(),
            most_bytes,
        }
    }

    /// The state that shares the longest prefix with a prompt, of at least `least` tokens, and can step back to it.
    /// Never counts the last token of the prompt: its logits are needed.
    pub(crate) fn load(&self, model: &Model, prompt: &[Token], least: usize) -> Option<State> {
        let least = least.max(LEAST);
        if prompt.len() <= least || !is_private(&self.directory) {
            return None;
        }
        let own = name_prefix(model);
        let mut found = Vec::new();
        for entry in self.entries(|name| name.starts_with(&own) && name.ends_with(ENDING)) {
            let tokens = self.tokens(&entry.path, model).unwrap_or_default();
            let pairs = tokens.iter().zip(prompt);
            let shared = pairs.take_while(|(a, b)| a == b).count();
            let shared = shared.min(prompt.len() - 1);
            if shared >= least {
                found.push((shared, entry.path));
            }
        }
        found.sort();
        let fitting = |(shared, path): &(usize, PathBuf)| {
            let state = self.read(path, model)?;
            state.holds(*shared).then_some(state)
        };
        found.iter().rev().find_map(fitting)
    }

    /// Keeps a state, if it is worth it and not there yet. If that fails, nothing is kept.
    pub(crate) fn save(&self, model: &Model, state: &State) {
        let (len, bytes) = (state.tokens().len(), format::file_bytes(state));
        // Images and sound are somebody's own: they are never kept.
        let soft = state.read().is_soft();
        // A file has the pages of KV caches only.
        let is_kept = state.is_complete() && !soft && !state.has_deltas();
        if len < LEAST || bytes > self.most_bytes || !is_kept {
            return;
        }
        // A sliding layer may have let go of what computing the last tokens again takes.
        if !state.holds(len - RECOMPUTED) {
            return;
        }
        let path = self.path(model, state.tokens());
        // A damaged file under this name is no reason to leave it at that.
        if self.tokens(&path, model).is_some() {
            return;
        }
        // A disk that is full or read-only is not worth a word to the person: the answer is the same.
        drop(self.write(&path, bytes, model, state));
    }

    fn write(&self, path: &Path, bytes: u64, model: &Model, state: &State) -> io::Result<()> {
        make_private(&self.directory)?;
        self.make_room(bytes);
        // Temporary files are their owner's alone, and go away if something fails.
        let file = tempfile::Builder::new()
            .prefix(".")
            .suffix(UNFINISHED)
            .tempfile_in(&self.directory)?;
        format::write(file.as_file(), model, state)?;
        file.persist(path)?;
        Ok(())
    }

    /// Removes the files used least recently until so many bytes have room, and what was never finished.
    fn make_room(&self, bytes: u64) {
        let now = SystemTime::now();
        for entry in self.entries(|name| name.ends_with(UNFINISHED)) {
            if now
                .duration_since(entry.used)
                .is_ok_and(|age| age > ABANDONED)
            {
                drop(fs::remove_file(&entry.path));
            }
        }
        let mut entries = self.entries(|name| name.ends_with(ENDING));
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.used));
        let mut all = bytes;
        for (i, entry) in entries.iter().enumerate() {
            all = all.saturating_add(entry.bytes);
            if all > self.most_bytes || i + 1 >= MOST_FILES {
                drop(fs::remove_file(&entry.path));
            }
        }
    }

    /// The files of the directory with such a name. Links and anything else that is no plain file are not ours.
    fn entries(&self, is_meant: impl Fn(&str) -> bool) -> Vec<Entry> {
        let Ok(listing) = fs::read_dir(&self.directory) else {
            return Vec::new();
        };
        let entry = |entry: fs::DirEntry| {
            let name = entry.file_name();
            if !is_meant(name.to_str()?) {
                return None;
            }
            let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some(Entry {
                path: entry.path(),
                bytes: about.len(),
                used: about.modified().ok()?,
            })
        };
        let entries = listing.flatten().filter_map(entry);
        // A few more than there may be, because processes that write at the same time may each leave one more.
        entries.take(4 * MOST_FILES).collect()
    }

    /// The tokens of a file, if it is one of this model with the name that they give; anything else is removed.
    fn tokens(&self, path: &Path, model: &Model) -> Option<Vec<Token>> {
        let tokens = open(path)
            .map_err(Refused::from)
            .and_then(|file| format::read_tokens(&file, model))
            .and_then(|tokens| match self.path(model, &tokens) == path {
                true => Ok(tokens),
                false => Err(Refused::Damaged),
            });
        accepted(tokens, path)
    }

    /// The state of a file, checked in every way; a file that fails is removed.
    fn read(&self, path: &Path, model: &Model) -> Option<State> {
        let file = open(path).ok()?;
        let state = format::read(&file, model).and_then(|state| match is_own(model, &state) {
            true => Ok(state),
            false => Err(Refused::Damaged),
        });
        let state = accepted(state, path)?;
        // The time of the last use decides who goes first; without it the file merely goes sooner.
        drop(file.set_modified(SystemTime::now()));
        Some(state)
    }

    /// Where these tokens are kept.
    fn path(&self, model: &Model, tokens: &[Token]) -> PathBuf {
        let mut hasher = Sha256::new();
        for token in tokens {
            hasher.update(token.to_le_bytes());
        }
        let own = name_prefix(model);
        let digest = hex(&hasher.finalize()[..16]);
        self.directory.join(format!("{own}{digest}{ENDING}"))
    }
}

/// What was read; a file that is damaged is removed.
fn accepted<T>(read: Result<T, Refused>, path: &Path) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(Refused::Damaged) => {
            drop(fs::remove_file(path));
            None
        }
        Err(Refused::Unread | Refused::TooLong) => None,
    }
}

/// Whether this model makes the same K/V of the last tokens, bit for bit.
fn is_own(model: &Model, state: &State) -> bool {
    let from = state.tokens().len().saturating_sub(RECOMPUTED);
    let mut copy = state.fork(from);
    // Stepping back is all or nothing; then everything would be computed, which is what the file is to save.
    if copy.tokens().len() != from {
        return false;
    }
    let mut items = [BatchItem {
        state: &mut copy,
        tokens: &state.tokens()[from..],
        prompt: &Prompt::default(),
        wanted: Wanted::None,
    }];
    model.forward().run(&mut Scratch::default(), &mut items);
    copy.is_same(state)
}

/// What the names of a model's files begin with.
fn name_prefix(model: &Model) -> String {
    format!("{}-", hex(&model.fingerprint()[..16]))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether the directory is there, and nobody but its owner can look into it or write to it.
#[cfg(unix)]
fn is_private(directory: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let about = fs::metadata(directory);
    about.is_ok_and(|about| about.is_dir() && about.permissions().mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn is_private(directory: &Path) -> bool {
    directory.is_dir()
}

/// Makes the directory, for its owner alone. One that is there and open to others is left alone and not used: who knows
/// what they put into it.
fn make_private(directory: &Path) -> io::Result<()> {
    if let Some(parent) = directory.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    if let Err(error) = builder.create(directory)
        && error.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(error);
    }
    match is_private(directory) {
        true => Ok(()),
        false => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

/// Opens a plain file; a pipe under its name would wait for a writer.
fn open(path: &Path) -> io::Result<File> {
    match fs::symlink_metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::ErrorKind::InvalidInput.into()),
    }
}
