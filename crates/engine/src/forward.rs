//! One pass of tokens through the layers: ids in, logits out.
//!
//! Called by `generate` for each batch of a prompt and for each new token. The stream
//! `x` is `[tokens][n_embd]`; every buffer lives in [`Scratch`] and is reused. Everything
//! was checked at load, so nothing here can fail.
//!
//! The prefill shortcut: layers above the last one with keys of its own write no memory,
//! and that layer itself is needed only for its keys and values, so from there on only
//! tokens whose logits are wanted go on. For Gemma 4 E2B that is a third of the work, for
//! every other model the last layer is saved. It is exact.

use crate::Token;
use crate::config::{Config, Layer};
use crate::state::State;
use crate::weights::{Injection, LayerWeights, Memory, PerLayer, Projection, Weights};
use reckon_gguf::File;
use reckon_kernels::{
    Activations, Isa, Pool, Product, Queries, add, attend, dequantize_row, gated, matmul, rms_norm,
    rope, scale, softcap,
};

/// Tokens between two times that mapped rows are let go.
const LET_GO: usize = 256;

/// Which tokens' logits are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// None: the tokens are only remembered.
    None,
    /// The last token's.
    Last,
    /// Every token's.
    All,
}

/// What a pass needs besides the tokens; read-only.
#[derive(Clone, Copy)]
pub(crate) struct Forward<'a> {
    pub(crate) file: &'a File,
    pub(crate) config: &'a Config,
    pub(crate) weights: &'a Weights,
    pub(crate) isa: Isa,
    pub(crate) pool: &'a Pool,
    /// Whether tokens whose logits are not wanted may stop early.
    pub(crate) shortcut: bool,
}

/// Buffers of a pass.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The stream.
    x: Vec<f32>,
    /// Input of the next product.
    input: Activations,
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    up: Vec<f32>,
    /// Output of the last product.
    out: Vec<f32>,
    /// Per-layer embeddings, `[tokens][layers][n]`.
    per_layer: Vec<f32>,
    /// (cos, sin) of each token for each rope.
    turns: Vec<Vec<(f32, f32)>>,
    /// Result of the pass: `[wanted tokens][n_vocab]`.
    pub(crate) logits: Vec<f32>,
}

