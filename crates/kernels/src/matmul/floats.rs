//! Products with float weights: for each column, `acc = fma(w, x, acc)`.
#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

use super::{Task, Tile};
use crate::simd::{Kernel, LANES, Simd};

/// Products with float weights: `KIND` 32 is F32, 16 is F16, 8 is BF16.
pub(super) struct Floats<'a, const KIND: u8>(pub(super) &'a Task<'a>);

impl<const KIND: u8> Kernel for Floats<'_, KIND> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.0.tiles(s, &self, 0);
    }
}

impl<const KIND: u8> Tile for Floats<'_, KIND> {
    #[inline(always)]
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &Task<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G] {
        let cols = task.w.cols();
        let tile = task.x.turned(token);
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
                // SAFETY: a group has `cols` vectors of 16 weights of its format, and the tile as many columns of
                // `T` tokens: checked above.
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
