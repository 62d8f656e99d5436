//! Attention of a block of queries over one chunk of positions: scores, softmax weights, weighted sum of values.
//!
//! A block is some tokens of a sequence with all query heads that share one key head; a row is one token and head. The
//! result of a chunk, a part, is for each row the sums `[dim]`, then for each row the maximum and the weight.

use super::panel::{Panel, SIDE, ahead};
use super::tile::{PanelProduct, Prefetch};
use super::{CHUNK, Queries};
use crate::math;
use crate::simd::{Kernel, LANES, Simd, Vector};
use std::ops::Range;

/// Some tokens of a sequence, and all query heads that share one of its KV heads.
#[derive(Clone, Debug)]
pub(super) struct QueryBlock<'a> {
    pub(super) queries: &'a Queries<'a>,
    pub(super) head: usize,
    pub(super) tokens: Range<usize>,
    /// Where the job's results start among those of all jobs.
    pub(super) first: usize,
}

impl QueryBlock<'_> {
    /// Query heads that share the KV head (the group of grouped-query attention).
    pub(super) const fn shared(&self) -> usize {
        self.queries.heads / self.queries.cache.heads
    }

    pub(super) const fn rows(&self) -> usize {
        (self.tokens.end - self.tokens.start) * self.shared()
    }

    /// Floats of a part.
    pub(super) const fn part(&self) -> usize {
        self.rows() * (self.queries.cache.dim + 2)
    }

    /// Positions that any of the tokens sees.
    pub(super) fn seen(&self) -> Range<usize> {
        self.queries.seen(self.tokens.start).start..self.queries.seen(self.tokens.end - 1).end
    }

    pub(super) fn chunks(&self) -> Range<usize> {
        let seen = self.seen();
        seen.start / CHUNK..seen.end.div_ceil(CHUNK)
    }

    /// What the token of `row` sees of `span`, counted from the start of the span; maybe nothing.
    #[inline(always)]
    fn within(&self, row: usize, span: Range<usize>) -> Range<usize> {
        let seen = self.queries.seen(self.tokens.start + row / self.shared());
        let clamp = |position: usize| position.clamp(span.start, span.end) - span.start;
        clamp(seen.start)..clamp(seen.end)
    }

    /// What the parts of the chunks are merged onto: nothing, or the weight of each head's sink.
    pub(super) fn begin(&self, merged: &mut Vec<f32>) {
        merged.clear();
        merged.resize(self.part(), 0.0);
        let Some(sinks) = self.queries.sinks else {
            return;
        };
        let sinks = &sinks[self.head * self.shared()..][..self.shared()];
        let marks = &mut merged[self.rows() * self.queries.cache.dim..];
        for (mark, &sink) in marks.chunks_exact_mut(2).zip(sinks.iter().cycle()) {
            mark.copy_from_slice(&[sink, 1.0]);
        }
    }

    /// Where the query heads of a token start in `rows` of the job.
    pub(super) const fn offset(&self, token: usize) -> usize {
        (token * self.queries.heads + self.head * self.shared()) * self.queries.cache.dim
    }
}

/// What a thread needs to compute parts.
pub(super) struct Workspace {
    panel: Panel,
    /// The block's queries side by side; empty if they already are.
    gathered: Vec<f32>,
    /// `[row][CHUNK]`: scores, then weights.
    weights: Vec<f32>,
    /// A part, and parts put together.
    pub(super) part: Vec<f32>,
    pub(super) merged: Vec<f32>,
}

impl Workspace {
    pub(super) const fn new() -> Self {
        Self {
            panel: Panel::new(),
            gathered: Vec::new(),
            weights: Vec::new(),
            part: Vec::new(),
            merged: Vec::new(),
        }
    }

    /// Makes room for a block and brings its queries together.
    pub(super) fn prepare(&mut self, block: &QueryBlock<'_>) {
        self.weights.resize(block.rows() * CHUNK, 0.0);
        self.gathered.clear();
        if block.queries.cache.heads > 1 && block.tokens.len() > 1 {
            let width = block.shared() * block.queries.cache.dim;
            for token in block.tokens.clone() {
                let heads = &block.queries.rows[block.offset(token)..][..width];
                self.gathered.extend_from_slice(heads);
            }
        }
    }
}

