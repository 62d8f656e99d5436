//! Why a file was not read.

/// One line each; by what the caller can do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be taken at all: too large, empty, or of a kind that is not read. Nothing ran.
    #[error("{0}")]
    Refused(String),
    /// The document is encrypted: ask for the password and try again with [`crate::Options::password`].
    #[error("{}", if *.wrong { "the password is not the right one" } else { "the document is encrypted and needs a password" })]
    Password {
        /// A password was given and does not open it.
        wrong: bool,
    },
    /// The file is damaged, or uses something that is not read.
    #[error("{0}")]
    Unreadable(String),
    /// Reading it takes more time, memory or room than a file gets.
    #[error("the file takes too much to read: {0}")]
    Limit(String),
    /// No child could be started: the machine's problem, not the file's.
    #[error("{0}")]
    Start(String),
}

impl From<reckon_walls::Error> for Error {
    fn from(error: reckon_walls::Error) -> Self {
        use reckon_walls::Error as Walls;
        match error {
            Walls::Refused(line) => Self::Refused(line),
            Walls::Limit(line) => Self::Limit(line),
            start @ Walls::Start(_) => Self::Start(start.to_string()),
            other => Self::Unreadable(other.to_string()),
        }
    }
}
