//! Why a model did not answer, sorted by what the caller can do about it.

/// The result of asking a model.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine refused: the file, or what was asked of it.
    #[error(transparent)]
    Engine(#[from] reckon_engine::Error),
    /// A server elsewhere could not be asked, or its answer is of no use. Asking again later may help.
    #[error("{model} at {url}: {why}")]
    Remote {
        /// The model that the server was asked for.
        model: String,
        /// The address that was asked.
        url: String,
        /// What came instead of an answer.
        why: String,
    },
    /// The thread that runs the model has ended: a defect of ours.
    #[error("the thread of the model has ended")]
    Ended,
}

impl Error {
    /// Whether the form that the answer is held to was refused; without it there might be an answer.
    pub fn is_grammar(&self) -> bool {
        matches!(self, Self::Engine(reckon_engine::Error::Grammar(_)))
    }
}