impl Forward<'_> {
    /// Reads `tokens` after those that `state` holds and leaves the wanted logits in `scratch.logits`.
    pub(crate) fn run(
        &self,
        state: &mut State,
        scratch: &mut Scratch,
        tokens: &[Token],
        wanted: Wanted,
    ) {
        let start = state.tokens().len();
        state.push(tokens);
        scratch.logits.clear();
        self.embed(scratch, tokens);
        self.let_go(start, start + tokens.len());
        self.turns(scratch, start, tokens.len());
        let mut pass = Pass {
            forward: self,
            state,
            scratch,
            start,
            skipped: 0,
            rows: tokens.len(),
        };
        let last_source = self.config.last_source();
        for i in 0..self.config.layers.len() {
            let narrow = i == last_source && wanted != Wanted::All && self.shortcut;
            if narrow {
                pass.remember(i);
                if wanted == Wanted::None {
                    return;
                }
                pass.keep_last();
            }
            pass.layer(i, !narrow);
        }
        if wanted == Wanted::Last {
            pass.keep_last();
        }
        if wanted != Wanted::None {
            pass.head();
        }
    }

    fn embed(&self, scratch: &mut Scratch, tokens: &[Token]) {
        let width = self.config.n_embd;
        let table = self
            .file
            .tensor("token_embd.weight")
            .expect("checked at load");
        scratch.x.resize(tokens.len() * width, 0.0);
        self.pool.for_each_row(&mut scratch.x, width, |i, x| {
            dequantize_row(table.info.format, table.row(tokens[i] as usize), x);
            scale(self.isa, x, self.config.embedding_scale);
        });
        if let (Some(per_layer), Some(n)) = (&self.weights.per_layer, self.config.n_embd_per_layer)
        {
            self.embed_per_layer(scratch, tokens, per_layer, n);
        }
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

    fn turns(&self, scratch: &mut Scratch, start: usize, count: usize) {
        scratch.turns.resize(self.config.ropes.len(), Vec::new());
        for (turns, rope) in scratch.turns.iter_mut().zip(&self.config.ropes) {
            turns.clear();
            for position in start..start + count {
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

/// A pass under way.
struct Pass<'a> {
    forward: &'a Forward<'a>,
    state: &'a mut State,
    scratch: &'a mut Scratch,
    /// Position of the first token of the batch.
    start: usize,
    /// Tokens at the front that no longer go on.
    skipped: usize,
    /// Tokens that go on.
    rows: usize,
}

impl Pass<'_> {
    /// Lets only the last token go on.
    fn keep_last(&mut self) {
        let width = self.forward.config.n_embd;
        let first = (self.rows - 1) * width;
        self.scratch.x.copy_within(first.., 0);
        self.scratch.x.truncate(width);
        self.skipped += self.rows - 1;
        self.rows = 1;
    }

    /// Only writes the layer's keys and values.
    fn remember(&mut self, i: usize) {
        let weights = &self.forward.weights.layers[i];
        self.norm_into_input(&weights.attention_norm);
        if let Some(memory) = &weights.memory {
            let Scratch {
                input, key, value, ..
            } = &mut *self.scratch;
            project(
                self.forward,
                input,
                &mut [(&memory.key, key), (&memory.value, value)],
            );
            self.write(i, memory);
        }
    }

    /// The whole layer; `remember` is false if its keys and values are already written.
    fn layer(&mut self, i: usize, remember: bool) {
        let weights = &self.forward.weights.layers[i];
        let layer = &self.forward.config.layers[i];
        self.norm_into_input(&weights.attention_norm);
        let Scratch {
            input,
            query,
            key,
            value,
            ..
        } = &mut *self.scratch;
        match weights.memory.as_ref().filter(|_| remember) {
            Some(memory) => {
                project(
                    self.forward,
                    input,
                    &mut [
                        (&weights.query, query),
                        (&memory.key, key),
                        (&memory.value, value),
                    ],
                );
                self.write(i, memory);
            }
            None => project(self.forward, input, &mut [(&weights.query, query)]),
        }
        self.attention(layer, weights);
        self.feed_forward(weights);
        if let Some(injection) = &weights.injection {
            self.inject(i, injection);
        }
        if let Some(factor) = weights.scale {
            let isa = self.forward.isa;
            self.each_row(|x| scale(isa, x, factor));
        }
    }

    /// Normalises and rotates keys, normalises values where the model does, and keeps both.
    fn write(&mut self, i: usize, memory: &Memory) {
        let layer = &self.forward.config.layers[i];
        let Scratch {
            key, value, turns, ..
        } = &mut *self.scratch;
        let width = layer.key_heads * layer.dim;
        turn_heads(
            self.forward,
            layer,
            &turns[layer.rope],
            self.skipped,
            memory.key_norm.as_deref(),
            key,
            width,
        );
        if self.forward.config.norm_values {
            let (isa, epsilon) = (self.forward.isa, self.forward.config.epsilon);
            self.forward.pool.for_each_row(value, layer.dim, |_, head| {
                rms_norm(isa, head, None, epsilon)
            });
        }
        let cache = self.state.caches[i]
            .as_mut()
            .expect("a layer with keys has a cache");
        let rows = key.chunks_exact(width).zip(value.chunks_exact(width));
        for (row, (key, value)) in rows.enumerate() {
            cache.write(self.start + self.skipped + row, key, value);
        }
    }

    fn attention(&mut self, layer: &Layer, weights: &LayerWeights) {
        let width = layer.heads * layer.dim;
        let Scratch {
            input,
            query,
            out,
            turns,
            ..
        } = &mut *self.scratch;
        let norm = weights.query_norm.as_deref();
        turn_heads(
            self.forward,
            layer,
            &turns[layer.rope],
            self.skipped,
            norm,
            query,
            width,
        );
        let cache = self.state.caches[layer.source]
            .as_ref()
            .expect("a source has a cache");
        let queries = Queries {
            rows: query,
            start: self.start + self.skipped,
            heads: layer.heads,
            scale: layer.scale,
            window: layer.window,
        };
        attend(
            self.forward.isa,
            self.forward.pool,
            cache,
            &queries,
            input.resize(self.rows, width),
        );
        input.quantize(self.forward.isa, self.forward.pool);
        project(self.forward, input, &mut [(&weights.output, out)]);
        self.join(weights.post_attention_norm.as_deref());
    }

    fn feed_forward(&mut self, weights: &LayerWeights) {
        self.norm_into_input(&weights.ffn_norm);
        let Forward {
            isa, pool, config, ..
        } = *self.forward;
        let n_ff = weights.up.rows();
        let Scratch { input, up, out, .. } = &mut *self.scratch;
        out.resize(self.rows * n_ff, 0.0);
        up.resize(self.rows * n_ff, 0.0);
        let products = &mut [
            Product {
                weights: &weights.gate,
                out,
            },
            Product {
                weights: &weights.up,
                out: up,
            },
        ];
        matmul(isa, pool, input, products);
        input.resize(self.rows, n_ff).copy_from_slice(out);
        pool.for_each_row(input.floats_mut(), n_ff, |row, x| {
            gated(isa, config.gate, x, &up[row * n_ff..][..n_ff])
        });
        input.quantize(isa, pool);
        out.resize(self.rows * config.n_embd, 0.0);
        matmul(
            isa,
            pool,
            input,
            &mut [Product {
                weights: &weights.down,
                out,
            }],
        );
        self.join(weights.post_ffn_norm.as_deref());
    }

    /// Adds the layer's share of the per-layer embedding, gated by the stream itself.
    fn inject(&mut self, i: usize, injection: &Injection) {
        let Forward {
            isa, pool, config, ..
        } = *self.forward;
        let n = injection.gate.rows();
        let stride = config.layers.len() * n;
        let Scratch {
            x,
            input,
            out,
            per_layer,
            ..
        } = &mut *self.scratch;
        input.resize(self.rows, config.n_embd).copy_from_slice(x);
        input.quantize(isa, pool);
        out.resize(self.rows * n, 0.0);
        matmul(
            isa,
            pool,
            input,
            &mut [Product {
                weights: &injection.gate,
                out,
            }],
        );
        input.resize(self.rows, n).copy_from_slice(out);
        let skipped = self.skipped;
        pool.for_each_row(input.floats_mut(), n, |row, x| {
            gated(
                isa,
                config.gate,
                x,
                &per_layer[(skipped + row) * stride + i * n..][..n],
            );
        });
        input.quantize(isa, pool);
        out.resize(self.rows * config.n_embd, 0.0);
        matmul(
            isa,
            pool,
            input,
            &mut [Product {
                weights: &injection.projection,
                out,
            }],
        );
        self.join(Some(&injection.norm));
    }

    /// The final norm, the head and the softcap.
    fn head(&mut self) {
        self.norm_into_input(&self.forward.weights.output_norm);
        let Forward {
            isa,
            pool,
            config,
            weights,
            ..
        } = *self.forward;
        let Scratch { input, logits, .. } = &mut *self.scratch;
        logits.resize(self.rows * config.n_vocab, 0.0);
        matmul(
            isa,
            pool,
            input,
            &mut [Product {
                weights: &weights.head,
                out: &mut *logits,
            }],
        );
        if let Some(cap) = config.softcap {
            pool.for_each_row(logits, config.n_vocab, |_, row| softcap(isa, row, cap));
        }
    }

    /// Copies the stream into the input of the next product, normalised.
    fn norm_into_input(&mut self, weight: &[f32]) {
        let Forward {
            isa, pool, config, ..
        } = *self.forward;
        let Scratch { x, input, .. } = &mut *self.scratch;
        input.resize(self.rows, config.n_embd).copy_from_slice(x);
        pool.for_each_row(input.floats_mut(), config.n_embd, |_, row| {
            rms_norm(isa, row, Some(weight), config.epsilon)
        });
        input.quantize(isa, pool);
    }

    /// Adds the last product to the stream, normalised if there is a weight for it.
    fn join(&mut self, norm: Option<&[f32]>) {
        let Forward {
            isa, pool, config, ..
        } = *self.forward;
        let Scratch { x, out, .. } = &mut *self.scratch;
        if norm.is_some() {
            pool.for_each_row(out, config.n_embd, |_, row| {
                rms_norm(isa, row, norm, config.epsilon)
            });
        }
        let out = &*out;
        pool.for_each_row(x, config.n_embd, |i, row| {
            add(isa, row, &out[i * config.n_embd..][..config.n_embd])
        });
    }

    fn each_row(&mut self, work: impl Fn(&mut [f32]) + Sync) {
        let width = self.forward.config.n_embd;
        self.forward
            .pool
            .for_each_row(&mut self.scratch.x, width, |_, row| work(row));
    }
}

/// Several projections of one input, with their biases.
fn project(forward: &Forward<'_>, input: &Activations, parts: &mut [(&Projection, &mut Vec<f32>)]) {
    let rows = input.rows();
    let mut products = Vec::with_capacity(parts.len());
    for (projection, out) in parts.iter_mut() {
        out.resize(rows * projection.matrix.rows(), 0.0);
        products.push(Product {
            weights: &projection.matrix,
            out,
        });
    }
    matmul(forward.isa, forward.pool, input, &mut products);
    for (projection, out) in parts {
        if let Some(bias) = &projection.bias {
            forward
                .pool
                .for_each_row(out, bias.len(), |_, row| add(forward.isa, row, bias));
        }
    }
}

/// Normalises each head, if there is a weight for it, and turns it by its token's position.
fn turn_heads(
    forward: &Forward<'_>,
    layer: &Layer,
    turns: &[(f32, f32)],
    skipped: usize,
    norm: Option<&[f32]>,
    rows: &mut [f32],
    width: usize,
) {
    let pairs = forward.config.ropes[layer.rope].frequencies.len();
    forward.pool.for_each_row(rows, width, |token, row| {
        let turns = &turns[(skipped + token) * pairs..][..pairs];
        for head in row.chunks_exact_mut(layer.dim) {
            if norm.is_some() {
                rms_norm(forward.isa, head, norm, forward.config.epsilon);
            }
            rope(forward.config.pairing, head, turns);
        }
    });
}
