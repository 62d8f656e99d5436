//! What can be wrong before a program runs. How a program ended is no error: see [`crate::Run`].

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes cannot be a program; says why.
    #[error("{0}")]
    Refused(String),
    /// The child process could not be started or did not get ready.
    #[error("the sandbox did not start: {0}")]
    Start(String),
}
