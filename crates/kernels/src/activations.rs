//! The inputs of a product: rows of floats, and the same rows as small integers.
//!
//! Filled by the forward pass, read by `matmul`. Each run of 32 floats becomes 32
//! signed bytes and one scale: d = max|x| / 127, q = round(x · 127 / max|x|), ties to
//! even. Beside them stand Σq of each 16 columns, as an integer for formats centred on
//! zero and multiplied by d for formats with a minimum, so that a product needs no
//! second pass. Float weights use the floats.
//!
//! The integers lie as products read them: tiles of 16 tokens (the last may have fewer), in a tile block by block,
//! in a block token by token.

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

/// Tokens whose blocks lie side by side.
pub(crate) const TILE: usize = 16;

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
        let (floats, cols, rows) = (&self.floats, self.cols, self.rows());
        let tile = |first: usize, tokens: usize, out: &mut [Quantized]| {
            for token in 0..tokens {
                isa.run(Quantize {
                    x: &floats[(first + token) * cols..][..blocks * BLOCK],
                    out: &mut out[token..],
                    step: tokens,
                });
            }
        };
        let whole = rows / TILE * TILE;
        let (tiles, rest) = self.packed.split_at_mut(whole * blocks);
        pool.for_each_row(tiles, TILE * blocks, |i, out| tile(i * TILE, TILE, out));
        tile(whole, rows - whole, rest);
    }

    /// The integers of tokens from `token` on, all in one tile.
    pub(crate) fn tile(&self, token: usize) -> Inputs<'_> {
        let blocks = self.cols / BLOCK;
        let first = token / TILE * TILE;
        let tokens = TILE.min(self.rows() - first);
        let all = &self.packed[first * blocks..][..tokens * blocks];
        Inputs {
            all,
            tokens,
            first: token - first,
        }
    }

    /// Whether `quantize` was called after the last change of shape.
    pub(crate) fn is_quantized(&self) -> bool {
        self.packed.len() == self.rows() * (self.cols / BLOCK)
    }
}

/// The integers of some tokens of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    all: &'a [Quantized],
    /// Tokens of the tile, and so from a block to the next.
    pub(crate) tokens: usize,
    /// The first token that is meant.
    first: usize,
}

impl Inputs<'_> {
    /// Where the first block of the first token is; the next token's follows it, the next block is `self.tokens` on.
    ///
    /// # Panics
    /// If there are not that many blocks, or fewer than `tokens` tokens from the first on.
    #[inline(always)]
    pub(crate) fn check(&self, blocks: usize, tokens: usize) -> *const Quantized {
        assert!(
            self.all.len() == blocks * self.tokens && self.first + tokens <= self.tokens,
            "a tile of {tokens} tokens"
        );
        // SAFETY: `first` is at most the number of tokens, so inside.
        unsafe { self.all.as_ptr().add(self.first) }
    }
}

struct Quantize<'a> {
    x: &'a [f32],
    out: &'a mut [Quantized],
    /// From a block of this token to its next.
    step: usize,
}

impl Kernel for Quantize<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let out = self.out.iter_mut().step_by(self.step);
        for (x, out) in self.x.chunks_exact(BLOCK).zip(out) {
            // SAFETY: a chunk holds two vectors.
            let (a, b) = unsafe { (s.load(x.as_ptr()), s.load(x.as_ptr().add(LANES))) };
            let largest = s.largest(s.max(s.abs(a), s.abs(b)));
            out.d = largest / 127.0;
            let inverse = s.splat(if largest > 0.0 { 127.0 / largest } else { 0.0 });
            // Clamped, so that no input, not even an infinite one, leaves -127..=127.
            let (low, high) = (s.splat(-127.0), s.splat(127.0));
            let a = s.max(s.min(s.round(s.mul(a, inverse)), high), low);
            let b = s.max(s.min(s.round(s.mul(b, inverse)), high), low);
            let mut bytes = [0i8; BLOCK];
            // SAFETY: `bytes` has room for both.
            unsafe {
                s.store_i8(bytes.as_mut_ptr(), a);
                s.store_i8(bytes.as_mut_ptr().add(LANES), b);
            }
            for (word, bytes) in out.words.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *word = i32::from_le_bytes(bytes.map(i8::cast_unsigned));
            }
            #[expect(
                clippy::cast_possible_truncation,
                reason = "whole numbers, at most 16 · 127"
            )]
            {
                out.sums = [s.sum(a) as i32, s.sum(b) as i32];
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
