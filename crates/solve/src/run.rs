//! How a program ended, and what held it while it ran.
use serde::{Deserialize, Serialize};

/// What came of one program.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Run {
    /// It ran to its end.
    pub ok: bool,
    /// The representation of `answer`, else of `ans`, else of the last expression, else the last printed line.
    pub value: Option<String>,
    /// What it printed, as far as the limit allows.
    pub stdout: String,
    /// Why it failed, in one line: an exception, or `timeout:`, `memory:`, `output:`, `recursion:`, `refused:`.
    pub error: Option<String>,
    /// Milliseconds from handing the program over to its end.
    pub ms: f64,
}

impl Run {
    /// Nothing ran, because of this.
    #[must_use]
    pub fn failed(error: impl Into<String>) -> Self {
        Self {
            error: Some(error.into()),
            ..Self::default()
        }
    }
}

/// Which walls of this system are around a child, as the child itself reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    /// Limits of time and memory by the system.
    pub rlimit: bool,
    /// Landlock: no file and no port can be opened.
    pub landlock: bool,
    /// Seccomp: only the system calls that a calculation needs.
    pub seccomp: bool,
}
