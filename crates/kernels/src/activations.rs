//! Activations as GEMM inputs: rows of f32, and the same rows quantised to signed bytes.
//!
//! Filled by the forward pass, read by `matmul`. Float weights multiply the f32 values (`transposed`). Quantised
//! weights multiply integers that share a scale: d = max|x| / 127, q = round(x · 127 / max|x|), ties to even. How many
//! columns share it depends on the weights: 32 for most formats (`per32`), 256 for Q4_0 (`per256`). [`InputFormats`]
//! says which are wanted, so that a row is quantised once for all matrices that multiply it.
//!
//! Every format lies in tiles of 16 tokens (the last may have fewer), with the tokens of a tile side by side, because a
//! GEMM kernel multiplies one block of weights with all tokens of a tile before it moves on. Of integers the last
//! tile may be filled up with zeros, see [`filled`].

mod per256;
mod per32;

pub(crate) use per32::{BLOCK, QuantizedBlock};
pub(crate) use per256::{Outlier, Quarter, UNIT, UnitInputs};

use crate::Cpu;
use crate::buffer::Aligned;
use crate::pack::{Matrix, PackedLayout};
use crate::pool::Pool;
use crate::simd::{Isa, Kernel, LANES, Simd};
use per32::Per32;
use per256::Per256;
use std::cell::Cell;

/// Tokens whose blocks lie side by side: what one AMX tile register holds.
pub(crate) const TILE: usize = 16;

/// How many rows of integers there are for so many tokens, the last of them zeros: in the last tile 3 are made 4, and 13 to 15
/// are made 16. One pass over weights for 4 tokens takes less time than one for 2 and one for 1, so it pays to compute a few
/// for nothing.
pub(crate) const fn filled(rows: usize) -> usize {
    match rows % TILE {
        3 | 13.. => rows.next_multiple_of(4),
        _ => rows,
    }
}

/// The input formats that some GEMMs read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputFormats {
    floats: bool,
    per32: bool,
    per256: bool,
}

impl InputFormats {
    /// Whatever any weights may want.
    pub const ALL: Self = Self {
        floats: true,
        per32: true,
        per256: true,
    };

    /// What GEMMs with these matrices want.
    pub fn of<'a>(weights: impl IntoIterator<Item = &'a Matrix>) -> Self {
        let mut formats = Self::default();
        for w in weights {
            match PackedLayout::of(w.format()) {
                None => formats.floats = true,
                Some(layout) if layout.is_per256() => formats.per256 = true,
                Some(_) => formats.per32 = true,
            }
        }
        formats
    }

    const fn without_floats(self) -> Self {
        Self {
            floats: false,
            ..self
        }
    }

    const fn include(self, other: Self) -> bool {
        (self.floats || !other.floats)
            && (self.per32 || !other.per32)
            && (self.per256 || !other.per256)
    }
}

/// A batch of rows, one per token, in one or more input formats.
#[derive(Debug, Default)]
pub struct Activations {
    rows: usize,
    cols: usize,
    floats: Aligned<f32>,
    /// The floats again, `[column][token]` within each tile of tokens, one tile after the other.
    transposed: Aligned<f32>,
    per32: Per32,
    per256: Per256,
    /// What was made since the rows changed: reading a stale format would be a silent wrong result.
    made: InputFormats,
}

impl Activations {
    /// No rows yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for `rows` rows of `cols` floats and gives them to be written, all of them; then call `quantize`.
    pub fn resize(&mut self, rows: usize, cols: usize) -> &mut [f32] {
        (self.rows, self.cols) = (rows, cols);
        self.made = InputFormats::default();
        self.floats.sized(rows * cols)
    }

    /// Makes the wanted formats from the floats. Columns beyond the last whole block do not become integers: formats
    /// that are quantised have none there.
    pub fn quantize(&mut self, cpu: &Cpu, formats: InputFormats) {
        let integers = formats.without_floats();
        if integers != InputFormats::default() {
            let writer = self.begin(cpu.isa, self.rows, self.cols, integers);
            let (floats, cols) = (&self.floats, self.cols);
            cpu.pool.for_each(self.rows, |row| {
                // SAFETY: `begin` made room for these rows and `self` is not touched meanwhile; `for_each` gives each
                // row to one thread, once, and a row has `cols` columns.
                unsafe { writer.put(row, 0, &floats[row * cols..][..cols]) }
            });
        }
        self.finish(&cpu.pool, formats);
    }

