//! Gemma 4's vision encoder: pixels become soft tokens, one for each 48 × 48 of them.
//!
//! A transformer over patches of 16 × 16 pixels that all see each other; its positions are a learned vector for the
//! column and one for the row, and RoPE whose first half of a head turns by the column and second half by the row. At
//! the end 3 × 3 patches are averaged and projected into the language model's residual stream.
//!
//! Data: `x` is `[patches][n_embd]`, patches row by row. Keys and values of a layer go through a `KvCache` of full
//! floats, so that attention is the language model's kernel, without its mask.

use super::image::{PATCH, Pixels, SIDE};
use super::linear::{Linear, project};
use super::{EPSILON, layer_count};
use crate::config::{MetadataKeys, floats};
use crate::weights::Loader;
use crate::{Error, Result};
use reckon_gguf::File;
use reckon_kernels::{
    ActivationFn, Activations, Aligned, Cpu, KvCache, Precision, Queries, RopePairing, add,
    add_normed, attend, dequantize_row, gated, multiply, rms_norm, rope, scale,
};

/// Patches along a side of what becomes one soft token.
const POOL: usize = SIDE / PATCH;

/// Patches that go through a feed-forward network at once: its wide rows then stay in the cache.
const BATCH: usize = 512;

/// How slowly RoPE's slowest pair turns.
const ROPE_BASE: f64 = 100.0;

const POSITIONS: &str = "v.position_embd.weight";

/// The weights of the encoder.
#[derive(Debug)]
pub(super) struct Vision {
    n_embd: usize,
    heads: usize,
    n_ff: usize,
    /// Rows and columns that have a learned position.
    n_positions: usize,
    patches: Linear,
    layers: Vec<Layer>,
    /// What larger towers take off and multiply with after pooling.
    standard: Option<(Vec<f32>, Vec<f32>)>,
    projection: Linear,
}

#[derive(Debug)]
struct Layer {
    attention_norm: Vec<f32>,
    query: Linear,
    key: Linear,
    value: Linear,
    query_norm: Vec<f32>,
    key_norm: Vec<f32>,
    output: Linear,
    post_attention_norm: Vec<f32>,
    ffn_norm: Vec<f32>,
    gate: Linear,
    up: Linear,
    down: Linear,
    post_ffn_norm: Vec<f32>,
}

impl Vision {
    /// Checks the encoder in a file whose soft tokens are `width` wide.
    pub(super) fn load(
        loader: &mut Loader<'_>,
        keys: &MetadataKeys<'_>,
        width: usize,
    ) -> Result<Self> {
        let file = loader.file;
        let n_embd = keys.size("embedding_length", 1 << 13)?;
        let heads = keys.size("attention.head_count", 256)?;
        let n_ff = keys.size("feed_forward_length", 1 << 15)?;
        let n_layer = layer_count(file, keys, "v")?;
        if keys.size("patch_size", 1 << 10)? != PATCH {
            return Err(Error::Model(format!("its patches are not {PATCH} wide")));
        }
        // Attention works on whole vectors of 16, and RoPE on pairs in each half of a head.
        if !n_embd.is_multiple_of(heads * 16) {
            return Err(Error::Model(format!(
                "its {heads} heads share {n_embd} numbers"
            )));
        }
        let table = file.tensor(POSITIONS)?;
        let n_positions = table.rows() / 2;
        if table.row_len() != n_embd || table.rows() % 2 != 0 || table.info.dims.get(2) != Some(&2)
        {
            return Err(Error::Model(format!(
                "tensor {POSITIONS} is not two tables of rows of {n_embd}"
            )));
        }
        let standard = match file.opt_tensor("v.std_bias") {
            None => None,
            Some(_) => Some((
                floats(file, "v.std_bias", n_embd)?,
                floats(file, "v.std_scale", n_embd)?,
            )),
        };
        let patch = [PATCH, PATCH, 3, n_embd];
        let patches = loader.kernel("v.patch_embd.weight", &patch)?;
        let layer = |i| Layer::load(loader, i, n_embd, n_embd / heads, n_ff);
        let layers = (0..n_layer).map(layer).collect::<Result<_>>()?;
        let projection = loader.matrix("mm.input_projection.weight", width, n_embd)?;
        Ok(Self {
            n_embd,
            heads,
            n_ff,
            n_positions,
            patches: Linear::plain(patches),
            layers,
            standard,
            projection: Linear::plain(projection),
        })
    }

