//! GEMM (many tokens) and GEMV (one token) of packed weights with activations: the bulk of all work.
//!
//! For each output row and token, whatever the ISA, the number of threads or tokens:
//!
//! ```text
//!   acc = 0
//!   for each sub-block in column order (16 or 32 columns that share a scale):
//!       i   = Σ (u − offset) · q             exact, in integers
//!       acc = fma(i, scale · d, acc)         scale of the weights (exact), d of the activations
//!       acc = fma(min, d · Σq, acc)          where the format has minimums
//! ```
//! Q4_0, for each unit of 256 columns, the last of which may have fewer:
//!
//! ```text
//!       i   = Σ m · Σ (u − 8) · q            exact; each block's scale is m times the unit's step (see `pack`)
//!       acc = fma(i, step · d, acc)          i rounded to a float first
//! ```
//! Formats with a codebook: u is what the table has in the place of the code. MXFP4's scales of 2^-127 and less count
//! as 0. Q1_0's bits are integers 0 and 1 with the scale 2d and the minimum −d.
//!
//! Float weights: `acc = fma(w, x, acc)` column by column. Lanes are output rows, so nothing is ever added across
//! lanes, and the order of additions is the same for vectors of any width.
//!
//! A register tile holds `G` row groups by `T` tokens of accumulators. A GEMV (or a few tokens) is bound by memory: it
//! takes several groups that lie far apart, which keeps several streams from memory in flight. A GEMM is bound by
//! arithmetic: it takes one group (two of floats), which is unpacked once for all its tokens. `per32` and `per256` are
//! the quantised kernels, each with a variant for AMX tile registers; `floats` is for weights in floats; `gated` fuses
//! the two GEMMs and the activation function of a gated feed-forward network.

#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

/// `for t in 0..n`, n at most 16 and known at compile time, with the body written out n times: registers have no index,
/// so a loop that the compiler leaves a loop keeps its accumulators in memory, at several times the cost.
macro_rules! unroll {
    (for $t:ident in 0..$n:ident $body:block) => {
        unroll!(@ $t $n $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $t:ident $n:ident $body:block $($i:literal)*) => {
        $(if $i < $n {
            let $t: usize = $i;
            $body
        })*
    };
}

mod floats;
mod gated;
mod per256;
mod per32;

#[cfg(target_arch = "x86_64")]
use crate::activations::TILE;
use crate::activations::{Activations, InputFormats};
use crate::pack::{Matrix, scales};
use crate::simd::{Isa, LANES, Simd};
use crate::{Cpu, Format};
use floats::FloatGemm;
pub use gated::{GatedProduct, GatedWeights, gated_matmul, gated_matmul_each};
use per32::{LINEAR, LOOKUP, Per32Gemm};
use per256::Per256Gemm;
use std::ops::Range;

/// One GEMM: a weight matrix, and the place for its result, `[tokens][rows]`.
#[derive(Debug)]
pub struct Product<'a> {
    /// The weights.
    pub weights: &'a Matrix,
    /// The result, row-major by token.
    pub out: &'a mut [f32],
}

/// GEMM, or GEMV for a single token: `x` times each of the matrices in `products`, which share its quantised form and
/// one round of the thread pool.
///
/// # Panics
/// If a shape does not fit, or `x` was not made in the format that a matrix multiplies.
pub fn matmul(cpu: &Cpu, x: &Activations, products: &mut [Product<'_>]) {
    let mut tasks = Vec::new();
    for product in products.iter_mut() {
        tasks.extend(product.tasks(x, cpu.pool.threads()));
    }
    cpu.pool.for_each(tasks.len(), |i| tasks[i].run(cpu.isa));
}

/// GEMMs of an input each, in one round of the thread pool: the experts of a layer are many, and few tokens come to
/// each.
///
/// # Panics
/// As [`matmul`].
pub fn matmul_each(cpu: &Cpu, products: &mut [(&Activations, Product<'_>)]) {
    let mut tasks = Vec::new();
    for (x, product) in products.iter_mut() {
        tasks.extend(product.tasks(x, cpu.pool.threads()));
    }
    cpu.pool.for_each(tasks.len(), |i| tasks[i].run(cpu.isa));
}

impl Product<'_> {
    /// The work in pieces that threads take one at a time.
    fn tasks<'a>(
        &'a mut self,
        x: &'a Activations,
        threads: usize,
    ) -> impl Iterator<Item = GemmTask<'a>> {
        let (w, tokens) = (self.weights, x.rows());
        assert_eq!(w.cols(), x.cols(), "inputs of the matrix");
        assert_eq!(self.out.len(), tokens * w.rows(), "room for the result");
        assert!(
            tokens == 0 || x.has(InputFormats::of([w])),
            "activations are quantised"
        );
        let out = GemmOutput {
            start: self.out.as_mut_ptr(),
            stride: w.rows(),
        };
        let step = groups_per_task(w, tokens, threads);
        let groups = if tokens == 0 { 0 } else { w.groups() };
        (0..groups).step_by(step).map(move |first| GemmTask {
            w,
            x,
            out,
            groups: first..groups.min(first + step),
        })
    }
}

