//! Attention of queries over a KV cache: softmax(q · Kᵀ · scale) · V, in one pass over the cache (as flash attention).
//!
//! A score is one chain of `fma` in the order of the dimensions, with 16 positions as lanes; a result is one chain in
//! the order of the positions, with 16 dimensions as lanes.
//!
//! Positions come in chunks of 256, aligned to position 0. For each chunk, query and head: scores, their maximum m,
//! weights e^(score − m) (0 below e^-64), their sum l in 16 lanes (lane = position mod 16) and o = Σ weight · value in
//! the order of positions. Chunks are merged in order, rescaled to a common maximum. Chunks do not depend on threads,
//! batches or pages, so neither does a result.
//!
//! Work is cut into blocks of queries that pass over each chunk together (`chunk`), so that keys and values are loaded
//! and widened once for them (`panel`) and the products run in registers (`tile`). A block that is too large a share of
//! all the work (one long sequence that decodes) is split by chunks; the thread that ends the last one merges them.
//!
//! A sink is a score without a value: it takes weight from the positions. A row begins with its head's sink as its
//! maximum, with weight 1, and chunks are merged onto that.

mod chunk;
mod merge;
mod panel;
mod tile;

use crate::Cpu;
use crate::kv_cache::KvCache;
use crate::simd::Isa;
use chunk::{AttendChunk, QueryBlock, Workspace};
use merge::{DivideBySum, MergeChunk};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Positions whose softmax weights share a maximum.
const CHUNK: usize = 256;

/// Rows (tokens by query heads) that pass over a panel together: enough that loading it does not count, few enough that
/// their weights and sums stay in the L2 cache.
const ROWS: usize = 64;

/// A block is split if it is more than one in so many parts of a thread's share of the work.
const PIECES: usize = 4;

/// Floats that the parts of split blocks may take: 16 MB. What does not fit is not split, which is only slower.
const MOST_PARTS: usize = 1 << 22;

/// Queries of one sequence in one layer: tokens from position `start`, each with `heads` heads.
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a> {
    /// Keys and values of all positions that are seen.
    pub cache: &'a KvCache,
    /// `[tokens][heads][dim]`, with RoPE applied.
    pub rows: &'a [f32],
    /// Position of the first token.
    pub start: usize,
    /// Query heads of a token; a multiple of the cache's KV heads (grouped-query attention).
    pub heads: usize,
    /// Factor on the scores, usually 1 / √dim.
    pub scale: f32,
    /// Sliding window: positions seen, the token's own included; `None` sees all.
    pub window: Option<usize>,
    /// Whether a token sees no later position than its own. Encoders of images see all of them, both ways.
    pub causal: bool,
    /// Attention sinks: for each query head a score that counts in the softmax and has no value.
    pub sinks: Option<&'a [f32]>,
}

impl Queries<'_> {
    const fn tokens(&self) -> usize {
        self.rows.len() / (self.heads * self.cache.dim)
    }

    /// Positions that a token sees.
    fn seen(&self, token: usize) -> Range<usize> {
        if !self.causal {
            return 0..self.start + self.tokens();
        }
        let end = self.start + token + 1;
        self.window.map_or(0, |w| end.saturating_sub(w))..end
    }

    /// Blocks of the job, whose first token is row `first` of all jobs.
    fn blocks(&self, first: usize) -> impl Iterator<Item = QueryBlock<'_>> {
        let step = (ROWS / (self.heads / self.cache.heads)).max(1);
        let starts = (0..self.tokens()).step_by(step);
        starts.flat_map(move |start| {
            (0..self.cache.heads).map(move |head| QueryBlock {
                queries: self,
                head,
                tokens: start..self.tokens().min(start + step),
                first,
            })
        })
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
        assert!(
            self.sinks.is_none_or(|sinks| sinks.len() == heads),
            "a sink for each query head"
        );
        let tokens = self.tokens();
        assert!(
            tokens == 0
                || cache.holds(self.seen(0).start) && cache.holds(self.seen(tokens - 1).end - 1),
            "the cache holds every position that is seen"
        );
    }
}

/// Attention of each sequence's queries over its KV cache; `out` is the results of all jobs, one after the other, each
/// like its `rows`.
///
/// # Panics
/// If a shape does not fit, the jobs differ in shape, or a cache does not hold a position that is seen.
pub fn attend(cpu: &Cpu, jobs: &[Queries<'_>], out: &mut [f32]) {
    let pool = &cpu.pool;
    let mut blocks = Vec::new();
    let mut len = 0;
    for queries in jobs {
        queries.check();
        blocks.extend(queries.blocks(len));
        len += queries.rows.len();
    }
    assert_eq!(out.len(), len, "room for each result");
    let most = blocks.iter().map(cost).sum::<usize>() / (PIECES * pool.threads());
    let is_split = |block: &QueryBlock<'_>| {
        pool.threads() > 1 && cost(block) > most && block.chunks().len() > 1
    };
    PARTS.with_borrow_mut(|parts| {
        let mut room = 0;
        let mut tasks = Vec::new();
        let mut splits = Vec::new();
        for block in &blocks {
            let chunks = block.chunks();
            let parts = chunks.len() * block.part();
            if !is_split(block) || room + parts > MOST_PARTS {
                tasks.push(AttentionTask::Whole(block));
                continue;
            }
            tasks.extend(
                chunks
                    .clone()
                    .map(|chunk| AttentionTask::Chunk(splits.len(), chunk)),
            );
            splits.push(SplitBlock {
                block,
                at: room,
                left: AtomicUsize::new(chunks.len()),
            });
            room += parts;
        }
        // The largest first, so that no thread starts a large one when the others are done.
        tasks.sort_by_key(|task| std::cmp::Reverse(task.cost(&splits)));
        if parts.len() < room {
            parts.resize(room, 0.0);
        }
        let shared = AttentionCall {
            splits: &splits,
            parts: parts.as_mut_ptr(),
            out: out.as_mut_ptr(),
        };
        pool.for_each(tasks.len(), |i| shared.run(cpu.isa, &tasks[i]));
    });
}

