//! Inputs as integers, 256 columns to a scale; the last unit of a row may have fewer, and is filled up with zeros.
//!
//! In a tile they lie unit by unit. Of a unit come the first 64 columns of each token, then the next 64 of each, as
//! tile registers read them. Scales and sums lie apart, in the same order.

use super::{BLOCK, Isa, Kernel, LANES, Place, Simd, integers, scale, sum};
use crate::buffer::room;

/// Columns that share a scale.
pub(crate) const UNIT: usize = 256;

/// 64 inputs of one token, four signed bytes a word, the first lowest.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Quarter(pub(crate) [i32; 16]);

/// −8 · Σ of each 32 inputs of a unit: what four-bit integers, which are 8 too high, start from.
pub(crate) type Starts = [i32; UNIT / BLOCK];

/// Where the inputs of a token begin, in one tile.
#[derive(Clone, Copy)]
pub(crate) struct Token {
    pub(crate) quarters: *const Quarter,
    pub(crate) starts: *const Starts,
    pub(crate) d: *const f32,
}

/// The units of all rows.
#[derive(Debug, Default)]
pub(super) struct Wide {
    quarters: Vec<Quarter>,
    starts: Vec<Starts>,
    d: Vec<f32>,
}

impl Wide {
    /// Room for so many rows, which threads may fill side by side.
    pub(super) fn resize(&mut self, rows: usize, cols: usize) -> Rows {
        let units = cols.div_ceil(UNIT);
        Rows {
            quarters: room(&mut self.quarters, 4 * rows * units).as_mut_ptr(),
            starts: room(&mut self.starts, rows * units).as_mut_ptr(),
            d: room(&mut self.d, rows * units).as_mut_ptr(),
            rows,
            cols,
        }
    }

    pub(super) fn tile(&self, rows: usize, cols: usize, token: usize) -> Inputs<'_> {
        let (units, place) = (cols.div_ceil(UNIT), Place::of(rows, token));
        let (from, count) = (place.first * units, place.tokens * units);
        Inputs {
            quarters: &self.quarters[4 * from..][..4 * count],
            starts: &self.starts[from..][..count],
            d: &self.d[from..][..count],
            tokens: place.tokens,
            first: place.token,
        }
    }
}

/// Where rows go.
pub(super) struct Rows {
    quarters: *mut Quarter,
    starts: *mut Starts,
    d: *mut f32,
    rows: usize,
    cols: usize,
}

// SAFETY: `put` writes what belongs to its row only.
unsafe impl Sync for Rows {}

impl Rows {
    /// Writes the integers of row `row`.
    ///
    /// # Safety
    /// The room is there, `x` has the columns it was made for, and no other thread writes this row.
    pub(super) unsafe fn put(&self, isa: Isa, row: usize, x: &[f32]) {
        let place = Place::of(self.rows, row);
        let from = place.first * self.cols.div_ceil(UNIT);
        // SAFETY: the tile's first of each for this token.
        let (quarters, starts, d) = unsafe {
            (
                self.quarters.add(4 * from + place.token),
                self.starts.add(from + place.token),
                self.d.add(from + place.token),
            )
        };
        isa.run(Quantize {
            x: &x[..self.cols / BLOCK * BLOCK],
            quarters,
            starts,
            d,
            step: place.tokens,
        });
    }
}

/// The integers of some tokens of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    quarters: &'a [Quarter],
    starts: &'a [Starts],
    d: &'a [f32],
    /// Tokens of the tile, and so from a quarter to the next, and from a unit to the next.
    pub(crate) tokens: usize,
    /// The first token that is meant.
    first: usize,
}

impl Inputs<'_> {
    /// Where the first token begins; the next follows, and the next quarter, starts or scale is `self.tokens` on.
    ///
    /// # Panics
    /// If there are not that many units, or fewer than `tokens` tokens from the first on.
    #[inline(always)]
    pub(crate) fn check(&self, units: usize, tokens: usize) -> Token {
        assert!(
            self.d.len() == units * self.tokens
                && self.starts.len() == self.d.len()
                && self.quarters.len() == 4 * self.d.len()
                && self.first + tokens <= self.tokens,
            "a tile of {tokens} tokens"
        );
        // SAFETY: `first` is at most the number of tokens, so inside.
        unsafe {
            Token {
                quarters: self.quarters.as_ptr().add(self.first),
                starts: self.starts.as_ptr().add(self.first),
                d: self.d.as_ptr().add(self.first),
            }
        }
    }
}

impl Token {
    /// The same token, `count` units on, in a tile of `tokens`.
    ///
    /// # Safety
    /// There are so many.
    #[inline(always)]
    pub(crate) unsafe fn unit(self, count: usize, tokens: usize) -> Self {
        // SAFETY: vouched for by the caller.
        unsafe {
            Self {
                quarters: self.quarters.add(4 * count * tokens),
                starts: self.starts.add(count * tokens),
                d: self.d.add(count * tokens),
            }
        }
    }
}

struct Quantize<'a> {
    /// Whole blocks.
    x: &'a [f32],
    /// The first of this token.
    quarters: *mut Quarter,
    starts: *mut Starts,
    d: *mut f32,
    /// From one of this token to its next.
    step: usize,
}

impl Kernel for Quantize<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (i, x) in self.x.chunks(UNIT).enumerate() {
            let mut largest = s.splat(0.0);
            for x in x.chunks_exact(LANES) {
                // SAFETY: a chunk holds a vector.
                largest = s.max(s.abs(unsafe { s.load(x.as_ptr()) }), largest);
            }
            let (d, inverse) = scale(s.largest(largest));
            let mut starts = [0; UNIT / BLOCK];
            let mut words = [[0; BLOCK / 4]; UNIT / BLOCK];
            for (block, x) in x.chunks_exact(BLOCK).enumerate() {
                // SAFETY: a chunk holds two vectors.
                let [a, b] =
                    unsafe { integers(s, x.as_ptr(), s.splat(inverse), &mut words[block]) };
                starts[block] = -8 * sum(s, s.add(a, b));
            }
            let (quarters, _) = words.as_flattened().as_chunks();
            // SAFETY: `put` vouches for four quarters, starts and a scale of this token for each unit of the row.
            unsafe {
                for (k, quarter) in quarters.iter().enumerate() {
                    let at = self.quarters.add((4 * i + k) * self.step);
                    at.write(Quarter(*quarter));
                }
                self.starts.add(i * self.step).write(starts);
                self.d.add(i * self.step).write(d);
            }
        }
    }
}
