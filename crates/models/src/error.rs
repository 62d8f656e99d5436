//! What can go wrong between a name and a checked file, by what the caller can do about it.
//!
//! Messages quote servers, file names and other programs, all of them possibly hostile, so they are cleaned where an
//! [`Error`] is made: whoever prints one, to a terminal, a log or a page, prints one bounded line.
use crate::text::plain;
use std::fmt;

/// Characters of a message or a hint: room for a path and a reason.
const LONGEST: usize = 600;

/// What the caller can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No model has this name, or there is no such file: ask for another; the hint may suggest one.
    NotFound,
    /// The catalogue knows it, and it is not here: pull it.
    NotFetched,
    /// It would need the network, which is forbidden: allow it.
    Offline,
    /// The hub or the registry cannot be reached or has no such file: check the network, or take another source.
    Unreachable,
    /// The hub wants a token, or its licence accepted, first.
    Denied,
    /// The connection broke off: pull again, which resumes.
    Interrupted,
    /// What came is not what the catalogue says, and was deleted.
    Mismatch,
    /// No room: free some, or use another directory.
    DiskFull,
    /// A program of this machine is needed and absent: install it.
    MissingProgram,
    /// A file here cannot be read or written.
    File,
    /// The settings or the catalogue file are wrong: correct them.
    Settings,
    /// It belongs to another program or to a person, and is not ours to remove.
    NotOurs,
    /// Another process works on it: wait.
    Busy,
}

/// Why there is no checked file, in a lowercase fragment without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
}

/// What this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl AsRef<str>) -> Self {
        Self {
            kind,
            message: plain(message.as_ref(), LONGEST),
            hint: None,
        }
    }

    pub(crate) fn with_hint(mut self, hint: impl AsRef<str>) -> Self {
        self.hint = Some(plain(hint.as_ref(), LONGEST));
        self
    }

    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What a person can do about it, where that is known.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
