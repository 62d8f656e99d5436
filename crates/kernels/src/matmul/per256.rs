//! Q4_0 GEMM: exact integer sums over 256 columns (a unit), then one f32 scale.
//!
//! A block's scale is a whole multiple of its unit's step (see `pack`), so the multiples are part of the integer sum.
//! That is one float operation per 256 columns instead of eight, and AMX tile registers stay loaded for a whole unit.
#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

#[cfg(target_arch = "x86_64")]
mod amx;

use super::per32::{LINEAR, Per32Gemm};
use super::{GemmTask, GemmTile, is_first_pass, prefetch_block};
use crate::Format;
use crate::activations::{Activations, BLOCK, Outlier, Quarter, UNIT, UnitInputs, filled};
use crate::pack::{PackedLayout, scales};
#[cfg(target_arch = "x86_64")]
use crate::simd::{Amx, Avx512};
use crate::simd::{Kernel, Simd, TileKernel};

/// Per32Gemm of a whole unit.
const BLOCKS: usize = UNIT / BLOCK;
const LAYOUT: PackedLayout = PackedLayout::of(Format::Q4_0).expect("a format of blocks");

/// A block's integers, each stored 8 too high, are unpacked as those of any format of four bits.
type Nibbles<'a> = Per32Gemm<'a, 4, { scales::STEPS }, LINEAR>;

/// GEMM with Q4_0 weights.
pub(super) struct Per256Gemm<'a> {
    task: &'a GemmTask<'a>,
    /// The tokens before it are done.
    first_token: usize,
}

impl Kernel for Per256Gemm<'_> {
    type Output = ();
    const DOTS: bool = true;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.task.tiles(s, &self, self.first_token);
    }
}

impl TileKernel for Per256Gemm<'_> {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn run_tiles(self, s: Avx512, amx: Amx) -> Self {
        let first_token = self.tokens_by_tiles(s, amx);
        Self {
            first_token,
            ..self
        }
    }
}

impl<'a> Per256Gemm<'a> {
    pub(super) const fn of(task: &'a GemmTask<'a>) -> Self {
        Self {
            task,
            first_token: 0,
        }
    }

    /// The bytes of a row group.
    #[inline(always)]
    fn weights(&self, group: usize) -> *const u8 {
        let bytes = self.task.w.group(group);
        assert_eq!(bytes.len(), LAYOUT.group_bytes(self.task.w.cols()));
        bytes.as_ptr()
    }

    /// Per256Gemm of a row.
    #[inline(always)]
    fn units(&self) -> usize {
        self.task.w.cols().div_ceil(UNIT)
    }

    /// Per32Gemm of a unit.
    #[inline(always)]
    fn blocks(&self, unit: usize) -> usize {
        BLOCKS.min(self.task.w.cols() / BLOCK - unit * BLOCKS)
    }
}

/// The steps of 16 rows: a unit starts with their exponents, biased as those of an `f32` are.
///
/// # Safety
/// A packed unit is at `p`.
#[inline(always)]
unsafe fn steps<S: Simd>(s: S, p: *const u8) -> S::F {
    // SAFETY: a unit's first 16 bytes are the exponents.
    unsafe { s.load_exponents(p) }
}

/// The 32 activations of block `block` of a unit; `quarters` is where the token's first quarter is, the next `step` on.
///
/// # Safety
/// Four quarters of a token lie at `quarters`, `step` apart, for as long as the reference lives; `block` is below 8.
#[inline(always)]
unsafe fn words<'a>(quarters: *const Quarter, step: usize, block: usize) -> &'a [i32; 8] {
    // SAFETY: a quarter is two blocks of eight words, so this is half of quarter `block / 2`.
    unsafe {
        &*quarters
            .add(block / 2 * step)
            .cast::<[i32; 8]>()
            .add(block % 2)
    }
}

