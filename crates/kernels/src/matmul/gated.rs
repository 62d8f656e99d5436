//! The first half of a gated feed-forward network (SwiGLU, GeGLU), fused: act(x · gate) ⊙ (x · up), quantised for the
//! second half.
//!
//! A thread takes some rows of both matrices for all tokens, 256 if those are many. What comes out is gated and
//! quantised while it is in the thread's cache; the two wide results are never written to memory as a whole.

use super::{GemmOutput, GemmTask, groups_per_task};
use crate::Cpu;
use crate::activations::{Activations, InputFormats, InputWriter, UNIT};
use crate::buffer::Aligned;
use crate::ops::{ActivationFn, add, gated};
use crate::pack::Matrix;
use crate::simd::{Isa, LANES};
use std::cell::Cell;

/// The weights of the first half of a gated feed-forward network.
#[derive(Clone, Copy, Debug)]
pub struct GatedWeights<'a> {
    /// Applied to the gate's rows.
    pub activation: ActivationFn,
    /// `ffn_gate`.
    pub gate: &'a Matrix,
    /// `ffn_up`.
    pub up: &'a Matrix,
    /// Added to what the gate and the other matrix give, before the activation function.
    pub biases: Option<[&'a [f32]; 2]>,
}

/// One gated network of several: its weights, its input and the place for its result.
#[derive(Debug)]
pub struct GatedProduct<'a> {
    /// The weights.
    pub weights: GatedWeights<'a>,
    /// The input.
    pub x: &'a Activations,
    /// The result, an input of the next GEMM.
    pub out: &'a mut Activations,
}

thread_local! {
    /// Some columns of both GEMMs, for all tokens; kept per thread, because new memory costs page faults.
    static PARTS: Cell<[Aligned<f32>; 2]> = Cell::default();
}

/// act(x · gate) ⊙ (x · up), as inputs of the next GEMMs, in the formats that they want.
///
/// # Panics
/// If a shape does not fit, or `x` is not quantised.
pub fn gated_matmul(
    cpu: &Cpu,
    x: &Activations,
    weights: GatedWeights<'_>,
    formats: InputFormats,
    out: &mut Activations,
) {
    gated_matmul_each(cpu, formats, &mut [GatedProduct { weights, x, out }]);
}

/// As [`gated_matmul`], for networks of an input each, in one round of the thread pool.
///
/// # Panics
/// As [`gated_matmul`].
pub fn gated_matmul_each(cpu: &Cpu, formats: InputFormats, products: &mut [GatedProduct<'_>]) {
    let begin = |product: &mut GatedProduct<'_>| {
        let (tokens, rows) = (product.x.rows(), product.weights.up.rows());
        product.out.begin(cpu.isa, tokens, rows, formats)
    };
    let writers: Vec<InputWriter> = products.iter_mut().map(begin).collect();
    let mut tasks = Vec::new();
    for (product, writer) in products.iter().zip(&writers) {
        tasks.extend(product.tasks(writer, cpu.pool.threads()));
    }
    cpu.pool.for_each(tasks.len(), |i| tasks[i].run(cpu.isa));
    for product in products {
        product.out.finish(&cpu.pool, formats);
    }
}

impl GatedProduct<'_> {
    /// The work in pieces that threads take one at a time.
    fn tasks<'a>(
        &'a self,
        writer: &'a InputWriter,
        threads: usize,
    ) -> impl Iterator<Item = GatedTask<'a>> {
        let Self { weights, x, .. } = *self;
        let (tokens, rows) = (x.rows(), weights.up.rows());
        assert_eq!(weights.gate.rows(), rows, "a gate for each value");
        for w in [weights.gate, weights.up] {
            assert_eq!(w.cols(), x.cols(), "inputs of the matrix");
            assert!(x.has(InputFormats::of([w])), "activations are quantised");
        }
        for bias in weights.biases.iter().flatten() {
            assert_eq!(bias.len(), rows, "a bias for each row");
        }
        let step = match tokens < 16 {
            // Few tokens wait for weights from memory, which stream better in long runs; many tokens want their
            // results, of which there are `tokens` times as many, to stay in cache.
            true => (groups_per_task(weights.up, tokens, threads) * LANES).next_multiple_of(UNIT),
            false => UNIT,
        };
        (0..rows).step_by(step).map(move |first| GatedTask {
            weights,
            x,
            writer,
            first,
            width: step.min(rows - first),
        })
    }
}

/// Some rows of both matrices, for all tokens: what one thread takes at once.
struct GatedTask<'a> {
    weights: GatedWeights<'a>,
    x: &'a Activations,
    writer: &'a InputWriter,
    /// The first row, a multiple of 256.
    first: usize,
    width: usize,
}

impl GatedTask<'_> {
    fn run(&self, isa: Isa) {
        let Self {
            weights,
            x,
            first,
            width,
            ..
        } = *self;
        let mut parts = PARTS.take();
        for (i, (w, out)) in [weights.gate, weights.up]
            .into_iter()
            .zip(&mut parts)
            .enumerate()
        {
            let out = out.sized(x.rows() * width);
            GemmTask {
                w,
                x,
                out: GemmOutput {
                    // A task counts rows from the matrix's first, and `out` has only those from `first` on.
                    start: out.as_mut_ptr().wrapping_sub(first),
                    stride: width,
                },
                groups: first / LANES..(first + width).div_ceil(LANES),
            }
            .run(isa);
            if let Some(biases) = weights.biases {
                let bias = &biases[i][first..][..width];
                out.chunks_exact_mut(width)
                    .for_each(|row| add(isa, row, bias));
            }
        }
        let [gate, up] = &mut parts;
        let len = x.rows() * width;
        self.gate(isa, gate.sized(len), up.sized(len));
        PARTS.set(parts);
    }

    /// Gates what the two GEMMs gave and writes it into the next one's input.
    fn gate(&self, isa: Isa, gate: &[f32], up: &[f32]) {
        let mut row = [0.0; UNIT];
        let pairs = gate
            .chunks_exact(self.width)
            .zip(up.chunks_exact(self.width));
        for (token, (gate, up)) in pairs.enumerate() {
            for (unit, (gate, up)) in gate.chunks(UNIT).zip(up.chunks(UNIT)).enumerate() {
                let row = &mut row[..gate.len()];
                gated(isa, self.weights.activation, row, gate, up);
                // SAFETY: `begin` made room for a row of `up`'s rows for each token, of which these are some; each
                // range of columns is given to one thread, once, and starts at a multiple of 256.
                unsafe { self.writer.put(token, self.first + unit * UNIT, row) };
            }
        }
    }
}
