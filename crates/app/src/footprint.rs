//! How much memory this process takes, as the system counts it. Known on Linux only.

/// Memory that is in RAM now, in bytes.
pub(crate) fn resident() -> Option<u64> {
    field("VmRSS:")
}

/// The most memory that was in RAM at any time, in bytes.
pub(crate) fn peak() -> Option<u64> {
    field("VmHWM:")
}

/// Counts the most memory from now on. Best effort: if it fails, the count goes on as it was.
pub(crate) fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn field(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
