//! The start of a pass: token ids in, the stream, per-layer embeddings and rotations out.
//!
//! Called by `Forward::run`. Rows of the two tables are read from the mapped file, since a token needs
//! one of each; now and then what was mapped is let go again.

use super::{Forward, Scratch, Share};
use crate::Token;
use crate::weights::PerLayer;
use reckon_kernels::{Product, add, dequantize_row, matmul, rms_norm, scale};

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
        self.pool
            .for_each_row(&mut scratch.x, width, |i, x| self.embedding(tokens[i], x));
        if let (Some(per_layer), Some(n)) = (&self.weights.per_layer, self.config.n_embd_per_layer)
        {
            self.embed_per_layer(scratch, tokens, per_layer, n);
        }
    }

    /// The embedding of one token, `[n_embd]`.
    pub(crate) fn embedding(&self, token: Token, x: &mut [f32]) {
        let table = self
            .file
            .tensor("token_embd.weight")
            .expect("checked at load");
        dequantize_row(table.info.format, table.row(token as usize), x);
        scale(self.isa, x, self.config.embedding_scale);
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

    /// Mixes each token's own row of the per-layer table with a projection of its embedding.
    fn embed_per_layer(
        &self,
        scratch: &mut Scratch,
        tokens: &[Token],
        weights: &PerLayer,
        n: usize,
    ) {
        let table = self
            .file
            .tensor("per_layer_token_embd.weight")
            .expect("checked at load");
        let width = self.config.layers.len() * n;
        scratch
            .input
            .resize(tokens.len(), self.config.n_embd)
            .copy_from_slice(&scratch.x);
        scratch.input.quantize(self.isa, self.pool);
        scratch.per_layer.resize(tokens.len() * width, 0.0);
        let out = &mut scratch.per_layer;
        matmul(
            self.isa,
            self.pool,
            &scratch.input,
            &mut [Product {
                weights: &weights.projection,
                out,
            }],
        );
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let (down, own) = (1.0 / (self.config.n_embd as f32).sqrt(), (n as f32).sqrt());
        self.pool
            .for_each_row(&mut scratch.per_layer, width, |i, row| {
                let mut table_row = vec![0.0; width];
                dequantize_row(
                    table.info.format,
                    table.row(tokens[i] as usize),
                    &mut table_row,
                );
                scale(self.isa, row, down);
                scale(self.isa, &mut table_row, own);
                for part in row.chunks_exact_mut(n) {
                    rms_norm(self.isa, part, Some(&weights.norm), self.config.epsilon);
                }
                add(self.isa, row, &table_row);
                scale(self.isa, row, std::f32::consts::FRAC_1_SQRT_2);
            });
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
