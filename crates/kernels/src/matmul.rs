//! Products of packed matrices with activations: the bulk of all work.
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
//! Float weights: `acc = fma(w, x, acc)` column by column. Lanes are rows, so nothing is
//! ever added across lanes. A tile holds `G` row groups by `T` tokens in registers: for
//! few tokens several far-apart groups, which keeps several streams from memory in
//! flight; for many tokens one group, which is unpacked once for all of them.

#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

/// `for t in 0..n`, n at most 16 and known at compile time, with the body written out n times: registers have no index,
/// and a loop that stays a loop keeps its accumulators in memory.
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

mod blocks;
mod floats;
mod gated;
#[cfg(target_arch = "x86_64")]
mod tiles;
mod units;

use crate::Format;
#[cfg(target_arch = "x86_64")]
use crate::activations::TILE;
use crate::activations::{Activations, Forms};
use crate::pack::{Matrix, scales};
use crate::pool::Pool;
use crate::simd::{Isa, LANES, Simd};
use blocks::Blocks;
use floats::Floats;
pub use gated::{Gates, gated_matmul};
use std::ops::Range;
use units::Units;

/// One matrix of a product and the place for its result, `[tokens][rows]`.
#[derive(Debug)]
pub struct Product<'a> {
    /// The weights.
    pub weights: &'a Matrix,
    /// The result, row-major by token.
    pub out: &'a mut [f32],
}

/// Computes every product of `x`, which must be quantised, with the matrices in `products`.
///
/// # Panics
/// If a shape does not fit.
pub fn matmul(isa: Isa, pool: &Pool, x: &Activations, products: &mut [Product<'_>]) {
    let tokens = x.rows();
    if tokens == 0 {
        return;
    }
    let mut tasks = Vec::new();
    for product in products.iter_mut() {
        let w = product.weights;
        assert_eq!(w.cols(), x.cols(), "inputs of the matrix");
        assert_eq!(product.out.len(), tokens * w.rows(), "room for the result");
        assert!(x.has(Forms::of([w])), "activations are quantised");
        let out = Out {
            start: product.out.as_mut_ptr(),
            stride: w.rows(),
        };
        let step = groups_per_task(w, tokens, pool.threads());
        let cuts = (0..w.groups()).step_by(step);
        tasks.extend(cuts.map(|first| Task {
            w,
            x,
            out,
            groups: first..w.groups().min(first + step),
        }));
    }
    pool.for_each(tasks.len(), |i| tasks[i].run(isa));
}

/// Groups that a thread takes at once: enough to stream well, few enough to share out evenly.
fn groups_per_task(w: &Matrix, tokens: usize, threads: usize) -> usize {
    if threads == 1 {
        return w.groups().max(1);
    }
    let most = if tokens < 16 { 64 } else { 4 };
    let even = w.groups().div_ceil(4 * threads).clamp(1, most);
    // Whole rounds of the streams.
    even.next_multiple_of(4)
}

/// Where results go. Tasks write disjoint rows.
#[derive(Clone, Copy)]
struct Out {
    /// Where row 0 of token 0 would be; a part of the rows may begin later.
    start: *mut f32,
    stride: usize,
}

impl Out {
    /// Where a row of a token goes.
    #[inline(always)]
    const fn place(&self, token: usize, row: usize) -> *mut f32 {
        self.start.wrapping_add(token * self.stride + row)
    }
}

// SAFETY: tasks of one `matmul` write disjoint elements, and `matmul` holds the `&mut` for all of them.
unsafe impl Sync for Out {}
// SAFETY: as above.
unsafe impl Send for Out {}

#[derive(Clone)]
struct Task<'a> {
    w: &'a Matrix,
    x: &'a Activations,
    out: Out,
    groups: Range<usize>,
}

