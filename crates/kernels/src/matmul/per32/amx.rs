//! The `per32` GEMM for many tokens on AMX tile registers.
//!
//! The same integers and the same order of float operations as `per32`, so the same bits. Weights are unpacked to
//! signed bytes for a run of columns and a few row groups, which stay in the L1 cache; then each tile of 16 tokens
//! passes over them. A tile register holds the sums of one block only, because the next block has another scale, so
//! sums are stored and rescaled after each block; Q4_0, the default model's format, has a layout of its own to avoid
//! that (`per256`). Tokens that do not fill a tile, and fewer than
//! `FEWEST`, are left to `per32`.
#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

use super::super::prefetch_block;
use super::{Lookup, Per32Gemm};
use crate::activations::{QuantizedBlock, TILE};
use crate::simd::{Amx, Avx512, LANES, Simd, Sums, Vector};
use std::arch::x86_64::*;
use std::cell::Cell;
use std::ops::Range;

/// Per32Gemm of 32 columns that are unpacked at once: 256 columns.
const RUN: usize = 8;
/// Row groups that are unpacked at once.
const GROUPS: usize = 4;
/// Tiles of tokens that pass over what was unpacked.
const TILES: usize = 16;
/// Fewer tokens do not pay for the unpacking; vector instructions take them. Measured.
const FEWEST: usize = 64;

/// A block of 16 rows by 32 columns, as a tile register loads it.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct UnpackedBlock {
    weights: [[u8; 64]; 8],
    scales: [[f32; LANES]; 2],
    mins: [[f32; LANES]; 2],
}

/// Results of 16 tokens by 16 rows.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(in crate::matmul) struct TileResults(pub(in crate::matmul) [[f32; LANES]; TILE]);

/// What goes into tiles and comes out of them. One per thread: too large for the stack, and new memory would cost page
/// faults.
struct TileBuffers {
    ready: [[UnpackedBlock; RUN]; GROUPS],
    /// Integer sums of two groups, for each block of the run and each half of a block.
    sums: [[[Sums; 2]; RUN]; 2],
    results: [[TileResults; GROUPS]; TILES],
}

impl TileBuffers {
    const EMPTY: Self = Self {
        ready: [[UnpackedBlock {
            weights: [[0; 64]; 8],
            scales: [[0.0; LANES]; 2],
            mins: [[0.0; LANES]; 2],
        }; RUN]; GROUPS],
        sums: [[[Sums([[0; LANES]; LANES]); 2]; RUN]; 2],
        results: [[TileResults([[0.0; LANES]; TILE]); GROUPS]; TILES],
    };
}

thread_local! {
    static BUFFERS: Cell<Option<Box<TileBuffers>>> = const { Cell::new(None) };
}

/// Where a pass over the unpacked weights is.
#[derive(Clone)]
struct TilePass {
    /// First token, and which of the sweep's tiles it starts.
    token: usize,
    tile: usize,
    /// First row group, and which of the unpacked ones it is.
    group: usize,
    index: usize,
    /// Per32Gemm of columns.
    run: Range<usize>,
    /// Whether these are the row's last blocks.
    last: bool,
}