/// Row groups that a thread takes at once: enough to stream well, few enough to share out evenly.
fn groups_per_task(w: &Matrix, tokens: usize, threads: usize) -> usize {
    if threads == 1 {
        return w.groups().max(1);
    }
    // Long runs for a few tokens, which wait for memory; short ones for many, whose work then shares out evenly.
    let most = if tokens < 16 { 64 } else { 4 };
    let even = w.groups().div_ceil(4 * threads).clamp(1, most);
    // Whole rounds of the streams: at most four groups at a time, on every ISA.
    even.next_multiple_of(4)
}

/// Where a GEMM's results go. Tasks write disjoint rows.
#[derive(Clone, Copy)]
struct GemmOutput {
    /// Where row 0 of token 0 would be; where only some rows are computed, that may be before the first element.
    start: *mut f32,
    stride: usize,
}

impl GemmOutput {
    /// Where a row of a token goes.
    #[inline(always)]
    const fn place(&self, token: usize, row: usize) -> *mut f32 {
        self.start.wrapping_add(token * self.stride + row)
    }
}

// SAFETY: the tasks of one GEMM have disjoint ranges of groups, so they write disjoint elements, and whoever made them
// (`Product::tasks`, `gated_matmul_each`) holds the `&mut` to all of them until the pool is done.
unsafe impl Sync for GemmOutput {}
// SAFETY: as for `Sync`: the pointer is only ever used for a task's own elements.
unsafe impl Send for GemmOutput {}

/// Some row groups of a GEMM, for all tokens: what one thread takes at once.
#[derive(Clone)]
struct GemmTask<'a> {
    w: &'a Matrix,
    x: &'a Activations,
    out: GemmOutput,
    groups: Range<usize>,
}

