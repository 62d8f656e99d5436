//! Activations quantised with one scale per 256 columns (a unit), for Q4_0 weights.
//!
//! Q4_0 products are exact integer sums over 256 columns, then one f32 scale; so the activations need one scale per 256
//! as well. A few activations of a model are far larger than the rest, and one scale for all would leave the rest few
//! bits. So the scale is made for the third largest: d = max(third, largest · 127 / 16000) / 127. At most two integers
//! of a unit are then beyond ±127, and what they are beyond stands apart, as outliers. One plain scale per 256 was
//! tried and cost quality; this does not (docs/performance.md).
//!
//! In a tile they lie unit by unit. Of a unit come the first 64 columns of each token, then the next 64 of each: what
//! AMX tile registers load. Scales, sums and outliers lie apart, in the same order. The last unit of a row may have
//! fewer columns and is filled up with zeros.

use super::{BLOCK, Isa, Kernel, LANES, Simd, TilePlace, integers, scale};
use crate::buffer::Aligned;

/// Columns that share a scale.
pub(crate) const UNIT: usize = 256;

/// 64 inputs of one token, four signed bytes a word, the first lowest.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Quarter(pub(crate) [i32; 16]);

/// −8 · Σq of each 32 columns of a unit: where an integer sum over four-bit weights, stored 8 too high, starts from.
pub(crate) type Starts = [i32; UNIT / BLOCK];

/// Largest integer of an outlier: what it is beyond ±127 still fits into 16 bits.
const MOST: f32 = 16000.0;

/// What an activation of a unit is beyond ±127.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Outlier {
    /// The column in its unit, and the integer; both 0 if there is none.
    pub(crate) at: u32,
    pub(crate) rest: i16,
    /// The same for the AMX kernel, whose unpacked weights are pairs of 16 bits, columns `at` and `at` ± 2: the offset
    /// of that vector, and `rest` in the half that belongs to column `at`.
    pub(crate) offset: u32,
    pub(crate) halves: u32,
}

impl Outlier {
    const fn new(at: usize, rest: i16) -> Self {
        let word = rest.cast_unsigned() as u32;
        Self {
            at: at as u32,
            rest,
            offset: 64 * (at as u32 / 4 * 2 + at as u32 % 2),
            halves: if at % 4 < 2 { word } else { word << 16 },
        }
    }
}

/// The outliers of a unit of a token.
pub(crate) type Outliers = [Outlier; 2];

/// Pointers to one unit of a token in its tile; the next token's follow at +1.
#[derive(Clone, Copy)]
pub(crate) struct UnitInputs {
    pub(crate) quarters: *const Quarter,
    pub(crate) starts: *const Starts,
    pub(crate) outliers: *const Outliers,
    pub(crate) d: *const f32,
}

/// The units of all rows.
#[derive(Debug, Default)]
pub(super) struct Per256 {
    quarters: Aligned<Quarter>,
    starts: Aligned<Starts>,
    outliers: Aligned<Outliers>,
    d: Aligned<f32>,
}

impl Per256 {
    /// Makes room for so many rows, which threads may fill side by side.
    pub(super) fn resize(&mut self, rows: usize, cols: usize) -> Per256Rows {
        let units = cols.div_ceil(UNIT);
        Per256Rows {
            quarters: self.quarters.sized(4 * rows * units).as_mut_ptr(),
            starts: self.starts.sized(rows * units).as_mut_ptr(),
            outliers: self.outliers.sized(rows * units).as_mut_ptr(),
            d: self.d.sized(rows * units).as_mut_ptr(),
            rows,
            cols,
        }
    }

    pub(super) fn tile(&self, rows: usize, cols: usize, token: usize) -> Per256Inputs<'_> {
        let (units, place) = (cols.div_ceil(UNIT), TilePlace::of(rows, token));
        let (from, count) = (place.first * units, place.tokens * units);
        Per256Inputs {
            quarters: &self.quarters[4 * from..][..4 * count],
            starts: &self.starts[from..][..count],
            outliers: &self.outliers[from..][..count],
            d: &self.d[from..][..count],
            tokens: place.tokens,
            first: place.token,
        }
    }
}

/// Where rows go.
pub(super) struct Per256Rows {
    quarters: *mut Quarter,
    starts: *mut Starts,
    outliers: *mut Outliers,
    d: *mut f32,
    rows: usize,
    cols: usize,
}

// SAFETY: only `put` writes through the pointers, and its callers promise that no two threads write the same row's
// columns; the units of different rows are different elements of all four.
unsafe impl Sync for Per256Rows {}