impl<const BITS: usize, const SCALES: u8, const CODES: bool> Per32Gemm<'_, BITS, SCALES, CODES> {
    /// Groups that share a load of the tokens' tile register. Measured: two pay where a block has minimums, else one.
    const ABREAST: usize = if Self::MINIMUM { 2 } else { 1 };

    /// Computes all tokens that fill tiles, for whole groups of rows; gives how many tokens are done.
    #[inline(always)]
    pub(super) fn tokens_by_tiles(&self, s: Avx512, amx: Amx) -> usize {
        let task = self.task;
        let tokens = task.tokens_in_tiles();
        if tokens < FEWEST {
            return 0;
        }
        // Taken and put back, not borrowed by a closure, which would be compiled without the vector instructions.
        let mut buffers = BUFFERS
            .take()
            .unwrap_or_else(|| Box::new(TileBuffers::EMPTY));
        amx.with_blocks(
            #[inline(always)]
            || {
                for first in task.groups.clone().step_by(GROUPS) {
                    let groups = first..task.groups.end.min(first + GROUPS);
                    for token in (0..tokens).step_by(TILE * TILES) {
                        let tokens = token..tokens.min(token + TILE * TILES);
                        self.sweep(s, amx, groups.clone(), tokens, &mut buffers);
                    }
                }
            },
        );
        BUFFERS.set(Some(buffers));
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
        buffers: &mut TileBuffers,
    ) {
        let blocks = self.task.w.cols() / 32;
        for first in (0..blocks).step_by(RUN) {
            let run = first..blocks.min(first + RUN);
            for (index, group) in groups.clone().enumerate() {
                self.unpack_run(s, group, run.clone(), &mut buffers.ready[index]);
            }
            for (tile, token) in tokens.clone().step_by(TILE).enumerate() {
                for index in (0..groups.len()).step_by(Self::ABREAST) {
                    let pass = TilePass {
                        token,
                        tile,
                        group: groups.start + index,
                        index,
                        run: run.clone(),
                        last: run.end == blocks,
                    };
                    if index + 1 < groups.len() && Self::ABREAST == 2 {
                        self.pass::<2>(s, amx, &pass, buffers);
                    } else {
                        self.pass::<1>(s, amx, &pass, buffers);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn unpack_run(
        &self,
        s: Avx512,
        group: usize,
        run: Range<usize>,
        out: &mut [UnpackedBlock; RUN],
    ) {
        let layout = Self::LAYOUT;
        let per_unit = layout.unit_cols() / 32;
        let bytes = self.task.w.group(group);
        assert_eq!(
            bytes.len(),
            self.task.w.cols() / layout.unit_cols() * layout.unit_bytes()
        );
        let lookup = Lookup::new(s, self.task.w.format());
        for (block, out) in run.zip(out) {
            // SAFETY: the assertion above: `block` is one of the group's; the rows of `out` are 64-byte vectors,
            // aligned as the struct is; and an `Avx512` exists only where the CPU has the instructions.
            unsafe {
                let unit = bytes.as_ptr().add(block / per_unit * layout.unit_bytes());
                let at = unit.add(layout.head_bytes() + block % per_unit * layout.block_bytes());
                let [scale, min] = Self::scales(s, Self::head(s, lookup, unit), at);
                let u = Self::integers(s, lookup, at.add(layout.scale_bytes()));
                prefetch_block(s, at, layout.block_bytes());
                for q in 0..8 {
                    let w = _mm512_sub_epi8(u[q], _mm512_set1_epi8(Self::OFFSET.cast_signed()));
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
    fn pass<const N: usize>(
        &self,
        s: Avx512,
        amx: Amx,
        pass: &TilePass,
        buffers: &mut TileBuffers,
    ) {
        let x = self.task.x.per32(pass.token);
        let x = x.check(self.task.w.cols() / 32, TILE);
        let count = pass.run.len();
        for i in 0..count {
            // SAFETY: `check` found every block of the row for 16 tokens, and `tokens_by_tiles` calls this inside
            // `with_blocks`.
            unsafe {
                let x = x.add((pass.run.start + i) * TILE);
                Self::multiply::<N>(amx, x, pass.index, i, buffers);
            }
        }
        for k in 0..N {
            let (ready, sums) = (&buffers.ready[pass.index + k], &buffers.sums[k]);
            let results = &mut buffers.results[pass.tile][pass.index + k].0;
            let mut acc = [s.splat(0.0); TILE];
            if pass.run.start > 0 {
                unroll!(for t in 0..TILE {
                    // SAFETY: a row of the results is 16 floats.
                    acc[t] = unsafe { s.load(results[t].as_ptr()) };
                });
            }
            for i in 0..count {
                // SAFETY: as for `multiply`: block `pass.run.start + i` of 16 tokens is there.
                unsafe {
                    let x = x.add((pass.run.start + i) * TILE);
                    Self::scale_sums(s, x, &ready[i], &sums[i], &mut acc);
                }
            }
            if pass.last {
                self.task.put(s, [pass.group + k], pass.token, [acc]);
            } else {
                unroll!(for t in 0..TILE {
                    // SAFETY: a row of the results is 16 floats.
                    unsafe { s.store(results[t].as_mut_ptr(), acc[t]) };
                });
            }
        }
    }

    /// The integer sums of block `i` of the run for 16 tokens and `N` groups from `index` on.
    ///
    /// # Safety
    /// Blocks of 16 tokens are at `x`, and the caller runs inside `with_blocks`.
    #[inline(always)]
    unsafe fn multiply<const N: usize>(
        amx: Amx,
        x: *const QuantizedBlock,
        index: usize,
        i: usize,
        buffers: &mut TileBuffers,
    ) {
        let tokens = x.cast::<u8>();
        let mut weights = [std::ptr::null::<u8>(); N];
        let mut sums = [std::ptr::null_mut::<Sums>(); N];
        for k in 0..N {
            weights[k] = buffers.ready[index + k][i].weights.as_ptr().cast();
            sums[k] = buffers.sums[k][i].as_mut_ptr();
        }
        // SAFETY: the integers come first in a `QuantizedBlock`, 64 bytes apart from token to token, as `products`
        // wants them; `weights` are eight rows of 64 bytes (four from +256 on); and a block has room for two sums.
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

    /// Adds the sums of a block, scaled, to the accumulators: the same operations in the same order as
    /// `Per32Gemm::add`.
    ///
    /// # Safety
    /// Blocks of 16 tokens are at `x`.
    #[inline(always)]
    unsafe fn scale_sums(
        s: Avx512,
        x: *const QuantizedBlock,
        ready: &UnpackedBlock,
        sums: &[Sums; 2],
        acc: &mut [__m512; TILE],
    ) {
        // SAFETY: `t` is below 16; rows of `Sums`, scales and minimums are 64-byte vectors, aligned as their structs
        // are.
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