    /// The soft tokens of an image, row by row.
    pub(super) fn encode(&self, file: &File, cpu: &Cpu, pixels: &Pixels) -> Result<Vec<f32>> {
        let grid = Grid::new(pixels, self.n_embd / self.heads);
        if grid.columns.max(grid.rows) > self.n_positions {
            return Err(Error::Media(format!(
                "the image has {} × {} patches, at most {} a side have a place",
                grid.columns, grid.rows, self.n_positions
            )));
        }
        let mut space = Space::default();
        let mut x = self.embed(file, cpu, pixels, &grid, &mut space);
        let mut cache = KvCache::new(
            Precision::Full,
            self.heads,
            self.n_embd / self.heads,
            grid.patches(),
        );
        for layer in &self.layers {
            self.attention(cpu, layer, &grid, &mut cache, &mut x, &mut space);
            self.feed_forward(cpu, layer, &mut x, &mut space);
        }
        let pooled = self.pool(cpu, &grid, &x);
        let make = |i: usize, row: &mut [f32]| {
            row.copy_from_slice(&pooled[i * self.n_embd..][..self.n_embd]);
            rms_norm(cpu.isa, row, None, EPSILON);
        };
        let Space { input, out, .. } = &mut space;
        let tokens = pooled.len() / self.n_embd;
        project(cpu, input, tokens, make, &mut [(&self.projection, out)]);
        Ok(out[..tokens * self.projection.rows()].to_vec())
    }

    /// Patches projected, with the learned positions of their column and row.
    fn embed(
        &self,
        file: &File,
        cpu: &Cpu,
        pixels: &Pixels,
        grid: &Grid,
        space: &mut Space,
    ) -> Vec<f32> {
        let Space { input, out, .. } = space;
        let make = |i: usize, row: &mut [f32]| {
            pixels.patch(i % grid.columns, i / grid.columns, row);
            // From 0..1 to -1..1, as the encoder was trained.
            row.iter_mut().for_each(|v| *v = 2.0 * *v - 1.0);
        };
        project(
            cpu,
            input,
            grid.patches(),
            make,
            &mut [(&self.patches, out)],
        );
        let mut x = out[..grid.patches() * self.n_embd].to_vec();
        let table = file.tensor(POSITIONS).expect("checked at load");
        let position = |i: usize| {
            let mut row = vec![0.0; self.n_embd];
            dequantize_row(table.info.format, table.row(i), &mut row);
            row
        };
        let columns: Vec<_> = (0..grid.columns).map(position).collect();
        let rows: Vec<_> = (0..grid.rows)
            .map(|y| position(self.n_positions + y))
            .collect();
        cpu.pool.for_each_row(&mut x, self.n_embd, |i, x| {
            add(cpu.isa, x, &columns[i % grid.columns]);
            add(cpu.isa, x, &rows[i / grid.columns]);
        });
        x
    }

    fn attention(
        &self,
        cpu: &Cpu,
        layer: &Layer,
        grid: &Grid,
        cache: &mut KvCache,
        x: &mut [f32],
        space: &mut Space,
    ) {
        let (width, dim, patches) = (self.n_embd, self.n_embd / self.heads, grid.patches());
        let Space {
            input,
            query,
            key,
            value,
            out,
        } = space;
        let make = norm(cpu, x, &layer.attention_norm);
        project(
            cpu,
            input,
            patches,
            make,
            &mut [
                (&layer.query, query),
                (&layer.key, key),
                (&layer.value, value),
            ],
        );
        let len = patches * width;
        for (rows, weight) in [
            (query.sized(len), &layer.query_norm),
            (key.sized(len), &layer.key_norm),
        ] {
            cpu.pool.for_each_row(rows, width, |i, row| {
                for head in row.chunks_exact_mut(dim) {
                    rms_norm(cpu.isa, head, Some(weight), EPSILON);
                    grid.rotate(cpu, i, head);
                }
            });
        }
        let value = value.sized(len);
        cpu.pool
            .for_each_row(value, dim, |_, head| rms_norm(cpu.isa, head, None, EPSILON));
        cache.write(0, &key[..len], value);
        let queries = Queries {
            cache,
            rows: &query[..len],
            start: 0,
            heads: self.heads,
            // Queries and keys are normalised to fit this.
            scale: 1.0,
            window: None,
            causal: false,
            sinks: None,
        };
        let seen = value;
        attend(cpu, &[queries], seen);
        let make = |i: usize, row: &mut [f32]| row.copy_from_slice(&seen[i * width..][..width]);
        project(cpu, input, patches, make, &mut [(&layer.output, out)]);
        add_normed_rows(cpu, x, out, &layer.post_attention_norm);
    }

    fn feed_forward(&self, cpu: &Cpu, layer: &Layer, x: &mut [f32], space: &mut Space) {
        let (width, n_ff) = (self.n_embd, self.n_ff);
        let Space {
            input,
            query: gate,
            key: up,
            out,
            ..
        } = space;
        for x in x.chunks_mut(BATCH * width) {
            let rows = x.len() / width;
            let make = norm(cpu, x, &layer.ffn_norm);
            let parts = &mut [(&layer.gate, &mut *gate), (&layer.up, &mut *up)];
            project(cpu, input, rows, make, parts);
            let make = |i: usize, row: &mut [f32]| {
                let (gate, up) = (&gate[i * n_ff..][..n_ff], &up[i * n_ff..][..n_ff]);
                gated(cpu.isa, ActivationFn::Gelu, row, gate, up);
            };
            project(cpu, input, rows, make, &mut [(&layer.down, out)]);
            add_normed_rows(cpu, x, out, &layer.post_ffn_norm);
        }
    }