    /// Makes `rows` rows of `cols` columns: `work(i, row)` writes the floats of each, and each row is quantised while
    /// it is still in the thread's cache. The floats themselves are kept only if a format wants them.
    pub fn fill(
        &mut self,
        cpu: &Cpu,
        (rows, cols): (usize, usize),
        formats: InputFormats,
        work: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        let writer = self.begin(cpu.isa, rows, cols, formats);
        cpu.pool.for_each(rows, |row| {
            let mut floats = ROW.take();
            floats.resize(cols, 0.0);
            work(row, &mut floats);
            // SAFETY: `begin` made room for these rows and `self` is not touched meanwhile; `for_each` gives each row
            // to one thread, once, and `floats` has `cols` columns.
            unsafe { writer.put(row, 0, &floats) };
            ROW.set(floats);
        });
        self.finish(&cpu.pool, formats);
    }

    /// Makes room for `rows` rows of `cols` columns, to be written in parts; then call `finish`.
    pub(crate) fn begin(
        &mut self,
        isa: Isa,
        rows: usize,
        cols: usize,
        formats: InputFormats,
    ) -> InputWriter {
        (self.rows, self.cols, self.made) = (rows, cols, InputFormats::default());
        let all = filled(rows);
        let writer = InputWriter {
            isa,
            cols,
            floats: formats
                .floats
                .then(|| self.floats.sized(rows * cols).as_mut_ptr()),
            per32: formats.per32.then(|| self.per32.resize(all, cols)),
            per256: formats.per256.then(|| self.per256.resize(all, cols)),
        };
        if rows < all {
            let mut zeros = ROW.take();
            zeros.clear();
            zeros.resize(cols, 0.0);
            for row in rows..all {
                // SAFETY: there is room for all these rows, and nobody else writes yet.
                unsafe { writer.put_integers(row, 0, &zeros) };
            }
            ROW.set(zeros);
        }
        writer
    }

    /// Ends what `begin` began, once every part is written.
    pub(crate) fn finish(&mut self, pool: &Pool, formats: InputFormats) {
        self.made = formats;
        if formats.floats {
            self.transpose(pool);
        }
    }

    /// Floats of a tile's tokens side by side, so that a GEMM reads them in the order of its columns.
    fn transpose(&mut self, pool: &Pool) {
        let (rows, cols) = (self.rows, self.cols);
        let floats = &self.floats[..rows * cols];
        let out = self.transposed.sized(rows * cols);
        // A single row is its own transpose: decoding one token skips the shuffling.
        if rows == 1 {
            return out.copy_from_slice(floats);
        }
        let full = rows / TILE * TILE * cols;
        let (tiles, rest) = out.split_at_mut(full);
        if cols > 0 {
            pool.for_each_row(tiles, TILE * cols, |i, tile| {
                transpose_tile(&floats[i * TILE * cols..][..TILE * cols], cols, tile);
            });
            transpose_tile(&floats[full..], cols, rest);
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

    /// Whether these formats were made after the last change.
    pub(crate) fn has(&self, formats: InputFormats) -> bool {
        self.made.include(formats)
    }

    /// The floats of tokens from `token` on, all in one tile.
    pub(crate) fn transposed(&self, token: usize) -> TileInputs<'_, f32> {
        TileInputs::of(&self.transposed, self.rows, self.cols, token)
    }

    /// As `transposed`: integers, 32 columns to a scale.
    pub(crate) fn per32(&self, token: usize) -> TileInputs<'_, QuantizedBlock> {
        self.per32.tile(filled(self.rows), self.cols, token)
    }

    /// As `transposed`: integers, 256 columns to a scale.
    pub(crate) fn per256(&self, token: usize) -> per256::Per256Inputs<'_> {
        self.per256.tile(filled(self.rows), self.cols, token)
    }
}

/// Rows of `cols` floats become columns, a few at a time, so that the lines they are written to stay in the L1 cache.
fn transpose_tile(rows: &[f32], cols: usize, out: &mut [f32]) {
    let tokens = rows.len() / cols;
    for (i, out) in out.chunks_mut((LANES * tokens).max(1)).enumerate() {
        for (token, row) in rows.chunks_exact(cols).enumerate() {
            let column = out[token..].iter_mut().step_by(tokens);
            column.zip(&row[i * LANES..]).for_each(|(out, x)| *out = *x);
        }
    }
}

