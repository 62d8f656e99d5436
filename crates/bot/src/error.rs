//! Why the bot cannot run, by what the caller can do about it.
//!
//! Faults of the network and refusals of the messenger are no errors: they are waited out or logged. No message ever
//! contains the token, which is part of every address that is asked.

/// What this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why the bot cannot run, in a lowercase fragment of one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no token, or it cannot be used: get one from @BotFather, or correct its file.
    #[error("{0}")]
    Token(String),
    /// A setting makes no sense: correct it.
    #[error("{0}")]
    Settings(String),
    /// Telegram cannot be reached or does not accept what it was asked: check the network and the token.
    #[error("telegram: {0}")]
    Telegram(String),
    /// Another process answers for this store: end that one first.
    #[error("another bot is running on {0}")]
    Running(String),
    /// The address for the webhook cannot be listened on: choose another.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] reckon_store::Error),
}
