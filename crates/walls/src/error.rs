//! Why a job gave no output.

/// One line each; by what the caller can do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input cannot be taken: nothing ran.
    #[error("{0}")]
    Refused(String),
    /// No child could be started, or it did not get ready: the machine's problem, not the input's.
    #[error("the sandbox did not start: {0}")]
    Start(String),
    /// The job itself says so.
    #[error("{0}")]
    Job(String),
    /// It wanted more than [`crate::Limits`] give: begins with `timeout:`, `memory:`, `output:`, `recursion:` or `host:`.
    #[error("{0}")]
    Limit(String),
    /// The child crashed or broke the protocol.
    #[error("{0}")]
    Crash(String),
}
