//! Locks the process in where there is no Landlock and no seccomp: limits of time and memory, as far as the system knows
//! them. The jobs themselves have no code that leads to files, network or processes on any system; these are second walls.
use crate::{Limits, Protection};

/// Walls that stand so far: none.
pub(super) struct Walls;

impl Walls {
    /// Nothing can be given up before the job is prepared.
    pub(super) fn begin() -> Self {
        Self
    }

    /// Sets the limits. How much the process has is not asked: half a gigabyte is more than any job prepares.
    pub(super) fn close(self, limits: &Limits) -> Protection {
        #[cfg(unix)]
        let rlimit = super::rlimit::set(limits, u64::MAX, 512 << 20);
        #[cfg(not(unix))]
        let rlimit = false;
        Protection {
            rlimit,
            ..Protection::default()
        }
    }
}

/// Nothing that a program keeps when another replaces it, but the limits.
pub(super) fn for_helper() -> Option<()> {
    None
}
