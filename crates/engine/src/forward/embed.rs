//! Token ids in, the stream, rotations and per-layer embeddings out.
//!
//! Called by `Forward::run`. Rows of the two tables are read from the mapped file, since a token needs
//! one of each; now and then what was mapped is let go again.

use super::{Forward, Scratch, Share};
use crate::Token;
use reckon_kernels::{Forms, Product, add, dequantize_row, matmul, rms_norm, scale};
use std::ops::Range;

/// Tokens between two times that mapped rows are let go.
const LET_GO: usize = 256;

impl Forward<'_> {
    /// Notes the tokens in their states and fills the stream with their embeddings.
    pub(super) fn begin(&self, scratch: &mut Scratch, shares: &mut [Share<'_>]) {
        let (mut tokens, mut positions) = (Vec::new(), Vec::new());
        for share in shares {
            let start = share.state.tokens().len();
            positions.extend(start..start + share.tokens.len());
            tokens.extend_from_slice(share.tokens);
            share.state.push(share.tokens);
        }
        self.embed(scratch, &tokens);
        self.let_go(scratch.read, scratch.read + tokens.len());
        scratch.read += tokens.len();
        self.turns(scratch, &positions);
    }

    fn embed(&self, scratch: &mut Scratch, tokens: &[Token]) {
        let width = self.config.n_embd;
        scratch.x.resize(tokens.len() * width, 0.0);
        self.look_up(&mut scratch.x, tokens);
    }

    /// The embeddings of tokens, scaled.
    pub(crate) fn look_up(&self, out: &mut [f32], tokens: &[Token]) {
        let table = self
            .file
            .tensor("token_embd.weight")
            .expect("checked at load");
        self.pool.for_each_row(out, self.config.n_embd, |i, x| {
            dequantize_row(table.info.format, table.row(tokens[i] as usize), x);
            scale(self.isa, x, self.config.embedding_scale);
        });
    }

    /// Now and then lets go of the rows of the tables that are mapped, so that they do not pile up in memory.
    fn let_go(&self, start: usize, end: usize) {
        if start / LET_GO < end / LET_GO {
            for name in ["token_embd.weight", "per_layer_token_embd.weight"] {
                if let Some(table) = self.file.opt_tensor(name) {
                    self.file.release(&table);
                }
            }
        }
    }

    /// Per-layer embeddings of tokens for some layers: each token's own row of the table, mixed with a projection of
    /// its embedding. Those of layers above the last source come apart, for the tokens that get there.
    pub(super) fn mix(&self, scratch: &mut Scratch, tokens: &[Token], layers: Range<usize>) {
        let (Some(weights), Some(n)) = (&self.weights.per_layer, self.config.n_embd_per_layer)
        else {
            return;
        };
        if layers.is_empty() {
            return;
        }
        let projection = match layers.start < self.config.last_source() {
            true => &weights.below,
            false => &weights.above,
        };
        let width = layers.len() * n;
        let input = scratch.input.resize(tokens.len(), self.config.n_embd);
        self.look_up(input, tokens);
        let forms = Forms::of([projection]);
        scratch.input.quantize(self.isa, self.pool, forms);
        let out = scratch.per_layer.sized(tokens.len() * width);
        matmul(
            self.isa,
            self.pool,
            &scratch.input,
            &mut [Product {
                weights: projection,
                out,
            }],
        );
        let columns = layers.start * n..layers.end * n;
        let rows = scratch.per_layer.sized(tokens.len() * width);
        self.pool.for_each_row(rows, width, |i, row| {
            self.mix_row(row, tokens[i], &columns, &weights.norm, n);
        });
    }

    /// Mixes some columns of a token's row of the per-layer table into a projection.
    fn mix_row(
        &self,
        row: &mut [f32],
        token: Token,
        columns: &Range<usize>,
        norm: &[f32],
        n: usize,
    ) {
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let (down, own) = (1.0 / (self.config.n_embd as f32).sqrt(), (n as f32).sqrt());
        let table = self
            .file
            .tensor("per_layer_token_embd.weight")
            .expect("checked at load");
        // Whole blocks around the columns; the rest of the row is not touched.
        let (format, row_bytes) = (table.info.format, table.row(token as usize));
        let block = format.block_len();
        let blocks = columns.start / block..columns.end.div_ceil(block);
        let mut own_row = vec![0.0; blocks.len() * block];
        let bytes = blocks.start * format.block_bytes()..blocks.end * format.block_bytes();
        dequantize_row(format, &row_bytes[bytes], &mut own_row);
        let first = columns.start - blocks.start * block;
        let own_row = &mut own_row[first..][..columns.len()];
        scale(self.isa, row, down);
        scale(self.isa, own_row, own);
        for part in row.chunks_exact_mut(n) {
            rms_norm(self.isa, part, Some(norm), self.config.epsilon);
        }
        add(self.isa, row, own_row);
        scale(self.isa, row, std::f32::consts::FRAC_1_SQRT_2);
    }

    pub(super) fn turns(&self, scratch: &mut Scratch, positions: &[usize]) {
        scratch.turns.resize(self.config.ropes.len(), Vec::new());
        for (turns, rope) in scratch.turns.iter_mut().zip(&self.config.ropes) {
            turns.clear();
            for &position in positions {
                turns.extend(
                    rope.frequencies
                        .iter()
                        .map(|&frequency| turn(position, frequency)),
                );
            }
        }
    }
}

/// Cosine and sine of a position's angle, by a library that gives the same bits everywhere.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "rounded to f32 on purpose"
)]
fn turn(position: usize, frequency: f64) -> (f32, f32) {
    let (sin, cos) = libm::sincos(position as f64 * frequency);
    (cos as f32, sin as f32)
}
