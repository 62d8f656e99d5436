//! The inputs of a product: rows of floats, and the same rows as small integers.
//!
//! Filled by the forward pass, read by `matmul`. Each run of 32 floats becomes 32
//! signed bytes and one scale: d = max|x| / 127, q = round(x · 127 / max|x|), ties to
//! even. Beside them stand Σq of each 16 columns, as an integer for formats centred on
//! zero and multiplied by d for formats with a minimum, so that a product needs no
//! second pass. Float weights use the floats.

use crate::pool::Pool;
use crate::simd::{Isa, Kernel, LANES, Simd};

/// Columns that share a scale.
pub(crate) const BLOCK: usize = 32;

/// Rows of inputs, one a token.
#[derive(Debug, Default)]
pub struct Activations {
    cols: usize,
    floats: Vec<f32>,
    packed: Vec<Quantized>,
}

/// 32 inputs as integers.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Quantized {
    /// The integers, four signed bytes a word, the first lowest.
    pub(crate) words: [i32; BLOCK / 4],
    /// Σ of the integers of each half.
    pub(crate) sums: [i32; 2],
    /// −8 · Σ of the integers: what four-bit integers, which are 8 too high, start from.
    pub(crate) minus_eight: i32,
    /// d · Σ of the integers of each half, and of the whole.
    pub(crate) scaled_sums: [f32; 3],
    pub(crate) d: f32,
}

impl Quantized {
    const ZERO: Self = Self {
        words: [0; BLOCK / 4],
        sums: [0; 2],
        minus_eight: 0,
        scaled_sums: [0.0; 3],
        d: 0.0,
    };
}

impl Activations {
    /// No rows yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for `rows` rows of `cols` floats and gives them to be filled; then call `quantize`.
    pub fn resize(&mut self, rows: usize, cols: usize) -> &mut [f32] {
        self.cols = cols;
        self.floats.resize(rows * cols, 0.0);
        &mut self.floats
    }

    /// The floats.
    pub fn floats(&self) -> &[f32] {
        &self.floats
    }

    /// The floats, to be changed; then call `quantize`.
    pub fn floats_mut(&mut self) -> &mut [f32] {
        &mut self.floats
    }

    /// Columns of a row.
    pub const fn cols(&self) -> usize {
        self.cols
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.floats.len().checked_div(self.cols).unwrap_or(0)
    }

    /// Makes the integers from the floats. Columns beyond the last whole block stay floats only.
    pub fn quantize(&mut self, isa: Isa, pool: &Pool) {
        let blocks = self.cols / BLOCK;
        self.packed.resize(self.rows() * blocks, Quantized::ZERO);
        if blocks == 0 || self.packed.is_empty() {
            return;
        }
        let (floats, cols) = (&self.floats, self.cols);
        pool.for_each_row(&mut self.packed, blocks, |row, out| {
            isa.run(Quantize {
                x: &floats[row * cols..][..blocks * BLOCK],
                out,
            });
        });
    }

    pub(crate) fn packed(&self) -> &[Quantized] {
        &self.packed
    }
}

struct Quantize<'a> {
    x: &'a [f32],
    out: &'a mut [Quantized],
}

impl Kernel for Quantize<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        assert_eq!(self.x.len(), self.out.len() * BLOCK);
        for (x, out) in self.x.chunks_exact(BLOCK).zip(self.out) {
            // SAFETY: a chunk holds two vectors.
            let (a, b) = unsafe { (s.load(x.as_ptr()), s.load(x.as_ptr().add(LANES))) };
            let largest = s.largest(s.max(s.abs(a), s.abs(b)));
            out.d = largest / 127.0;
            let inverse = s.splat(if largest > 0.0 { 127.0 / largest } else { 0.0 });
            let mut whole = [0.0f32; BLOCK];
            // SAFETY: `whole` holds two vectors.
            unsafe {
                s.store(whole.as_mut_ptr(), s.round(s.mul(a, inverse)));
                s.store(whole.as_mut_ptr().add(LANES), s.round(s.mul(b, inverse)));
            }
            out.sums = [0; 2];
            for i in 0..BLOCK / 4 {
                let mut bytes = [0u8; 4];
                for k in 0..4 {
                    // The cast saturates, so that no input, not even an infinite one, leaves -127..=127.
                    let q = (whole[4 * i + k] as i8).max(-127);
                    out.sums[4 * i / LANES] += i32::from(q);
                    bytes[k] = q.cast_unsigned();
                }
                out.words[i] = i32::from_le_bytes(bytes);
            }
            let [first, second] = out.sums;
            out.minus_eight = -8 * (first + second);
            #[expect(clippy::cast_precision_loss, reason = "at most 32 · 127")]
            {
                out.scaled_sums = [first, second, first + second].map(|sum| out.d * sum as f32);
            }
        }
    }
}
