//! The inputs of a product: rows of floats, and the same rows as small integers.
//!
//! Filled by the forward pass, read by `matmul`. Float weights use the floats (`turned`). Quantised ones use signed
//! bytes that share a scale: d = max|x| / 127, q = round(x · 127 / max|x|), ties to even. How many columns share it
//! depends on the weights: 32 for most (`narrow`), 256 for Q4_0 (`wide`). [`Forms`] says which are wanted.
//!
//! All lie as products read them: tiles of 16 tokens, the last of which may have fewer.

mod narrow;
mod turned;
mod wide;

pub(crate) use narrow::{BLOCK, Quantized};
pub(crate) use wide::{Outlier, Quarter, Token, UNIT};

use crate::buffer::Aligned;
use crate::pack::{Matrix, Plan};
use crate::pool::Pool;
use crate::simd::{Isa, Kernel, LANES, Simd};
use narrow::Narrow;
use std::cell::Cell;
use turned::Turned;
use wide::Wide;

/// Tokens whose blocks lie side by side.
pub(crate) const TILE: usize = 16;

/// The forms of inputs that some products read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forms {
    floats: bool,
    narrow: bool,
    wide: bool,
}

impl Forms {
    /// Whatever a product may want.
    pub const ALL: Self = Self {
        floats: true,
        narrow: true,
        wide: true,
    };

    /// What products with these matrices want.
    pub fn of<'a>(weights: impl IntoIterator<Item = &'a Matrix>) -> Self {
        let mut forms = Self::default();
        for w in weights {
            match Plan::of(w.format()) {
                None => forms.floats = true,
                Some(plan) if plan.is_wide() => forms.wide = true,
                Some(_) => forms.narrow = true,
            }
        }
        forms
    }

    const fn without_floats(self) -> Self {
        Self {
            floats: false,
            ..self
        }
    }

    const fn include(self, other: Self) -> bool {
        (self.floats || !other.floats)
            && (self.narrow || !other.narrow)
            && (self.wide || !other.wide)
    }
}

/// Rows of inputs, one a token.
#[derive(Debug, Default)]
pub struct Activations {
    rows: usize,
    cols: usize,
    floats: Aligned<f32>,
    turned: Turned,
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
        self.floats.sized(rows * cols)
    }

    /// Makes what products read from the floats. Columns beyond the last whole block do not become integers.
    pub fn quantize(&mut self, isa: Isa, pool: &Pool, forms: Forms) {
        let integers = forms.without_floats();
        if integers != Forms::default() {
            let writer = self.begin(isa, self.rows, self.cols, integers);
            let (floats, cols) = (&self.floats, self.cols);
            pool.for_each(self.rows, |row| {
                // SAFETY: each row is given to one thread, once.
                unsafe { writer.put(row, 0, &floats[row * cols..][..cols]) }
            });
        }
        self.finish(pool, forms);
    }

    /// Makes `rows` rows of `cols` inputs: `work(i, row)` writes the floats of each, which are kept only if somebody
    /// wants them.
    pub fn fill(
        &mut self,
        (isa, pool): (Isa, &Pool),
        (rows, cols): (usize, usize),
        forms: Forms,
        work: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        let writer = self.begin(isa, rows, cols, forms);
        pool.for_each(rows, |row| {
            let mut floats = ROW.take();
            floats.resize(cols, 0.0);
            work(row, &mut floats);
            // SAFETY: each row is given to one thread, once.
            unsafe { writer.put(row, 0, &floats) };
            ROW.set(floats);
        });
        self.finish(pool, forms);
    }

    /// Makes room for `rows` rows of `cols` inputs, to be written by parts; then call `finish`.
    pub(crate) fn begin(&mut self, isa: Isa, rows: usize, cols: usize, forms: Forms) -> Writer {
        (self.rows, self.cols, self.made) = (rows, cols, Forms::default());
        Writer {
            isa,
            cols,
            floats: forms
                .floats
                .then(|| self.floats.sized(rows * cols).as_mut_ptr()),
            narrow: forms.narrow.then(|| self.narrow.resize(rows, cols)),
            wide: forms.wide.then(|| self.wide.resize(rows, cols)),
        }
    }

    /// What was begun is written.
    pub(crate) fn finish(&mut self, pool: &Pool, forms: Forms) {
        self.made = forms;
        if forms.floats {
            let rows = &self.floats[..self.rows * self.cols];
            self.turned.fill(pool, self.rows, self.cols, rows);
        }
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

    /// The floats of tokens from `token` on, all in one tile.
    pub(crate) fn turned(&self, token: usize) -> Inputs<'_, f32> {
        self.turned.tile(self.rows, self.cols, token)
    }

    /// As `turned`, integers, 32 columns to a scale.
    pub(crate) fn narrow(&self, token: usize) -> Inputs<'_, Quantized> {
        self.narrow.tile(self.rows, self.cols, token)
    }

    /// As `narrow`, 256 columns to a scale.
    pub(crate) fn wide(&self, token: usize) -> wide::Inputs<'_> {
        self.wide.tile(self.rows, self.cols, token)
    }
}

