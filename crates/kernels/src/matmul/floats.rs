//! GEMM with float weights (F32, F16, BF16): for each column, `acc = fma(w, x, acc)`.
//!
//! A few tokens widen weights as they load them. Many tokens would do that again for every tile of them, at the cost of
//! an eighth of their arithmetic: for those, two row groups at a time are widened once, to where they stay in the L2
//! cache. (Blocks of columns that fit the L1 cache were a quarter slower: sums then go to memory and back.)
#![expect(
    clippy::needless_range_loop,
    reason = "iterators over tiles of registers are not always inlined"
)]

use super::{GemmTask, GemmTile};
use crate::buffer::Aligned;
use crate::simd::{Kernel, LANES, Simd};
use std::cell::Cell;
use std::ops::Range;

/// Tokens from which on weights are widened once for all of them.
const MANY: usize = 16;

/// Row groups that are widened together: a token's value is loaded once for both.
const GROUPS: usize = 2;

thread_local! {
    /// Widened weights, kept from call to call because the page faults of new memory cost more than the widening.
    static WIDENED: Cell<Aligned<f32>> = Cell::default();
}

/// GEMM with float weights: `KIND` 32 is F32, 16 is F16, 8 is BF16.
pub(super) struct FloatGemm<'a, const KIND: u8>(pub(super) &'a GemmTask<'a>);

impl<const KIND: u8> Kernel for FloatGemm<'_, KIND> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let task = self.0;
        if task.x.rows() < MANY {
            return task.tiles(s, &self, 0);
        }
        let mut buffer = WIDENED.take();
        for first in task.groups.clone().step_by(GROUPS) {
            let groups = first..task.groups.end.min(first + GROUPS);
            if KIND == 32 {
                pass(s, task, &self, groups);
            } else {
                let weights = self.widen(s, groups.clone(), &mut buffer);
                pass(s, task, &WidenedTile { weights, first }, groups);
            }
        }
        WIDENED.set(buffer);
    }
}

/// Multiplies a few groups with all tokens.
#[inline(always)]
fn pass<S: Simd>(s: S, task: &GemmTask<'_>, tile: &impl GemmTile, groups: Range<usize>) {
    let tokens = task.x.rows();
    let mut token = 0;
    while S::TOKENS >= 16 && groups.len() == GROUPS && tokens - token >= 8 {
        task.part::<S, GROUPS, 8>(s, tile, groups.start, 1, token);
        token += 8;
    }
    for group in groups {
        let mut token = token;
        while S::TOKENS >= 8 && tokens - token >= 8 {
            task.part::<S, 1, 8>(s, tile, group, 0, token);
            token += 8;
        }
        while S::TOKENS >= 4 && tokens - token >= 4 {
            task.part::<S, 1, 4>(s, tile, group, 0, token);
            token += 4;
        }
        while token < tokens {
            task.part::<S, 1, 1>(s, tile, group, 0, token);
            token += 1;
        }
    }
}

impl<const KIND: u8> FloatGemm<'_, KIND> {
    /// The weights of some groups as f32.
    #[inline(always)]
    fn widen<'b, S: Simd>(
        &self,
        s: S,
        groups: Range<usize>,
        buffer: &'b mut Aligned<f32>,
    ) -> &'b [f32] {
        let cols = self.0.w.cols();
        let out = buffer.sized(groups.len() * cols * LANES);
        for (i, group) in groups.enumerate() {
            let w = self.group(group);
            let out = out[i * cols * LANES..][..cols * LANES].as_mut_ptr();
            for col in 0..cols {
                // SAFETY: `group` checks that there is a vector of weights for every column, and `out` is a slice of as
                // many.
                unsafe { s.store(out.add(col * LANES), load::<S, KIND>(s, w, col)) }
            }
        }
        out
    }

    /// A group's weights: a vector of 16 for every column.
    #[inline(always)]
    fn group(&self, group: usize) -> *const u8 {
        let w = self.0.w;
        let bytes = w.group(group);
        assert_eq!(bytes.len(), w.cols() * LANES * w.format().block_bytes());
        bytes.as_ptr()
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
        let mut w = [std::ptr::null::<u8>(); G];
        for k in 0..G {
            w[k] = self.group(group + k * share);
        }
        // SAFETY: `group` checks that each has a vector of weights for every column.
        unsafe { chain::<S, KIND, G, T>(s, task, w, token) }
    }
}

/// Widened weights of the groups from `first` on.
struct WidenedTile<'a> {
    weights: &'a [f32],
    first: usize,
}

impl GemmTile for WidenedTile<'_> {
    #[inline(always)]
    fn compute<S: Simd, const G: usize, const T: usize>(
        &self,
        s: S,
        task: &GemmTask<'_>,
        group: usize,
        share: usize,
        token: usize,
    ) -> [[S::F; T]; G] {
        let len = task.w.cols() * LANES;
        let mut w = [std::ptr::null::<u8>(); G];
        for k in 0..G {
            let at = (group + k * share - self.first) * len;
            w[k] = self.weights[at..at + len].as_ptr().cast();
        }
        // SAFETY: each of these slices has a vector of weights for every column.
        unsafe { chain::<S, 32, G, T>(s, task, w, token) }
    }
}

/// The sums of G groups by T tokens, column by column.
///
/// # Safety
/// Each group has a vector of 16 weights for every column.
#[inline(always)]
unsafe fn chain<S: Simd, const KIND: u8, const G: usize, const T: usize>(
    s: S,
    task: &GemmTask<'_>,
    w: [*const u8; G],
    token: usize,
) -> [[S::F; T]; G] {
    let cols = task.w.cols();
    let tile = task.x.transposed(token);
    let x = tile.check(cols, T);
    let mut acc = [[s.splat(0.0); T]; G];
    for col in 0..cols {
        // SAFETY: `check`: the tile has `cols` columns of at least `T` tokens; the caller promises the weights.
        unsafe {
            let mut weights = [s.splat(0.0); G];
            unroll!(for g in 0..G {
                weights[g] = load::<S, KIND>(s, w[g], col);
            });
            let x = x.add(col * tile.tokens);
            unroll!(for t in 0..T {
                let x = s.splat(*x.add(t));
                unroll!(for g in 0..G {
                    acc[g][t] = s.fma(weights[g], x, acc[g][t]);
                });
            });
        }
    }
    acc
}

/// The 16 weights of a column.
///
/// # Safety
/// The group has that column.
#[inline(always)]
unsafe fn load<S: Simd, const KIND: u8>(s: S, group: *const u8, col: usize) -> S::F {
    // SAFETY: the caller's promise.
    unsafe {
        match KIND {
            32 => s.load(group.cast::<f32>().add(col * LANES)),
            16 => s.load_f16(group.cast::<u16>().add(col * LANES)),
            _ => s.load_bf16(group.cast::<u16>().add(col * LANES)),
        }
    }
}
