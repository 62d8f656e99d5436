//! What can go wrong, sorted by what the caller can do about it.
use std::path::PathBuf;

/// The result of a call of this library.
pub type Result<T> = std::result::Result<T, Error>;

/// Why it did not work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// This file cannot be run: use another one.
    #[error(transparent)]
    Model(reckon_engine::Error),
    /// What was asked is too long or cannot be followed: ask something else.
    #[error(transparent)]
    Input(reckon_engine::Error),
    /// A server could not be asked, or its answer is of no use: ask again later.
    #[error("{model} at {url}: {why}")]
    Remote {
        /// The model that the server was asked for.
        model: String,
        /// The address that was asked.
        url: String,
        /// What came instead of an answer.
        why: String,
    },
    /// This is no address of a server: correct it.
    #[error("{url}: {why}")]
    Address {
        /// What was given.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A key would cross the network in the clear: use https, or leave the key out.
    #[error("the API key is not sent to {url}: only over https, or to this machine")]
    KeyInClear {
        /// Where it would have gone.
        url: String,
    },
    /// The network was forbidden, and the server is not on this machine.
    #[error("offline: {url} is not on this machine")]
    Offline {
        /// The server.
        url: String,
    },
    /// The settings of peers make no sense: correct them.
    #[error("{0}")]
    Settings(String),
    /// A directory of guard packs cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    Packs {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        why: std::io::Error,
    },
    /// A file that came with a question cannot be taken: send another one, or ask another model.
    #[error("{0}")]
    Attachment(String),
    /// A file is encrypted: ask for its password and read it again.
    #[error("{name} is encrypted{}", if *.wrong { ", and this is not its password" } else { "" })]
    Password {
        /// The file.
        name: String,
        /// Whether a password was given that does not open it.
        wrong: bool,
    },
    /// This model cannot do that: use one of this machine.
    #[error("a model elsewhere cannot {0}")]
    Unsupported(&'static str),
    /// The machine lacks something that is needed.
    #[error("{0}")]
    Machine(String),
    /// A defect of ours.
    #[error("{0}")]
    Internal(String),
}

impl From<reckon_engine::Error> for Error {
    fn from(error: reckon_engine::Error) -> Self {
        use reckon_engine::Error as Engine;
        match error {
            Engine::ContextFull { .. }
            | Engine::Token { .. }
            | Engine::Grammar(_)
            | Engine::Tool { .. }
            | Engine::Request(_)
            | Engine::EmptyPrompt => Self::Input(error),
            _ => Self::Model(error),
        }
    }
}

impl From<reckon_gguf::Error> for Error {
    fn from(error: reckon_gguf::Error) -> Self {
        Self::Model(error.into())
    }
}

impl From<reckon_assistant::Error> for Error {
    fn from(error: reckon_assistant::Error) -> Self {
        use reckon_assistant::Error as Asking;
        match error {
            Asking::Engine(error) => error.into(),
            Asking::Remote { model, url, why } => Self::Remote { model, url, why },
            other => Self::Internal(other.to_string()),
        }
    }
}