thread_local! {
    /// The floats of a row that nobody keeps.
    static ROW: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

/// Where inputs go, in the forms that are wanted.
pub(crate) struct Writer {
    isa: Isa,
    cols: usize,
    floats: Option<*mut f32>,
    narrow: Option<narrow::Rows>,
    wide: Option<wide::Rows>,
}

// SAFETY: `put` writes what belongs to its part of a row only.
unsafe impl Sync for Writer {}

impl Writer {
    /// Writes the columns of a row from `first` on, a multiple of 256: whole units, or what is left of the row.
    ///
    /// # Safety
    /// The room is still there, the row has these columns, and no other thread writes them.
    pub(crate) unsafe fn put(&self, row: usize, first: usize, x: &[f32]) {
        debug_assert!(first.is_multiple_of(UNIT) && first + x.len() <= self.cols);
        // SAFETY: vouched for by the caller.
        unsafe {
            if let Some(floats) = self.floats {
                let at = floats.add(row * self.cols + first);
                at.copy_from_nonoverlapping(x.as_ptr(), x.len());
            }
            if let Some(narrow) = &self.narrow {
                narrow.put(self.isa, row, first, x);
            }
            if let Some(wide) = &self.wide {
                wide.put(self.isa, row, first, x);
            }
        }
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

/// What some tokens of a tile have: for each column or block in turn, that of each token.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a, T> {
    all: &'a [T],
    /// Tokens of the tile, and so from one of a token to its next.
    pub(crate) tokens: usize,
    /// The first token that is meant.
    first: usize,
}

impl<'a, T> Inputs<'a, T> {
    /// Of `all` tiles of `rows` rows, `per_row` to each, the one that holds `token`.
    fn of(all: &'a [T], rows: usize, per_row: usize, token: usize) -> Self {
        let place = Place::of(rows, token);
        Self {
            all: &all[place.first * per_row..][..place.tokens * per_row],
            tokens: place.tokens,
            first: place.token,
        }
    }

    /// Where the first of the first token is; the next token's follows, its own next is `self.tokens` on.
    ///
    /// # Panics
    /// If there are not `per_row` of each, or fewer than `tokens` tokens from the first on.
    #[inline(always)]
    pub(crate) fn check(&self, per_row: usize, tokens: usize) -> *const T {
        assert!(
            self.all.len() == per_row * self.tokens && self.first + tokens <= self.tokens,
            "a tile of {tokens} tokens"
        );
        // SAFETY: `first` is at most the number of tokens, so inside.
        unsafe { self.all.as_ptr().add(self.first) }
    }
}

/// The scale of inputs of which `largest` is the largest, and what turns them into integers.
fn scale(largest: f32) -> (f32, f32) {
    let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    (largest / 127.0, inverse)
}

/// 32 inputs as integers, to `out`, which is read as words of four; gives Σ of each half.
///
/// # Safety
/// There are 32 floats at `x`, and there is room for 32 bytes at `out`.
#[inline(always)]
unsafe fn integers<S: Simd>(s: S, x: *const f32, inverse: S::F, out: *mut i32) -> [i32; 2] {
    const { assert!(cfg!(target_endian = "little"), "the first byte is lowest") };
    // Clamped, so that no input, not even an infinite one, leaves -127..=127.
    let (low, high) = (s.splat(-127.0), s.splat(127.0));
    let mut sums = [0; 2];
    for (i, sum) in sums.iter_mut().enumerate() {
        // SAFETY: vouched for by the caller.
        unsafe {
            let x = s.round(s.mul(s.load(x.add(i * LANES)), inverse));
            let out = out.cast::<i8>().add(i * LANES);
            *sum = s.store_i8(out, s.max(s.min(x, high), low));
        }
    }
    sums
}
