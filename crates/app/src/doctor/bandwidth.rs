//! How fast memory can be read: the number that limits how fast a model writes.
//!
//! Every thread sums several stretches of one large buffer that are far apart, line by line in turn: one sequential
//! stream per core does not fill the memory bus, several do, and that is also how the engine reads its weights.
//! The buffer is larger than the caches and read window by window, so that each is cold again when its turn comes; the
//! best window counts, because disturbances only slow down.
use std::{
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

/// Stretches that one thread reads in turn.
const STREAMS: usize = 8;
/// u64 words of a cache line.
const LINE: usize = 8;
/// Larger than the last-level cache of most machines.
const BYTES: usize = 512 << 20;
/// Read and timed at once: long enough to forget the start of the threads, short enough to be left alone.
const WINDOWS: usize = 8;
/// For each number of threads.
const TIME: Duration = Duration::from_millis(150);

/// Read rates in bytes per second.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(crate) struct Bandwidth {
    /// One thread.
    pub(crate) one: f64,
    /// All threads that the engine would use.
    pub(crate) all: f64,
}

/// Measures with one thread and with `threads`; uses at most a quarter of `available` bytes.
pub(crate) fn measure(threads: usize, available: Option<u64>) -> Bandwidth {
    let room = available.map_or(BYTES, |bytes| usize::try_from(bytes / 4).unwrap_or(BYTES));
    // At least a few lines per stream, however little memory there is.
    let words = room.clamp(1 << 20, BYTES) / size_of::<u64>();
    // Not zeros: the system would map all of them to one page.
    let buffer: Vec<u64> = (0..words as u64).collect();
    let one = best(&buffer, 1);
    let all = if threads > 1 {
        best(&buffer, threads)
    } else {
        one
    };
    Bandwidth { one, all }
}

fn best(buffer: &[u64], threads: usize) -> f64 {
    let begin = Instant::now();
    let mut best: f64 = 0.0;
    let windows = buffer.chunks_exact((buffer.len() / WINDOWS).max(1)).cycle();
    for (i, window) in windows.enumerate() {
        if i >= WINDOWS && begin.elapsed() > TIME {
            break;
        }
        let pass = Instant::now();
        let bytes = read(window, threads);
        best = best.max(bytes as f64 / pass.elapsed().as_secs_f64().max(1e-9));
    }
    best
}

/// Reads the words once, split over threads, and says how many bytes that were.
fn read(buffer: &[u64], threads: usize) -> usize {
    let share = (buffer.len() / threads.max(1)).max(1);
    thread::scope(|scope| {
        let readers: Vec<_> = buffer
            .chunks_exact(share)
            .take(threads)
            .map(|share| scope.spawn(|| black_box(sum(share)).1))
            .collect();
        readers
            .into_iter()
            .map(|reader| reader.join().unwrap_or(0))
            .sum()
    })
}

/// The sum and the number of bytes read.
fn sum(share: &[u64]) -> (u64, usize) {
    let stretch = share.len() / STREAMS / LINE * LINE;
    let streams: [&[u64]; STREAMS] =
        std::array::from_fn(|i| &share[i * stretch..(i + 1) * stretch]);
    let mut sums = [0u64; LINE];
    for line in (0..stretch).step_by(LINE) {
        for stream in &streams {
            for (sum, word) in sums.iter_mut().zip(&stream[line..line + LINE]) {
                *sum = sum.wrapping_add(*word);
            }
        }
    }
    let total = sums
        .iter()
        .fold(0u64, |total, sum| total.wrapping_add(*sum));
    (total, STREAMS * stretch * size_of::<u64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_once() {
        let words: Vec<u64> = (0..4096).collect();
        assert_eq!(sum(&words), (4095 * 4096 / 2, 4096 * 8));
        assert_eq!(read(&words, 2), 4096 * 8);
        assert_eq!(sum(&words[..7]), (0, 0));
    }

    #[test]
    fn a_measurement_is_a_rate() {
        let rates = measure(2, Some(16 << 20));
        assert!(rates.one > 1e6 && rates.all > 1e6, "{rates:?}");
    }
}
