//! Gemma 4's audio encoder: a log-mel spectrogram becomes soft tokens, 25 for each second.
//!
//! Two strided convolutions bring 10 ms frames to 40 ms, then come conformer layers: half a feed-forward network,
//! attention to the last 12 positions, a causal convolution, and the other half. Scores of attention are
//! q · k + q · r(distance), capped by 50 tanh(x / 50). The reference computes attention in chunks of 12; a band is the same.
//!
//! Data: `x` is `[tokens][n_embd]`. Between the convolutions it is `[time][frequency][channel]`.

use super::linear::{Linear, project};
use super::mel::{BANDS, Mel};
use super::vision::{add_normed_rows, norm};
use super::{EPSILON, layer_count};
use crate::config::{MetadataKeys, floats};
use crate::weights::Loader;
use crate::{Error, Result};
use reckon_kernels::{
    Activations, Aligned, Cpu, add, add_product, add_scaled, clamp, dot, glu, layer_norm, multiply,
    rms_norm, scale, silu, softcap, softmax,
};
use std::f64::consts::{E, LN_2};

/// Positions that one attends to, its own included.
const WINDOW: usize = 12;

/// Scores stay below this.
const SCORE_CAP: f32 = 50.0;

/// Taps of the causal convolution.
const TAPS: usize = 5;

/// A side of the strided convolutions' kernels.
const KERNEL: usize = 3;

/// Tokens whose convolution is computed at once: its inputs are 36 times as large as its outputs.
const BATCH: usize = 64;

/// The weights of the encoder.
#[derive(Debug)]
pub(super) struct Audio {
    n_embd: usize,
    heads: usize,
    n_ff: usize,
    convolutions: [Convolution; 2],
    input: Linear,
    layers: Vec<Layer>,
    output: Linear,
    output_bias: Vec<f32>,
    projection: Linear,
}

/// A convolution of 3 × 3 with a stride of 2, a layer norm over channels and ReLU.
#[derive(Debug)]
struct Convolution {
    kernel: Linear,
    norm: Vec<f32>,
}

#[derive(Debug)]
struct Layer {
    feed_forward: [FeedForward; 2],
    attention_norm: Vec<f32>,
    query: Linear,
    key: Linear,
    value: Linear,
    /// From the sine and cosine of a distance to the keys of that distance.
    relative: Linear,
    /// Factors of a query's elements.
    query_scale: Vec<f32>,
    output: Linear,
    post_attention_norm: Vec<f32>,
    convolution_norm: Vec<f32>,
    start: Linear,
    /// `[tap][channel]`.
    taps: Vec<f32>,
    taps_norm: Vec<f32>,
    end: Linear,
    final_norm: Vec<f32>,
}

#[derive(Debug)]
struct FeedForward {
    norm: Vec<f32>,
    up: Linear,
    down: Linear,
    /// With the factor 1/2 of the residual in it, which is exact.
    post_norm: Vec<f32>,
}

