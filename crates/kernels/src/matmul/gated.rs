//! Two products of one input, of which one is the gate of the other: the first half of a feed-forward network.
//!
//! A thread takes some rows of both matrices for all tokens, 256 if those are many; what comes out is gated and made
//! ready for the next product while it is near, and the products themselves never leave the thread's caches.

use super::{Out, Task, groups_per_task};
use crate::activations::{Activations, Forms, UNIT};
use crate::buffer::Aligned;
use crate::ops::{Gate, gated};
use crate::pack::Matrix;
use crate::pool::Pool;
use crate::simd::{Isa, LANES};
use std::cell::Cell;

/// The matrices of a gated product.
#[derive(Clone, Copy, Debug)]
pub struct Gates<'a> {
    /// What the gate does.
    pub kind: Gate,
    /// Makes what is gated by.
    pub gate: &'a Matrix,
    /// Makes what is gated.
    pub up: &'a Matrix,
}

thread_local! {
    /// Some columns of both products, for all tokens.
    static PARTS: Cell<[Aligned<f32>; 2]> = Cell::default();
}

/// gate(x · gate) · (x · up), as inputs of the next products, in the forms that they want.
///
/// # Panics
/// If a shape does not fit, or `x` is not quantised.
pub fn gated_matmul(
    (isa, pool): (Isa, &Pool),
    x: &Activations,
    gates: Gates<'_>,
    forms: Forms,
    out: &mut Activations,
) {
    let (tokens, rows) = (x.rows(), gates.up.rows());
    assert_eq!(gates.gate.rows(), rows, "a gate for each value");
    for w in [gates.gate, gates.up] {
        assert_eq!(w.cols(), x.cols(), "inputs of the matrix");
        assert!(x.has(Forms::of([w])), "activations are quantised");
    }
    let writer = out.begin(isa, tokens, rows, forms);
    let step = match tokens < 16 {
        // They stream from memory, and do so better the longer.
        true => (groups_per_task(gates.up, tokens, pool.threads()) * LANES).next_multiple_of(UNIT),
        false => UNIT,
    };
    pool.for_each(rows.div_ceil(step), |i| {
        let first = i * step;
        let width = step.min(rows - first);
        let mut parts = PARTS.take();
        let [gate, up] = &mut parts;
        let (gate, up) = (gate.sized(tokens * width), up.sized(tokens * width));
        for (w, out) in [(gates.gate, &mut *gate), (gates.up, &mut *up)] {
            Task {
                w,
                x,
                out: Out {
                    // Rows are counted from the matrix's first.
                    start: out.as_mut_ptr().wrapping_sub(first),
                    stride: width,
                },
                groups: first / LANES..(first + width).div_ceil(LANES),
            }
            .run(isa);
        }
        let mut row = [0.0; UNIT];
        let pairs = gate.chunks_exact(width).zip(up.chunks_exact(width));
        for (token, (gate, up)) in pairs.enumerate() {
            for (unit, (gate, up)) in gate.chunks(UNIT).zip(up.chunks(UNIT)).enumerate() {
                let row = &mut row[..gate.len()];
                gated(isa, gates.kind, row, gate, up);
                // SAFETY: a unit of all rows is given to one thread, once.
                unsafe { writer.put(token, first + unit * UNIT, row) };
            }
        }
        PARTS.set(parts);
    });
    out.finish(pool, forms);
}