impl Per256Rows {
    /// Writes the integers of row `row` from column `first` on, a multiple of 256.
    ///
    /// # Safety
    /// The room is there, the row has the columns of `x`, and no other thread writes them.
    pub(super) unsafe fn put(&self, isa: Isa, row: usize, first: usize, x: &[f32]) {
        let place = TilePlace::of(self.rows, row);
        let tile = place.first * self.cols.div_ceil(UNIT);
        let unit = first / UNIT * place.tokens;
        // SAFETY: `row` is one of `rows` and `first / UNIT` one of the row's units, so the indices are below
        // rows · units (times four for quarters), the room that `resize` made.
        let (quarters, starts, outliers, d) = unsafe {
            (
                self.quarters.add(4 * (tile + unit) + place.token),
                self.starts.add(tile + unit + place.token),
                self.outliers.add(tile + unit + place.token),
                self.d.add(tile + unit + place.token),
            )
        };
        isa.run(QuantizePer256 {
            x: &x[..x.len() / BLOCK * BLOCK],
            quarters,
            starts,
            outliers,
            d,
            step: place.tokens,
        });
    }
}

/// Some tokens of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Per256Inputs<'a> {
    quarters: &'a [Quarter],
    starts: &'a [Starts],
    outliers: &'a [Outliers],
    d: &'a [f32],
    /// Tokens of the tile, and so the stride from a token's quarter, or unit, to its next.
    pub(crate) tokens: usize,
    /// The first token that is meant.
    first: usize,
}

impl Per256Inputs<'_> {
    /// Where the first token begins; the next follows, and the next quarter, starts or scale is `self.tokens` on.
    ///
    /// # Panics
    /// If there are not that many units, or fewer than `tokens` tokens from the first on.
    #[inline(always)]
    pub(crate) fn check(&self, units: usize, tokens: usize) -> UnitInputs {
        assert!(
            self.d.len() == units * self.tokens
                && self.starts.len() == self.d.len()
                && self.outliers.len() == self.d.len()
                && self.quarters.len() == 4 * self.d.len()
                && self.first + tokens <= self.tokens,
            "a tile of {tokens} tokens"
        );
        // SAFETY: the assertion bounds `first` by the tile's tokens, and each slice has at least that many elements (or
        // none, and then the pointers are at most one past the end, which is allowed).
        unsafe {
            UnitInputs {
                quarters: self.quarters.as_ptr().add(self.first),
                starts: self.starts.as_ptr().add(self.first),
                outliers: self.outliers.as_ptr().add(self.first),
                d: self.d.as_ptr().add(self.first),
            }
        }
    }
}

impl UnitInputs {
    /// The same token, `count` units on, in a tile of `tokens`.
    ///
    /// # Safety
    /// The tile (or the tiles after it) has a unit there.
    #[inline(always)]
    pub(crate) unsafe fn unit(self, count: usize, tokens: usize) -> Self {
        // SAFETY: a unit is one element of each array but four quarters, and the caller promises that it exists.
        unsafe {
            Self {
                quarters: self.quarters.add(4 * count * tokens),
                starts: self.starts.add(count * tokens),
                outliers: self.outliers.add(count * tokens),
                d: self.d.add(count * tokens),
            }
        }
    }
}

struct QuantizePer256<'a> {
    /// Whole blocks.
    x: &'a [f32],
    /// This token's first unit.
    quarters: *mut Quarter,
    starts: *mut Starts,
    outliers: *mut Outliers,
    d: *mut f32,
    /// From a unit of this token to its next.
    step: usize,
}

impl Kernel for QuantizePer256<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (i, x) in self.x.chunks(UNIT).enumerate() {
            let base = base(tops(s, x));
            let (d, inverse) = scale(base);
            let mut starts = [0; UNIT / BLOCK];
            // SAFETY: unit `i` of this token lies `i * step` on, inside the room that `put` was given for the row: four
            // quarters, and one of each of the rest. A quarter is two blocks of 32 bytes, a chunk 32 floats.
            unsafe {
                let quarters = self.quarters.add(4 * i * self.step);
                for (block, x) in x.chunks_exact(BLOCK).enumerate() {
                    let quarter = quarters.add(block / 2 * self.step).cast::<i32>();
                    let out = quarter.add(block % 2 * BLOCK / 4);
                    let [a, b] = integers(s, x.as_ptr(), s.splat(inverse), out);
                    starts[block] = -8 * (a + b);
                }
                for empty in x.len() / BLOCK..UNIT / BLOCK {
                    let quarter = quarters.add(empty / 2 * self.step).cast::<i32>();
                    let out = quarter.add(empty % 2 * BLOCK / 4);
                    out.cast::<[i32; BLOCK / 4]>().write([0; BLOCK / 4]);
                }
                self.starts.add(i * self.step).write(starts);
                let outliers = outliers(s, x, base, inverse);
                self.outliers.add(i * self.step).write(outliers);
                self.d.add(i * self.step).write(d);
            }
        }
    }
}