impl Audio {
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
        let n_layer = layer_count(file, keys, "a")?;
        if keys.size("num_mel_bins", 1 << 10)? != BANDS {
            return Err(Error::Model(format!("it does not hear {BANDS} bands")));
        }
        // Half of the numbers are sines of a distance, half cosines.
        if !n_embd.is_multiple_of(heads) || !n_embd.is_multiple_of(2) || n_embd < 4 {
            return Err(Error::Model(format!(
                "its {heads} heads share {n_embd} numbers"
            )));
        }
        let first = Convolution::load(loader, 0, 1)?;
        let second = Convolution::load(loader, 1, first.norm.len())?;
        let flat = BANDS / 4 * second.norm.len();
        let input = loader.matrix("a.input_projection.weight", n_embd, flat)?;
        let layer = |i| Layer::load(loader, i, n_embd, heads, n_ff);
        let layers = (0..n_layer).map(layer).collect::<Result<_>>()?;
        let wide = file.tensor("a.pre_encode.out.weight")?.rows();
        if wide > 1 << 16 {
            return Err(Error::Model(format!("its output is {wide} wide")));
        }
        let output = loader.matrix("a.pre_encode.out.weight", wide, n_embd)?;
        let projection = loader.matrix("mm.a.input_projection.weight", width, wide)?;
        Ok(Self {
            n_embd,
            heads,
            n_ff,
            convolutions: [first, second],
            input: Linear::plain(input),
            layers,
            output: Linear::plain(output),
            output_bias: floats(file, "a.pre_encode.out.bias", wide)?,
            projection: Linear::plain(projection),
        })
    }

    /// The soft tokens of a spectrogram.
    pub(super) fn encode(&self, cpu: &Cpu, mel: &Mel) -> Vec<f32> {
        let mut space = Space::default();
        let mut x = self.embed(cpu, mel, &mut space);
        let tokens = mel.soft_tokens();
        let distances = self.distances();
        for layer in &self.layers {
            self.feed_forward(cpu, &layer.feed_forward[0], &mut x, &mut space);
            self.attention(cpu, layer, &distances, &mut x, &mut space);
            self.convolution(cpu, layer, &mut x, &mut space);
            self.feed_forward(cpu, &layer.feed_forward[1], &mut x, &mut space);
            cpu.pool.for_each_row(&mut x, self.n_embd, |_, row| {
                rms_norm(cpu.isa, row, Some(&layer.final_norm), EPSILON);
            });
        }
        let Space {
            input, query, out, ..
        } = &mut space;
        let make = copy(&x, self.n_embd);
        project(cpu, input, tokens, make, &mut [(&self.output, &mut *query)]);
        let bias = &self.output_bias;
        let make = |i: usize, row: &mut [f32]| {
            row.copy_from_slice(&query[i * bias.len()..][..bias.len()]);
            add(cpu.isa, row, bias);
            rms_norm(cpu.isa, row, None, EPSILON);
        };
        project(cpu, input, tokens, make, &mut [(&self.projection, out)]);
        out[..tokens * self.projection.rows()].to_vec()
    }

    /// Frames become the residual stream.
    fn embed(&self, cpu: &Cpu, mel: &Mel, space: &mut Space) -> Vec<f32> {
        let [first, second] = &self.convolutions;
        let plane = Plane {
            times: mel.frames(),
            bands: BANDS,
            channels: 1,
            data: mel.data(),
        };
        let data = first.run(cpu, &plane, space);
        let plane = Plane {
            times: mel.frames().div_ceil(2),
            bands: BANDS / 2,
            channels: first.norm.len(),
            data: &data,
        };
        let data = second.run(cpu, &plane, space);
        let flat = BANDS / 4 * second.norm.len();
        let tokens = mel.soft_tokens();
        let Space { input, out, .. } = space;
        project(
            cpu,
            input,
            tokens,
            copy(&data, flat),
            &mut [(&self.input, out)],
        );
        out[..tokens * self.n_embd].to_vec()
    }

    fn feed_forward(&self, cpu: &Cpu, part: &FeedForward, x: &mut [f32], space: &mut Space) {
        let (tokens, n_ff) = (x.len() / self.n_embd, self.n_ff);
        let Space {
            input, query, out, ..
        } = space;
        let make = norm(cpu, x, &part.norm);
        project(cpu, input, tokens, make, &mut [(&part.up, &mut *query)]);
        let make = |i: usize, row: &mut [f32]| {
            row.copy_from_slice(&query[i * n_ff..][..n_ff]);
            silu(cpu.isa, row);
        };
        project(cpu, input, tokens, make, &mut [(&part.down, &mut *out)]);
        add_normed_rows(cpu, x, out, &part.post_norm);
    }

    fn attention(
        &self,
        cpu: &Cpu,
        layer: &Layer,
        distances: &[f32],
        x: &mut [f32],
        space: &mut Space,
    ) {
        let (width, dim) = (self.n_embd, self.n_embd / self.heads);
        let tokens = x.len() / width;
        let Space {
            input,
            query,
            key,
            value,
            relative,
            out,
        } = space;
        let make = copy(distances, width);
        let parts = &mut [(&layer.relative, &mut *relative)];
        project(cpu, input, WINDOW, make, parts);
        let parts = &mut [
            (&layer.query, &mut *query),
            (&layer.key, &mut *key),
            (&layer.value, &mut *value),
        ];
        let make = norm(cpu, x, &layer.attention_norm);
        project(cpu, input, tokens, make, parts);
        let len = tokens * width;
        cpu.pool.for_each_row(query.sized(len), dim, |_, head| {
            multiply(cpu.isa, head, &layer.query_scale);
        });
        cpu.pool.for_each_row(key.sized(len), width, |_, row| {
            scale(cpu.isa, row, key_scale());
        });
        let band = Band {
            query,
            key,
            value,
            relative,
            width,
            dim,
        };
        let make = |i: usize, row: &mut [f32]| band.attend(cpu, i, row);
        project(cpu, input, tokens, make, &mut [(&layer.output, &mut *out)]);
        add_normed_rows(cpu, x, out, &layer.post_attention_norm);
    }

    fn convolution(&self, cpu: &Cpu, layer: &Layer, x: &mut [f32], space: &mut Space) {
        let width = self.n_embd;
        let tokens = x.len() / width;
        let Space {
            input,
            query: wide,
            key: gated,
            out,
            ..
        } = space;
        let make = norm(cpu, x, &layer.convolution_norm);
        project(cpu, input, tokens, make, &mut [(&layer.start, &mut *wide)]);
        let gated = gated.sized(tokens * width);
        cpu.pool.for_each_row(gated, width, |i, row| {
            let (values, gate) = wide[i * 2 * width..][..2 * width].split_at(width);
            row.copy_from_slice(values);
            glu(cpu.isa, row, gate);
        });
        let make = |i: usize, row: &mut [f32]| {
            row.fill(0.0);
            // The last tap is the token's own; before the first token there is silence.
            for (tap, weights) in layer.taps.chunks_exact(width).enumerate() {
                if let Some(at) = (i + tap + 1).checked_sub(TAPS) {
                    add_product(cpu.isa, row, &gated[at * width..][..width], weights);
                }
            }
            rms_norm(cpu.isa, row, Some(&layer.taps_norm), EPSILON);
            silu(cpu.isa, row);
        };
        project(cpu, input, tokens, make, &mut [(&layer.end, &mut *out)]);
        cpu.pool.for_each_row(x, width, |i, x| {
            add(cpu.isa, x, &out[i * width..][..width]);
        });
    }

    /// Sines, then cosines, of each distance: `[WINDOW][n_embd]`.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "small numbers, rounded on purpose"
    )]
    fn distances(&self) -> Vec<f32> {
        let half = self.n_embd / 2;
        let step = libm::log(10_000.0) / (half - 1) as f64;
        let mut rows = Vec::with_capacity(WINDOW * self.n_embd);
        for distance in 0..WINDOW {
            let angle = |i: usize| distance as f64 * libm::exp(-(i as f64) * step);
            rows.extend((0..half).map(|i| libm::sin(angle(i)) as f32));
            rows.extend((0..half).map(|i| libm::cos(angle(i)) as f32));
        }
        rows
    }
}

