//! GEMM with float weights (F32, F16, BF16): for each column, `acc = fma(w, x, acc)`.
//!
//! The plain definition, with weights widened as they are loaded. Only files that nobody quantised, and the few tensors
//! that are kept in floats, come through here, so it is simple rather than blocked for the caches.
#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

use super::{GemmTask, GemmTile};
use crate::simd::{Kernel, LANES, Simd};

/// GEMM with float weights: `KIND` 32 is F32, 16 is F16, 8 is BF16.
pub(super) struct FloatGemm<'a, const KIND: u8>(pub(super) &'a GemmTask<'a>);

impl<const KIND: u8> Kernel for FloatGemm<'_, KIND> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.0.tiles(s, &self, 0);
    }
}

impl<const KIND: u8> GemmTile for FloatGemm<'_, KIND> {
    #[inline(always)]
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &GemmTask<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G] {
        let cols = task.w.cols();
        let tile = task.x.transposed(token);
        let x = tile.check(cols, T);
        let mut w = [std::ptr::null::<u8>(); G];
        for k in 0..G {
            let bytes = task.w.group(group + k * share);
            assert_eq!(bytes.len(), cols * LANES * task.w.format().block_bytes());
            w[k] = bytes.as_ptr();
        }
        let mut acc = [[s.splat(0.0); T]; G];
        for col in 0..cols {
            unroll!(for g in 0..G {
                // SAFETY: `check` and the assertion above: the tile has `cols` columns of at least `T` tokens, and a
                // group `cols` vectors of 16 weights.
                unsafe {
                    let weights = match KIND {
                        32 => s.load(w[g].cast::<f32>().add(col * LANES)),
                        16 => s.load_f16(w[g].cast::<u16>().add(col * LANES)),
                        _ => s.load_bf16(w[g].cast::<u16>().add(col * LANES)),
                    };
                    let x = x.add(col * tile.tokens);
                    unroll!(for t in 0..T {
                        acc[g][t] = s.fma(weights, s.splat(*x.add(t)), acc[g][t]);
                    });
                }
            });
        }
        acc
    }
}
