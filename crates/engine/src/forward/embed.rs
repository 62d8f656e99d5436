//! Embeds tokens: the start of the residual stream, RoPE angles, and Gemma 4's per-layer inputs.
//!
//! A soft token is its own row of the residual stream: it is not scaled, and its row of the per-layer table is that of
//! token 0.
//!
//! Rows of the two embedding tables are read from the mapped file and never packed, because a token needs one row of
//! each and the per-layer table alone is half of Gemma 4 E2B; now and then the mapped pages are released again.

use super::{BatchItem, Forward, Scratch};
use crate::Token;
use crate::config::Temperature;
use crate::prompt::Place;
use reckon_kernels::{InputFormats, Product, add, dequantize_row, matmul, rms_norm, scale};
use std::ops::Range;

/// Tokens between two releases of the tables' mapped pages.
const RELEASE_EVERY: usize = 256;

impl Forward<'_> {
    /// Appends the tokens to their states and fills the residual stream with their embeddings.
    pub(super) fn begin(&self, scratch: &mut Scratch, items: &mut [BatchItem<'_>]) {
        // Rows of all items lie one after the other; each has the position in its own sequence.
        let mut positions = Vec::new();
        for item in &mut *items {
            let start = item.state.tokens().len();
            positions.extend(start..start + item.tokens.len());
            item.state.push(item.tokens, item.prompt);
        }
        let rows = items
            .iter()
            .flat_map(|item| last_places(item, item.tokens.len()));
        let places: Vec<Place<'_>> = rows.collect();
        scratch.x.resize(places.len() * self.config.n_embd, 0.0);
        self.embed(&mut scratch.x, &places);
        self.release_tables(scratch.read, scratch.read + places.len());
        scratch.read += places.len();
        self.rope_angles(scratch, &positions);
    }

    /// The embeddings of tokens, scaled.
    pub(crate) fn embed_tokens(&self, out: &mut [f32], tokens: &[Token]) {
        let places: Vec<Place<'_>> = tokens.iter().map(|&token| Place::Token(token)).collect();
        self.embed(out, &places);
    }

    fn embed(&self, out: &mut [f32], places: &[Place<'_>]) {
        let table = self
            .file
            .tensor("token_embd.weight")
            .expect("checked at load");
        self.cpu
            .pool
            .for_each_row(out, self.config.n_embd, |i, x| match places[i] {
                Place::Token(token) => {
                    dequantize_row(table.info.format, table.row(token as usize), x);
                    scale(self.cpu.isa, x, self.config.embedding_scale);
                }
                Place::Soft(row) => x.copy_from_slice(row),
            });
    }

    /// Now and then releases the mapped pages of the tables, so that they do not pile up in memory.
    fn release_tables(&self, start: usize, end: usize) {
        if start / RELEASE_EVERY < end / RELEASE_EVERY {
            for name in ["token_embd.weight", "per_layer_token_embd.weight"] {
                if let Some(table) = self.file.opt_tensor(name) {
                    self.file.release(&table);
                }
            }
        }
    }

    /// Per-layer inputs of tokens for some layers: each token's own row of the per-layer table plus a projection of its
    /// embedding. Layers above the last with a KV cache are made separately, for the tokens that get there.
    pub(super) fn load_per_layer(
        &self,
        scratch: &mut Scratch,
        places: &[Place<'_>],
        layers: Range<usize>,
    ) {
        let (Some(weights), Some(n)) = (&self.weights.per_layer, self.config.n_embd_per_layer)
        else {
            return;
        };
        if layers.is_empty() {
            return;
        }
        // The projection is packed in two parts (see `PerLayerProjection`), because most prompt tokens need only the
        // first.
        let projection = match layers.start < self.config.last_kept_layer() {
            true => &weights.below,
            false => &weights.above,
        };
        let width = layers.len() * n;
        // Embedded again: layers below may already have changed the residual stream, and this projection wants its
        // start.
        let input = scratch.input.resize(places.len(), self.config.n_embd);
        self.embed(input, places);
        let formats = InputFormats::of([projection]);
        scratch.input.quantize(self.cpu, formats);
        let out = scratch.per_layer.sized(places.len() * width);
        matmul(
            self.cpu,
            &scratch.input,
            &mut [Product {
                weights: projection,
                out,
            }],
        );
        let columns = layers.start * n..layers.end * n;
        let rows = scratch.per_layer.sized(places.len() * width);
        self.cpu.pool.for_each_row(rows, width, |i, row| {
            let token = match places[i] {
                Place::Token(token) => token,
                Place::Soft(_) => 0,
            };
            self.mix_per_layer_row(row, token, &columns, &weights.norm, n);
        });
    }

    /// (projection / √n_embd, normalised, + table row · √n) / √2, for some columns of a token's row.
    fn mix_per_layer_row(
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
        let isa = self.cpu.isa;
        scale(isa, row, down);
        scale(isa, own_row, own);
        // Each layer's share is normalised on its own, by the one weight that all layers have in common.
        for part in row.chunks_exact_mut(n) {
            rms_norm(isa, part, Some(norm), self.config.epsilon);
        }
        add(isa, row, own_row);
        scale(isa, row, std::f32::consts::FRAC_1_SQRT_2);
    }

    /// Fills `scratch.rope_angles` and `scratch.query_scales` for rows at these positions.
    pub(super) fn rope_angles(&self, scratch: &mut Scratch, positions: &[usize]) {
        scratch
            .rope_angles
            .resize(self.config.ropes.len(), Vec::new());
        for (rope_angles, rope) in scratch.rope_angles.iter_mut().zip(&self.config.ropes) {
            rope_angles.clear();
            for &position in positions {
                rope_angles.extend(
                    rope.frequencies
                        .iter()
                        .map(|&frequency| cos_sin(position, frequency, rope.magnitude)),
                );
            }
        }
        scratch.query_scales.clear();
        if let Some(temperature) = self.config.temperature {
            let scales = positions
                .iter()
                .map(|&position| query_scale(position, temperature));
            scratch.query_scales.extend(scales);
        }
    }
}

/// The last `count` of what an item's tokens are.
pub(super) fn last_places<'a>(
    item: &'a BatchItem<'_>,
    count: usize,
) -> impl Iterator<Item = Place<'a>> {
    let end = item.state.tokens().len();
    (end - count..end).map(|position| item.state.place(position))
}

/// The factor on queries at a position.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "rounded to f32 on purpose"
)]
fn query_scale(position: usize, temperature: Temperature) -> f32 {
    let passed = (position / temperature.length) as f64;
    (1.0 + f64::from(temperature.scale) * libm::log(1.0 + passed)) as f32
}

/// Cosine and sine of a position's RoPE angle, times the magnitude, in double precision by a library that gives the same
/// bits everywhere.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "rounded to f32 on purpose"
)]
fn cos_sin(position: usize, frequency: f64, magnitude: f64) -> (f32, f32) {
    let (sin, cos) = libm::sincos(position as f64 * frequency);
    ((cos * magnitude) as f32, (sin * magnitude) as f32)
}
