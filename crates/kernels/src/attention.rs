//! Attention of queries over a cache.
//!
//! A score is one chain of `fma` in the order of the dimensions, with 16 positions as lanes; a result is one chain in
//! the order of the positions, with 16 dimensions as lanes.
//!
//! Positions come in chunks of 256, aligned to the position 0. For each chunk, query and
//! head: scores, their maximum m, weights e^(score − m), their sum l in 16 lanes (lane =
//! position mod 16) and o = Σ weight · value in the order of positions. Chunks are merged
//! in order. Chunks do not depend on threads, batches or pages, so neither does a result.
//!
//! Left out on purpose: attention sinks.

use crate::cache::{Cache, Precision, keys_at, values_at};
use crate::math;
use crate::pool::Pool;
use crate::simd::{Isa, Kernel, LANES, Simd};

/// Positions whose weights share a maximum.
const CHUNK: usize = 256;

/// Queries of one sequence in one layer: tokens from position `start`, each with `heads` heads.
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a> {
    /// Keys and values of all positions that are seen.
    pub cache: &'a Cache,
    /// `[tokens][heads][dim]`, rotated.
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

impl Queries<'_> {
    const fn tokens(&self) -> usize {
        self.rows.len() / (self.heads * self.cache.dim)
    }

    /// Positions that a token sees.
    fn seen(&self, token: usize) -> std::ops::Range<usize> {
        let end = self.start + token + 1;
        self.window.map_or(0, |w| end.saturating_sub(w))..end
    }

    fn check(&self) {
        let Self { cache, heads, .. } = *self;
        assert!(
            heads.is_multiple_of(cache.heads),
            "query heads share key heads evenly"
        );
        assert!(
            self.rows.len().is_multiple_of(heads * cache.dim),
            "whole queries"
        );
        let tokens = self.tokens();
        assert!(
            tokens == 0
                || cache.holds(self.seen(0).start) && cache.holds(self.seen(tokens - 1).end - 1),
            "the cache holds every position that is seen"
        );
    }
}

/// Attention of each query over its cache; out is the results of all jobs, one after the other, each like its `rows`.
///
/// # Panics
/// If a shape does not fit, the jobs differ in shape, or a cache does not hold a position that is seen.
pub fn attend(isa: Isa, pool: &Pool, jobs: &[Queries<'_>], out: &mut [f32]) {
    let Some(first) = jobs.first() else {
        return assert!(out.is_empty(), "no queries, no results");
    };
    let (dim, shared) = (first.cache.dim, first.heads / first.cache.heads);
    let mut tasks = Vec::new();
    for queries in jobs {
        queries.check();
        let same = queries.cache.dim == dim && queries.heads / queries.cache.heads == shared;
        assert!(same, "jobs of one shape");
        let heads = queries.cache.heads;
        tasks.extend((0..queries.tokens() * heads).map(|i| Task {
            cache: queries.cache,
            queries,
            token: i / heads,
            head: i % heads,
            shared,
        }));
    }
    assert_eq!(
        out.len(),
        tasks.len() * shared * dim,
        "room for each result"
    );
    if tasks.len() < 4 * pool.threads() {
        attend_by_chunks(isa, pool, out, &tasks);
    } else {
        pool.for_each_row(out, shared * dim, |i, out| {
            let task = &tasks[i];
            let mut merged = Merged::new(shared, dim);
            let mut part = vec![0.0; shared * (dim + 2)];
            for chunk in task.chunks() {
                isa.run(Chunk {
                    task,
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
fn attend_by_chunks(isa: Isa, pool: &Pool, out: &mut [f32], tasks: &[Task<'_>]) {
    let Some(first) = tasks.first() else { return };
    let (shared, dim) = (first.shared, first.cache.dim);
    let width = shared * (dim + 2);
    let spans: Vec<(usize, usize)> = (0..tasks.len())
        .flat_map(|i| tasks[i].chunks().map(move |chunk| (i, chunk)))
        .collect();
    let mut parts = vec![0.0; spans.len() * width];
    pool.for_each_row(&mut parts, width, |i, out| {
        let (task, chunk) = spans[i];
        isa.run(Chunk {
            task: &tasks[task],
            chunk,
            out,
        });
    });
    let mut parts = parts.chunks_exact(width);
    for (task, out) in tasks.iter().zip(out.chunks_exact_mut(shared * dim)) {
        let mut merged = Merged::new(shared, dim);
        for part in parts.by_ref().take(task.chunks().count()) {
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
    fn seen(&self) -> std::ops::Range<usize> {
        self.queries.seen(self.token)
    }

    fn chunks(&self) -> std::ops::RangeInclusive<usize> {
        let seen = self.seen();
        seen.start / CHUNK..=(seen.end - 1) / CHUNK
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
    let first = task.seen().start.max(chunk * CHUNK);
    let last = (task.seen().end - 1).min(chunk * CHUNK + CHUNK - 1);
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
    let page = cache.page(block * LANES);
    let at = keys_at(cache.dim, head, block * LANES);
    let len = cache.dim * LANES;
    let mut acc = [s.splat(0.0); H];
    match cache.precision {
        Precision::Half => {
            let keys = &page.elements::<u16>()[at..at + len];
            for i in 0..cache.dim {
                // SAFETY: `keys` holds `dim` vectors.
                let k = unsafe { s.load_f16(keys.as_ptr().add(i * LANES)) };
                for h in 0..H {
                    acc[h] = s.fma(k, s.splat(queries[h][i]), acc[h]);
                }
            }
        }
        Precision::Full => {
            let keys = &page.elements::<f32>()[at..at + len];
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
        let at = values_at(cache.dim, task.head, position) + block;
        let page = cache.page(position);
        let v = match cache.precision {
            // SAFETY: the slice holds a vector.
            Precision::Half => unsafe { s.load_f16(page.elements()[at..at + LANES].as_ptr()) },
            // SAFETY: the slice holds a vector.
            Precision::Full => unsafe { s.load(page.elements()[at..at + LANES].as_ptr()) },
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
