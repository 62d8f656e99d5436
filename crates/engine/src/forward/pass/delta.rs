//! A gated delta layer: projects rows, convolves queries, keys and values over the newest tokens of their sequence, applies
//! the delta rule head by head, and norms and gates what the heads give.
//!
//! Called by `Pass::layer` in the place of attention. Products, convolution and gates are those of a whole batch; only the
//! rule itself goes through a sequence token by token.

use super::{Pass, Scratch, project};
use crate::config::DeltaNet;
use crate::forward::Forward;
use crate::weights::DeltaWeights;
use reckon_kernels::{
    Aligned, Cpu, DeltaRows, InputFormats, Isa, add_product, delta_rule, glu, multiply, rms_norm,
    scale, silu,
};

/// What keeps the norm of queries and keys from dividing by zero; no key of a file says another.
const EPSILON: f32 = 1e-6;

/// Buffers of the delta layers.
#[derive(Debug, Default)]
pub(in crate::forward) struct DeltaScratch {
    /// Queries, keys and values, before and after the convolution.
    qkv: Aligned<f32>,
    convolved: Aligned<f32>,
    /// The gate of what the heads give.
    gate: Aligned<f32>,
    alpha: Aligned<f32>,
    beta: Aligned<f32>,
    /// What each head keeps of its matrix, and its rate.
    gates: Aligned<f32>,
    /// What the heads give: for each sequence `[head][row][value_dim]`.
    heads: Aligned<f32>,
}

/// The sequence of a row, and where it begins in the pass.
#[derive(Clone, Copy)]
struct Owner {
    item: usize,
    first: usize,
    rows: usize,
}

impl Pass<'_, '_> {
    /// Delta layer `i`; what it gives is left in `scratch.out`.
    pub(super) fn delta(&mut self, i: usize, norm: &[f32], weights: &DeltaWeights) {
        let forward = self.forward;
        let Some(net) = &forward.config.delta else {
            return;
        };
        let inputs = weights.inputs().map(|input| &input.matrix);
        self.norm_into_input(norm, InputFormats::of(inputs));
        let Scratch {
            input, delta: s, ..
        } = &mut *self.scratch;
        let mut parts = [
            (&weights.qkv, &mut s.qkv),
            (&weights.gate, &mut s.gate),
            (&weights.alpha, &mut s.alpha),
            (&weights.beta, &mut s.beta),
        ];
        project(forward, input, &mut parts);
        let owners = self.owners();
        self.convolve(i, net, weights, &owners);
        self.remember(i, net);
        self.weigh(net, weights);
        self.apply(i, net);
        self.gate_heads(net, weights, &owners);
        let Scratch { input, out, .. } = &mut *self.scratch;
        project(forward, input, &mut [(&weights.output, out)]);
    }

    fn owners(&self) -> Vec<Owner> {
        let mut owners = Vec::with_capacity(self.rows());
        for (item, span) in self.spans.iter().enumerate() {
            let owner = Owner {
                item,
                first: owners.len(),
                rows: span.rows,
            };
            owners.extend(std::iter::repeat_n(owner, span.rows));
        }
        owners
    }

    /// Each row with those before it, weighed by the taps; queries and keys get length one, queries over √dim.
    fn convolve(&mut self, i: usize, net: &DeltaNet, weights: &DeltaWeights, owners: &[Owner]) {
        let width = net.shape.width();
        let items = self.items.iter_mut();
        let recent: Vec<&[f32]> = items.map(|item| &*item.state.delta_mut(i).recent).collect();
        let DeltaScratch { qkv, convolved, .. } = &mut self.scratch.delta;
        let qkv = &*qkv.sized(owners.len() * width);
        let Cpu { isa, pool } = self.forward.cpu;
        pool.for_each_row(convolved.sized(qkv.len()), width, |row, out| {
            let owner = owners[row];
            let before = net.taps - 1;
            for (tap, taps) in weights.taps.chunks_exact(width).enumerate() {
                // Counted from the oldest row that the sequence remembers.
                let at = row - owner.first + tap;
                let x = match at.checked_sub(before) {
                    None => &recent[owner.item][at * width..][..width],
                    Some(at) => &qkv[(owner.first + at) * width..][..width],
                };
                if tap == 0 {
                    out.copy_from_slice(x);
                    multiply(*isa, out, taps);
                } else {
                    add_product(*isa, out, x, taps);
                }
            }
            silu(*isa, out);
            normalize(*isa, net, out);
        });
    }

    /// Keeps the newest rows of each sequence for the tokens that follow.
    fn remember(&mut self, i: usize, net: &DeltaNet) {
        let width = net.shape.width();
        let mut qkv = &*self.scratch.delta.qkv.sized(self.places.len() * width);
        for (span, item) in self.spans.iter().zip(&mut *self.items) {
            let (rows, rest) = qkv.split_at(span.rows * width);
            qkv = rest;
            let recent = &mut item.state.delta_mut(i).recent;
            let new = recent.len().min(rows.len());
            recent.copy_within(new.., 0);
            let kept = recent.len() - new;
            recent[kept..].copy_from_slice(&rows[rows.len() - new..]);
        }
    }

