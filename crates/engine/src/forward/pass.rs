//! The layers of a pass: attention and a feed-forward network, each added to the residual stream.
//!
//! Called by `Forward::run`, layer by layer. Gemma 4 adds a third residual, the per-layer input, and scales the whole
//! stream at the end of a layer. What a family lacks is `None` in its weights: there is one code path for all of them.

mod delta;
mod experts;

use super::embed::last_places;
use super::{BatchItem, Forward, Scratch, Wanted};
use crate::config::Layer;
use crate::state::State;
use crate::weights::{
    AttentionWeights, DenseWeights, KvWeights, LayerWeights, Mixer, PerLayerInput, Projection,
};
pub(super) use delta::DeltaScratch;
pub(super) use experts::ExpertScratch;
use reckon_kernels::{
    Activations, Aligned, Cpu, GatedWeights, InputFormats, Matrix, Product, Queries, add,
    add_normed, add_scaled, attend, gated, gated_matmul, glu, matmul, rms_norm, rope, scale,
    softcap,
};

use std::ops::Range;

/// A pass under way.
pub(super) struct Pass<'a, 'b> {
    forward: &'a Forward<'a>,
    scratch: &'a mut Scratch,
    items: &'a mut [BatchItem<'b>],
    /// A drafter's target, whose KV cache is read instead of the items' own.
    target_state: Option<&'b State>,
    /// The rows of each item that are still in the pass, in the order of the items.
    spans: Vec<Span>,
    /// For each row that is still in the pass, its index at the start: where its RoPE angles are.
    places: Vec<usize>,
    /// Layers whose per-layer inputs are in `scratch.per_layer`.
    per_layer_of: Range<usize>,
}

/// Rows of one item that are still in the pass.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// Position of the first in its sequence.
    start: usize,
    rows: usize,
}

impl Span {
    /// Number of leading rows whose logits are not needed.
    fn unwanted(self, wanted: Wanted) -> usize {
        match wanted {
            Wanted::None => self.rows,
            Wanted::Last => self.rows.saturating_sub(1),
            Wanted::All => 0,
        }
    }
}

