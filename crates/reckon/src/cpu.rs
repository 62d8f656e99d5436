//! Which CPUs the engine's threads are pinned to.
//!
//! Matrix code gains nothing from the second hardware thread of a core, so each physical core that we are allowed to
//! use gives one CPU; a cgroup's CPU quota limits their number. Only an explicit `--threads` goes beyond that, up to
//! every CPU of the affinity mask.
//!
//! Source: `/proc/self/status` and the topology below `/sys/devices/system/cpu`. Elsewhere than on Linux the
//! numbers 0.. stand for what the system offers.
use std::{collections::BTreeSet, fs, thread};

/// The CPUs to run on, one thread each; exactly `threads` of them if given and there are so many. Never empty.
pub fn cpus(threads: Option<usize>) -> Vec<usize> {
    // Counts the affinity mask and, on Linux, the quota of the cgroup.
    let offered = thread::available_parallelism().map_or(1, usize::from);
    let allowed = allowed().unwrap_or_else(|| (0..offered).collect());
    choose(&allowed, siblings, offered, threads)
}

/// One CPU per core, limited by `offered`; with `threads`, that many, other hardware threads of the cores last.
fn choose(
    allowed: &[usize],
    siblings: impl Fn(usize) -> Vec<usize>,
    offered: usize,
    threads: Option<usize>,
) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    let (mut cores, rest): (Vec<_>, Vec<_>) = allowed.iter().partition(|cpu| {
        let first = !seen.contains(*cpu);
        seen.insert(**cpu);
        seen.extend(siblings(**cpu));
        first
    });
    match threads {
        Some(threads) => {
            cores.extend(rest);
            cores.truncate(threads.max(1));
        }
        None => cores.truncate(offered.max(1)),
    }
    if cores.is_empty() {
        cores.push(0);
    }
    cores
}

/// The affinity mask.
fn allowed() -> Option<Vec<usize>> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let cpus = parse_list(list.trim())?;
    (!cpus.is_empty()).then_some(cpus)
}

/// The hardware threads of this CPU's core.
fn siblings(cpu: usize) -> Vec<usize> {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    let list = fs::read_to_string(path).unwrap_or_default();
    parse_list(list.trim()).unwrap_or_default()
}

/// `0-3,8` as numbers, in order.
fn parse_list(list: &str) -> Option<Vec<usize>> {
    // No kernel has more; a wrong range must not fill the memory.
    const MOST: usize = 1 << 16;
    let mut cpus = Vec::new();
    for range in list.split(',').filter(|range| !range.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        if last >= MOST {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four cores with two threads each: 0 and 4, 1 and 5, 2 and 6, 3 and 7.
    fn smt(cpu: usize) -> Vec<usize> {
        vec![cpu % 4, cpu % 4 + 4]
    }

    #[test]
    fn lists_are_read() {
        assert_eq!(parse_list("0-3,8"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(parse_list("5"), Some(vec![5]));
        assert_eq!(parse_list(""), Some(vec![]));
        for wrong in ["x", "1-", "0-99999999"] {
            assert_eq!(parse_list(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn one_per_core_within_mask_and_quota() {
        let all: Vec<usize> = (0..8).collect();
        assert_eq!(choose(&all, smt, 8, None), [0, 1, 2, 3]);
        assert_eq!(choose(&all, smt, 2, None), [0, 1]);
        assert_eq!(choose(&[4, 5, 0], smt, 3, None), [4, 5]);
        assert_eq!(choose(&all, |_| vec![], 8, None), all);
    }

    #[test]
    fn a_number_of_threads_is_obeyed_as_far_as_there_are_cpus() {
        let all: Vec<usize> = (0..8).collect();
        assert_eq!(choose(&all, smt, 8, Some(2)), [0, 1]);
        assert_eq!(choose(&all, smt, 8, Some(6)), [0, 1, 2, 3, 4, 5]);
        assert_eq!(choose(&all, smt, 2, Some(99)).len(), 8);
        assert_eq!(choose(&[], smt, 0, None), [0]);
    }

    #[test]
    fn this_machine_has_a_cpu() {
        assert_eq!(cpus(Some(1)).len(), 1);
        assert!(!cpus(None).is_empty());
    }
}