/// The three largest magnitudes of each lane: `first` ≥ `second` ≥ `third`.
#[inline(always)]
fn tops<S: Simd>(s: S, x: &[f32]) -> [[f32; LANES]; 3] {
    let zero = s.splat(0.0);
    let (mut first, mut second, mut third) = (zero, zero, zero);
    for x in x.chunks_exact(LANES) {
        // SAFETY: a chunk holds a vector.
        let x = s.abs(unsafe { s.load(x.as_ptr()) });
        // Insert x into the three sorted values; what falls out at each step goes on to the next.
        let below = s.min(x, first);
        first = s.max(x, first);
        let last = s.min(below, second);
        second = s.max(below, second);
        third = s.max(last, third);
    }
    let mut tops = [[0.0; LANES]; 3];
    // SAFETY: each holds a vector.
    unsafe {
        s.store(tops[0].as_mut_ptr(), first);
        s.store(tops[1].as_mut_ptr(), second);
        s.store(tops[2].as_mut_ptr(), third);
    }
    tops
}

/// What the integer 127 stands for: the third largest magnitude of a unit, or as much as keeps the largest within
/// 16000.
#[inline(always)]
fn base([mut first, mut second, mut third]: [[f32; LANES]; 3]) -> f32 {
    let (most, least) = (
        #[inline(always)]
        |a: f32, b: f32| if a > b { a } else { b },
        #[inline(always)]
        |a: f32, b: f32| if a < b { a } else { b },
    );
    // Fold lanes together, halves onto halves, until lane 0 has the three largest of all.
    let mut half = LANES / 2;
    while half > 0 {
        // The three largest of the six of two lanes: the larger first is the largest, and so on.
        for i in 0..half {
            let j = i + half;
            let (a, b) = (least(first[i], first[j]), most(second[i], second[j]));
            let rest = most(least(second[i], second[j]), most(third[i], third[j]));
            first[i] = most(first[i], first[j]);
            second[i] = most(a, b);
            third[i] = most(least(a, b), rest);
        }
        half /= 2;
    }
    most(third[0], first[0] * (127.0 / MOST))
}

/// The activations above `base`, of which there are at most two.
#[inline(always)]
fn outliers<S: Simd>(s: S, x: &[f32], base: f32, inverse: f32) -> Outliers {
    // A bit for each column.
    let mut above = [[0; 8]; 2];
    for (i, x) in x.chunks_exact(LANES).enumerate() {
        // SAFETY: a chunk holds a vector.
        let x = s.abs(unsafe { s.load(x.as_ptr()) });
        above[i / 8][i % 8] = s.above(x, base);
    }
    // At most two bits are set, so the lowest and the highest are all of them.
    let [low, high] = above.map(joined);
    let first = match low {
        0 => high.trailing_zeros() as usize + 128,
        _ => low.trailing_zeros() as usize,
    };
    let last = match high {
        0 => low.leading_zeros() as usize ^ 127,
        _ => high.leading_zeros() as usize ^ 255,
    };
    // Where there is none, `first` and `last` point anywhere: an activation within ±127 leaves a rest of 0.
    let outlier = |at: usize| {
        let at = at.min(x.len() - 1);
        let whole = (x[at] * inverse).round_ties_even().clamp(-MOST, MOST);
        #[expect(clippy::cast_possible_truncation, reason = "at most 16000")]
        let rest = (whole - whole.clamp(-127.0, 127.0)) as i16;
        Outlier::new(at, rest)
    };
    match first == last {
        true => [outlier(first), Outlier::default()],
        false => [outlier(first), outlier(last)],
    }
}

/// 16 bits each, the first lowest.
#[inline(always)]
fn joined(parts: [u16; 8]) -> u128 {
    let mut bytes = [[0; 2]; 8];
    for (bytes, part) in bytes.iter_mut().zip(parts) {
        *bytes = part.to_le_bytes();
    }
    u128::from_le_bytes(bytes.as_flattened().try_into().expect("16 bytes"))
}
