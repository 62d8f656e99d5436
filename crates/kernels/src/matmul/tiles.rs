//! Products of quantised weights with many tokens on tile registers.
//!
//! The same integers and the same order of float operations as `blocks`, so the same bits. Weights are unpacked to
//! signed bytes for a run of columns that stays in the nearest cache, for a few row groups; then each tile of 16
//! tokens passes over them. What does not fill a tile is left to `blocks`.
#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

use super::blocks::Blocks;
use crate::activations::Quantized;
use crate::simd::{Amx, LANES, Simd, Sums, TILE};
use std::arch::x86_64::*;
use std::ops::Range;

/// Blocks of 32 columns that are unpacked at once: 256 columns.
const RUN: usize = 8;
/// Row groups that are unpacked at once.
const GROUPS: usize = 4;
/// Blocks whose tiles are under way while the sums of an earlier one are read back.
const AHEAD: usize = 3;

/// A block of 16 rows by 32 columns, ready for a tile.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Ready {
    weights: [[u8; 64]; 8],
    scales: [[f32; LANES]; 2],
    mins: [[f32; LANES]; 2],
}

impl Ready {
    const EMPTY: Self = Self {
        weights: [[0; 64]; 8],
        scales: [[0.0; LANES]; 2],
        mins: [[0.0; LANES]; 2],
    };
}

/// Places for what goes into tiles and comes out of them, used again for every pass of a task.
struct Places {
    ready: [[Ready; RUN]; GROUPS],
    sums: [[Sums; 2]; AHEAD + 1],
}

