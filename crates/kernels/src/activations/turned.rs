//! Inputs as floats, the tokens of a tile side by side: `[column][token]`, so that a product with many tokens reads on.

use super::{Inputs, TILE};
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

    pub(super) fn tile(&self, rows: usize, cols: usize, token: usize) -> Inputs<'_, f32> {
        Inputs::of(&self.0, rows, cols, token)
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