impl Task<'_> {
    fn run(&self, isa: Isa) {
        use scales::{CENTRED, MINIMUM, SUPER, SUPER_CENTRED, SUPER_SMALL};
        match self.w.format() {
            Format::F32 => isa.run(Floats::<32>(self)),
            Format::F16 => isa.run(Floats::<16>(self)),
            Format::BF16 => isa.run(Floats::<8>(self)),
            Format::Q4_0 => isa.run(Units(self)),
            Format::Q5_0 => isa.run(Blocks::<5, CENTRED>(self)),
            Format::Q8_0 => isa.run(Blocks::<8, CENTRED>(self)),
            Format::Q4_1 => isa.run(Blocks::<4, MINIMUM>(self)),
            Format::Q5_1 => isa.run(Blocks::<5, MINIMUM>(self)),
            Format::Q4_K => isa.run(Blocks::<4, SUPER>(self)),
            Format::Q5_K => isa.run(Blocks::<5, SUPER>(self)),
            Format::Q3_K => isa.run(Blocks::<3, SUPER_CENTRED>(self)),
            Format::Q6_K => isa.run(Blocks::<6, SUPER_CENTRED>(self)),
            Format::Q2_K => isa.run(Blocks::<2, SUPER_SMALL>(self)),
        }
    }

    /// How many tokens tile registers can take: those that fill tiles, if all groups have 16 rows.
    #[cfg(target_arch = "x86_64")]
    fn tokens_in_tiles(&self) -> usize {
        match self.groups.end * LANES > self.w.rows() {
            true => 0,
            false => self.x.rows() / TILE * TILE,
        }
    }

    /// Visits the task's rows and tokens, from token `first` on, in tiles.
    ///
    /// A tile holds at most `TOKENS` accumulators. Many tokens take one row group at a time, which stays near while all
    /// of them pass over it; the last few take `STREAMS` groups at a time, far apart, since they wait for memory.
    #[inline(always)]
    fn tiles<S: Simd>(&self, s: S, tile: &impl Tile, first: usize) {
        let tokens = self.x.rows();
        let few = first + (tokens - first) / 16 * 16;
        let few = if S::TOKENS >= 16 { few } else { first };
        for group in self.groups.clone() {
            let mut token = first;
            while S::TOKENS >= 16 && token < few {
                self.part::<S, 1, 16>(s, tile, group, 0, token);
                token += 16;
            }
        }
        if few == tokens {
            return;
        }
        let share = self.groups.len() / S::STREAMS;
        for i in 0..share {
            self.streams(s, tile, self.groups.start + i, share, few);
        }
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
        tile: &impl Tile,
        group: usize,
        share: usize,
        mut token: usize,
    ) {
        let tokens = self.x.rows();
        while S::TOKENS >= 8 && tokens - token >= 8 {
            if S::TOKENS >= 16 {
                for k in (0..S::STREAMS).step_by(2) {
                    self.part::<S, 2, 8>(s, tile, group + k * share, share, token);
                }
            } else {
                for k in 0..S::STREAMS {
                    self.part::<S, 1, 8>(s, tile, group + k * share, share, token);
                }
            }
            token += 8;
        }
        while S::TOKENS >= 4 && tokens - token >= 4 {
            if S::TOKENS >= 16 {
                self.part::<S, 4, 4>(s, tile, group, share, token);
            } else {
                for k in 0..S::STREAMS {
                    self.part::<S, 1, 4>(s, tile, group + k * share, share, token);
                }
            }
            token += 4;
        }
        while S::TOKENS >= 2 && tokens - token >= 2 {
            match S::STREAMS {
                4 => self.part::<S, 4, 2>(s, tile, group, share, token),
                2 => self.part::<S, 2, 2>(s, tile, group, share, token),
                _ => self.part::<S, 1, 2>(s, tile, group, share, token),
            }
            token += 2;
        }
        while token < tokens {
            match S::STREAMS {
                4 => self.part::<S, 4, 1>(s, tile, group, share, token),
                2 => self.part::<S, 2, 1>(s, tile, group, share, token),
                _ => self.part::<S, 1, 1>(s, tile, group, share, token),
            }
            token += 1;
        }
    }

    /// Computes and stores a tile of `G` groups, `share` apart, by `T` tokens.
    #[inline(always)]
    fn part<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        tile: &impl Tile,
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
            for t in 0..T {
                // SAFETY: `token + t` is one of the tokens and `row` one of the rows, both checked
                // against the length of `out` in `matmul`; a whole vector is stored only if 16 rows are left.
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

/// Computes the tile of groups `group + k · share` by tokens from `token`.
trait Tile {
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &Task<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G];
}