/// Factor on keys: softplus(1) / ln 2.
#[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
fn key_scale() -> f32 {
    (libm::log(1.0 + E) / LN_2) as f32
}

/// Writes rows of `x`.
fn copy(x: &[f32], width: usize) -> impl Fn(usize, &mut [f32]) + Sync + use<'_> {
    move |i, row| row.copy_from_slice(&x[i * width..][..width])
}

/// Attention to the last few positions.
struct Band<'a> {
    query: &'a [f32],
    key: &'a [f32],
    value: &'a [f32],
    /// Keys of distances, `[WINDOW][width]`.
    relative: &'a [f32],
    width: usize,
    dim: usize,
}

impl Band<'_> {
    /// What the token at `position` attends to, all heads.
    fn attend(&self, cpu: &Cpu, position: usize, out: &mut [f32]) {
        out.fill(0.0);
        let first = (position + 1).saturating_sub(WINDOW);
        for (head, out) in out.chunks_exact_mut(self.dim).enumerate() {
            let part = |i: usize| {
                let at = i * self.width + head * self.dim;
                at..at + self.dim
            };
            let query = &self.query[part(position)];
            let mut scores = [0.0; WINDOW];
            let scores = &mut scores[..=position - first];
            for (score, at) in scores.iter_mut().zip(first..) {
                let content = dot(cpu.isa, query, &self.key[part(at)]);
                let distance = &self.relative[part(position - at)];
                *score = content + dot(cpu.isa, query, distance);
            }
            softcap(cpu.isa, scores, SCORE_CAP);
            softmax(cpu.isa, scores);
            for (weight, at) in scores.iter().zip(first..) {
                add_scaled(cpu.isa, out, &self.value[part(at)], *weight);
            }
        }
    }
}

/// What a convolution reads: `[times][bands][channels]`.
struct Plane<'a> {
    times: usize,
    bands: usize,
    channels: usize,
    data: &'a [f32],
}

impl Plane<'_> {
    /// The inputs of the kernel around a place of the result, `[channels][3][3]`; beyond the edges there are zeros.
    fn window(&self, time: usize, band: usize, out: &mut [f32]) {
        out.fill(0.0);
        for tap in 0..KERNEL * KERNEL {
            let time = (2 * time + tap / KERNEL).wrapping_sub(1);
            let band = (2 * band + tap % KERNEL).wrapping_sub(1);
            if time >= self.times || band >= self.bands {
                continue;
            }
            let from = &self.data[(time * self.bands + band) * self.channels..][..self.channels];
            let to = out[tap..].iter_mut().step_by(KERNEL * KERNEL);
            to.zip(from).for_each(|(to, from)| *to = *from);
        }
    }
}

