//! Why a call on the store failed, by what the caller can do about it.
//!
//! Every failure of SQLite becomes one of these in one place, [`From`], so that a damaged file or a busy one is told
//! apart wherever it shows. A thing of another owner gives [`Error::NotFound`], as if it did not exist.
use rusqlite::ErrorCode;
use std::path::PathBuf;

/// What this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed, in a lowercase fragment of one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such thing for this owner: ask for another one.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// Something is longer or more than the store takes: shorten it.
    #[error("{what} is too large: at most {most}")]
    TooLarge {
        /// What was too large.
        what: &'static str,
        /// How much is allowed, in bytes, characters or pieces as `what` says.
        most: usize,
    },
    /// What was given makes no sense: correct it.
    #[error("{0}")]
    Invalid(String),
    /// The message is in a state in which this cannot be done: wait, or do something else.
    #[error("{0}")]
    WrongState(&'static str),
    /// A live key already has this name: choose another one.
    #[error("there already is a key named {0:?}")]
    NameTaken(String),
    /// The file exists and is something else: choose another path. It was not changed.
    #[error("{} is not a store of reckon", .0.display())]
    NotAStore(PathBuf),
    /// A newer version wrote the file: update this program. It was not changed.
    #[error("the store has version {found}, and this program knows up to {known}: update it")]
    Newer {
        /// The version of the file.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The file is a store and its contents are broken: restore a copy.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// Another process has been writing for too long: try again.
    #[error("the store is busy: another process is writing")]
    Busy,
    /// The file or its directory cannot be read or written: free some room, or correct the permissions.
    #[error("{what}: {source}")]
    File {
        /// What could not be done to which path.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something that should not happen: report it.
    #[error("the store failed: {0}")]
    Internal(String),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error as Sqlite;
        match &error {
            // These come from rows that are there and cannot be read: the program only writes what it can read.
            Sqlite::FromSqlConversionFailure(..)
            | Sqlite::IntegralValueOutOfRange(..)
            | Sqlite::InvalidColumnType(..)
            | Sqlite::Utf8Error(..) => Self::Damaged(error.to_string()),
            _ => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    Self::Damaged(error.to_string())
                }
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
                Some(
                    ErrorCode::CannotOpen
                    | ErrorCode::DiskFull
                    | ErrorCode::PermissionDenied
                    | ErrorCode::ReadOnly
                    | ErrorCode::SystemIoFailure,
                ) => Self::File {
                    what: "the store's file cannot be used".into(),
                    source: std::io::Error::other(error),
                },
                _ => Self::Internal(error.to_string()),
            },
        }
    }
}
