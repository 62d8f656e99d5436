//! The experts of a layer: routes rows to experts, runs each expert over its rows, adds up what comes back.
//!
//! Called by `Pass::feed_forward`. A row's choices are sorted by expert, and so are the rows of a batch: an expert's
//! weights are read once for all rows that were routed to it, and those of the others not at all. Experts of few rows
//! run side by side, in waves.
//!
//! Numeric contract: a row's sum is Σ weight · expert(row), one `fma` each, in the order of the experts' numbers. The
//! other rows, the waves and the threads have no part in it.

use super::{Pass, Scratch, product};
use crate::config::Experts;
use crate::forward::Forward;
use crate::weights::{Expert, ExpertWeights, LayerWeights};
use reckon_kernels::{
    ActivationFn, Activations, Aligned, Cpu, GatedProduct, GatedWeights, InputFormats, Isa,
    Product, add, add_normed, add_scaled, gated_matmul_each, glu, matmul_each, rms_norm, scale,
    softmax,
};
use std::ops::Range;

/// Rows of a wave: enough to keep all threads busy, few enough that its results stay in the L2 cache. An expert with
/// more rows is a wave of its own.
const WAVE: usize = 64;

/// Buffers of the experts.
#[derive(Debug, Default)]
pub(in crate::forward) struct ExpertScratch {
    routes: Routes,
    /// For each expert of a wave, its rows, and what the first half of its network makes of them.
    inputs: Vec<Activations>,
    hidden: Vec<Activations>,
    /// What the experts of a wave give, `[rows of the wave][n_embd]`.
    out: Aligned<f32>,
    /// The weighted sum, `[rows][n_embd]`.
    sum: Aligned<f32>,
    /// The gate of the shared expert for each row.
    shared_gates: Aligned<f32>,
}

/// Which rows go to which experts.
#[derive(Debug, Default)]
struct Routes {
    /// The choices of each row, `used` of them, in the order of the experts' numbers.
    choices: Vec<Choice>,
    /// The choices sorted by expert, then by row: indices into `choices`.
    by_expert: Vec<usize>,
    /// For each choice, its place in `by_expert`.
    places: Vec<usize>,
}

/// An expert that was chosen for a row.
#[derive(Clone, Copy, Debug)]
struct Choice {
    row: usize,
    expert: usize,
    weight: f32,
}

impl Pass<'_, '_> {
    /// The experts of a layer. What they give goes to `scratch.out`; where a dense network runs beside them, it is
    /// added to what that left there, each normalised; where there is a shared expert, it is added to what that left there
    /// times its gate.
    pub(super) fn experts(&mut self, weights: &LayerWeights, experts: &ExpertWeights) {
        let forward = self.forward;
        let Some(config) = &forward.config.experts else {
            return;
        };
        self.route(config, weights, experts);
        let rows = self.rows();
        let width = forward.config.n_embd;
        let Scratch {
            x, out, experts: s, ..
        } = &mut *self.scratch;
        let sum = s.sum.sized(rows * width);
        sum.fill(0.0);
        let norms = experts.norms.as_ref();
        let input_norm = norms.map_or(&weights.ffn_norm, |norms| &norms.input);
        let mut start = 0;
        while start < s.routes.choices.len() {
            let groups = s.routes.wave(start);
            let wave = Wave {
                forward,
                experts: &experts.experts,
                routes: &s.routes,
                groups: &groups,
            };
            wave.run(x, input_norm, (&mut s.inputs, &mut s.hidden), &mut s.out);
            wave.add_to(sum, config.used, &s.out);
            start = wave.places().end;
        }
        let Cpu { isa, pool } = forward.cpu;
        let epsilon = forward.config.epsilon;
        let sum = &*sum;
        let Some(norms) = norms else {
            if experts.shared_gate.is_none() {
                return std::mem::swap(out, &mut s.sum);
            }
            let gates = &*s.shared_gates.sized(rows);
            return pool.for_each_row(out.sized(rows * width), width, |row, out| {
                let mut gate = [1.0];
                glu(*isa, &mut gate, &gates[row..=row]);
                scale(*isa, out, gate[0]);
                add(*isa, out, &sum[row * width..][..width]);
            });
        };
        pool.for_each_row(out.sized(rows * width), width, |row, out| {
            let sum = &sum[row * width..][..width];
            rms_norm(*isa, out, Some(&norms.post_dense), epsilon);
            add_normed(*isa, out, sum, &norms.post_experts, epsilon);
        });
    }

