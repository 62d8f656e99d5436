//! Products of quantised weights with many tokens on tile registers.
//!
//! The same integers and the same order of float operations as `blocks`, so the same bits. Weights are unpacked to
//! signed bytes for a run of columns and a few row groups, which stay in the nearest cache; then each tile of 16
//! tokens passes over them. What does not fill a tile is left to `blocks`.
#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

use super::blocks::Blocks;
use crate::activations::{Quantized, TILE};
use crate::simd::{Amx, Avx512, LANES, Simd, Sums};
use std::arch::x86_64::*;
use std::cell::Cell;
use std::ops::Range;

/// Blocks of 32 columns that are unpacked at once: 256 columns.
const RUN: usize = 8;
/// Row groups that are unpacked at once.
const GROUPS: usize = 4;
/// Tiles of tokens that pass over what was unpacked.
const TILES: usize = 16;

/// A block of 16 rows by 32 columns, ready for a tile.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Ready {
    weights: [[u8; 64]; 8],
    scales: [[f32; LANES]; 2],
    mins: [[f32; LANES]; 2],
}

/// Results of 16 tokens by 16 rows.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Results([[f32; LANES]; TILE]);

/// What goes into tiles and comes out of them; each thread has one and uses it again.
struct Places {
    ready: [[Ready; RUN]; GROUPS],
    /// Of two groups.
    sums: [[[Sums; 2]; RUN]; 2],
    results: [[Results; GROUPS]; TILES],
}

impl Places {
    const EMPTY: Self = Self {
        ready: [[Ready {
            weights: [[0; 64]; 8],
            scales: [[0.0; LANES]; 2],
            mins: [[0.0; LANES]; 2],
        }; RUN]; GROUPS],
        sums: [[[Sums([[0; LANES]; LANES]); 2]; RUN]; 2],
        results: [[Results([[0.0; LANES]; TILE]); GROUPS]; TILES],
    };
}

thread_local! {
    static PLACES: Cell<Option<Box<Places>>> = const { Cell::new(None) };
}

/// Where a pass over the unpacked weights is.
#[derive(Clone)]
struct Pass {
    /// First token, and which of the sweep's tiles it starts.
    token: usize,
    tile: usize,
    /// First row group, and which of the unpacked ones it is.
    group: usize,
    index: usize,
    /// Blocks of columns.
    run: Range<usize>,
    /// Whether these are the row's last blocks.
    last: bool,
}