thread_local! {
    /// A row of floats that only its quantised form outlives; one per thread, because allocating costs more than the
    /// work.
    static ROW: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

/// Where threads write their rows, in each wanted format.
pub(crate) struct InputWriter {
    isa: Isa,
    cols: usize,
    floats: Option<*mut f32>,
    per32: Option<per32::Per32Rows>,
    per256: Option<per256::Per256Rows>,
}

// SAFETY: the pointers lead to room that `Activations` owns and that only `put` writes, whose callers promise that no
// two threads write the same columns of a row; different columns are different memory in every format.
unsafe impl Sync for InputWriter {}

impl InputWriter {
    /// Writes the columns of a row from `first` on, a multiple of 256: whole units, or what is left of the row.
    ///
    /// # Safety
    /// The room is still there, the row has these columns, and no other thread writes them.
    pub(crate) unsafe fn put(&self, row: usize, first: usize, x: &[f32]) {
        debug_assert!(first.is_multiple_of(UNIT) && first + x.len() <= self.cols);
        // SAFETY: the caller promises that `row` has columns `first..first + x.len()`, so they lie inside the
        // `rows * cols` elements that `begin` made room for, and that nobody else writes them.
        unsafe {
            if let Some(floats) = self.floats {
                let at = floats.add(row * self.cols + first);
                at.copy_from_nonoverlapping(x.as_ptr(), x.len());
            }
            self.put_integers(row, first, x);
        }
    }

    /// As `put`, of the formats of integers.
    ///
    /// # Safety
    /// As for `put`; the row may also be one of those that fill up the last tile.
    unsafe fn put_integers(&self, row: usize, first: usize, x: &[f32]) {
        // SAFETY: as for `put`, with the `filled` rows that `begin` made room for.
        unsafe {
            if let Some(per32) = &self.per32 {
                per32.put(self.isa, row, first, x);
            }
            if let Some(per256) = &self.per256 {
                per256.put(self.isa, row, first, x);
            }
        }
    }
}

/// Where a row lies: its tile, and its place in that tile.
#[derive(Clone, Copy)]
struct TilePlace {
    /// First token of the tile.
    first: usize,
    /// Tokens of the tile.
    tokens: usize,
    /// The token in the tile.
    token: usize,
}

impl TilePlace {
    fn of(rows: usize, row: usize) -> Self {
        let first = row / TILE * TILE;
        Self {
            first,
            tokens: TILE.min(rows - first),
            token: row - first,
        }
    }
}

/// The inputs of some tokens of one tile: for each column (or block) in turn, that of each token.
#[derive(Clone, Copy)]
pub(crate) struct TileInputs<'a, T> {
    all: &'a [T],
    /// Tokens of the tile, and so the stride from a token's column (or block) to its next.
    pub(crate) tokens: usize,
    /// The first token that is meant.
    first: usize,
}

impl<'a, T> TileInputs<'a, T> {
    /// Of `all` tiles of `rows` rows, `per_row` to each, the one that holds `token`.
    fn of(all: &'a [T], rows: usize, per_row: usize, token: usize) -> Self {
        let place = TilePlace::of(rows, token);
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
        // SAFETY: the assertion bounds `first` by the tile's tokens, and `all` has at least that many elements (or
        // none, and then `first` is 0 or the pointer is one past the end, which is allowed).
        unsafe { self.all.as_ptr().add(self.first) }
    }
}

/// The scale of inputs whose largest magnitude is `largest`, and the factor that turns them into integers.
fn scale(largest: f32) -> (f32, f32) {
    let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    (largest / 127.0, inverse)
}

/// Quantises 32 floats to signed bytes at `out`, which GEMMs read as words of four; gives the sum of each 16.
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
        // SAFETY: two vectors of 16 are the 32 floats that the caller promises at `x`, and 2 · 16 bytes the room at
        // `out`.
        unsafe {
            let x = s.round(s.mul(s.load(x.add(i * LANES)), inverse));
            let out = out.cast::<i8>().add(i * LANES);
            *sum = s.store_i8(out, s.max(s.min(x, high), low));
        }
    }
    sums
}
