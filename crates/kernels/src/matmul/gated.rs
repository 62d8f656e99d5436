//! The first half of a gated feed-forward network (SwiGLU, GeGLU), fused: act(x · gate) ⊙ (x · up), quantised for the
//! second half.
//!
//! A thread takes some rows of both matrices for all tokens, 256 if those are many. What comes out is gated and
//! quantised while it is in the thread's cache; the two wide results are never written to memory as a whole.

use super::{GemmOutput, GemmTask, groups_per_task};
use crate::Cpu;
use crate::activations::{Activations, InputFormats, UNIT};
use crate::buffer::Aligned;
use crate::ops::{ActivationFn, gated};
use crate::pack::Matrix;
use crate::simd::LANES;
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
    let (tokens, rows) = (x.rows(), weights.up.rows());
    assert_eq!(weights.gate.rows(), rows, "a gate for each value");
    for w in [weights.gate, weights.up] {
        assert_eq!(w.cols(), x.cols(), "inputs of the matrix");
        assert!(x.has(InputFormats::of([w])), "activations are quantised");
    }
    let writer = out.begin(cpu.isa, tokens, rows, formats);
    let step = match tokens < 16 {
        // Few tokens wait for weights from memory, which stream better in long runs; many tokens want their results, of
        // which there are `tokens` times as many, to stay in cache.
        true => {
            (groups_per_task(weights.up, tokens, cpu.pool.threads()) * LANES).next_multiple_of(UNIT)
        }
        false => UNIT,
    };
    cpu.pool.for_each(rows.div_ceil(step), |i| {
        let first = i * step;
        let width = step.min(rows - first);
        let mut parts = PARTS.take();
        let [gate, up] = &mut parts;
        let (gate, up) = (gate.sized(tokens * width), up.sized(tokens * width));
        for (w, out) in [(weights.gate, &mut *gate), (weights.up, &mut *up)] {
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
            .run(cpu.isa);
        }
        let mut row = [0.0; UNIT];
        let pairs = gate.chunks_exact(width).zip(up.chunks_exact(width));
        for (token, (gate, up)) in pairs.enumerate() {
            for (unit, (gate, up)) in gate.chunks(UNIT).zip(up.chunks(UNIT)).enumerate() {
                let row = &mut row[..gate.len()];
                gated(cpu.isa, weights.activation, row, gate, up);
                // SAFETY: `begin` made room for `tokens` rows of `rows` columns, of which these are some; each range of
                // columns is given to one thread, once, and starts at a multiple of 256.
                unsafe { writer.put(token, first + unit * UNIT, row) };
            }
        }
        PARTS.set(parts);
    });
    out.finish(&cpu.pool, formats);
}
