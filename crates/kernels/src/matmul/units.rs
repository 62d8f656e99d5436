//! Products with Q4_0: exact whole numbers over 256 columns, of which one scale makes floats.
//!
//! A block's scale is a whole multiple of its unit's step (see `pack`), so the multiples are part of the sum.
#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

#[cfg(target_arch = "x86_64")]
mod tiles;

use super::blocks::Blocks;
use super::{Task, Tile};
use crate::Format;
use crate::activations::{BLOCK, Outlier, Quarter, Token, UNIT};
use crate::pack::{Plan, scales};
#[cfg(target_arch = "x86_64")]
use crate::simd::{Amx, Avx512};
use crate::simd::{Kernel, Simd};

/// Blocks of a whole unit.
const BLOCKS: usize = UNIT / BLOCK;
const PLAN: Plan = Plan::of(Format::Q4_0).expect("a format of blocks");

/// The integers of a block, each 8 too high, are taken apart as those of other formats of four bits are.
type Nibbles<'a> = Blocks<'a, 4, { scales::STEPS }>;

/// Products with weights of Q4_0.
pub(super) struct Units<'a>(pub(super) &'a Task<'a>);

impl Kernel for Units<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.0.tiles(s, &self, 0);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn run_with_tiles(self, s: Avx512, amx: Amx) {
        let done = self.run_tiles(s, amx);
        self.0.tiles(s, &self, done);
    }
}

impl Units<'_> {
    /// The bytes of a group of rows.
    #[inline(always)]
    fn weights(&self, group: usize) -> *const u8 {
        let bytes = self.0.w.group(group);
        assert_eq!(bytes.len(), PLAN.group_bytes(self.0.w.cols()));
        bytes.as_ptr()
    }

    /// Units of a row.
    #[inline(always)]
    fn units(&self) -> usize {
        self.0.w.cols().div_ceil(UNIT)
    }

    /// Blocks of a unit.
    #[inline(always)]
    fn blocks(&self, unit: usize) -> usize {
        BLOCKS.min(self.0.w.cols() / BLOCK - unit * BLOCKS)
    }
}

/// The steps of a unit at `p`.
#[inline(always)]
unsafe fn steps<S: Simd>(s: S, p: *const u8) -> S::F {
    // SAFETY: the caller vouches for a unit, which starts with a byte for each row.
    s.pow2(s.sub(unsafe { s.load_u8(p) }, s.splat(127.0)))
}

/// Eight words of block `block` of a unit; `quarters` is where the token's first quarter is, the next `step` on.
#[inline(always)]
unsafe fn words<'a>(quarters: *const Quarter, step: usize, block: usize) -> &'a [i32; 8] {
    // SAFETY: the caller vouches for the quarters of a unit.
    unsafe {
        &*quarters
            .add(block / 2 * step)
            .cast::<[i32; 8]>()
            .add(block % 2)
    }
}

/// Adds a block of 32 columns to the sums of a row group.
#[inline(always)]
unsafe fn add_block<S: Simd, const T: usize>(
    s: S,
    p: *const u8,
    (x, step): (Token, usize),
    block: usize,
    sums: &mut [S::I; T],
) {
    // SAFETY: the caller vouches for a block at `p` and for a unit of each of `T` tokens.
    unsafe {
        let multiples = s.load_multiples(p);
        let u = Nibbles::unpack(s, p.add(PLAN.scale_bytes()));
        unroll!(for t in 0..T {
            if !S::PAIRS || T == 1 {
                let start = s.splat_int((*x.starts.add(t))[block]);
                let sum = s.dots::<4, 8>(start, &u, words(x.quarters.add(t), step, block));
                sums[t] = s.add_multiples(sums[t], sum, multiples);
            } else if t.is_multiple_of(2) {
                let start = [
                    s.splat_int((*x.starts.add(t))[block]),
                    s.splat_int((*x.starts.add(t + 1))[block]),
                ];
                let both = [
                    words(x.quarters.add(t), step, block),
                    words(x.quarters.add(t + 1), step, block),
                ];
                let [a, b] = s.pair_dots::<4, 8>(start, &u, both);
                sums[t] = s.add_multiples(sums[t], a, multiples);
                sums[t + 1] = s.add_multiples(sums[t + 1], b, multiples);
            }
        });
    }
}

/// Adds what an input is beyond ±127 to the sums of a row group whose unit is at `p`.
#[inline(always)]
unsafe fn add_outlier<S: Simd>(s: S, p: *const u8, outlier: Outlier, sum: &mut S::I) {
    if outlier.rest == 0 {
        return;
    }
    let (block, col) = (outlier.at as usize / BLOCK, outlier.at % BLOCK as u32);
    // SAFETY: the caller vouches for a unit at `p` that has the outlier's column.
    unsafe {
        let p = p.add(PLAN.head_bytes() + block * PLAN.block_bytes());
        let plane = s.load_bytes(p.add(PLAN.scale_bytes() + 64 * (col as usize / 8)));
        let u = s.nibble(plane, col % 4 * 8 + col / 4 % 2 * 4);
        let weight = s.add_multiples(s.splat_int(0), u, s.load_multiples(p));
        *sum = s.add_multiples(*sum, weight, s.splat_multiple(outlier.rest));
    }
}

impl Tile for Units<'_> {
    #[inline(always)]
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &Task<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G] {
        let mut w = [std::ptr::null(); G];
        for k in 0..G {
            w[k] = self.weights(group + k * share);
        }
        let inputs = task.x.wide(token);
        let first = inputs.check(self.units(), T);
        let mut acc = [[s.splat(0.0); T]; G];
        for unit in 0..self.units() {
            // SAFETY: the lengths of a group and of the inputs were checked: `unit` is inside both.
            let x = unsafe { first.unit(unit, inputs.tokens) };
            let at = unit * PLAN.unit_bytes();
            let mut sums = [[s.splat_int(0); T]; G];
            for block in 0..self.blocks(unit) {
                let at = at + PLAN.head_bytes() + block * PLAN.block_bytes();
                unroll!(for g in 0..G {
                    // SAFETY: as above; `at` is the start of a block of that unit.
                    unsafe { add_block(s, w[g].add(at), (x, inputs.tokens), block, &mut sums[g]) };
                });
            }
            unroll!(for g in 0..G {
                // SAFETY: as above.
                let step = unsafe { steps(s, w[g].add(at)) };
                unroll!(for t in 0..T {
                    // SAFETY: as above.
                    unsafe {
                        let [a, b] = *x.outliers.add(t);
                        add_outlier(s, w[g].add(at), a, &mut sums[g][t]);
                        add_outlier(s, w[g].add(at), b, &mut sums[g][t]);
                    }
                    // SAFETY: as above.
                    let d = s.splat(unsafe { *x.d.add(t) });
                    acc[g][t] = s.fma(s.float(sums[g][t]), s.mul(step, d), acc[g][t]);
                });
            });
        }
        acc
    }
}