impl Convolution {
    fn load(loader: &mut Loader<'_>, i: usize, channels: usize) -> Result<Self> {
        let name = format!("a.conv1d.{i}.weight");
        let out = loader.file.tensor(&name)?.info.dims.last().copied();
        let out = out
            .filter(|n| (1..=1 << 10).contains(n))
            .ok_or_else(|| Error::Model(format!("tensor {name} has too many channels")))?;
        let kernel = loader.kernel(&name, &[KERNEL, KERNEL, channels, out])?;
        Ok(Self {
            kernel: Linear::plain(kernel),
            norm: floats(loader.file, &format!("a.conv1d.{i}.norm.weight"), out)?,
        })
    }

    /// Half as many times and bands.
    fn run(&self, cpu: &Cpu, plane: &Plane<'_>, space: &mut Space) -> Vec<f32> {
        let (times, bands) = (plane.times.div_ceil(2), plane.bands.div_ceil(2));
        let channels = self.norm.len();
        let Space { input, out, .. } = space;
        let mut result = Vec::with_capacity(times * bands * channels);
        for first in (0..times).step_by(BATCH) {
            let rows = BATCH.min(times - first) * bands;
            let make = |i: usize, row: &mut [f32]| {
                plane.window(first + i / bands, i % bands, row);
            };
            project(cpu, input, rows, make, &mut [(&self.kernel, &mut *out)]);
            let out = out.sized(rows * channels);
            cpu.pool.for_each_row(out, channels, |_, row| {
                layer_norm(cpu.isa, row, &self.norm, EPSILON);
                clamp(cpu.isa, row, 0.0, f32::INFINITY);
            });
            result.extend_from_slice(out);
        }
        result
    }
}

impl Layer {
    fn load(
        loader: &mut Loader<'_>,
        i: usize,
        width: usize,
        heads: usize,
        n_ff: usize,
    ) -> Result<Self> {
        let file = loader.file;
        let dim = width / heads;
        let name = |part: &str| format!("a.blk.{i}.{part}");
        let norm = |part: &str, len| floats(file, &format!("a.blk.{i}.{part}.weight"), len);
        let feed_forward = [
            FeedForward::load(loader, i, "", width, n_ff)?,
            FeedForward::load(loader, i, "_1", width, n_ff)?,
        ];
        let relative = loader.matrix(&name("attn_k_rel.weight"), width, width)?;
        let mut linear = |part: &str, rows, cols| Linear::load(loader, &name(part), rows, cols);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "a small number, rounded on purpose"
        )]
        let scale = (1.0 / (dim as f64).sqrt() / LN_2) as f32;
        // The file holds the factors with softplus already applied.
        let factors = norm("per_dim_scale", dim)?;
        let taps = norm("conv_dw", TAPS * width)?;
        let tap = |i: usize| taps[i..].iter().step_by(TAPS).copied();
        Ok(Self {
            feed_forward,
            attention_norm: norm("attn_pre_norm", width)?,
            query: linear("attn_q", width, width)?,
            key: linear("attn_k", width, width)?,
            value: linear("attn_v", width, width)?,
            relative: Linear::plain(relative),
            query_scale: factors.iter().map(|factor| factor * scale).collect(),
            output: linear("attn_out", width, width)?,
            post_attention_norm: norm("attn_post_norm", width)?,
            // The names of these two norms are swapped in files: `conv_norm` comes before all of the convolution.
            convolution_norm: norm("conv_norm", width)?,
            start: linear("conv_pw1", 2 * width, width)?,
            taps: (0..TAPS).flat_map(tap).collect(),
            taps_norm: norm("norm_conv", width)?,
            end: linear("conv_pw2", width, width)?,
            final_norm: norm("ln2", width)?,
        })
    }
}

impl FeedForward {
    fn load(
        loader: &mut Loader<'_>,
        i: usize,
        ending: &str,
        width: usize,
        n_ff: usize,
    ) -> Result<Self> {
        let file = loader.file;
        let name = |part: &str| format!("a.blk.{i}.{part}{ending}");
        let norm = |part: &str| floats(file, &format!("{}.weight", name(part)), width);
        let post_norm = norm("ffn_post_norm")?;
        Ok(Self {
            norm: norm("ffn_norm")?,
            up: Linear::load(loader, &name("ffn_up"), n_ff, width)?,
            down: Linear::load(loader, &name("ffn_down"), width, n_ff)?,
            post_norm: post_norm.iter().map(|w| 0.5 * w).collect(),
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
    relative: Aligned<f32>,
    out: Aligned<f32>,
}