impl<const BITS: usize, const SCALES: u8> Blocks<'_, BITS, SCALES> {
    /// Groups that share the tokens in a tile register; pays where a block has minimums.
    const ABREAST: usize = if Self::MINIMUM { 2 } else { 1 };

    /// Computes all tokens that fill tiles, for whole groups of rows; gives how many tokens are done.
    #[inline(always)]
    pub(super) fn run_tiles(&self, s: Avx512, amx: Amx) -> usize {
        let task = self.0;
        let tokens = task.tokens_in_tiles();
        if tokens == 0 {
            return 0;
        }
        // Taken and put back, not borrowed by a closure, which would be compiled without the vector instructions.
        let mut places = PLACES.take().unwrap_or_else(|| Box::new(Places::EMPTY));
        amx.with_blocks(
            #[inline(always)]
            || {
                for first in task.groups.clone().step_by(GROUPS) {
                    let groups = first..task.groups.end.min(first + GROUPS);
                    for token in (0..tokens).step_by(TILE * TILES) {
                        let tokens = token..tokens.min(token + TILE * TILES);
                        self.sweep(s, amx, groups.clone(), tokens, &mut places);
                    }
                }
            },
        );
        PLACES.set(Some(places));
        tokens
    }

    /// A few groups by a few tiles of tokens, over all columns.
    #[inline(always)]
    fn sweep(
        &self,
        s: Avx512,
        amx: Amx,
        groups: Range<usize>,
        tokens: Range<usize>,
        places: &mut Places,
    ) {
        let blocks = self.0.w.cols() / 32;
        for first in (0..blocks).step_by(RUN) {
            let run = first..blocks.min(first + RUN);
            for (index, group) in groups.clone().enumerate() {
                self.unpack_run(s, group, run.clone(), &mut places.ready[index]);
            }
            for (tile, token) in tokens.clone().step_by(TILE).enumerate() {
                for index in (0..groups.len()).step_by(Self::ABREAST) {
                    let pass = Pass {
                        token,
                        tile,
                        group: groups.start + index,
                        index,
                        run: run.clone(),
                        last: run.end == blocks,
                    };
                    if index + 1 < groups.len() && Self::ABREAST == 2 {
                        self.pass::<2>(s, amx, &pass, places);
                    } else {
                        self.pass::<1>(s, amx, &pass, places);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn unpack_run(&self, s: Avx512, group: usize, run: Range<usize>, out: &mut [Ready; RUN]) {
        let plan = Self::PLAN;
        let per_unit = plan.unit_cols() / 32;
        let bytes = self.0.w.group(group);
        assert_eq!(
            bytes.len(),
            self.0.w.cols() / plan.unit_cols() * plan.unit_bytes()
        );
        let centre = if Self::CENTRED { 1u8 << (BITS - 1) } else { 0 };
        for (block, out) in run.zip(out) {
            // SAFETY: `block` is one of the group's, whose length was checked, and `out` has whole vectors;
            // an `Avx512` proves the instructions.
            unsafe {
                let unit = bytes.as_ptr().add(block / per_unit * plan.unit_bytes());
                let at = unit.add(plan.head_bytes() + block % per_unit * plan.block_bytes());
                let [scale, min] = Self::scales(s, Self::head(s, unit), at);
                let u = Self::unpack(s, at.add(plan.scale_bytes()));
                for q in 0..8 {
                    let w = _mm512_sub_epi8(u[q], _mm512_set1_epi8(centre.cast_signed()));
                    _mm512_store_si512(out.weights[q].as_mut_ptr().cast(), w);
                }
                for half in 0..Self::HALVES {
                    s.store(out.scales[half].as_mut_ptr(), scale[half]);
                    if Self::MINIMUM {
                        s.store(out.mins[half].as_mut_ptr(), min[half]);
                    }
                }
            }
        }
    }

    /// Adds a run of blocks to the results of 16 tokens by `N` groups of rows.
    #[inline(always)]
    fn pass<const N: usize>(&self, s: Avx512, amx: Amx, pass: &Pass, places: &mut Places) {
        let x = self.0.x.narrow(pass.token);
        let x = x.check(self.0.w.cols() / 32, TILE);
        let count = pass.run.len();
        for i in 0..count {
            // SAFETY: `x` has every block of the row for each of 16 tokens.
            unsafe {
                let x = x.add((pass.run.start + i) * TILE);
                Self::multiply::<N>(amx, x, pass.index, i, places);
            }
        }
        for k in 0..N {
            let (ready, sums) = (&places.ready[pass.index + k], &places.sums[k]);
            let results = &mut places.results[pass.tile][pass.index + k].0;
            let mut acc = [s.splat(0.0); TILE];
            if pass.run.start > 0 {
                unroll!(for t in 0..TILE {
                    // SAFETY: a whole vector.
                    acc[t] = unsafe { s.load(results[t].as_ptr()) };
                });
            }
            for i in 0..count {
                // SAFETY: as above.
                unsafe {
                    let x = x.add((pass.run.start + i) * TILE);
                    Self::scale_sums(s, x, &ready[i], &sums[i], &mut acc);
                }
            }
            if pass.last {
                self.0.put(s, [pass.group + k], pass.token, [acc]);
            } else {
                unroll!(for t in 0..TILE {
                    // SAFETY: a whole vector.
                    unsafe { s.store(results[t].as_mut_ptr(), acc[t]) };
                });
            }
        }
    }

    /// The integer sums of block `i` of the run for 16 tokens and `N` groups from `index` on.
    #[inline(always)]
    unsafe fn multiply<const N: usize>(
        amx: Amx,
        x: *const Quantized,
        index: usize,
        i: usize,
        places: &mut Places,
    ) {
        let tokens = x.cast::<u8>();
        let mut weights = [std::ptr::null::<u8>(); N];
        let mut sums = [std::ptr::null_mut::<Sums>(); N];
        for k in 0..N {
            weights[k] = places.ready[index + k][i].weights.as_ptr().cast();
            sums[k] = places.sums[k][i].as_mut_ptr();
        }
        // SAFETY: vouched for by the caller; the integers of a block come first in it, and a block has two sums.
        unsafe {
            if Self::SMALL {
                amx.half_products(tokens, weights, sums);
                for k in 0..N {
                    weights[k] = weights[k].add(256);
                    sums[k] = sums[k].add(1);
                }
                amx.half_products(tokens.add(16), weights, sums);
            } else {
                amx.products(tokens, weights, sums);
            }
        }
    }

    /// Adds the sums of a block, scaled, to the results.
    #[inline(always)]
    unsafe fn scale_sums(
        s: Avx512,
        x: *const Quantized,
        ready: &Ready,
        sums: &[Sums; 2],
        acc: &mut [__m512; TILE],
    ) {
        // SAFETY: vouched for by the caller; everything else is whole vectors.
        unsafe {
            unroll!(for t in 0..TILE {
                let x = &*x.add(t);
                let d = s.splat(x.d);
                for half in 0..Self::HALVES {
                    let sum = _mm512_load_si512(sums[half].0[t].as_ptr().cast());
                    let scale = s.load(ready.scales[half].as_ptr());
                    acc[t] = s.fma(s.float(sum), s.mul(scale, d), acc[t]);
                    if Self::MINIMUM {
                        let min = s.load(ready.mins[half].as_ptr());
                        let sum = x.scaled_sums[if Self::SMALL { half } else { 2 }];
                        acc[t] = s.fma(min, s.splat(sum), acc[t]);
                    }
                }
            });
        }
    }
}
