//! Attention of queries over a cache.
//!
//! A score is one chain of `fma` in the order of the dimensions, with 16 positions as lanes; a result is one chain in
//! the order of the positions, with 16 dimensions as lanes.
//!
//! Positions come in chunks of 256, aligned to the position 0. For each chunk, query and
//! head: scores, their maximum m, weights e^(score − m), their sum l in 16 lanes (lane =
//! position mod 16) and o = Σ weight · value in the order of positions. Chunks are merged
//! in order. Chunks do not depend on threads, batches or rings, so neither does a result.
//!
//! Left out on purpose: attention sinks.

use crate::cache::{Cache, Store};
use crate::math;
use crate::pool::Pool;
use crate::simd::{Isa, Kernel, LANES, Simd};

/// Positions whose weights share a maximum.
const CHUNK: usize = 256;

/// Queries of one layer: `count` tokens from position `start`, each with `heads` heads.
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a> {
    /// `[count][heads][dim]`, rotated.
    pub rows: &'a [f32],
    /// Position of the first token.
    pub start: usize,
    /// Query heads of a token; a multiple of the cache's.
    pub heads: usize,
    /// Factor on the scores.
    pub scale: f32,
    /// Positions seen, the token's own included; `None` sees all.
    pub window: Option<usize>,
}

/// Attention of each query over the cache, which holds all positions up to the queries' own; out is like `rows`.
///
/// # Panics
/// If a shape does not fit or the cache is too short for the window.
pub fn attend(isa: Isa, pool: &Pool, cache: &Cache, queries: &Queries<'_>, out: &mut [f32]) {
    let dim = cache.dim;
    assert_eq!(
        queries.heads % cache.heads,
        0,
        "query heads share key heads evenly"
    );
    let width = queries.heads * dim;
    assert!(
        queries.rows.len().is_multiple_of(width) && out.len() == queries.rows.len(),
        "whole queries"
    );
    let count = queries.rows.len() / width;
    let last = queries.start + count;
    let first = queries
        .window
        .map_or(0, |w| (queries.start + 1).saturating_sub(w));
    assert!(
        last <= first + cache.positions(),
        "the cache holds every position that is seen"
    );

    let shared = queries.heads / cache.heads;
    let jobs = count * cache.heads;
    if jobs == 0 {
        return;
    }
    let task = |job: usize| Task {
        cache,
        queries,
        token: job / cache.heads,
        head: job % cache.heads,
        shared,
    };
    if jobs < 2 * pool.threads() && last - first > CHUNK {
        attend_by_chunks(isa, pool, out, jobs, &task);
    } else {
        pool.for_each_row(out, shared * dim, |job, out| {
            let task = task(job);
            let mut merged = Merged::new(shared, dim);
            let mut part = vec![0.0; shared * (dim + 2)];
            for chunk in task.chunks() {
                isa.run(Chunk {
                    task: &task,
                    chunk,
                    out: &mut part,
                });
                merged.add(isa, &part);
            }
            merged.finish(out);
        });
    }
}

/// Few queries over a long context: chunks are computed side by side, then merged in order.
fn attend_by_chunks<'a>(
    isa: Isa,
    pool: &Pool,
    out: &mut [f32],
    jobs: usize,
    task: &(impl Fn(usize) -> Task<'a> + Sync),
) {
    let (shared, dim) = (task(0).shared, task(0).cache.dim);
    let width = shared * (dim + 2);
    let spans: Vec<(usize, usize)> = (0..jobs)
        .flat_map(|job| task(job).chunks().map(move |chunk| (job, chunk)))
        .collect();
    let mut parts = vec![0.0; spans.len() * width];
    pool.for_each_row(&mut parts, width, |i, out| {
        let (job, chunk) = spans[i];
        isa.run(Chunk {
            task: &task(job),
            chunk,
            out,
        });
    });
    for (job, out) in out.chunks_exact_mut(shared * dim).enumerate() {
        let mut merged = Merged::new(shared, dim);
        for (_, part) in spans
            .iter()
            .zip(parts.chunks_exact(width))
            .filter(|((j, _), _)| *j == job)
        {
            merged.add(isa, part);
        }
        merged.finish(out);
    }
}

/// One token and one key head with the query heads that share it.
struct Task<'a> {
    cache: &'a Cache,
    queries: &'a Queries<'a>,
    token: usize,
    head: usize,
    shared: usize,
}