    /// Averages of 3 × 3 patches, times √n_embd.
    fn pool(&self, cpu: &Cpu, grid: &Grid, x: &[f32]) -> Vec<f32> {
        let width = self.n_embd;
        let columns = grid.columns / POOL;
        let mut pooled = vec![0.0; grid.patches() / (POOL * POOL) * width];
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let factor = (width as f32).sqrt() / (POOL * POOL) as f32;
        cpu.pool.for_each_row(&mut pooled, width, |i, out| {
            for patch in 0..POOL * POOL {
                let column = i % columns * POOL + patch % POOL;
                let row = i / columns * POOL + patch / POOL;
                add(
                    cpu.isa,
                    out,
                    &x[(row * grid.columns + column) * width..][..width],
                );
            }
            scale(cpu.isa, out, factor);
            if let Some((bias, factors)) = &self.standard {
                out.iter_mut().zip(bias).for_each(|(x, b)| *x -= b);
                multiply(cpu.isa, out, factors);
            }
        });
        pooled
    }
}

impl Layer {
    fn load(
        loader: &mut Loader<'_>,
        i: usize,
        width: usize,
        dim: usize,
        n_ff: usize,
    ) -> Result<Self> {
        let file = loader.file;
        let name = |part: &str| format!("v.blk.{i}.{part}");
        let norm = |part: &str, len| floats(file, &format!("v.blk.{i}.{part}.weight"), len);
        let mut linear = |part: &str, rows, cols| Linear::load(loader, &name(part), rows, cols);
        Ok(Self {
            attention_norm: norm("ln1", width)?,
            query: linear("attn_q", width, width)?,
            key: linear("attn_k", width, width)?,
            value: linear("attn_v", width, width)?,
            query_norm: norm("attn_q_norm", dim)?,
            key_norm: norm("attn_k_norm", dim)?,
            output: linear("attn_out", width, width)?,
            post_attention_norm: norm("attn_post_norm", width)?,
            ffn_norm: norm("ln2", width)?,
            gate: linear("ffn_gate", n_ff, width)?,
            up: linear("ffn_up", n_ff, width)?,
            down: linear("ffn_down", width, n_ff)?,
            post_ffn_norm: norm("ffn_post_norm", width)?,
        })
    }
}

/// Buffers of a pass.
#[derive(Default)]
struct Space {
    input: Activations,
    query: Aligned<f32>,
    key: Aligned<f32>,
    value: Aligned<f32>,
    out: Aligned<f32>,
}

/// The patches of an image, and how far RoPE turns in each column and row.
struct Grid {
    columns: usize,
    rows: usize,
    /// (cos, sin) for each pair of a half head: `[columns or rows][pairs]`.
    angles: Vec<(f32, f32)>,
    pairs: usize,
}

impl Grid {
    fn new(pixels: &Pixels, dim: usize) -> Self {
        let (columns, rows) = (pixels.width() / PATCH, pixels.height() / PATCH);
        let pairs = dim / 4;
        let mut angles = Vec::with_capacity(columns.max(rows) * pairs);
        for place in 0..columns.max(rows) {
            for i in 0..pairs {
                #[expect(clippy::cast_precision_loss, reason = "both are small")]
                let angle = place as f64 * libm::pow(ROPE_BASE, -(i as f64) / pairs as f64);
                let (sin, cos) = libm::sincos(angle);
                #[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
                angles.push((cos as f32, sin as f32));
            }
        }
        Self {
            columns,
            rows,
            angles,
            pairs,
        }
    }

    fn patches(&self) -> usize {
        self.columns * self.rows
    }

    /// Turns the first half of a patch's head by its column, the second by its row.
    fn rotate(&self, cpu: &Cpu, patch: usize, head: &mut [f32]) {
        let angles = |place: usize| &self.angles[place * self.pairs..][..self.pairs];
        let (first, second) = head.split_at_mut(head.len() / 2);
        let pairing = RopePairing::Halves;
        rope(cpu.isa, pairing, first, angles(patch % self.columns));
        rope(cpu.isa, pairing, second, angles(patch / self.columns));
    }
}

/// Writes rows of `x`, normalised.
pub(super) fn norm<'a>(
    cpu: &'a Cpu,
    x: &'a [f32],
    weight: &'a [f32],
) -> impl Fn(usize, &mut [f32]) + Sync + use<'a> {
    move |i, row| {
        row.copy_from_slice(&x[i * weight.len()..][..weight.len()]);
        rms_norm(cpu.isa, row, Some(weight), EPSILON);
    }
}

/// Adds rows, normalised, to the residual stream.
pub(super) fn add_normed_rows(cpu: &Cpu, x: &mut [f32], rows: &[f32], weight: &[f32]) {
    let width = weight.len();
    cpu.pool.for_each_row(x, width, |i, x| {
        add_normed(cpu.isa, x, &rows[i * width..][..width], weight, EPSILON);
    });
}
