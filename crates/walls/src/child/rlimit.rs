//! Limits of the system on this process: each is set by itself, to the smaller of ours and what is allowed here.
//!
//! A process may lower its hard limits and never raise them. Where one of ours is above a hard limit, that one already
//! holds; where one cannot be set, the others still are.
use crate::Limits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Sets all of them; `addresses` and `data` are the bytes that the process has already. Do time and memory have a limit now?
pub(super) fn set(limits: &Limits, addresses: u64, data: u64) -> bool {
    let memory = lower(Resource::Data, data.saturating_add(limits.memory), 0);
    // The allocator reserves addresses that it does not use; they are not memory.
    let reserve = limits.memory.saturating_add(1 << 30);
    let addresses = lower(Resource::As, addresses.saturating_add(reserve), 0);
    // The first number is a signal with a name, the second would be a plain kill.
    let time = lower(Resource::Cpu, limits.cpu, 1);
    for (resource, most) in [
        (Resource::Fsize, 0),
        (Resource::Nofile, 3),
        (Resource::Nproc, 0),
        (Resource::Core, 0),
    ] {
        lower(resource, most, 0);
    }
    time && (memory || addresses)
}

/// Those of another program, which this process becomes next: it may have threads and open its own libraries.
pub(super) fn set_for_helper(limits: &Limits) {
    let limits = limits.clamped();
    lower(Resource::Data, limits.memory, 0);
    lower(Resource::As, limits.memory.saturating_add(1 << 30), 0);
    lower(Resource::Cpu, limits.cpu, 1);
    for (resource, most) in [
        (Resource::Fsize, 0),
        (Resource::Nofile, 64),
        (Resource::Core, 0),
    ] {
        lower(resource, most, 0);
    }
}

/// Sets the soft limit to `most` and the hard one that much above it, or both to what is allowed here.
fn lower(resource: Resource, most: u64, above: u64) -> bool {
    let allowed = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let maximum = most.saturating_add(above).min(allowed);
    let limit = Rlimit {
        current: Some(most.min(maximum)),
        maximum: Some(maximum),
    };
    setrlimit(resource, limit).is_ok()
}