thread_local! {
    /// Parts of split blocks, kept from call to call because the page faults of new memory cost more than the work.
    static PARTS: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
    static SPACE: RefCell<Box<Workspace>> = RefCell::new(Box::new(Workspace::new()));
}

/// About how many products a block takes.
fn cost(block: &QueryBlock<'_>) -> usize {
    block.rows() * block.seen().len()
}

/// What a thread takes at once.
enum AttentionTask<'a> {
    /// A block over all it sees.
    Whole(&'a QueryBlock<'a>),
    /// A chunk of a split block: which one, and the chunk.
    Chunk(usize, usize),
}

impl AttentionTask<'_> {
    fn cost(&self, splits: &[SplitBlock<'_>]) -> usize {
        match *self {
            AttentionTask::Whole(block) => cost(block),
            AttentionTask::Chunk(split, chunk) => {
                let block = splits[split].block;
                let seen = block.seen();
                let end = seen.end.min((chunk + 1) * CHUNK);
                block.rows() * (end - seen.start.max(chunk * CHUNK))
            }
        }
    }
}

/// A block whose chunks are computed side by side.
struct SplitBlock<'a> {
    block: &'a QueryBlock<'a>,
    /// Where its parts start.
    at: usize,
    /// Chunks that are not done.
    left: AtomicUsize,
}

/// What the tasks of one call write.
struct AttentionCall<'a> {
    splits: &'a [SplitBlock<'a>],
    parts: *mut f32,
    out: *mut f32,
}

// SAFETY: tasks write disjoint parts and disjoint results, and `attend` holds both `&mut` until the pool is done; the
// parts of a split block are read only by the task that counts `left` down to 0, after all others have counted.
unsafe impl Sync for AttentionCall<'_> {}

impl AttentionCall<'_> {
    fn run(&self, isa: Isa, task: &AttentionTask<'_>) {
        SPACE.with_borrow_mut(|space| match *task {
            AttentionTask::Whole(block) => self.whole(isa, block, space),
            AttentionTask::Chunk(split, chunk) => {
                self.chunk(isa, &self.splits[split], chunk, space)
            }
        });
    }

    fn whole(&self, isa: Isa, block: &QueryBlock<'_>, space: &mut Workspace) {
        space.prepare(block);
        let mut part = std::mem::take(&mut space.part);
        let mut merged = std::mem::take(&mut space.merged);
        part.resize(block.part(), 0.0);
        block.begin(&mut merged);
        for chunk in block.chunks() {
            isa.run(AttendChunk {
                block,
                chunk,
                space,
                part: &mut part,
            });
            isa.run(MergeChunk {
                rows: block.rows(),
                part: &part,
                merged: &mut merged,
            });
        }
        self.finish(isa, block, &merged);
        (space.part, space.merged) = (part, merged);
    }

    fn chunk(&self, isa: Isa, split: &SplitBlock<'_>, chunk: usize, space: &mut Workspace) {
        let block = split.block;
        let index = chunk - block.chunks().start;
        space.prepare(block);
        // SAFETY: `attend` made room for a part of each chunk from `at` on, and only this task has this chunk.
        let part = unsafe {
            let at = self.parts.add(split.at + index * block.part());
            std::slice::from_raw_parts_mut(at, block.part())
        };
        isa.run(AttendChunk {
            block,
            chunk,
            space,
            part,
        });
        if split.left.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        let merged = &mut space.merged;
        block.begin(merged);
        for index in 0..block.chunks().len() {
            // SAFETY: `left` is 0, and its `AcqRel` countdown makes the other tasks' writes visible; nobody writes them
            // any more, and the part of every chunk lies inside the room that `attend` made.
            let part = unsafe {
                let at = self.parts.add(split.at + index * block.part());
                std::slice::from_raw_parts(at, block.part())
            };
            isa.run(MergeChunk {
                rows: block.rows(),
                part,
                merged,
            });
        }
        self.finish(isa, block, merged);
    }

    fn finish(&self, isa: Isa, block: &QueryBlock<'_>, merged: &[f32]) {
        let width = block.shared() * block.queries.cache.dim;
        for (i, token) in block.tokens.clone().enumerate() {
            // SAFETY: `attend` checked that `out` has the length of all jobs; these heads of this token are in this
            // block alone, and only one task finishes a block.
            let out = unsafe {
                let at = self.out.add(block.first + block.offset(token));
                std::slice::from_raw_parts_mut(at, width)
            };
            isa.run(DivideBySum {
                rows: block.rows(),
                first: i * block.shared(),
                merged,
                out,
            });
        }
    }
}
