//! Inputs as floats, the tokens of a tile side by side: `[column][token]`, so that a product with many tokens reads on.

use super::{Place, TILE};
use crate::buffer::Aligned;
use crate::pool::Pool;

/// The tiles, one after the other.
#[derive(Debug, Default)]
pub(super) struct Turned(Aligned<f32>);

impl Turned {
    /// Turns rows of `cols` floats.
    pub(super) fn fill(&mut self, pool: &Pool, rows: usize, cols: usize, floats: &[f32]) {
        let out = self.0.sized(rows * cols);
        if rows == 1 {
            return out.copy_from_slice(floats);
        }
        let full = rows / TILE * TILE * cols;
        let (tiles, rest) = out.split_at_mut(full);
        if cols > 0 {
            pool.for_each_row(tiles, TILE * cols, |i, tile| {
                turn(&floats[i * TILE * cols..][..TILE * cols], cols, tile);
            });
            turn(&floats[full..], cols, rest);
        }
    }

    pub(super) fn tile(&self, rows: usize, cols: usize, token: usize) -> Inputs<'_> {
        let place = Place::of(rows, token);
        Inputs {
            all: &self.0[place.first * cols..][..place.tokens * cols],
            tokens: place.tokens,
            first: place.token,
        }
    }
}

/// Rows of `cols` floats become columns.
fn turn(rows: &[f32], cols: usize, out: &mut [f32]) {
    let tokens = rows.len() / cols;
    for (token, row) in rows.chunks_exact(cols).enumerate() {
        for (x, out) in row.iter().zip(out[token..].iter_mut().step_by(tokens)) {
            *out = *x;
        }
    }
}

/// The floats of some tokens of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    all: &'a [f32],
    /// Tokens of the tile, and so from a column to the next.
    pub(crate) tokens: usize,
    /// The first token that is meant.
    first: usize,
}

impl Inputs<'_> {
    /// Where the first column of the first token is; the next token's follows, the next column is `self.tokens` on.
    ///
    /// # Panics
    /// If there are not that many columns, or fewer than `tokens` tokens from the first on.
    #[inline(always)]
    pub(crate) fn check(&self, cols: usize, tokens: usize) -> *const f32 {
        assert!(
            self.all.len() == cols * self.tokens && self.first + tokens <= self.tokens,
            "a tile of {tokens} tokens"
        );
        // SAFETY: `first` is at most the number of tokens, so inside.
        unsafe { self.all.as_ptr().add(self.first) }
    }
}