impl Task<'_> {
    const fn position(&self) -> usize {
        self.queries.start + self.token
    }

    fn first(&self) -> usize {
        self.queries
            .window
            .map_or(0, |w| (self.position() + 1).saturating_sub(w))
    }

    fn chunks(&self) -> std::ops::RangeInclusive<usize> {
        self.first() / CHUNK..=self.position() / CHUNK
    }

    /// Query `i` of those that share the key head.
    fn query(&self, i: usize) -> &[f32] {
        let dim = self.cache.dim;
        &self.queries.rows[(self.token * self.queries.heads + self.head * self.shared + i) * dim..]
            [..dim]
    }
}

/// Attention of a task over one chunk; out is for each query head the sums `[dim]`, then maximum and weight of each head.
struct Chunk<'a> {
    task: &'a Task<'a>,
    chunk: usize,
    out: &'a mut [f32],
}

impl Kernel for Chunk<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let task = self.task;
        let dim = task.cache.dim;
        let (sums, marks) = self.out.split_at_mut(task.shared * dim);
        let mut head = 0;
        while head < task.shared {
            let (sums, marks) = (&mut sums[head * dim..], &mut marks[2 * head..]);
            // As many heads at once as divide what is left, so that keys and values are read once for them.
            head += match task.shared - head {
                8.. if S::TOKENS >= 4 => heads::<S, 8>(s, task, self.chunk, head, sums, marks),
                4.. => heads::<S, 4>(s, task, self.chunk, head, sums, marks),
                2.. => heads::<S, 2>(s, task, self.chunk, head, sums, marks),
                _ => heads::<S, 1>(s, task, self.chunk, head, sums, marks),
            };
        }
    }
}

#[inline(always)]
fn heads<S: Simd, const H: usize>(
    s: S,
    task: &Task<'_>,
    chunk: usize,
    head: usize,
    sums: &mut [f32],
    marks: &mut [f32],
) -> usize {
    let first = task.first().max(chunk * CHUNK);
    let last = task.position().min(chunk * CHUNK + CHUNK - 1);
    let queries: [&[f32]; H] = std::array::from_fn(|h| task.query(head + h));
    let mut weights = [[f32::NEG_INFINITY; CHUNK]; H];
    for block in first / LANES..=last / LANES {
        let scores = scores(s, task.cache, task.head, block, &queries);
        for h in 0..H {
            let at = block * LANES - chunk * CHUNK;
            let row = &mut weights[h][at..at + LANES];
            // SAFETY: `row` holds a vector.
            unsafe {
                s.store(
                    row.as_mut_ptr(),
                    s.mul(scores[h], s.splat(task.queries.scale)),
                )
            };
        }
    }
    for h in 0..H {
        let row = &mut weights[h];
        row[..first - chunk * CHUNK].fill(f32::NEG_INFINITY);
        row[last + 1 - chunk * CHUNK..].fill(f32::NEG_INFINITY);
        let (largest, total) = weigh(s, row, first - chunk * CHUNK, last - chunk * CHUNK);
        marks[2 * h] = largest;
        marks[2 * h + 1] = total;
    }
    for block in (0..task.cache.dim).step_by(LANES) {
        let column = column(s, task, first..last + 1, chunk * CHUNK, block, &weights);
        for h in 0..H {
            let out = &mut sums[h * task.cache.dim + block..][..LANES];
            // SAFETY: `out` holds a vector.
            unsafe { s.store(out.as_mut_ptr(), column[h]) };
        }
    }
    H
}

/// Scores of 16 positions for each query: one chain over the dimensions.
#[inline(always)]
#[expect(
    clippy::needless_range_loop,
    reason = "the dimension indexes keys and every query"
)]
fn scores<S: Simd, const H: usize>(
    s: S,
    cache: &Cache,
    head: usize,
    block: usize,
    queries: &[&[f32]; H],
) -> [S::F; H] {
    let start = cache.block(head, block);
    let len = cache.dim * LANES;
    let mut acc = [s.splat(0.0); H];
    match &cache.store {
        Store::Half { keys, .. } => {
            let keys = &keys[start..start + len];
            for i in 0..cache.dim {
                // SAFETY: `keys` holds `dim` vectors.
                let k = unsafe { s.load_f16(keys.as_ptr().add(i * LANES)) };
                for h in 0..H {
                    acc[h] = s.fma(k, s.splat(queries[h][i]), acc[h]);
                }
            }
        }
        Store::Full { keys, .. } => {
            let keys = &keys[start..start + len];
            for i in 0..cache.dim {
                // SAFETY: `keys` holds `dim` vectors.
                let k = unsafe { s.load(keys.as_ptr().add(i * LANES)) };
                for h in 0..H {
                    acc[h] = s.fma(k, s.splat(queries[h][i]), acc[h]);
                }
            }
        }
    }
    acc
}