    /// Chooses the experts of each row.
    fn route(&mut self, config: &Experts, weights: &LayerWeights, experts: &ExpertWeights) {
        let norms = experts.norms.as_ref();
        let norm = norms.map_or(&weights.ffn_norm, |norms| &norms.router);
        let router = &experts.router;
        let gate = experts.shared_gate.as_ref();
        let inputs = [router].into_iter().chain(gate).map(|input| &input.matrix);
        self.norm_into_input(norm, InputFormats::of(inputs));
        let Scratch {
            input, experts: s, ..
        } = &mut *self.scratch;
        if let Some(gate) = gate {
            product(self.forward, input, &gate.matrix, &mut s.shared_gates);
        }
        product(self.forward, input, &router.matrix, &mut s.out);
        let scores = s.out.sized(input.rows() * config.count);
        s.routes.choices.clear();
        for (row, scores) in scores.chunks_exact_mut(config.count).enumerate() {
            if let Some(bias) = &router.bias {
                add(self.forward.cpu.isa, scores, bias);
            }
            s.routes
                .choose(self.forward.cpu.isa, config, &experts.experts, row, scores);
        }
        s.routes.sort();
    }
}

impl Routes {
    /// Chooses the experts of a row by their scores, and weighs them.
    fn choose(
        &mut self,
        isa: Isa,
        config: &Experts,
        experts: &[Expert],
        row: usize,
        scores: &mut [f32],
    ) {
        let mut chosen: Vec<usize> = (0..scores.len()).collect();
        // What is no number is chosen last; ISAs do not agree on its sign. Of equal scores the first expert's counts.
        let key = |expert: usize| match scores[expert] {
            score if score.is_nan() => f32::NEG_INFINITY,
            score => score,
        };
        let order = |a: &usize, b: &usize| key(*b).total_cmp(&key(*a)).then(a.cmp(b));
        chosen.select_nth_unstable_by(config.used - 1, order);
        chosen.truncate(config.used);
        chosen.sort_unstable();
        if !config.is_normalized {
            softmax(isa, scores);
        }
        let mut weights: Vec<f32> = chosen.iter().map(|&expert| scores[expert]).collect();
        if config.is_normalized {
            softmax(isa, &mut weights);
        }
        let choices = chosen.iter().zip(weights);
        self.choices.extend(choices.map(|(&expert, weight)| Choice {
            row,
            expert,
            weight: weight * config.scale * experts[expert].scale,
        }));
    }

    /// Brings together the rows of each expert.
    fn sort(&mut self) {
        let Self {
            choices,
            by_expert,
            places,
        } = self;
        by_expert.clear();
        by_expert.extend(0..choices.len());
        // Choices lie in the order of rows, and a stable sort keeps that for each expert.
        by_expert.sort_by_key(|&choice| choices[choice].expert);
        places.resize(choices.len(), 0);
        for (place, &choice) in by_expert.iter().enumerate() {
            places[choice] = place;
        }
    }

    /// The choice at a place of `by_expert`.
    fn at(&self, place: usize) -> Choice {
        self.choices[self.by_expert[place]]
    }

    /// The places of the expert whose first is `start`.
    fn group(&self, start: usize) -> Range<usize> {
        let expert = self.at(start).expert;
        let rest = &self.by_expert[start..];
        let len = rest.partition_point(|&choice| self.choices[choice].expert == expert);
        start..start + len
    }

    /// The places of each expert of the wave that begins at place `start`.
    fn wave(&self, start: usize) -> Vec<Range<usize>> {
        let mut groups = vec![self.group(start)];
        let mut end = groups[0].end;
        while end < self.by_expert.len() {
            let group = self.group(end);
            if group.end - start > WAVE {
                break;
            }
            end = group.end;
            groups.push(group);
        }
        groups
    }
}

