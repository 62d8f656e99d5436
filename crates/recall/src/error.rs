//! What can go wrong: next to nothing, since everything is in memory.

/// What this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed, in a lowercase fragment of one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The documents are longer than can be indexed: give fewer or shorter ones.
    #[error("the documents have {found} bytes of text; at most {most} can be searched")]
    TooLong {
        /// Bytes of text.
        found: usize,
        /// The limit.
        most: usize,
    },
    /// SQLite failed, for example because memory ran out.
    #[error("the index of the documents failed: {0}")]
    Index(#[from] rusqlite::Error),
}
