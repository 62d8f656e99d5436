//! Measures memory bandwidth: the bound that a GEMV is held against, since decoding reads every weight once per token.
//!
//! Each thread adds up stretches that are a page apart, a few lines of each in turn, with the widest loads of the ISA
//! and on huge pages. One sequential stream per core does not fill the memory bus, several do, and that is also how
//! `matmul` reads its weights. The clock is the caller's (`reckon doctor`, `reckon bench speed`).

use crate::Cpu;
use crate::buffer::{Arena, Buffer};
use crate::pool::Pool;
use crate::simd::{Kernel, LANES, Simd};
use std::hint::black_box;
use std::ops::Range;

/// Stretches that a thread reads in turn.
const STREAMS: usize = 8;
/// Bytes of a stretch, and so the way from one to the next.
const STRETCH: usize = 4096;
/// Bytes read of one stretch before the next has its turn.
const STEP: usize = 256;
/// What is read in one go: all stretches that take turns.
const REGION: usize = STREAMS * STRETCH;
/// Floats of a step.
const FLOATS: usize = STEP / size_of::<f32>();

/// Memory that is there only to be read.
pub struct Probe {
    memory: Buffer,
}

impl Probe {
    /// Takes about `bytes` of memory, at least one region for each thread.
    ///
    /// # Panics
    /// If the system has no more memory to give.
    pub fn new(pool: &Pool, bytes: usize) -> Self {
        let regions = (bytes / REGION).max(pool.threads());
        let mut arena = Arena::new([regions * REGION]);
        for part in arena.parts_mut() {
            // Not left as it is: the system would show the same page of zeros everywhere.
            pool.for_each_row(part, REGION, |_, region| region.fill(63));
        }
        let memory = arena.freeze().pop().unwrap_or_default();
        Self { memory }
    }

    /// Bytes that can be read.
    #[expect(clippy::len_without_is_empty, reason = "there is always a region")]
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Reads once what lies within `range`, every thread a share of its own, and says how many bytes that were.
    ///
    /// # Panics
    /// If `range` is not within the memory.
    pub fn read(&self, cpu: &Cpu, range: Range<usize>) -> usize {
        let part = &self.memory[range];
        let share = part.len() / REGION / cpu.pool.threads() * REGION;
        cpu.pool.run(|thread| {
            let share = &part[thread * share..][..share];
            black_box(cpu.isa.run(Sum { bytes: share }));
        });
        share * cpu.pool.threads()
    }
}

impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Probe({} bytes)", self.len())
    }
}

/// Whole regions, added up.
struct Sum<'a> {
    bytes: &'a [u8],
}

impl Kernel for Sum<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f32 {
        let mut sums = [s.splat(0.0); FLOATS / LANES];
        for region in self.bytes.chunks_exact(REGION) {
            for step in 0..STRETCH / STEP {
                for stream in 0..STREAMS {
                    let line = region[stream * STRETCH + step * STEP..][..STEP].as_ptr();
                    for (i, sum) in sums.iter_mut().enumerate() {
                        // SAFETY: a step holds `FLOATS` floats; any bytes are floats, and regions begin where a page
                        // does, so they are aligned.
                        let x = unsafe { s.load(line.cast::<f32>().add(i * LANES)) };
                        *sum = s.add(*sum, x);
                    }
                }
            }
        }
        let mut all = sums[0];
        for sum in &sums[1..] {
            all = s.add(all, *sum);
        }
        s.sum(all)
    }
}