impl<'a, 'b> Pass<'a, 'b> {
    /// A pass whose residual stream holds the embeddings of the items' tokens, which their states already list.
    pub(super) fn new(
        forward: &'a Forward<'a>,
        scratch: &'a mut Scratch,
        items: &'a mut [BatchItem<'b>],
    ) -> Self {
        let span = |item: &BatchItem<'_>| Span {
            start: item.state.tokens().len() - item.tokens.len(),
            rows: item.tokens.len(),
        };
        let spans: Vec<Span> = items.iter().map(span).collect();
        let rows = spans.iter().map(|span| span.rows).sum();
        Self {
            forward,
            scratch,
            items,
            target_state: None,
            spans,
            places: (0..rows).collect(),
            per_layer_of: 0..0,
        }
    }

    /// A drafter's pass of one row: attends to the KV cache of `target_state` and writes none.
    pub(super) fn for_drafter(
        forward: &'a Forward<'a>,
        scratch: &'a mut Scratch,
        target_state: &'b State,
    ) -> Self {
        // The row has no key of its own, so for attention it stands at the position of the newest key it sees.
        let span = Span {
            start: target_state.tokens().len() - 1,
            rows: 1,
        };
        Self {
            forward,
            scratch,
            items: &mut [],
            target_state: Some(target_state),
            spans: vec![span],
            places: vec![0],
            per_layer_of: 0..0,
        }
    }

    /// Makes the per-layer inputs of the rows for some layers.
    pub(super) fn load_per_layer(&mut self, layers: Range<usize>) {
        // Rows that were dropped are the first of each item, so those left are its last tokens.
        let pairs = self.spans.iter().zip(&*self.items);
        let places: Vec<_> = pairs
            .flat_map(|(span, item)| last_places(item, span.rows))
            .collect();
        self.forward
            .load_per_layer(self.scratch, &places, layers.clone());
        self.per_layer_of = layers;
    }

    fn rows(&self) -> usize {
        self.places.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether there are rows whose logits are not needed.
    pub(super) fn has_unwanted(&self) -> bool {
        let mut pairs = self.spans.iter().zip(&*self.items);
        pairs.any(|(span, item)| span.unwanted(item.wanted) > 0)
    }

    /// Keeps only the rows whose logits are wanted, moved to the front of the residual stream.
    pub(super) fn drop_unwanted(&mut self) {
        let width = self.forward.config.n_embd;
        let (mut from, mut to) = (0, 0);
        for (span, item) in self.spans.iter_mut().zip(&*self.items) {
            let unwanted = span.unwanted(item.wanted);
            let kept = from + unwanted..from + span.rows;
            from = kept.end;
            span.start += unwanted;
            span.rows -= unwanted;
            // `to` never passes `from`, so rows that are still to be moved are not overwritten.
            self.places.copy_within(kept.clone(), to);
            let x = &mut self.scratch.x;
            x.copy_within(kept.start * width..kept.end * width, to * width);
            to += span.rows;
        }
        self.places.truncate(to);
        self.scratch.x.truncate(to * width);
    }

    /// Only the keys and values of a layer, into the KV caches.
    pub(super) fn write_kv(&mut self, i: usize) {
        let weights = &self.forward.weights.layers[i];
        if let Mixer::Attention(AttentionWeights { kv: Some(kv), .. }) = &weights.mixer {
            let formats = InputFormats::of(kv.matrices());
            self.norm_into_input(&weights.attention_norm, formats);
            let Scratch {
                input, key, value, ..
            } = &mut *self.scratch;
            let mut parts = vec![(&kv.key, key)];
            parts.extend(kv.value.as_ref().map(|own| (own, value)));
            project(self.forward, input, &mut parts);
            self.write(i, kv);
        }
    }

    /// The whole layer; `write_kv` is false if its keys and values are already in the KV caches.
    pub(super) fn layer(&mut self, i: usize, write_kv: bool) {
        let weights = &self.forward.weights.layers[i];
        match &weights.mixer {
            Mixer::Attention(attention) => {
                self.attention(i, &weights.attention_norm, attention, write_kv);
            }
            Mixer::Delta(delta) => self.delta(i, &weights.attention_norm, delta),
        }
        self.add_residual(weights.post_attention_norm.as_deref(), None);
        // The layer's scale applies to the whole residual stream, so it comes with the last residual that is added.
        match &weights.per_layer_input {
            Some(per_layer_input) => {
                self.feed_forward(weights, None);
                self.add_per_layer_input(i, per_layer_input, weights.scale);
            }
            None => self.feed_forward(weights, weights.scale),
        }
    }

    /// Attention of layer `i`; what it gives is left in `scratch.out`.
    fn attention(
        &mut self,
        i: usize,
        attention_norm: &[f32],
        weights: &AttentionWeights,
        write_kv: bool,
    ) {
        let kv = weights.kv.as_ref().filter(|_| write_kv);
        // Q, K and V multiply the same normed rows: quantised once, in whatever formats the three matrices want.
        let keys = kv.into_iter().flat_map(KvWeights::matrices);
        let inputs = keys.chain([&weights.query.matrix]);
        self.norm_into_input(attention_norm, InputFormats::of(inputs));
        let is_gated = self.forward.config.gated_attention;
        let Scratch {
            input,
            query,
            key,
            value,
            out,
            ..
        } = &mut *self.scratch;
        // Gates stay there until attention is done, queries are taken out.
        let queries = if is_gated { out } else { query };
        let mut parts = vec![(&weights.query, queries)];
        if let Some(kv) = kv {
            parts.push((&kv.key, key));
            parts.extend(kv.value.as_ref().map(|own| (own, value)));
        }
        project(self.forward, input, &mut parts);
        if let Some(kv) = kv {
            self.write(i, kv);
        }
        let layer = &self.forward.config.layers[i];
        if is_gated {
            self.take_queries(layer);
        }
        self.attend(layer, weights);
    }

    /// Takes the queries out of `scratch.out`, where each head has its query and then its gate.
    fn take_queries(&mut self, layer: &Layer) {
        let (rows, dim) = (self.rows(), layer.dim);
        let width = layer.heads * dim;
        let Scratch { query, out, .. } = &mut *self.scratch;
        let pairs = &*out.sized(rows * 2 * width);
        let pool = &self.forward.cpu.pool;
        pool.for_each_row(query.sized(rows * width), width, |row, queries| {
            let pairs = pairs[row * 2 * width..].chunks_exact(2 * dim);
            for (query, pair) in queries.chunks_exact_mut(dim).zip(pairs) {
                query.copy_from_slice(&pair[..dim]);
            }
        });
    }

    /// Norms and RoPE of keys, norm of values where the model has one; writes both into the KV caches.
    fn write(&mut self, i: usize, kv: &KvWeights) {
        let layer = &self.forward.config.layers[i];
        let Scratch {
            key,
            value,
            rope_angles,
            ..
        } = &mut *self.scratch;
        let width = layer.kv_heads * layer.dim;
        let norm = kv.key_norm.as_deref();
        let rope_angles = &rope_angles[layer.rope];
        let key = key.sized(self.places.len() * width);
        let value = value.sized(self.places.len() * width);
        if kv.value.is_none() {
            value.copy_from_slice(key);
        }
        norm_and_rotate(self.forward, layer, rope_angles, &self.places, norm, key);
        if self.forward.config.norm_values {
            let Forward { cpu, config, .. } = *self.forward;
            cpu.pool.for_each_row(value, layer.dim, |_, head| {
                rms_norm(cpu.isa, head, None, config.epsilon)
            });
        }
        // The GEMM was one for the whole batch; from here on each sequence has its own KV cache.
        let mut from = 0;
        for (span, item) in self.spans.iter().zip(&mut *self.items) {
            let cache = item.state.caches[i]
                .as_mut()
                .expect("a layer that owns a KV cache");
            let own = from * width..(from + span.rows) * width;
            cache.write(span.start, &key[own.clone()], &value[own]);
            from += span.rows;
        }
    }

    /// Each row's queries over its sequence's KV cache, and the projection of what they give.
    fn attend(&mut self, layer: &Layer, weights: &AttentionWeights) {
        let width = layer.heads * layer.dim;
        let Scratch {
            input,
            query,
            out,
            rope_angles,
            query_scales,
            ..
        } = &mut *self.scratch;
        let norm = weights.query_norm.as_deref();
        let rope_angles = &rope_angles[layer.rope];
        let query = query.sized(self.places.len() * width);
        norm_and_rotate(self.forward, layer, rope_angles, &self.places, norm, query);
        if !query_scales.is_empty() {
            let (places, Cpu { isa, pool }) = (&self.places, self.forward.cpu);
            pool.for_each_row(query, width, |row, query| {
                scale(*isa, query, query_scales[places[row]]);
            });
        }
        let mut from = 0;
        let mut jobs = Vec::with_capacity(self.spans.len());
        for (i, span) in self.spans.iter().enumerate() {
            let state = match self.target_state {
                Some(target_state) => target_state,
                None => &*self.items[i].state,
            };
            // A layer that owns no KV cache attends to an earlier layer's; a drafter's layers to their target's.
            let cache = state.caches[layer.kv_source].as_ref();
            jobs.push(Queries {
                cache: cache.expect("a layer that owns a KV cache"),
                rows: &query[from * width..][..span.rows * width],
                start: span.start,
                heads: layer.heads,
                scale: layer.scale,
                window: layer.window,
                causal: true,
                sinks: weights.sinks.as_deref(),
            });
            from += span.rows;
        }
        let cpu = self.forward.cpu;
        let rows = input.resize(self.places.len(), width);
        attend(cpu, &jobs, rows);
        if self.forward.config.gated_attention {
            let pairs = &*out.sized(2 * rows.len());
            cpu.pool.for_each_row(rows, width, |row, heads| {
                let pairs = pairs[row * 2 * width..].chunks_exact(2 * layer.dim);
                for (head, pair) in heads.chunks_exact_mut(layer.dim).zip(pairs) {
                    glu(cpu.isa, head, &pair[layer.dim..]);
                }
            });
        }
        input.quantize(cpu, InputFormats::of([&weights.output.matrix]));
        project(self.forward, input, &mut [(&weights.output, out)]);
    }

    fn feed_forward(&mut self, weights: &LayerWeights, factor: Option<f32>) {
        if let Some(dense) = &weights.dense {
            self.dense(&weights.ffn_norm, dense);
        }
        if let Some(experts) = &weights.experts {
            self.experts(weights, experts);
        }
        self.add_residual(weights.post_ffn_norm.as_deref(), factor);
    }

    /// The feed-forward network that every row goes through; what it gives is left in `scratch.out`.
    fn dense(&mut self, norm: &[f32], weights: &DenseWeights) {
        let formats = InputFormats::of([&weights.gate, &weights.up]);
        self.norm_into_input(norm, formats);
        let Forward { cpu, config, .. } = *self.forward;
        let Scratch {
            input, hidden, out, ..
        } = &mut *self.scratch;
        let gated = GatedWeights {
            activation: config.activation,
            gate: &weights.gate,
            up: &weights.up,
            biases: None,
        };
        let formats = InputFormats::of([&weights.down]);
        gated_matmul(cpu, input, gated, formats, hidden);
        product(self.forward, hidden, &weights.down, out);
    }

    /// Adds the layer's per-layer input, gated by the (un-normed) residual stream itself.
    fn add_per_layer_input(
        &mut self,
        i: usize,
        per_layer_input: &PerLayerInput,
        factor: Option<f32>,
    ) {
        let rows = self.rows();
        let Forward { cpu, config, .. } = *self.forward;
        // `scratch.per_layer` holds the layers of `per_layer_of` side by side, `n` columns each.
        let n = per_layer_input.gate.rows();
        let stride = self.per_layer_of.len() * n;
        let at = (i - self.per_layer_of.start) * n;
        let Scratch {
            x,
            input,
            out,
            per_layer,
            ..
        } = &mut *self.scratch;
        let width = config.n_embd;
        let formats = InputFormats::of([&per_layer_input.gate]);
        input.fill(cpu, (rows, width), formats, |row, input| {
            input.copy_from_slice(&x[row * width..][..width]);
        });
        product(self.forward, input, &per_layer_input.gate, out);
        let (gate, per_layer) = (&*out, &*per_layer);
        let formats = InputFormats::of([&per_layer_input.projection]);
        input.fill(cpu, (rows, n), formats, |row, x| {
            let up = &per_layer[row * stride + at..][..n];
            gated(cpu.isa, config.activation, x, &gate[row * n..][..n], up);
        });
        product(self.forward, input, &per_layer_input.projection, out);
        self.add_residual(Some(&per_layer_input.norm), factor);
    }

    /// The final norm, the output head and the softcap: logits.
    pub(super) fn head(&mut self) {
        let rows = self.rows();
        // All formats: a drafter multiplies the same hidden state with weights of its own.
        self.norm_into_input(&self.forward.weights.output_norm, InputFormats::ALL);
        let Forward {
            cpu,
            config,
            weights,
            ..
        } = *self.forward;
        let Scratch { input, logits, .. } = &mut *self.scratch;
        logits.resize(rows * weights.head.rows(), 0.0);
        matmul(
            cpu,
            input,
            &mut [Product {
                weights: &weights.head,
                out: &mut *logits,
            }],
        );
        let n_vocab = config.n_vocab;
        if let Some(factor) = config.logit_scale {
            cpu.pool
                .for_each_row(logits, n_vocab, |_, row| scale(cpu.isa, row, factor));
        }
        if let Some(cap) = config.softcap {
            cpu.pool
                .for_each_row(logits, n_vocab, |_, row| softcap(cpu.isa, row, cap));
        }
    }

    /// Normalises the residual stream into the input of the next GEMM.
    fn norm_into_input(&mut self, weight: &[f32], formats: InputFormats) {
        let rows = self.rows();
        let Forward { cpu, config, .. } = *self.forward;
        let Scratch { x, input, .. } = &mut *self.scratch;
        let width = config.n_embd;
        input.fill(cpu, (rows, width), formats, |row, input| {
            input.copy_from_slice(&x[row * width..][..width]);
            rms_norm(cpu.isa, input, Some(weight), config.epsilon);
        });
    }

    /// Adds the output of the last GEMM to the residual stream, normalised if there is a weight for it, else times the
    /// model's factor, and scales the stream.
    fn add_residual(&mut self, norm: Option<&[f32]>, factor: Option<f32>) {
        let Forward { cpu, config, .. } = *self.forward;
        let Scratch { x, out, .. } = &mut *self.scratch;
        let width = config.n_embd;
        let out = &*out;
        cpu.pool.for_each_row(x, width, |row, x| {
            let out = &out[row * width..][..width];
            match (norm, config.residual_scale) {
                (Some(weight), _) => add_normed(cpu.isa, x, out, weight, config.epsilon),
                (None, Some(scale)) => add_scaled(cpu.isa, x, out, scale),
                (None, None) => add(cpu.isa, x, out),
            }
            if let Some(factor) = factor {
                scale(cpu.isa, x, factor);
            }
        });
    }
}

