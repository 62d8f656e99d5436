//! What can go wrong in the lab, sorted by what the caller can do about it.

use std::path::{Path, PathBuf};

/// The result of a lab call.
pub type Result<T> = std::result::Result<T, Error>;

/// Why the lab refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: std::io::Error,
    },
    /// A line of a file is not what it should be.
    #[error("{} line {line}: {why}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// What is to be graded cannot be: the files do not go together.
    #[error("{0}")]
    Plan(String),
    /// A seal and what it is held against do not belong together.
    #[error("{}: {why}", path.display())]
    Seal {
        /// The seal.
        path: PathBuf,
        /// What differs.
        why: String,
    },
    /// A grader's act is not possible now.
    #[error("{0}")]
    Act(String),
}

impl Error {
    /// What a failure of the system is called that befell this file.
    pub(crate) fn file(path: &Path) -> impl Fn(std::io::Error) -> Self + Copy {
        move |why| Self::File {
            path: path.to_owned(),
            why,
        }
    }

    /// A line that is not what it should be.
    pub(crate) fn line(path: &Path, line: usize, why: impl Into<String>) -> Self {
        let (path, why) = (path.to_owned(), why.into());
        Self::Line { path, line, why }
    }
}
