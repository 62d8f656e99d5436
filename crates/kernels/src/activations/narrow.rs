//! Inputs as integers, 32 columns to a scale.
//!
//! Beside the integers stand Σq of each 16 columns, as an integer for formats centred on zero and multiplied by d for
//! formats with a minimum, so that a product needs no second pass. In a tile they lie block by block, in a block
//! token by token.

use super::{Inputs, Isa, Kernel, LANES, Place, Simd, integers, scale};
use crate::buffer::Aligned;

/// Columns that share a scale.
pub(crate) const BLOCK: usize = 32;

/// 32 inputs as integers.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Quantized {
    /// The integers, four signed bytes a word, the first lowest.
    pub(crate) words: [i32; BLOCK / 4],
    /// Σ of the integers of each half.
    pub(crate) sums: [i32; 2],
    /// d · Σ of the integers of each half, and of the whole.
    pub(crate) scaled_sums: [f32; 3],
    pub(crate) d: f32,
}

/// The blocks of all rows.
#[derive(Debug, Default)]
pub(super) struct Narrow(Aligned<Quantized>);

impl Narrow {
    /// Aligned for so many rows, which threads may fill side by side.
    pub(super) fn resize(&mut self, rows: usize, cols: usize) -> Rows {
        let blocks = cols / BLOCK;
        Rows {
            start: self.0.sized(rows * blocks).as_mut_ptr(),
            rows,
            blocks,
        }
    }

    pub(super) fn tile(&self, rows: usize, cols: usize, token: usize) -> Inputs<'_, Quantized> {
        Inputs::of(&self.0, rows, cols / BLOCK, token)
    }
}

/// Where rows go.
pub(super) struct Rows {
    start: *mut Quantized,
    rows: usize,
    blocks: usize,
}

// SAFETY: `put` writes what belongs to its row only.
unsafe impl Sync for Rows {}

impl Rows {
    /// Writes the integers of row `row` from column `first` on, a multiple of 32.
    ///
    /// # Safety
    /// The room is there, the row has the columns of `x`, and no other thread writes them.
    pub(super) unsafe fn put(&self, isa: Isa, row: usize, first: usize, x: &[f32]) {
        let place = Place::of(self.rows, row);
        let block = first / BLOCK;
        isa.run(Quantize {
            x: &x[..x.len() / BLOCK * BLOCK],
            // SAFETY: the block of this token in its tile.
            out: unsafe {
                let tile = self.start.add(place.first * self.blocks);
                tile.add(block * place.tokens + place.token)
            },
            step: place.tokens,
        });
    }
}

struct Quantize<'a> {
    /// Whole blocks.
    x: &'a [f32],
    /// The first block of this token.
    out: *mut Quantized,
    /// From a block of this token to its next.
    step: usize,
}

impl Kernel for Quantize<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (i, x) in self.x.chunks_exact(BLOCK).enumerate() {
            let mut block = Quantized::default();
            // SAFETY: a chunk holds two vectors.
            let [first, second] = unsafe {
                let (a, b) = (s.load(x.as_ptr()), s.load(x.as_ptr().add(LANES)));
                let (d, inverse) = scale(s.largest(s.max(s.abs(a), s.abs(b))));
                block.d = d;
                integers(s, x.as_ptr(), s.splat(inverse), block.words.as_mut_ptr())
            };
            block.sums = [first, second];
            #[expect(clippy::cast_precision_loss, reason = "at most 32 · 127")]
            {
                block.scaled_sums = [first, second, first + second].map(|sum| block.d * sum as f32);
            }
            // SAFETY: `put` vouches for a block of this token for each of the row's.
            unsafe { self.out.add(i * self.step).write(block) };
        }
    }
}