/// One GEMM.
fn product(forward: &Forward<'_>, input: &Activations, weights: &Matrix, out: &mut Aligned<f32>) {
    let out = out.sized(input.rows() * weights.rows());
    matmul(forward.cpu, input, &mut [Product { weights, out }]);
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
    matmul(forward.cpu, input, &mut products);
    for (projection, out) in parts {
        if let Some(bias) = &projection.bias {
            let out = out.sized(rows * bias.len());
            let Cpu { isa, pool } = forward.cpu;
            pool.for_each_row(out, bias.len(), |_, row| add(*isa, row, bias));
        }
    }
}

/// Norm of each head, if there is a weight for it, then RoPE by its token's position, if the layer rotates.
fn norm_and_rotate(
    forward: &Forward<'_>,
    layer: &Layer,
    rope_angles: &[(f32, f32)],
    places: &[usize],
    norm: Option<&[f32]>,
    rows: &mut [f32],
) {
    let pairs = forward.config.ropes[layer.rope].frequencies.len();
    if pairs == 0 && norm.is_none() {
        return;
    }
    let width = rows.len() / places.len();
    let Cpu { isa, pool } = forward.cpu;
    pool.for_each_row(rows, width, |row, heads| {
        let rope_angles = &rope_angles[places[row] * pairs..][..pairs];
        for head in heads.chunks_exact_mut(layer.dim) {
            if norm.is_some() {
                rms_norm(*isa, head, norm, forward.config.epsilon);
            }
            rope(*isa, forward.config.pairing, head, rope_angles);
        }
    });
}
