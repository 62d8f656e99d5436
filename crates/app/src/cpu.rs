//! Which CPUs the engine's threads are pinned to.

/// The CPUs to run on, one thread each; at most `threads` of them if given.
pub fn cpus(threads: Option<usize>) -> Vec<usize> {
    let n = std::thread::available_parallelism().map_or(1, usize::from);
    (0..n.min(threads.unwrap_or(n))).collect()
}
