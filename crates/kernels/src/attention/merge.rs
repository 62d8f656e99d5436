//! Merges the parts of chunks, in the order of the chunks, and divides by the softmax sum at the end.
//!
//! Each chunk has its own maximum; two are brought to the larger one by e^(m − larger), as in flash attention.
//! `merged` has the shape of a part: for each row the sums `[dim]`, then for each row the maximum and the weight; it
//! starts as zeros, or as the weights of sinks. A row that saw nothing of a chunk has no weight there, and the chunk is passed over.

use crate::math;
use crate::simd::{Kernel, LANES, Simd, Vector};

/// Adds the part of the next chunk.
pub(super) struct MergeChunk<'a> {
    pub(super) rows: usize,
    pub(super) part: &'a [f32],
    pub(super) merged: &'a mut [f32],
}

impl Kernel for MergeChunk<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { rows, part, merged } = self;
        assert_eq!(part.len(), merged.len(), "parts of one shape");
        let dim = part.len() / rows - 2;
        let (sums, marks) = part.split_at(rows * dim);
        let (merged_sums, merged_marks) = merged.split_at_mut(rows * dim);
        for row in 0..rows {
            let (maximum, weight) = (marks[2 * row], marks[2 * row + 1]);
            if weight == 0.0 {
                continue;
            }
            let mark = &mut merged_marks[2 * row..][..2];
            let is_first = mark[1] == 0.0;
            let largest = if is_first {
                maximum
            } else {
                mark[0].max(maximum)
            };
            let old = if is_first {
                0.0
            } else {
                weight_of(s, mark[0] - largest)
            };
            let new = weight_of(s, maximum - largest);
            mark[0] = largest;
            mark[1] = mark[1] * old + weight * new;
            let from = sums[row * dim..][..dim].as_ptr();
            let to = merged_sums[row * dim..][..dim].as_mut_ptr();
            for i in (0..dim).step_by(LANES) {
                // SAFETY: both rows are slices of `dim` floats, a multiple of 16 (`KvCache::new` asserts it).
                unsafe {
                    let kept = s.mul(s.load(to.add(i)), s.splat(old));
                    s.store(
                        to.add(i),
                        s.add(kept, s.mul(s.load(from.add(i)), s.splat(new))),
                    );
                }
            }
        }
    }
}

/// Divides the sums of some rows by their weights.
pub(super) struct DivideBySum<'a> {
    pub(super) rows: usize,
    pub(super) first: usize,
    pub(super) merged: &'a [f32],
    pub(super) out: &'a mut [f32],
}

impl Kernel for DivideBySum<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let dim = self.merged.len() / self.rows - 2;
        let (sums, marks) = self.merged.split_at(self.rows * dim);
        for (i, out) in self.out.chunks_exact_mut(dim).enumerate() {
            let row = self.first + i;
            let from = sums[row * dim..][..dim].as_ptr();
            for at in (0..dim).step_by(LANES) {
                // SAFETY: both rows are slices of `dim` floats, a multiple of 16 (`KvCache::new` asserts it).
                unsafe {
                    let x = s.div(s.load(from.add(at)), s.splat(marks[2 * row + 1]));
                    s.store(out.as_mut_ptr().add(at), x);
                }
            }
        }
    }
}

/// The weight of one number.
#[inline(always)]
fn weight_of<S: Vector>(s: S, x: f32) -> f32 {
    s.largest(math::weight(s, s.splat(x)))
}
