//! Locks the process in where there is no Landlock and no seccomp: limits of time and memory, as far as the system knows
//! them. The interpreter itself has no way to files, network or processes on any system; these are second walls.
use crate::{Limits, Protection};

/// Walls that stand so far: none.
pub(super) struct Walls;

impl Walls {
    /// Nothing can be given up before the interpreter is built.
    pub(super) fn begin() -> Self {
        Self
    }

    /// Sets the limits.
    pub(super) fn close(self, limits: &Limits) -> Protection {
        Protection {
            rlimit: limit(limits).is_some(),
            ..Protection::default()
        }
    }
}

#[cfg(unix)]
fn limit(limits: &Limits) -> Option<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let set_both = |resource, current, maximum| {
        let limit = Rlimit {
            current: Some(current),
            maximum: Some(maximum),
        };
        setrlimit(resource, limit).ok()
    };
    let set = |resource, most| set_both(resource, most, most);
    // The first number is a signal with a name, the second would be a plain kill.
    set_both(Resource::Cpu, limits.cpu, limits.cpu + 1)?;
    set(Resource::Fsize, 0)?;
    set(Resource::Nofile, 3)?;
    set(Resource::Core, 0)?;
    // Some systems refuse these two, or take them and do not keep them.
    let _ = set(Resource::Nproc, 0);
    let _ = set(Resource::Data, limits.memory + (512 << 20));
    Some(())
}

#[cfg(not(unix))]
fn limit(_limits: &Limits) -> Option<()> {
    None
}