/// Computes the part of one chunk, for a block that `space` is prepared for.
pub(super) struct AttendChunk<'a> {
    pub(super) block: &'a QueryBlock<'a>,
    pub(super) chunk: usize,
    pub(super) space: &'a mut Workspace,
    pub(super) part: &'a mut [f32],
}

impl Kernel for AttendChunk<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self {
            block,
            chunk,
            space,
            part,
        } = self;
        let rows = block.rows();
        assert_eq!(part.len(), block.part(), "room for a part");
        assert_eq!(space.weights.len(), rows * CHUNK, "room for weights");
        let (sums, marks) = part.split_at_mut(rows * block.queries.cache.dim);
        let seen = block.seen();
        let (start, end) = (chunk * CHUNK, (chunk + 1) * CHUNK);
        let pages = seen.start.max(start) / SIDE..seen.end.min(end).div_ceil(SIDE);
        let (cache, head) = (block.queries.cache, block.head);
        for page in pages.clone() {
            // Prefetch what comes after this page: the next page's keys, and after the last one the first values.
            let next = match page + 1 {
                next if next < pages.end => ahead(cache, head, next * SIDE, false),
                _ => ahead(cache, head, pages.start * SIDE, true),
            };
            scores(s, block, page * SIDE, space, next);
        }
        for row in 0..rows {
            let weights = &mut space.weights[row * CHUNK..][..CHUNK];
            let mark = &mut marks[2 * row..][..2];
            let scale = block.queries.scale;
            (mark[0], mark[1]) = weigh(s, weights, block.within(row, start..end), scale);
        }
        sums.fill(0.0);
        for page in pages.clone() {
            let next = match page + 1 {
                next if next < pages.end => ahead(cache, head, next * SIDE, true),
                next if next * SIDE < seen.end => ahead(cache, head, next * SIDE, false),
                _ => ahead(cache, head, page * SIDE, true),
            };
            values(s, block, page * SIDE, space, next, sums);
        }
    }
}

/// Scores of all rows for the positions of the page at `base`: one chain over the dimensions.
#[inline(always)]
fn scores<S: Vector>(
    s: S,
    block: &QueryBlock<'_>,
    base: usize,
    space: &mut Workspace,
    ahead: Prefetch,
) {
    let cache = block.queries.cache;
    let Workspace {
        panel,
        gathered,
        weights,
        ..
    } = space;
    let queries = if gathered.is_empty() {
        &block.queries.rows[block.offset(block.tokens.start)..]
    } else {
        &gathered[..]
    };
    assert!(queries.len() >= block.rows() * cache.dim, "all queries");
    let seen = block.seen();
    let (first, end) = (seen.start.max(base), seen.end.min(base + SIDE));
    let vectors = (first - base) / LANES..(end - base).div_ceil(LANES);
    for row in 0..block.rows() {
        weights[row * CHUNK + base % CHUNK..][..SIDE].fill(0.0);
    }
    for dims in (0..cache.dim).step_by(SIDE) {
        let dims = dims..cache.dim.min(dims + SIDE);
        panel.load_keys(s, cache, block.head, base, dims.clone(), vectors.clone());
        let product = PanelProduct {
            a: queries[dims.start..].as_ptr(),
            a_stride: cache.dim,
            panel,
            c: weights[base % CHUNK..].as_mut_ptr(),
            c_stride: CHUNK,
            ahead: ahead.panel(dims.start / SIDE),
        };
        let mut row = 0;
        while row < block.rows() {
            let rows = PanelProduct::step::<S>(block.rows() - row);
            // SAFETY: `queries` has `dim` floats for each row (asserted above), `weights` 64 lanes from the base on for
            // each row (`run` asserts its length), and `row + rows` is at most the block's rows.
            unsafe { product.run(s, row, rows, 0..dims.len(), vectors.clone()) };
            row += rows;
        }
    }
}