impl GemmTask<'_> {
    fn run(&self, isa: Isa) {
        use scales::{
            BINARY, CENTRED, CENTRED_SMALL, EXPONENT, MINIMUM, SUPER, SUPER_CENTRED, SUPER_SIGNED,
            SUPER_SMALL, TERNARY,
        };
        match self.w.format() {
            Format::F32 => isa.run(FloatGemm::<32>(self)),
            Format::F16 => isa.run(FloatGemm::<16>(self)),
            Format::BF16 => isa.run(FloatGemm::<8>(self)),
            Format::Q4_0 => isa.run_with_tiles(Per256Gemm::of(self)),
            Format::Q5_0 => isa.run_with_tiles(Per32Gemm::<5, CENTRED, LINEAR>::of(self)),
            Format::Q8_0 => isa.run_with_tiles(Per32Gemm::<8, CENTRED, LINEAR>::of(self)),
            Format::Q4_1 => isa.run_with_tiles(Per32Gemm::<4, MINIMUM, LINEAR>::of(self)),
            Format::Q5_1 => isa.run_with_tiles(Per32Gemm::<5, MINIMUM, LINEAR>::of(self)),
            Format::Q4_K => isa.run_with_tiles(Per32Gemm::<4, SUPER, LINEAR>::of(self)),
            Format::Q5_K => isa.run_with_tiles(Per32Gemm::<5, SUPER, LINEAR>::of(self)),
            Format::Q3_K => isa.run_with_tiles(Per32Gemm::<3, SUPER_CENTRED, LINEAR>::of(self)),
            Format::Q6_K => isa.run_with_tiles(Per32Gemm::<6, SUPER_CENTRED, LINEAR>::of(self)),
            Format::Q2_K => isa.run_with_tiles(Per32Gemm::<2, SUPER_SMALL, LINEAR>::of(self)),
            Format::IQ4_NL => isa.run_with_tiles(Per32Gemm::<4, CENTRED, LOOKUP>::of(self)),
            Format::MXFP4 => isa.run_with_tiles(Per32Gemm::<4, EXPONENT, LOOKUP>::of(self)),
            Format::IQ4_XS | Format::IQ3_S | Format::IQ3_XXS => {
                isa.run_with_tiles(Per32Gemm::<4, SUPER_SIGNED, LOOKUP>::of(self))
            }
            // These go without tile registers: they are rare, and each kernel of those takes seconds of every build.
            Format::TQ2_0 | Format::TQ1_0 => isa.run(Per32Gemm::<2, TERNARY, LINEAR>::of(self)),
            Format::Q1_0 => isa.run(Per32Gemm::<1, BINARY, LINEAR>::of(self)),
            Format::NVFP4 => isa.run(Per32Gemm::<4, CENTRED_SMALL, LOOKUP>::of(self)),
            Format::IQ2_XXS | Format::IQ1_S => {
                isa.run(Per32Gemm::<3, SUPER_SIGNED, LOOKUP>::of(self))
            }
            Format::IQ2_S | Format::IQ2_XS | Format::IQ1_M => {
                isa.run(Per32Gemm::<3, SUPER_CENTRED, LOOKUP>::of(self))
            }
        }
    }

    /// How many tokens AMX can take: those that fill whole tiles, if all groups have 16 rows. A tile register is always
    /// stored whole, so a last group of fewer rows would write beyond the result.
    #[cfg(target_arch = "x86_64")]
    fn tokens_in_tiles(&self) -> usize {
        match self.groups.end * LANES > self.w.rows() {
            true => 0,
            false => self.x.rows() / TILE * TILE,
        }
    }

    /// Visits the task's rows and tokens, from token `first` on, in register tiles.
    ///
    /// A tile holds at most `TOKENS` accumulators. Many tokens take one row group at a time, which stays in cache while
    /// all of them pass over it; the last few take `STREAMS` groups at a time, far apart, since they wait for memory.
    #[inline(always)]
    fn tiles<S: Simd>(&self, s: S, tile: &impl GemmTile, first: usize) {
        let tokens = self.x.rows();
        // Tokens from `few` on do not fill a tile of 16. Where registers hold no such tile, all tokens count as few.
        let few = first + (tile.tokens(self.x) - first) / 16 * 16;
        let few = if S::TOKENS >= 16 { few } else { first };
        for group in self.groups.clone() {
            let mut token = first;
            while S::TOKENS >= 16 && token < few {
                self.part::<S, 1, 16>(s, tile, group, 0, token);
                token += 16;
            }
        }
        if few >= tokens {
            return;
        }
        let share = self.groups.len() / S::STREAMS;
        for i in 0..share {
            self.streams(s, tile, self.groups.start + i, share, few);
        }
        // Groups that make no whole round of the streams.
        for group in self.groups.start + S::STREAMS * share..self.groups.end {
            for token in few..tokens {
                self.part::<S, 1, 1>(s, tile, group, 0, token);
            }
        }
    }

    /// The tokens from `token` on for `STREAMS` groups, each `share` after the one before.
    #[inline(always)]
    fn streams<S: Simd>(
        &self,
        s: S,
        tile: &impl GemmTile,
        group: usize,
        share: usize,
        mut token: usize,
    ) {
        // Where a tile of 4 takes as long as its arithmetic, 3 tokens are better off as 2 and 1.
        let tokens = match S::TOKENS {
            16.. => tile.tokens(self.x),
            _ => self.x.rows(),
        };
        // Every shape below keeps G · T accumulators within `TOKENS`, and T as large as is left: a block is unpacked
        // once for T tokens. The conditions are constants of the ISA; only its own shapes are compiled.
        while token < tokens {
            let len = tile_len::<S>(tokens - token, token % 16);
            // What is left may not fill the tile: then it begins with tokens that are done, whose sums come out the same.
            let at = token.min(tokens - len);
            match len {
                8 if S::TOKENS >= 16 => {
                    for k in (0..S::STREAMS).step_by(2) {
                        self.part::<S, 2, 8>(s, tile, group + k * share, share, at);
                    }
                }
                8 if S::TOKENS >= 8 => {
                    for k in 0..S::STREAMS {
                        self.part::<S, 1, 8>(s, tile, group + k * share, share, at);
                    }
                }
                4 if S::TOKENS >= 16 => self.part::<S, 4, 4>(s, tile, group, share, at),
                4 if S::TOKENS >= 4 => {
                    for k in 0..S::STREAMS {
                        self.part::<S, 1, 4>(s, tile, group + k * share, share, at);
                    }
                }
                2 if S::TOKENS >= 2 => match S::STREAMS {
                    4 => self.part::<S, 4, 2>(s, tile, group, share, at),
                    2 => self.part::<S, 2, 2>(s, tile, group, share, at),
                    _ => self.part::<S, 1, 2>(s, tile, group, share, at),
                },
                _ => match S::STREAMS {
                    4 => self.part::<S, 4, 1>(s, tile, group, share, at),
                    2 => self.part::<S, 2, 1>(s, tile, group, share, at),
                    _ => self.part::<S, 1, 1>(s, tile, group, share, at),
                },
            }
            token = at + len;
        }
    }

    /// Computes and stores a tile of `G` groups, `share` apart, by `T` tokens.
    #[inline(always)]
    fn part<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        tile: &impl GemmTile,
        group: usize,
        share: usize,
        token: usize,
    ) {
        let mut groups = [group; G];
        for k in 0..G {
            groups[k] += k * share;
        }
        let sums = tile.compute::<S, G, T>(s, self, group, share, token);
        self.put(s, groups, token, sums);
    }

    /// Stores a tile; the last group may have fewer than 16 rows.
    #[inline(always)]
    fn put<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        groups: [usize; G],
        token: usize,
        tile: [[S::F; T]; G],
    ) {
        for g in 0..G {
            let row = groups[g] * LANES;
            let rows = self.w.rows() - row;
            // What fills up the last tile is nobody's result.
            let tokens = if T == 4 {
                T.min(self.x.rows() - token)
            } else {
                T
            };
            for t in 0..tokens {
                if T == 16 && token + t >= self.x.rows() {
                    break;
                }
                // SAFETY: `token + t` is one of the tokens and `row` one of the rows, and `out` has room for all of
                // them (`Product::tasks` checks its length, `GatedTask` makes it); a whole vector is stored only if 16 rows
                // are left.
                unsafe {
                    let at = self.out.place(token + t, row);
                    if rows >= LANES {
                        s.store(at, tile[g][t]);
                    } else {
                        let mut lanes = [0.0; LANES];
                        s.store(lanes.as_mut_ptr(), tile[g][t]);
                        std::ptr::copy_nonoverlapping(lanes.as_ptr(), at, rows);
                    }
                }
            }
        }
    }
}