impl<const BITS: usize, const SCALES: u8> Blocks<'_, BITS, SCALES> {
    /// Whether the product has a whole tile of tokens and whole groups of rows.
    pub(super) fn fits_tiles(&self) -> bool {
        let task = self.0;
        task.x.rows() >= TILE && task.groups.end * LANES <= task.w.rows()
    }

    /// All tokens that fill tiles; gives how many.
    #[inline(always)]
    pub(super) fn run_tiles<S: Simd<F = __m512, I = __m512i, B = __m512i>>(&self, s: S, amx: Amx) -> usize {
        let task = self.0;
        let tokens = task.x.rows() / TILE * TILE;
        let blocks = task.w.cols() / 32;
        let mut places = Places {
            ready: [[Ready::EMPTY; RUN]; GROUPS],
            sums: [[Sums([[0; 16]; TILE]); 2]; AHEAD + 1],
        };
        amx.with_tiles(#[inline(always)] || {
            let mut first_group = task.groups.start;
            while first_group < task.groups.end {
                let groups = first_group..task.groups.end.min(first_group + GROUPS);
                let mut first = 0;
                while first < blocks {
                    let run = first..blocks.min(first + RUN);
                    for (i, group) in groups.clone().enumerate() {
                        self.ready(s, group, run.clone(), &mut places.ready[i]);
                    }
                    let mut token = 0;
                    while token < tokens {
                        for (i, group) in groups.clone().enumerate() {
                            self.pass(s, amx, token, group, run.clone(), i, &mut places);
                        }
                        token += TILE;
                    }
                    first = run.end;
                }
                first_group = groups.end;
            }
        });
        tokens
    }

    /// Unpacks a run of a group's blocks.
    #[inline(always)]
    fn ready<S: Simd<F = __m512, I = __m512i, B = __m512i>>(
        &self,
        s: S,
        group: usize,
        run: Range<usize>,
        out: &mut [Ready; RUN],
    ) {
        let plan = Self::PLAN;
        let per_unit = plan.unit_cols() / 32;
        let bytes = self.0.w.group(group);
        assert_eq!(bytes.len(), self.0.w.cols() / plan.unit_cols() * plan.unit_bytes());
        let centre = if Self::CENTRED { 1u8 << (BITS - 1) } else { 0 };
        for (block, out) in run.zip(out) {
            let unit = block / per_unit * plan.unit_bytes();
            // SAFETY: `block` is one of the group's, whose length was checked, and `out` has whole vectors;
            // the CPU has AVX-512, since `S` is its vector.
            unsafe {
                let unit = bytes.as_ptr().add(unit);
                let at = unit.add(plan.head_bytes() + block % per_unit * plan.block_bytes());
                let [scale, min] = Self::scales(s, Self::head(s, unit), at);
                let u = Self::unpack(s, at.add(plan.scale_bytes()));
                for q in 0..8 {
                    let w = _mm512_sub_epi8(u[q], _mm512_set1_epi8(centre.cast_signed()));
                    _mm512_store_si512(out.weights[q].as_mut_ptr().cast(), w);
                }
                for half in 0..if Self::SMALL { 2 } else { 1 } {
                    s.store(out.scales[half].as_mut_ptr(), scale[half]);
                    if Self::MINIMUM {
                        s.store(out.mins[half].as_mut_ptr(), min[half]);
                    }
                }
            }
        }
    }

    /// Adds a run of blocks to the results of 16 tokens by 16 rows.
    #[inline(always)]
    fn pass<S: Simd<F = __m512, I = __m512i, B = __m512i>>(
        &self,
        s: S,
        amx: Amx,
        token: usize,
        group: usize,
        run: Range<usize>,
        index: usize,
        places: &mut Places,
    ) {
        let Places { ready, sums } = places;
        let ready = &ready[index];
        let task = self.0;
        let blocks = task.w.cols() / 32;
        let stride = blocks * size_of::<Quantized>();
        let x = &task.x.packed()[token * blocks..(token + TILE) * blocks];
        // SAFETY: tokens and rows were checked against `out` by `matmul`; a tile of tokens and a whole group are inside.
        let out = |t: usize| unsafe { task.out.start.add((token + t) * task.out.stride + group * LANES) };
        let mut acc = [s.splat(0.0); TILE];
        if run.start > 0 {
            for t in 0..TILE {
                // SAFETY: as said at `out`; a whole vector.
                acc[t] = unsafe { s.load(out(t)) };
            }
        }
        let count = run.len();
        for i in 0..count + AHEAD {
            // SAFETY: `x` has a block for each of the row and each of 16 tokens, `stride` bytes apart.
            unsafe {
                if i < count {
                    let x = x.as_ptr().add(run.start + i);
                    self.sums_of(amx, x, stride, &ready[i], &mut sums[i % (AHEAD + 1)]);
                }
                let Some(i) = i.checked_sub(AHEAD) else {
                    continue;
                };
                let x = x.as_ptr().add(run.start + i);
                let sums = &sums[i % (AHEAD + 1)];
                for t in 0..TILE {
                    let x = &*x.add(t * blocks);
                    let d = s.splat(x.d);
                    for half in 0..if Self::SMALL { 2 } else { 1 } {
                        let sum = _mm512_load_si512(sums[half].0[t].as_ptr().cast());
                        let scale = s.load(ready[i].scales[half].as_ptr());
                        acc[t] = s.fma(s.float(sum), s.mul(scale, d), acc[t]);
                        if Self::MINIMUM {
                            let min = s.load(ready[i].mins[half].as_ptr());
                            let sum = x.scaled_sums[if Self::SMALL { half } else { 2 }];
                            acc[t] = s.fma(min, s.splat(sum), acc[t]);
                        }
                    }
                }
            }
        }
        for t in 0..TILE {
            // SAFETY: as said at `out`.
            unsafe { s.store(out(t), acc[t]) };
        }
    }

    /// The integer sums of one block for 16 tokens.
    #[inline(always)]
    unsafe fn sums_of(
        &self,
        amx: Amx,
        x: *const Quantized,
        stride: usize,
        ready: &Ready,
        sums: &mut [Sums; 2],
    ) {
        // SAFETY: vouched for by the caller; the integers of a block come first in it.
        unsafe {
            let (tokens, weights) = (x.cast::<u8>(), ready.weights.as_ptr().cast::<u8>());
            if Self::SMALL {
                amx.half_product(tokens, stride, weights, &mut sums[0]);
                amx.half_product(tokens.add(16), stride, weights.add(256), &mut sums[1]);
            } else {
                amx.product(tokens, stride, weights, &mut sums[0]);
            }
        }
    }
}