/// Turns the scores of a chunk into weights; gives their maximum and their sum.
#[inline(always)]
fn weigh<S: Simd>(s: S, row: &mut [f32; CHUNK], first: usize, last: usize) -> (f32, f32) {
    let mut largest = s.splat(f32::NEG_INFINITY);
    let vectors = (first / LANES * LANES..=last).step_by(LANES);
    for i in vectors.clone() {
        // SAFETY: i is a multiple of 16 below 256.
        largest = s.max(largest, unsafe { s.load(row.as_ptr().add(i)) });
    }
    let largest = s.largest(largest);
    let mut total = s.splat(0.0);
    for i in vectors {
        // SAFETY: as above.
        unsafe {
            let at = row.as_mut_ptr().add(i);
            s.store(at, math::exp(s, s.sub(s.load(at), s.splat(largest))));
            // What is masked has no weight at all, not even e^-87.
            row[i..i + LANES]
                .iter_mut()
                .enumerate()
                .for_each(|(lane, w)| {
                    if i + lane < first || i + lane > last {
                        *w = 0.0;
                    }
                });
            total = s.add(total, s.load(row.as_ptr().add(i)));
        }
    }
    (largest, s.sum(total))
}

/// Σ weight · value for 16 dimensions from `block`: one chain over the positions.
#[inline(always)]
fn column<S: Simd, const H: usize>(
    s: S,
    task: &Task<'_>,
    positions: std::ops::Range<usize>,
    base: usize,
    block: usize,
    weights: &[[f32; CHUNK]; H],
) -> [S::F; H] {
    let cache = task.cache;
    let mut acc = [s.splat(0.0); H];
    for position in positions {
        let at = cache.block(task.head, position / LANES) + position % LANES * cache.dim + block;
        let v = match &cache.store {
            // SAFETY: the slice holds a vector.
            Store::Half { values, .. } => unsafe { s.load_f16(values[at..at + LANES].as_ptr()) },
            // SAFETY: the slice holds a vector.
            Store::Full { values, .. } => unsafe { s.load(values[at..at + LANES].as_ptr()) },
        };
        for h in 0..H {
            acc[h] = s.fma(s.splat(weights[h][position - base]), v, acc[h]);
        }
    }
    acc
}

/// The chunks of a task put together, in order.
struct Merged {
    dim: usize,
    largest: Vec<f32>,
    total: Vec<f32>,
    sums: Vec<f32>,
}

impl Merged {
    fn new(heads: usize, dim: usize) -> Self {
        Self {
            dim,
            largest: vec![f32::NEG_INFINITY; heads],
            total: vec![0.0; heads],
            sums: vec![0.0; heads * dim],
        }
    }

    fn add(&mut self, isa: Isa, part: &[f32]) {
        let (sums, marks) = part.split_at(self.sums.len());
        for (h, mark) in marks.chunks_exact(2).enumerate() {
            let largest = self.largest[h].max(mark[0]);
            let old = if self.total[h] == 0.0 {
                0.0
            } else {
                exp(isa, self.largest[h] - largest)
            };
            let new = exp(isa, mark[0] - largest);
            self.largest[h] = largest;
            self.total[h] = self.total[h] * old + mark[1] * new;
            let range = h * self.dim..(h + 1) * self.dim;
            for (sum, &part) in self.sums[range.clone()].iter_mut().zip(&sums[range]) {
                *sum = *sum * old + part * new;
            }
        }
    }

    fn finish(&self, out: &mut [f32]) {
        for ((out, sums), &total) in out
            .chunks_exact_mut(self.dim)
            .zip(self.sums.chunks_exact(self.dim))
            .zip(&self.total)
        {
            for (out, &sum) in out.iter_mut().zip(sums) {
                *out = sum / total;
            }
        }
    }
}

/// e^x of one number.
fn exp(isa: Isa, x: f32) -> f32 {
    struct One(f32);
    impl Kernel for One {
        type Output = f32;
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> f32 {
            s.largest(math::exp(s, s.splat(self.0)))
        }
    }
    isa.run(One(x))
}
