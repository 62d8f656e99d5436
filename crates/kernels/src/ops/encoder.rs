//! Operations that only the encoders of images and sound use: clamps, layer norm, SiLU and GLU without a GEMM beside
//! them, and the small products of banded attention and depthwise convolution.
//!
//! Rows and sums as in `ops`: 16 partial lanes and one fixed tree, the same bits on every ISA.

use super::{map_row, vector};
use crate::math;
use crate::simd::{Isa, Kernel, LANES, Simd};

kernel!(Clamp<'a> { row: &'a mut [f32], low: f32, high: f32 } |self, s| {
    let (low, high) = (s.splat(self.low), s.splat(self.high));
    map_row(s, self.row, #[inline(always)] |_, x| s.max(s.min(x, high), low));
});

/// Each element brought into `low..=high`; from 0 to infinity this is ReLU.
pub fn clamp(isa: Isa, row: &mut [f32], low: f32, high: f32) {
    isa.run(Clamp { row, low, high });
}

kernel!(LayerNorm<'a> { row: &'a mut [f32], weight: &'a [f32], epsilon: f32 } |self, s| {
    #[expect(clippy::cast_precision_loss, reason = "rows are far shorter than 2^24")]
    let count = self.row.len() as f32;
    let mut total = s.splat(0.0);
    for i in (0..self.row.len()).step_by(LANES) {
        total = s.add(total, vector(s, self.row, i));
    }
    let mean = s.splat(s.sum(total) / count);
    map_row(s, self.row, #[inline(always)] |_, x| s.sub(x, mean));
    // The mean is taken off first, so that what is left is squared without cancellation.
    let scale = s.splat(super::norm_scale(s, self.row, self.epsilon));
    map_row(s, self.row, #[inline(always)] |i, x| s.mul(s.mul(x, scale), vector(s, self.weight, i)));
});

/// (row − mean) · (variance + ε)^(-1/2) · weight.
///
/// # Panics
/// If the weight has another length.
pub fn layer_norm(isa: Isa, row: &mut [f32], weight: &[f32], epsilon: f32) {
    assert_eq!(weight.len(), row.len(), "a norm weight for each column");
    isa.run(LayerNorm {
        row,
        weight,
        epsilon,
    });
}

kernel!(Silu<'a> { row: &'a mut [f32] } |self, s| {
    map_row(s, self.row, #[inline(always)] |_, x| math::silu(s, x));
});

/// row · sigmoid(row).
pub fn silu(isa: Isa, row: &mut [f32]) {
    isa.run(Silu { row });
}

kernel!(Glu<'a> { row: &'a mut [f32], gate: &'a [f32] } |self, s| {
    map_row(s, self.row, #[inline(always)] |i, x| math::sigmoid_times(s, x, vector(s, self.gate, i)));
});

/// row · sigmoid(gate): a gated linear unit.
///
/// # Panics
/// If the lengths differ.
pub fn glu(isa: Isa, row: &mut [f32], gate: &[f32]) {
    assert_eq!(gate.len(), row.len(), "a gate for each value");
    isa.run(Glu { row, gate });
}

kernel!(Multiply<'a> { row: &'a mut [f32], other: &'a [f32] } |self, s| {
    map_row(s, self.row, #[inline(always)] |i, x| s.mul(x, vector(s, self.other, i)));
});

/// row ⊙ other.
///
/// # Panics
/// If the lengths differ.
pub fn multiply(isa: Isa, row: &mut [f32], other: &[f32]) {
    assert_eq!(other.len(), row.len(), "rows of one length");
    isa.run(Multiply { row, other });
}

kernel!(AddProduct<'a> { row: &'a mut [f32], a: &'a [f32], b: &'a [f32] } |self, s| {
    map_row(s, self.row, #[inline(always)] |i, x| s.fma(vector(s, self.a, i), vector(s, self.b, i), x));
});

/// row + a ⊙ b, rounded once: a tap of a depthwise convolution.
///
/// # Panics
/// If the lengths differ.
pub fn add_product(isa: Isa, row: &mut [f32], a: &[f32], b: &[f32]) {
    assert!(
        a.len() == row.len() && b.len() == row.len(),
        "rows of one length"
    );
    isa.run(AddProduct { row, a, b });
}

kernel!(AddScaled<'a> { row: &'a mut [f32], other: &'a [f32], factor: f32 } |self, s| {
    let factor = s.splat(self.factor);
    map_row(s, self.row, #[inline(always)] |i, x| s.fma(vector(s, self.other, i), factor, x));
});

/// row + other · factor, rounded once: a value by its weight of attention.
///
/// # Panics
/// If the lengths differ.
pub fn add_scaled(isa: Isa, row: &mut [f32], other: &[f32], factor: f32) {
    assert_eq!(other.len(), row.len(), "rows of one length");
    isa.run(AddScaled { row, other, factor });
}

struct Dot<'a> {
    a: &'a [f32],
    b: &'a [f32],
}

impl Kernel for Dot<'_> {
    type Output = f32;
    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f32 {
        let mut total = s.splat(0.0);
        for i in (0..self.a.len()).step_by(LANES) {
            total = s.fma(vector(s, self.a, i), vector(s, self.b, i), total);
        }
        s.sum(total)
    }
}

/// Σ a · b.
///
/// # Panics
/// If the lengths differ.
pub fn dot(isa: Isa, a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len(), "rows of one length");
    isa.run(Dot { a, b })
}
