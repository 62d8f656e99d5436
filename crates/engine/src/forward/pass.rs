//! The layers of a pass: the stream in, the stream and the layers' memory changed.
//!
//! Called by `Forward::run`, layer by layer. A layer is attention and a feed-forward network, each added to the
//! stream; Gemma 4 adds a share of the per-layer embedding and scales the stream. What a family lacks is `None`.

use super::{Forward, Scratch};
use crate::config::Layer;
use crate::state::State;
use crate::weights::{Injection, LayerWeights, Memory, Projection};
use reckon_kernels::{
    Activations, Product, Queries, add, attend, gated, matmul, rms_norm, rope, scale, softcap,
};

/// A pass under way.
pub(super) struct Pass<'a> {
    pub(super) forward: &'a Forward<'a>,
    pub(super) state: &'a mut State,
    pub(super) scratch: &'a mut Scratch,
    /// Position of the first token of the batch.
    pub(super) start: usize,
    /// Tokens at the front that no longer go on.
    pub(super) skipped: usize,
    /// Tokens that go on.
    pub(super) rows: usize,
}

impl Pass<'_> {
    /// Lets only the last token go on.
    pub(super) fn keep_last(&mut self) {
        let width = self.forward.config.n_embd;
        let first = (self.rows - 1) * width;
        self.scratch.x.copy_within(first.., 0);
        self.scratch.x.truncate(width);
        self.skipped += self.rows - 1;
        self.rows = 1;
    }

    /// Only writes the layer's keys and values.
    pub(super) fn remember(&mut self, i: usize) {
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
    pub(super) fn layer(&mut self, i: usize, remember: bool) {
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
    pub(super) fn head(&mut self) {
        self.norm_into_input(&self.forward.weights.output_norm);
        let Forward {
            isa,
            pool,
            config,
            weights,
            ..
        } = *self.forward;
        let Scratch { input, logits, .. } = &mut *self.scratch;
        logits.resize(self.rows * weights.head.rows(), 0.0);
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