/// Tokens of the next tile where `left` are left and `done` lie before them in the same tile of inputs: the largest that
/// those left fill by more than half. Every pass unpacks the weights anew, so a few sums computed twice cost less than one
/// more pass.
#[inline(always)]
const fn tile_len<S: Simd>(left: usize, done: usize) -> usize {
    let mut len = if S::TOKENS < 8 { S::TOKENS } else { 8 };
    while len > 1 && (2 * left <= len || left + done < len) {
        len /= 2;
    }
    len
}

/// How far ahead of what is read weights are prefetched, in bytes of each stream. Measured: one token is written a fifth
/// faster than without, eight at a time a quarter.
const AHEAD: usize = 2048;

/// Whether a tile of `T` tokens from `token` on is the first to pass over its weights, which then come from memory. Fewer
/// than 16 always count as that: asking again for what is in cache costs them little.
#[inline(always)]
const fn is_first_pass<const T: usize>(token: usize, first: usize) -> bool {
    T < 16 || token == first
}

/// Prefetches as many bytes as the packed block at `p` has. Who passes over weights first waits for memory, and the CPU's
/// own prefetching leaves it idle at every pause: between units, groups and pages.
#[inline(always)]
fn prefetch_block<S: Simd>(s: S, p: *const u8, bytes: usize) {
    for line in 0..bytes.div_ceil(64) {
        s.prefetch(p.wrapping_add(AHEAD + 64 * line));
    }
}

/// The arithmetic of a weight format: computes one register tile, groups `group + k · share` by tokens from `token` on.
trait GemmTile {
    /// Tokens of the inputs, with those that fill up the last tile.
    #[inline(always)]
    fn tokens(&self, x: &Activations) -> usize {
        x.rows()
    }

    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &GemmTask<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G];
}