/// Experts that run side by side.
struct Wave<'a> {
    forward: &'a Forward<'a>,
    /// All of the layer.
    experts: &'a [Expert],
    routes: &'a Routes,
    /// The places of each expert of the wave, one after the other.
    groups: &'a [Range<usize>],
}

impl Wave<'_> {
    /// Runs each expert over its rows of `x`, normalised by `norm`; leaves the results in `out`.
    fn run(
        &self,
        x: &[f32],
        norm: &[f32],
        (inputs, hidden): (&mut Vec<Activations>, &mut Vec<Activations>),
        out: &mut Aligned<f32>,
    ) {
        let Forward { cpu, config, .. } = *self.forward;
        let width = config.n_embd;
        for buffers in [&mut *inputs, &mut *hidden] {
            let room = buffers.len().max(self.groups.len());
            buffers.resize_with(room, Activations::new);
        }
        // All experts of a layer come from the same tensors, so they want the same formats.
        let first = self.expert(&self.groups[0]);
        let formats = InputFormats::of([&first.gate, &first.up]);
        // Decoding one row, all experts read the same input: it is made once.
        let distinct = if x.len() == width {
            1
        } else {
            self.groups.len()
        };
        let inputs = &mut inputs[..distinct];
        for (input, group) in inputs.iter_mut().zip(self.groups) {
            input.fill(cpu, (group.len(), width), formats, |i, input| {
                let row = self.routes.at(group.start + i).row;
                input.copy_from_slice(&x[row * width..][..width]);
                rms_norm(cpu.isa, input, Some(norm), config.epsilon);
            });
        }
        let inputs = inputs.iter().cycle();
        let jobs = self.groups.iter().zip(inputs).zip(&mut *hidden);
        let mut jobs: Vec<GatedProduct<'_>> = jobs
            .map(|((group, x), out)| GatedProduct {
                weights: self.expert(group).gated(config.activation),
                x,
                out,
            })
            .collect();
        gated_matmul_each(cpu, InputFormats::of([&first.down]), &mut jobs);
        let mut out = out.sized(self.places().len() * width);
        let mut jobs = Vec::with_capacity(self.groups.len());
        for (group, x) in self.groups.iter().zip(&*hidden) {
            let (own, rest) = out.split_at_mut(group.len() * width);
            let weights = &self.expert(group).down;
            jobs.push((x, Product { weights, out: own }));
            out = rest;
        }
        matmul_each(cpu, &mut jobs);
    }

    /// Adds what the experts gave to the rows that were routed to them.
    fn add_to(&self, sum: &mut [f32], used: usize, out: &[f32]) {
        let Forward { cpu, config, .. } = *self.forward;
        let (width, own) = (config.n_embd, self.places());
        cpu.pool.for_each_row(sum, width, |row, sum| {
            for choice in row * used..(row + 1) * used {
                let place = self.routes.places[choice];
                if !own.contains(&place) {
                    continue;
                }
                let Choice { expert, weight, .. } = self.routes.choices[choice];
                let out = &out[(place - own.start) * width..][..width];
                add_scaled(cpu.isa, sum, out, weight);
                if let Some(biases) = &self.experts[expert].biases {
                    add_scaled(cpu.isa, sum, &biases.down, weight);
                }
            }
        });
    }

    /// The places of the whole wave.
    fn places(&self) -> Range<usize> {
        self.groups[0].start..self.groups[self.groups.len() - 1].end
    }

    fn expert(&self, group: &Range<usize>) -> &Expert {
        &self.experts[self.routes.at(group.start).expert]
    }
}

impl Expert {
    /// The first half of its network.
    fn gated(&self, activation: ActivationFn) -> GatedWeights<'_> {
        GatedWeights {
            activation,
            gate: &self.gate,
            up: &self.up,
            biases: self
                .biases
                .as_ref()
                .map(|biases| [&*biases.gate, &*biases.up]),
        }
    }
}
