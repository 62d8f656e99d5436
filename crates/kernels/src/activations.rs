//! The inputs of a product: rows of floats, and the same rows as small integers.
//!
//! Filled by the forward pass, read by `matmul`. Float weights use the floats. Quantised ones use signed bytes that
//! share a scale: d = max|x| / 127, q = round(x · 127 / max|x|), ties to even. How many columns share it depends on
//! the weights: 32 for most (`narrow`), 256 for Q4_0 (`wide`). [`Forms`] says which of the two are wanted.
//!
//! The integers lie as products read them: tiles of 16 tokens, the last of which may have fewer.

mod narrow;
mod wide;

pub(crate) use narrow::{BLOCK, Quantized};
pub(crate) use wide::{Quarter, Token, UNIT};

use crate::pack::{Matrix, Plan};
use crate::pool::Pool;
use crate::simd::{Isa, Kernel, LANES, Simd};
use narrow::Narrow;
use wide::Wide;

/// Tokens whose blocks lie side by side.
pub(crate) const TILE: usize = 16;

/// The forms of inputs that some products read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forms {
    narrow: bool,
    wide: bool,
}

impl Forms {
    /// Whatever a product may want.
    pub const ALL: Self = Self {
        narrow: true,
        wide: true,
    };

    /// What products with these matrices want.
    pub fn of<'a>(weights: impl IntoIterator<Item = &'a Matrix>) -> Self {
        let mut forms = Self::default();
        for plan in weights.into_iter().filter_map(|w| Plan::of(w.format())) {
            forms.wide |= plan.is_wide();
            forms.narrow |= !plan.is_wide();
        }
        forms
    }

    fn include(self, other: Self) -> bool {
        (self.narrow || !other.narrow) && (self.wide || !other.wide)
    }
}

/// Rows of inputs, one a token.
#[derive(Debug, Default)]
pub struct Activations {
    rows: usize,
    cols: usize,
    /// At least `rows · cols`.
    floats: Vec<f32>,
    narrow: Narrow,
    wide: Wide,
    /// What was made since the floats changed.
    made: Forms,
}

impl Activations {
    /// No rows yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for `rows` rows of `cols` floats and gives them to be written, all of them; then call `quantize`.
    pub fn resize(&mut self, rows: usize, cols: usize) -> &mut [f32] {
        (self.rows, self.cols) = (rows, cols);
        self.made = Forms::default();
        if self.floats.len() < rows * cols {
            self.floats.resize(rows * cols, 0.0);
        }
        &mut self.floats[..rows * cols]
    }

    /// Makes room for `rows` rows of `cols` floats, has `work(i, row)` write each, and makes its integers.
    pub fn fill(
        &mut self,
        (isa, pool): (Isa, &Pool),
        (rows, cols): (usize, usize),
        forms: Forms,
        work: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        self.resize(rows, cols);
        self.each((isa, pool), forms, work);
    }

    /// Makes the integers from the floats. Columns beyond the last whole block stay floats only.
    pub fn quantize(&mut self, isa: Isa, pool: &Pool, forms: Forms) {
        self.each((isa, pool), forms, |_, _| ());
    }

    fn each(
        &mut self,
        (isa, pool): (Isa, &Pool),
        forms: Forms,
        work: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        let (rows, cols) = (self.rows, self.cols);
        self.made = forms;
        if rows == 0 || cols == 0 {
            return;
        }
        let narrow = forms.narrow.then(|| self.narrow.resize(rows, cols));
        let wide = forms.wide.then(|| self.wide.resize(rows, cols));
        pool.for_each_row(&mut self.floats[..rows * cols], cols, |row, x| {
            work(row, x);
            // SAFETY: each row is given to one thread, once, and there are `rows` of `cols`.
            unsafe {
                if let Some(narrow) = &narrow {
                    narrow.put(isa, row, x);
                }
                if let Some(wide) = &wide {
                    wide.put(isa, row, x);
                }
            }
        });
    }

    /// The floats.
    pub fn floats(&self) -> &[f32] {
        &self.floats[..self.rows * self.cols]
    }

    /// Columns of a row.
    pub const fn cols(&self) -> usize {
        self.cols
    }

    /// Rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Whether what these products want was made after the last change.
    pub(crate) fn has(&self, forms: Forms) -> bool {
        self.made.include(forms)
    }

    /// The integers of tokens from `token` on, all in one tile, 32 columns to a scale.
    pub(crate) fn narrow(&self, token: usize) -> narrow::Inputs<'_> {
        self.narrow.tile(self.rows, self.cols, token)
    }

    /// As `narrow`, 256 columns to a scale.
    pub(crate) fn wide(&self, token: usize) -> wide::Inputs<'_> {
        self.wide.tile(self.rows, self.cols, token)
    }
}

/// A place among the rows of a tile.
#[derive(Clone, Copy)]
struct Place {
    /// First token of the tile.
    first: usize,
    /// Tokens of the tile.
    tokens: usize,
    /// The token in the tile.
    token: usize,
}

impl Place {
    fn of(rows: usize, row: usize) -> Self {
        let first = row / TILE * TILE;
        Self {
            first,
            tokens: TILE.min(rows - first),
            token: row - first,
        }
    }
}

/// The scale of inputs of which `largest` is the largest, and what turns them into integers.
fn scale(largest: f32) -> (f32, f32) {
    let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    (largest / 127.0, inverse)
}

/// 32 inputs as integers: four signed bytes a word, the first lowest, and the sum of each half.
///
/// # Safety
/// There are 32 floats at `x`.
#[inline(always)]
unsafe fn integers<S: Simd>(
    s: S,
    x: *const f32,
    inverse: S::F,
    words: &mut [i32; BLOCK / 4],
) -> [i32; 2] {
    // Clamped, so that no input, not even an infinite one, leaves -127..=127.
    let (low, high) = (s.splat(-127.0), s.splat(127.0));
    let mut bytes = [0i8; BLOCK];
    // SAFETY: both vectors are there, by the caller's word, and `bytes` has room for both.
    let [a, b] = unsafe {
        let (a, b) = (s.load(x), s.load(x.add(LANES)));
        let a = s.max(s.min(s.round(s.mul(a, inverse)), high), low);
        let b = s.max(s.min(s.round(s.mul(b, inverse)), high), low);
        s.store_i8(bytes.as_mut_ptr(), a);
        s.store_i8(bytes.as_mut_ptr().add(LANES), b);
        [a, b]
    };
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = i32::from_le_bytes(bytes.map(i8::cast_unsigned));
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole numbers, at most 16 · 127"
    )]
    [s.sum(a) as i32, s.sum(b) as i32]
}