    /// decay = e^(factor · softplus(alpha + bias)), rate = sigmoid(beta).
    fn weigh(&mut self, net: &DeltaNet, weights: &DeltaWeights) {
        let heads = net.shape.value_heads;
        let rows = self.places.len();
        let DeltaScratch {
            alpha, beta, gates, ..
        } = &mut self.scratch.delta;
        let (alpha, beta) = (&*alpha.sized(rows * heads), &*beta.sized(rows * heads));
        let pool = &self.forward.cpu.pool;
        pool.for_each_row(gates.sized(rows * 2 * heads), 2 * heads, |row, gates| {
            let (decays, rates) = gates.split_at_mut(heads);
            for (head, decay) in decays.iter_mut().enumerate() {
                let alpha = alpha[row * heads + head] + weights.bias[head];
                *decay = self::decay(alpha, weights.factor[head]);
            }
            for (head, rate) in rates.iter_mut().enumerate() {
                *rate = sigmoid(beta[row * heads + head]);
            }
        });
    }

    fn apply(&mut self, i: usize, net: &DeltaNet) {
        let (shape, rows) = (net.shape, self.places.len());
        let DeltaScratch {
            convolved,
            gates,
            heads,
            ..
        } = &mut self.scratch.delta;
        let mut qkv = &*convolved.sized(rows * shape.width());
        let mut gates = &*gates.sized(rows * 2 * shape.value_heads);
        let mut heads = &mut *heads.sized(rows * shape.value_width());
        let mut sequences = Vec::with_capacity(self.spans.len());
        for (span, item) in self.spans.iter().zip(&mut *self.items) {
            let [qkv, gates] = [
                (&mut qkv, shape.width()),
                (&mut gates, 2 * shape.value_heads),
            ]
            .map(|(all, width)| all.split_off(..span.rows * width).unwrap_or_default());
            let out = heads.split_off_mut(..span.rows * shape.value_width());
            sequences.push(DeltaRows {
                state: &mut item.state.delta_mut(i).matrices,
                rows: qkv,
                gates,
                out: out.unwrap_or_default(),
            });
        }
        delta_rule(self.forward.cpu, shape, &mut sequences);
    }

    /// What the heads give, normalised head by head and gated, as the input of the last projection.
    fn gate_heads(&mut self, net: &DeltaNet, weights: &DeltaWeights, owners: &[Owner]) {
        let (width, dim) = (net.shape.value_width(), net.shape.value_dim);
        let Forward { cpu, config, .. } = *self.forward;
        let isa = cpu.isa;
        let Scratch {
            input, delta: s, ..
        } = &mut *self.scratch;
        let (heads, gate) = (
            &*s.heads.sized(owners.len() * width),
            &*s.gate.sized(owners.len() * width),
        );
        let formats = InputFormats::of([&weights.output.matrix]);
        input.fill(cpu, (owners.len(), width), formats, |row, out| {
            let owner = owners[row];
            let own = &heads[owner.first * width..][..owner.rows * width];
            for (head, out) in out.chunks_exact_mut(dim).enumerate() {
                let at = (head * owner.rows + row - owner.first) * dim;
                out.copy_from_slice(&own[at..][..dim]);
                rms_norm(isa, out, Some(&weights.norm), config.epsilon);
            }
            let gate = &gate[row * width..][..width];
            multiply(isa, out, gate);
            glu(isa, out, gate);
        });
    }
}

/// Gives the queries and keys of a row length one, and divides queries by √dim.
fn normalize(isa: Isa, net: &DeltaNet, row: &mut [f32]) {
    let dim = net.shape.dim;
    #[expect(clippy::cast_precision_loss, reason = "heads are small")]
    let elements = dim as f32;
    // A norm by the mean of squares gives a length of √dim.
    let short = 1.0 / elements.sqrt();
    let queries = net.shape.key_heads;
    for (head, x) in row.chunks_exact_mut(dim).take(2 * queries).enumerate() {
        rms_norm(isa, x, None, EPSILON / elements);
        scale(isa, x, if head < queries { short * short } else { short });
    }
}

/// e^(factor · ln(1 + e^alpha)), in a pure Rust library, so that every platform gets the same bits.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
fn decay(alpha: f32, factor: f32) -> f32 {
    let alpha = f64::from(alpha);
    // Beyond this e^alpha is all there is, and it must not become infinite.
    let softplus = match alpha > 20.0 {
        true => alpha,
        false => libm::log1p(libm::exp(alpha)),
    };
    libm::exp(f64::from(factor) * softplus) as f32
}

#[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
fn sigmoid(x: f32) -> f32 {
    (1.0 / (1.0 + libm::exp(-f64::from(x)))) as f32
}