/// Turns the scores of what a row sees of a chunk into weights; gives their maximum and their sum.
#[inline(always)]
fn weigh<S: Vector>(s: S, row: &mut [f32], seen: Range<usize>, scale: f32) -> (f32, f32) {
    assert!(row.len() == CHUNK && seen.end <= CHUNK, "a row of a chunk");
    if seen.is_empty() {
        return (f32::NEG_INFINITY, 0.0);
    }
    let vectors = seen.start / LANES * LANES..seen.end.next_multiple_of(LANES);
    let mut largest = s.splat(f32::NEG_INFINITY);
    for i in vectors.clone().step_by(LANES) {
        // SAFETY: i is a multiple of 16 below 256, the length of the row (asserted above).
        unsafe {
            let at = row.as_mut_ptr().add(i);
            s.store(at, s.mul(s.load(at), s.splat(scale)));
        }
    }
    // Lanes of the first and last vector that the row does not see must not count: e^-∞ is 0.
    row[vectors.start..seen.start].fill(f32::NEG_INFINITY);
    row[seen.end..vectors.end].fill(f32::NEG_INFINITY);
    for i in vectors.clone().step_by(LANES) {
        // SAFETY: as for the scaling: 16 floats from `i` on.
        largest = s.max(largest, unsafe { s.load(row.as_ptr().add(i)) });
    }
    let largest = s.largest(largest);
    for i in vectors.clone().step_by(LANES) {
        // SAFETY: as for the scaling: 16 floats from `i` on.
        unsafe {
            let at = row.as_mut_ptr().add(i);
            s.store(at, math::weight(s, s.sub(s.load(at), s.splat(largest))));
        }
    }
    let mut total = s.splat(0.0);
    for i in vectors.step_by(LANES) {
        // SAFETY: as for the scaling: 16 floats from `i` on.
        total = s.add(total, unsafe { s.load(row.as_ptr().add(i)) });
    }
    (largest, s.sum(total))
}

/// Adds Σ weight · value over the positions of the page at `base` to the sums: one chain over the positions.
#[inline(always)]
fn values<S: Vector>(
    s: S,
    block: &QueryBlock<'_>,
    base: usize,
    space: &mut Workspace,
    ahead: Prefetch,
    sums: &mut [f32],
) {
    let cache = block.queries.cache;
    let Workspace { panel, weights, .. } = space;
    let seen = block.seen();
    let positions = seen.start.max(base) - base..seen.end.min(base + SIDE) - base;
    for dims in (0..cache.dim).step_by(SIDE) {
        let dims = dims..cache.dim.min(dims + SIDE);
        panel.load_values(s, cache, block.head, base, dims.clone(), positions.clone());
        let product = PanelProduct {
            a: weights[base % CHUNK..].as_ptr(),
            a_stride: CHUNK,
            panel,
            c: sums[dims.start..].as_mut_ptr(),
            c_stride: cache.dim,
            ahead: ahead.panel(dims.start / SIDE),
        };
        let mut row = 0;
        while row < block.rows() {
            let rows = PanelProduct::step::<S>(block.rows() - row);
            add_values(s, block, base, &product, row, rows, dims.len() / LANES);
            row += rows;
        }
    }
}

/// Rows of a tile that do not see the same positions pass alone over those that not all see.
#[inline(always)]
fn add_values<S: Vector>(
    s: S,
    block: &QueryBlock<'_>,
    base: usize,
    product: &PanelProduct<'_>,
    row: usize,
    rows: usize,
    vectors: usize,
) {
    let within = |row: usize| block.within(row, base..base + SIDE);
    let (first, last) = (within(row), within(row + rows - 1));
    // Later tokens start and end later, so what all rows see lies between the last row's start and the first row's end.
    let all = last.start..first.end.max(last.start);
    // SAFETY: `row + rows` is at most the block's rows; `weights` has 64 links from the base on for each, `sums` all
    // dimensions of each (`run` asserts both lengths), and every range lies within the page.
    unsafe {
        if first == last {
            return product.run(s, row, rows, all, 0..vectors);
        }
        for r in row..row + rows {
            let own = within(r);
            product.run(s, r, 1, own.start..own.end.min(all.start), 0..vectors);
        }
        product.run(s, row, rows, all.clone(), 0..vectors);
        for r in row..row + rows {
            let own = within(r);
            product.run(s, r, 1, own.start.max(all.end)..own.end, 0..vectors);
        }
    }
}
