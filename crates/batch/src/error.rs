//! Why a call on a queue failed, by what the caller can do about it.
//!
//! Failures of SQLite and of PostgreSQL become one of these in one place each, `database/sqlite.rs` and
//! `database/postgres.rs`. [`Error::Unavailable`] is the only one that goes away by itself; a worker waits for that.
use std::path::{Path, PathBuf};

/// What this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed, in a lowercase fragment of one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such batch: look at the list.
    #[error("there is no batch {0:?}")]
    NoBatch(String),
    /// The batch is in a state in which this cannot be done.
    #[error("{0}")]
    WrongState(String),
    /// What was given makes no sense: correct it.
    #[error("{0}")]
    Invalid(String),
    /// A batch of this name was made of another input: choose another output, or remove the old batch.
    #[error("batch {0:?} was made of another input: choose another output, or delete that batch")]
    Changed(String),
    /// Another process works on the same output or reads the same batch: leave it alone, or end it.
    #[error("{0}")]
    Taken(String),
    /// The database cannot be reached or is busy: try again later.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// The file or the tables are something else, or newer: choose another database. Nothing was changed.
    #[error("{0}")]
    NotAQueue(String),
    /// What the database holds cannot be read: restore a copy.
    #[error("the queue is damaged: {0}")]
    Damaged(String),
    /// A file cannot be read or written: free some room, or correct the permissions.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something that should not happen: report it.
    #[error("the queue failed: {0}")]
    Internal(String),
}

impl Error {
    /// Whether waiting may help.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }

    pub(crate) fn file(path: &Path) -> impl Fn(std::io::Error) -> Self + Copy + '_ {
        move |source| Self::File {
            path: path.into(),
            source,
        }
    }
}

/// Text of a stranger as part of a line of ours: control characters become spaces, what is too long is cut.
pub(crate) fn one_line(text: &str) -> String {
    const MOST: usize = 500;
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut line: String = text.trim().chars().take(MOST).map(clean).collect();
    if text.trim().chars().nth(MOST).is_some() {
        line.push('…');
    }
    line
}
