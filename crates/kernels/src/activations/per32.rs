//! Activations quantised with one scale per 32 columns, for every quantised weight format but Q4_0.
//!
//! Weights are stored as unsigned integers, so a block's dot product needs Σq to take off what made them unsigned
//! (formats centred on zero) or to add their minimum (formats that have one). Both are made here, once per row: as an
//! integer per 16 columns, and times d. In a tile the blocks lie block by block, in a block token by token.

use super::{Isa, Kernel, LANES, Simd, TileInputs, TilePlace, integers, scale};
use crate::buffer::Aligned;

/// Columns that share a scale.
pub(crate) const BLOCK: usize = 32;

/// 32 activations of one token. One cache line, so that a tile of tokens streams.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct QuantizedBlock {
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
pub(super) struct Per32(Aligned<QuantizedBlock>);

impl Per32 {
    /// Makes room for so many rows, which threads may fill side by side.
    pub(super) fn resize(&mut self, rows: usize, cols: usize) -> Per32Rows {
        let blocks = cols / BLOCK;
        Per32Rows {
            start: self.0.sized(rows * blocks).as_mut_ptr(),
            rows,
            blocks,
        }
    }

    pub(super) fn tile(
        &self,
        rows: usize,
        cols: usize,
        token: usize,
    ) -> TileInputs<'_, QuantizedBlock> {
        TileInputs::of(&self.0, rows, cols / BLOCK, token)
    }
}

/// Where rows go.
pub(super) struct Per32Rows {
    start: *mut QuantizedBlock,
    rows: usize,
    blocks: usize,
}

// SAFETY: only `put` writes through the pointer, and its callers promise that no two threads write the same row's
// columns; the blocks of different rows are different elements.
unsafe impl Sync for Per32Rows {}

impl Per32Rows {
    /// Writes the integers of row `row` from column `first` on, a multiple of 32.
    ///
    /// # Safety
    /// The room is there, the row has the columns of `x`, and no other thread writes them.
    pub(super) unsafe fn put(&self, isa: Isa, row: usize, first: usize, x: &[f32]) {
        let place = TilePlace::of(self.rows, row);
        let block = first / BLOCK;
        isa.run(QuantizePer32 {
            x: &x[..x.len() / BLOCK * BLOCK],
            // SAFETY: `row` is one of `rows` and `block` one of the row's `blocks`, so the index is below
            // rows · blocks, the room that `resize` made.
            out: unsafe {
                let tile = self.start.add(place.first * self.blocks);
                tile.add(block * place.tokens + place.token)
            },
            step: place.tokens,
        });
    }
}

struct QuantizePer32<'a> {
    /// Whole blocks.
    x: &'a [f32],
    /// The first block of this token.
    out: *mut QuantizedBlock,
    /// From a block of this token to its next.
    step: usize,
}

impl Kernel for QuantizePer32<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (i, x) in self.x.chunks_exact(BLOCK).enumerate() {
            let mut block = QuantizedBlock::default();
            // SAFETY: a chunk has 32 floats, two vectors; `words` has room for 32 bytes.
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
            // SAFETY: block `i` of this token lies `i * step` on, inside the room that `put` was given for the row.
            unsafe { self.out.add(i * self.step).write(block) };
        }
    }
}
