//! How fast memory can be read: the number that limits how fast a model writes.
//!
//! `reckon::kernels::Probe` reads as the engine reads its weights, with the engine's own pinned threads. The memory is
//! larger than the caches and read window by window, so that each is cold again when its turn comes; the best window
//! counts, because disturbances only slow down. `doctor` measures for growing numbers of threads, `bench speed` for
//! the number that it runs with.
use reckon::kernels::{Cpu, Isa, Pool, Probe};
use std::{
    fs,
    time::{Duration, Instant},
};

/// Read at least, and at most, however large the caches.
const LEAST: usize = 512 << 20;
const MOST: usize = 2 << 30;
/// Read and timed at once: long enough to forget the start of the threads, short enough to be left alone.
const WINDOWS: usize = 8;
/// For each number of threads.
const TIME: Duration = Duration::from_millis(150);
/// This share of the best rate is as good as the best: measurements differ by as much.
const AS_GOOD: f64 = 0.95;

/// Read rates in bytes per second.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Bandwidth {
    /// One thread.
    pub(crate) one: f64,
    /// All threads that the engine would use.
    pub(crate) all: f64,
    /// Threads that are enough for the best rate.
    pub(crate) enough: usize,
    /// Every number of threads that was tried.
    pub(crate) by_threads: Vec<Rate>,
}

/// A rate in bytes per second with so many threads.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(crate) struct Rate {
    pub(crate) threads: usize,
    pub(crate) rate: f64,
}

/// Measures with 1, 2, 4 … and all of these CPUs; uses at most a quarter of `available` bytes.
pub(crate) fn measure(isa: Isa, cpus: &[usize], available: Option<u64>) -> Bandwidth {
    let probe = probe(cpus, available);
    let steps = std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|n| *n < cpus.len());
    let by_threads: Vec<Rate> = steps
        .chain([cpus.len()])
        .map(|threads| Rate {
            threads,
            rate: best(&probe, &Cpu::new(isa, &cpus[..threads])),
        })
        .collect();
    summary(by_threads)
}

/// The rate of all of these CPUs together, in bytes per second.
pub(crate) fn limit(isa: Isa, cpus: &[usize], available: Option<u64>) -> f64 {
    best(&probe(cpus, available), &Cpu::new(isa, cpus))
}

fn summary(by_threads: Vec<Rate>) -> Bandwidth {
    let top = by_threads.iter().map(|r| r.rate).fold(0.0, f64::max);
    let enough = by_threads.iter().find(|r| r.rate >= AS_GOOD * top);
    Bandwidth {
        one: by_threads.first().map_or(0.0, |r| r.rate),
        all: by_threads.last().map_or(0.0, |r| r.rate),
        enough: enough.map_or(1, |r| r.threads),
        by_threads,
    }
}

fn probe(cpus: &[usize], available: Option<u64>) -> Probe {
    let wanted = cache_bytes().saturating_mul(2).clamp(LEAST, MOST);
    let room = available.map_or(LEAST, |bytes| {
        usize::try_from(bytes / 4).unwrap_or(usize::MAX)
    });
    Probe::new(&Pool::new(cpus), wanted.min(room))
}

/// The largest cache, if the system tells.
fn cache_bytes() -> usize {
    let size = |index: usize| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        let text = fs::read_to_string(path).ok()?;
        let kib: usize = text.trim().strip_suffix('K')?.parse().ok()?;
        Some(kib.saturating_mul(1024))
    };
    (0..8).filter_map(size).max().unwrap_or(0)
}

fn best(probe: &Probe, cpu: &Cpu) -> f64 {
    let begin = Instant::now();
    let mut best: f64 = 0.0;
    let window = probe.len() / WINDOWS;
    for i in 0.. {
        if i >= WINDOWS && begin.elapsed() > TIME {
            break;
        }
        let at = i % WINDOWS * window;
        let pass = Instant::now();
        let bytes = probe.read(cpu, at..at + window);
        best = best.max(bytes as f64 / pass.elapsed().as_secs_f64().max(1e-9));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_is_a_rate() {
        let rates = measure(Isa::detect(), &[0, 0], Some(16 << 20));
        assert!(rates.one > 1e6 && rates.all > 1e6, "{rates:?}");
        assert_eq!(rates.by_threads.len(), 2);
    }

    #[test]
    fn few_threads_are_enough_where_more_bring_nothing() {
        let rates = |all: &[f64]| {
            let rate = |(i, rate): (usize, &f64)| Rate {
                threads: 1 << i,
                rate: *rate,
            };
            summary(all.iter().enumerate().map(rate).collect())
        };
        assert_eq!(rates(&[10.0, 20.0, 40.0]).enough, 4);
        assert_eq!(rates(&[10.0, 19.5, 20.0, 18.0]).enough, 2);
        assert_eq!(rates(&[10.0]).enough, 1);
        assert_eq!(rates(&[10.0, 20.0]).all, 20.0);
    }
}
