//! How much memory there is for us: the machine's, and the limit of our cgroup where one is set.
//!
//! Source: `/proc/meminfo`, `/proc/self/cgroup` and the files it points to. Elsewhere than on Linux nothing is known.
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Bytes of memory.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub(crate) struct Memory {
    /// Of the machine.
    pub(crate) total: Option<u64>,
    /// That can be had without swapping, the cgroup's limit considered.
    pub(crate) available: Option<u64>,
    /// What our cgroup allows.
    pub(crate) limit: Option<u64>,
}

/// Reads what the system says.
pub(crate) fn read() -> Memory {
    let info = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = limits(&groups, Path::new("/sys/fs/cgroup"));
    let limit = limits.iter().map(|(limit, _)| *limit).min();
    let room = limits
        .iter()
        .map(|(limit, used)| limit.saturating_sub(*used));
    Memory {
        total: field(&info, "MemTotal:"),
        available: field(&info, "MemAvailable:").into_iter().chain(room).min(),
        limit,
    }
}

fn field(info: &str, name: &str) -> Option<u64> {
    let line = info.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib.saturating_mul(1024))
}

/// Limit and use of every group from ours up to the root that has a limit; both versions of cgroups.
fn limits(groups: &str, root: &Path) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let (base, limit, used) = if controllers.is_empty() {
            (root.to_path_buf(), "memory.max", "memory.current")
        } else if controllers.split(',').any(|name| name == "memory") {
            let base = root.join("memory");
            (base, "memory.limit_in_bytes", "memory.usage_in_bytes")
        } else {
            continue;
        };
        let ours = base.join(path.trim_start_matches('/'));
        for group in ours
            .ancestors()
            .take_while(|group| group.starts_with(&base))
        {
            let number = |name: &str| number(group.join(name));
            // "No limit" is a word in one version and a huge number in the other.
            if let Some(limit) = number(limit).filter(|limit| *limit < 1 << 60) {
                found.push((limit, number(used).unwrap_or(0)));
            }
        }
    }
    found
}

fn number(path: PathBuf) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_group_counts_in_both_versions() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a/memory.max", "4000\n");
        write("a/memory.current", "1000\n");
        write("a/b/memory.max", "max\n");
        assert_eq!(limits("0::/a/b\n", root.path()), [(4000, 1000)]);
        write("memory/c/memory.limit_in_bytes", "9223372036854771712\n");
        write("memory/memory.limit_in_bytes", "7000\n");
        assert_eq!(limits("5:cpu,memory:/c\n", root.path()), [(7000, 0)]);
        assert_eq!(limits("nonsense\n1:cpu:/c\n", root.path()), []);
    }

    #[test]
    fn meminfo_is_in_kib() {
        let info = "MemTotal:       24678 kB\nMemFree: 5 kB\n";
        assert_eq!(field(info, "MemTotal:"), Some(24678 * 1024));
        assert_eq!(field(info, "MemAvailable:"), None);
    }
}