/// Adds a block of 32 columns to the sums of a row group.
///
/// # Safety
/// A packed block is at `p`, and a unit of each of `T` tokens at `x`, its quarters `step` apart.
#[inline(always)]
unsafe fn add_block<S: Simd, const T: usize>(
    s: S,
    p: *const u8,
    (x, step, is_first): (UnitInputs, usize, bool),
    block: usize,
    sums: &mut [S::I; T],
) {
    // SAFETY: a block is its multiples and then its planes; `t`, `t + 1` are below `T` (a tile of more than one token
    // has an even number of them), and `block` is below 8.
    unsafe {
        let multiples = s.load_multiples(p);
        let u = Nibbles::unpack(s, p.add(LAYOUT.scale_bytes()));
        if is_first {
            prefetch_block(s, p, LAYOUT.block_bytes());
        }
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

/// Adds weight · rest for an activation beyond ±127: the sums so far have it clamped.
///
/// # Safety
/// A packed unit that has the outlier's column is at `p`.
#[inline(always)]
unsafe fn add_outlier<S: Simd>(s: S, p: *const u8, outlier: Outlier, sum: &mut S::I) {
    if outlier.rest == 0 {
        return;
    }
    let (block, col) = (outlier.at as usize / BLOCK, outlier.at % BLOCK as u32);
    // SAFETY: `block` is one of the unit's, and its plane has four vectors of 8 columns: `col / 8` is below 4.
    unsafe {
        let p = p.add(LAYOUT.head_bytes() + block * LAYOUT.block_bytes());
        let plane = s.load_bytes(p.add(LAYOUT.scale_bytes() + 64 * (col as usize / 8)));
        let u = s.nibble(plane, col % 4 * 8 + col / 4 % 2 * 4);
        let weight = s.add_multiples(s.splat_int(0), u, s.load_multiples(p));
        *sum = s.add_multiples(*sum, weight, s.splat_multiple(outlier.rest));
    }
}

impl GemmTile for Per256Gemm<'_> {
    #[inline(always)]
    fn tokens(&self, x: &Activations) -> usize {
        filled(x.rows())
    }

    #[inline(always)]
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &GemmTask<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G] {
        let mut w = [std::ptr::null(); G];
        for k in 0..G {
            w[k] = self.weights(group + k * share);
        }
        let inputs = task.x.per256(token);
        let first = inputs.check(self.units(), T);
        let mut acc = [[s.splat(0.0); T]; G];
        let is_first = is_first_pass::<T>(token, self.first_token);
        for unit in 0..self.units() {
            // SAFETY: `inputs.check` found `units()` units of at least `T` tokens.
            let x = unsafe { first.unit(unit, inputs.tokens) };
            let at = unit * LAYOUT.unit_bytes();
            let mut sums = [[s.splat_int(0); T]; G];
            for block in 0..self.blocks(unit) {
                let at = at + LAYOUT.head_bytes() + block * LAYOUT.block_bytes();
                unroll!(for g in 0..G {
                    // SAFETY: `weights` checked the group's length: `at` is the start of block `block` of that unit,
                    // and `x` the same unit of `T` tokens.
                    unsafe {
                        let x = (x, inputs.tokens, is_first);
                        add_block(s, w[g].add(at), x, block, &mut sums[g]);
                    }
                });
            }
            unroll!(for g in 0..G {
                // SAFETY: `at` is the start of a unit of the group.
                let step = unsafe { steps(s, w[g].add(at)) };
                unroll!(for t in 0..T {
                    // SAFETY: `x` has `T` tokens, and an outlier's column is one of the unit's.
                    unsafe {
                        let [a, b] = *x.outliers.add(t);
                        add_outlier(s, w[g].add(at), a, &mut sums[g][t]);
                        add_outlier(s, w[g].add(at), b, &mut sums[g][t]);
                    }
                    // SAFETY: `x` has `T` tokens.
                    let d = s.splat(unsafe { *x.d.add(t) });
                    acc[g][t] = s.fma(s.float(sums[g][t]), s.mul(step, d), acc[g][t]);
                });
            });
        }
        acc
    }
}
