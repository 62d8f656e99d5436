//! The layers of a pass: the stream in, the stream and the layers' memory changed.
//!
//! Called by `Forward::run`, layer by layer. A layer is attention and a feed-forward network, each added to the
//! stream; Gemma 4 adds a share of the per-layer embedding and scales the stream. What a family lacks is `None`.

use super::{Forward, Scratch, Share, Wanted};
use crate::config::Layer;
use crate::state::State;
use crate::weights::{Injection, LayerWeights, Memory, Projection};
use reckon_kernels::{
    Activations, Aligned, Forms, Gates, Matrix, Product, Queries, add, add_normed, attend, gated,
    gated_matmul, matmul, rms_norm, rope, scale, softcap,
};

use std::ops::Range;

/// A pass under way.
pub(super) struct Pass<'a, 'b> {
    forward: &'a Forward<'a>,
    scratch: &'a mut Scratch,
    shares: &'a mut [Share<'b>],
    /// The state whose keys and values are read, if it is not the shares' own.
    lender: Option<&'b State>,
    /// The rows of each share that go on, in the order of the shares.
    spans: Vec<Span>,
    /// For each row that goes on, the place it began at: where its rotations are.
    places: Vec<usize>,
    /// Layers whose per-layer embeddings of the rows are at hand.
    mixed: Range<usize>,
}

/// Rows of one share that go on.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// Position of the first in its sequence.
    start: usize,
    rows: usize,
}

impl Span {
    /// How many of the rows nobody wants the logits of; they are the first.
    fn unwanted(self, wanted: Wanted) -> usize {
        match wanted {
            Wanted::None => self.rows,
            Wanted::Last => self.rows.saturating_sub(1),
            Wanted::All => 0,
        }
    }
}

