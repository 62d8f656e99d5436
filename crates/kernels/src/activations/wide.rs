//! Inputs as integers, 256 columns to a scale; the last unit of a row may have fewer, and is filled up with zeros.
//!
//! In a tile they lie unit by unit. Of a unit come the first 64 columns of each token, then the next 64 of each, as
//! tile registers read them. What goes with a unit of a token lies apart.

use super::{BLOCK, Isa, Kernel, LANES, Place, Simd, integers, scale};

/// Columns that share a scale.
pub(crate) const UNIT: usize = 256;

/// 64 inputs of one token, four signed bytes a word, the first lowest.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Quarter(pub(crate) [i32; 16]);

/// What goes with 256 inputs of one token.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Unit {
    /// −8 · Σ of the integers of each 32: what four-bit integers, which are 8 too high, start from.
    pub(crate) minus_eight: [i32; UNIT / BLOCK],
    pub(crate) d: f32,
}

/// The units of all rows.
#[derive(Debug, Default)]
pub(super) struct Wide {
    quarters: Vec<Quarter>,
    units: Vec<Unit>,
}

impl Wide {
    /// Room for so many rows, which threads may fill side by side.
    pub(super) fn resize(&mut self, rows: usize, cols: usize) -> Rows {
        let units = cols.div_ceil(UNIT);
        if self.units.len() < rows * units {
            self.quarters.resize(4 * rows * units, Quarter([0; 16]));
            let unit = Unit {
                minus_eight: [0; UNIT / BLOCK],
                d: 0.0,
            };
            self.units.resize(rows * units, unit);
        }
        Rows {
            quarters: self.quarters.as_mut_ptr(),
            units: self.units.as_mut_ptr(),
            rows,
            cols,
        }
    }

    pub(super) fn tile(&self, rows: usize, cols: usize, token: usize) -> Inputs<'_> {
        let (units, place) = (cols.div_ceil(UNIT), Place::of(rows, token));
        let (from, count) = (place.first * units, place.tokens * units);
        Inputs {
            quarters: &self.quarters[4 * from..][..4 * count],
            units: &self.units[from..][..count],
            tokens: place.tokens,
            first: place.token,
        }
    }
}

/// Where rows go.
pub(super) struct Rows {
    quarters: *mut Quarter,
    units: *mut Unit,
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
        isa.run(Quantize {
            x: &x[..self.cols / BLOCK * BLOCK],
            // SAFETY: the tile's first quarter and unit of this token.
            quarters: unsafe { self.quarters.add(4 * from + place.token) },
            // SAFETY: as above.
            units: unsafe { self.units.add(from + place.token) },
            step: place.tokens,
        });
    }
}

/// The integers of some tokens of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    quarters: &'a [Quarter],
    units: &'a [Unit],
    /// Tokens of the tile, and so from a quarter to the next, and from a unit to the next.
    pub(crate) tokens: usize,
    /// The first token that is meant.
    first: usize,
}

impl Inputs<'_> {
    /// Where the first quarter and the first unit of the first token are; the next token's follow them, and the next
    /// are `self.tokens` on.
    ///
    /// # Panics
    /// If there are not that many units, or fewer than `tokens` tokens from the first on.
    #[inline(always)]
    pub(crate) fn check(&self, units: usize, tokens: usize) -> (*const Quarter, *const Unit) {
        assert!(
            self.units.len() == units * self.tokens
                && self.quarters.len() == 4 * self.units.len()
                && self.first + tokens <= self.tokens,
            "a tile of {tokens} tokens"
        );
        // SAFETY: `first` is at most the number of tokens, so inside.
        unsafe {
            (
                self.quarters.as_ptr().add(self.first),
                self.units.as_ptr().add(self.first),
            )
        }
    }
}

struct Quantize<'a> {
    /// Whole blocks.
    x: &'a [f32],
    /// The first of this token.
    quarters: *mut Quarter,
    units: *mut Unit,
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
            let mut unit = Unit {
                minus_eight: [0; UNIT / BLOCK],
                d,
            };
            let mut words = [[0; BLOCK / 4]; UNIT / BLOCK];
            for (block, x) in x.chunks_exact(BLOCK).enumerate() {
                // SAFETY: a chunk holds two vectors.
                let sums = unsafe { integers(s, x.as_ptr(), s.splat(inverse), &mut words[block]) };
                unit.minus_eight[block] = -8 * (sums[0] + sums[1]);
            }
            let (quarters, _) = words.as_flattened().as_chunks();
            // SAFETY: `put` vouches for four quarters and a unit of this token for each of the row's.
            unsafe {
                for (k, quarter) in quarters.iter().enumerate() {
                    let at = self.quarters.add((4 * i + k) * self.step);
                    at.write(Quarter(*quarter));
                }
                self.units.add(i * self.step).write(unit);
            }
        }
    }
}