impl<'a, 'b> Pass<'a, 'b> {
    /// A pass whose stream holds the embeddings of the shares' tokens, which are already noted in their states.
    pub(super) fn new(
        forward: &'a Forward<'a>,
        scratch: &'a mut Scratch,
        shares: &'a mut [Share<'b>],
    ) -> Self {
        let span = |share: &Share<'_>| Span {
            start: share.state.tokens().len() - share.tokens.len(),
            rows: share.tokens.len(),
        };
        let spans: Vec<Span> = shares.iter().map(span).collect();
        let rows = spans.iter().map(|span| span.rows).sum();
        Self {
            forward,
            scratch,
            shares,
            lender: None,
            spans,
            places: (0..rows).collect(),
            mixed: 0..0,
        }
    }

    /// A pass of one row that reads what `lender` remembers of the tokens before it and adds nothing.
    pub(super) fn beside(
        forward: &'a Forward<'a>,
        scratch: &'a mut Scratch,
        lender: &'b State,
    ) -> Self {
        // Attention counts positions from the newest key that is seen, here the one before the row.
        let span = Span {
            start: lender.tokens().len() - 1,
            rows: 1,
        };
        Self {
            forward,
            scratch,
            shares: &mut [],
            lender: Some(lender),
            spans: vec![span],
            places: vec![0],
            mixed: 0..0,
        }
    }

    /// Gets the per-layer embeddings of the rows for some layers.
    pub(super) fn mix(&mut self, layers: Range<usize>) {
        let pairs = self.spans.iter().zip(&*self.shares);
        let rows = pairs.map(|(span, share)| &share.tokens[share.tokens.len() - span.rows..]);
        let tokens = rows.flatten().copied().collect::<Vec<_>>();
        self.forward.mix(self.scratch, &tokens, layers.clone());
        self.mixed = layers;
    }

    fn rows(&self) -> usize {
        self.places.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether there are rows that nobody wants the logits of.
    pub(super) fn has_unwanted(&self) -> bool {
        let mut pairs = self.spans.iter().zip(&*self.shares);
        pairs.any(|(span, share)| span.unwanted(share.wanted) > 0)
    }

    /// Lets only the rows go on whose logits are wanted.
    pub(super) fn keep_wanted(&mut self) {
        let width = self.forward.config.n_embd;
        let (mut from, mut to) = (0, 0);
        for (span, share) in self.spans.iter_mut().zip(&*self.shares) {
            let unwanted = span.unwanted(share.wanted);
            let kept = from + unwanted..from + span.rows;
            from = kept.end;
            span.start += unwanted;
            span.rows -= unwanted;
            self.places.copy_within(kept.clone(), to);
            let x = &mut self.scratch.x;
            x.copy_within(kept.start * width..kept.end * width, to * width);
            to += span.rows;
        }
        self.places.truncate(to);
        self.scratch.x.truncate(to * width);
    }

    /// Only writes the layer's keys and values.
    pub(super) fn remember(&mut self, i: usize) {
        let weights = &self.forward.weights.layers[i];
        if let Some(memory) = &weights.memory {
            let forms = Forms::of([&memory.key.matrix, &memory.value.matrix]);
            self.norm_into_input(&weights.attention_norm, forms);
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
        let memory = weights.memory.as_ref().filter(|_| remember);
        let keys = memory.map(|memory| [&memory.key.matrix, &memory.value.matrix]);
        let inputs = keys.into_iter().flatten().chain([&weights.query.matrix]);
        self.norm_into_input(&weights.attention_norm, Forms::of(inputs));
        let Scratch {
            input,
            query,
            key,
            value,
            ..
        } = &mut *self.scratch;
        match memory {
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
        // The layer's scale comes with the last that is added.
        match &weights.injection {
            Some(injection) => {
                self.feed_forward(weights, None);
                self.inject(i, injection, weights.scale);
            }
            None => self.feed_forward(weights, weights.scale),
        }
    }

    /// Normalises and rotates keys, normalises values where the model does, and keeps both.
    fn write(&mut self, i: usize, memory: &Memory) {
        let layer = &self.forward.config.layers[i];
        let Scratch {
            key, value, turns, ..
        } = &mut *self.scratch;
        let width = layer.key_heads * layer.dim;
        let norm = memory.key_norm.as_deref();
        let turns = &turns[layer.rope];
        let key = key.sized(self.places.len() * width);
        let value = value.sized(self.places.len() * width);
        turn_heads(self.forward, layer, turns, &self.places, norm, key);
        if self.forward.config.norm_values {
            let (isa, epsilon) = (self.forward.isa, self.forward.config.epsilon);
            self.forward.pool.for_each_row(value, layer.dim, |_, head| {
                rms_norm(isa, head, None, epsilon)
            });
        }
        let mut from = 0;
        for (span, share) in self.spans.iter().zip(&mut *self.shares) {
            let cache = share.state.caches[i]
                .as_mut()
                .expect("a layer with keys has a cache");
            let own = from * width..(from + span.rows) * width;
            cache.write(span.start, &key[own.clone()], &value[own]);
            from += span.rows;
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
        let turns = &turns[layer.rope];
        let query = query.sized(self.places.len() * width);
        turn_heads(self.forward, layer, turns, &self.places, norm, query);
        let mut from = 0;
        let mut jobs = Vec::with_capacity(self.spans.len());
        for (i, span) in self.spans.iter().enumerate() {
            let state = match self.lender {
                Some(lender) => lender,
                None => &*self.shares[i].state,
            };
            let cache = state.caches[layer.source].as_ref();
            jobs.push(Queries {
                cache: cache.expect("a source has a cache"),
                rows: &query[from * width..][..span.rows * width],
                start: span.start,
                heads: layer.heads,
                scale: layer.scale,
                window: layer.window,
            });
            from += span.rows;
        }
        let Forward { isa, pool, .. } = *self.forward;
        attend(isa, pool, &jobs, input.resize(self.places.len(), width));
        input.quantize(isa, pool, Forms::of([&weights.output.matrix]));
        project(self.forward, input, &mut [(&weights.output, out)]);
        self.join(weights.post_attention_norm.as_deref(), None);
    }

    fn feed_forward(&mut self, weights: &LayerWeights, factor: Option<f32>) {
        let forms = Forms::of([&weights.gate, &weights.up]);
        self.norm_into_input(&weights.ffn_norm, forms);
        let Forward {
            isa, pool, config, ..
        } = *self.forward;
        let Scratch {
            input, hidden, out, ..
        } = &mut *self.scratch;
        let gates = Gates {
            kind: config.gate,
            gate: &weights.gate,
            up: &weights.up,
        };
        let forms = Forms::of([&weights.down]);
        gated_matmul((isa, pool), input, gates, forms, hidden);
        product(self.forward, hidden, &weights.down, out);
        self.join(weights.post_ffn_norm.as_deref(), factor);
    }

    /// Adds the layer's share of the per-layer embedding, gated by the stream itself.
    fn inject(&mut self, i: usize, injection: &Injection, factor: Option<f32>) {
        let rows = self.rows();
        let Forward {
            isa, pool, config, ..
        } = *self.forward;
        let n = injection.gate.rows();
        let stride = self.mixed.len() * n;
        let at = (i - self.mixed.start) * n;
        let Scratch {
            x,
            input,
            out,
            per_layer,
            ..
        } = &mut *self.scratch;
        let width = config.n_embd;
        let forms = Forms::of([&injection.gate]);
        input.fill((isa, pool), (rows, width), forms, |row, input| {
            input.copy_from_slice(&x[row * width..][..width]);
        });
        product(self.forward, input, &injection.gate, out);
        let (gate, per_layer) = (&*out, &*per_layer);
        let forms = Forms::of([&injection.projection]);
        input.fill((isa, pool), (rows, n), forms, |row, x| {
            let up = &per_layer[row * stride + at..][..n];
            gated(isa, config.gate, x, &gate[row * n..][..n], up);
        });
        product(self.forward, input, &injection.projection, out);
        self.join(Some(&injection.norm), factor);
    }

    /// The final norm, the head and the softcap.
    pub(super) fn head(&mut self) {
        let rows = self.rows();
        // Whoever guesses tokens may have other weights for the same input.
        self.norm_into_input(&self.forward.weights.output_norm, Forms::ALL);
        let Forward {
            isa,
            pool,
            config,
            weights,
            ..
        } = *self.forward;
        let Scratch { input, logits, .. } = &mut *self.scratch;
        logits.resize(rows * weights.head.rows(), 0.0);
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
    fn norm_into_input(&mut self, weight: &[f32], forms: Forms) {
        let rows = self.rows();
        let Forward {
            isa, pool, config, ..
        } = *self.forward;
        let Scratch { x, input, .. } = &mut *self.scratch;
        let width = config.n_embd;
        input.fill((isa, pool), (rows, width), forms, |row, input| {
            input.copy_from_slice(&x[row * width..][..width]);
            rms_norm(isa, input, Some(weight), config.epsilon);
        });
    }

    /// Adds the last product to the stream, normalised if there is a weight for it, and scales the stream.
    fn join(&mut self, norm: Option<&[f32]>, factor: Option<f32>) {
        let Forward {
            isa, pool, config, ..
        } = *self.forward;
        let Scratch { x, out, .. } = &mut *self.scratch;
        let width = config.n_embd;
        let out = &*out;
        pool.for_each_row(x, width, |row, x| {
            let out = &out[row * width..][..width];
            match norm {
                Some(weight) => add_normed(isa, x, out, weight, config.epsilon),
                None => add(isa, x, out),
            }
            if let Some(factor) = factor {
                scale(isa, x, factor);
            }
        });
    }
}

/// One product.
fn product(forward: &Forward<'_>, input: &Activations, weights: &Matrix, out: &mut Aligned<f32>) {
    let out = out.sized(input.rows() * weights.rows());
    matmul(
        forward.isa,
        forward.pool,
        input,
        &mut [Product { weights, out }],
    );
}

/// Several projections of one input, with their biases.
fn project(
    forward: &Forward<'_>,
    input: &Activations,
    parts: &mut [(&Projection, &mut Aligned<f32>)],
) {
    let rows = input.rows();
    let mut products = Vec::with_capacity(parts.len());
    for (projection, out) in parts.iter_mut() {
        products.push(Product {
            weights: &projection.matrix,
            out: out.sized(rows * projection.matrix.rows()),
        });
    }
    matmul(forward.isa, forward.pool, input, &mut products);
    for (projection, out) in parts {
        if let Some(bias) = &projection.bias {
            let out = out.sized(rows * bias.len());
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
    places: &[usize],
    norm: Option<&[f32]>,
    rows: &mut [f32],
) {
    let pairs = forward.config.ropes[layer.rope].frequencies.len();
    let width = rows.len() / places.len();
    forward.pool.for_each_row(rows, width, |row, heads| {
        let turns = &turns[places[row] * pairs..][..pairs];
        for head in heads.chunks_exact_mut(layer.dim) {
            if norm.is_some() {
                rms_norm(forward.isa, head, norm, forward.config.epsilon);
            }
            rope(forward.isa, forward.config.pairing, head, turns);
        }
    });
}
