//! The operations between the GEMMs: RMS norm, residual additions, activation functions, RoPE, softcap, softmax.
//!
//! Each works on one row (one token, or one head) in place; the forward pass shares rows out over threads, so these
//! take an [`Isa`] and no pool. A sum along a row uses 16 partial lanes, lane i taking every 16th element, and one
//! fixed tree, so that every vector width adds in the same order; a short last vector is padded with zeros.

use crate::math;
use crate::simd::{Isa, Kernel, LANES, Simd, Vector};

macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident<$life:lifetime> { $($field:ident: $type:ty),* } |$self:ident, $s:ident| $body:block) => {
        $(#[$doc])*
        struct $name<$life> { $($field: $type),* }
        impl Kernel for $name<'_> {
            type Output = ();
            #[inline(always)]
            fn run<S: Simd>($self, $s: S) $body
        }
    };
}

mod encoder;

pub use encoder::{add_product, add_scaled, clamp, dot, glu, layer_norm, multiply, silu};

/// Runs `f` over a row 16 lanes at a time; a short tail goes through a padded copy.
#[inline(always)]
fn map_row<S: Vector>(s: S, row: &mut [f32], mut f: impl FnMut(usize, S::F) -> S::F) {
    let whole = row.len() / LANES * LANES;
    for i in (0..whole).step_by(LANES) {
        let at = row[i..i + LANES].as_mut_ptr();
        // SAFETY: `at` is the start of a slice of 16.
        unsafe { s.store(at, f(i, s.load(at))) };
    }
    if whole < row.len() {
        let mut lanes = [0.0; LANES];
        lanes[..row.len() - whole].copy_from_slice(&row[whole..]);
        // SAFETY: `lanes` has 16 elements.
        unsafe { s.store(lanes.as_mut_ptr(), f(whole, s.load(lanes.as_ptr()))) };
        let tail = row.len() - whole;
        row[whole..].copy_from_slice(&lanes[..tail]);
    }
}

/// The vector at `row[i..]`, padded with zeros past the end.
#[inline(always)]
fn vector<S: Vector>(s: S, row: &[f32], i: usize) -> S::F {
    if let Some(part) = row.get(i..i + LANES) {
        // SAFETY: `part` has 16 elements.
        return unsafe { s.load(part.as_ptr()) };
    }
    let mut lanes = [0.0; LANES];
    lanes[..row.len() - i].copy_from_slice(&row[i..]);
    // SAFETY: `lanes` has 16 elements.
    unsafe { s.load(lanes.as_ptr()) }
}

/// (mean(row²) + ε)^(-1/2).
#[inline(always)]
fn norm_scale<S: Vector>(s: S, row: &[f32], epsilon: f32) -> f32 {
    let mut squares = s.splat(0.0);
    for i in (0..row.len()).step_by(LANES) {
        let x = vector(s, row, i);
        squares = s.fma(x, x, squares);
    }
    #[expect(clippy::cast_precision_loss, reason = "rows are far shorter than 2^24")]
    let mean = s.sum(squares) / row.len() as f32;
    1.0 / (mean + epsilon).sqrt()
}

kernel!(RmsNorm<'a> { row: &'a mut [f32], weight: Option<&'a [f32]>, epsilon: f32 } |self, s| {
    let scale = s.splat(norm_scale(s, self.row, self.epsilon));
    match self.weight {
        Some(w) => map_row(s, self.row, #[inline(always)] |i, x| s.mul(s.mul(x, scale), vector(s, w, i))),
        None => map_row(s, self.row, #[inline(always)] |_, x| s.mul(x, scale)),
    }
});

/// row · (mean(row²) + ε)^(-1/2) · weight; no weight means 1.
///
/// # Panics
/// If the weight has another length.
pub fn rms_norm(isa: Isa, row: &mut [f32], weight: Option<&[f32]>, epsilon: f32) {
    assert!(
        weight.is_none_or(|w| w.len() == row.len()),
        "a norm weight for each column"
    );
    isa.run(RmsNorm {
        row,
        weight,
        epsilon,
    });
}

kernel!(AddNormed<'a> { row: &'a mut [f32], other: &'a [f32], weight: &'a [f32], epsilon: f32 } |self, s| {
    let scale = s.splat(norm_scale(s, self.other, self.epsilon));
    map_row(s, self.row, #[inline(always)] |i, x| {
        s.add(x, s.mul(s.mul(vector(s, self.other, i), scale), vector(s, self.weight, i)))
    });
});

/// row + rms_norm(other): a residual connection behind a post-norm, in one pass over the row.
///
/// # Panics
/// If the lengths differ.
pub fn add_normed(isa: Isa, row: &mut [f32], other: &[f32], weight: &[f32], epsilon: f32) {
    assert!(
        row.len() == other.len() && row.len() == weight.len(),
        "rows of one length"
    );
    isa.run(AddNormed {
        row,
        other,
        weight,
        epsilon,
    });
}

/// The activation function of a gated feed-forward network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivationFn {
    /// x · sigmoid(x).
    Silu,
    /// GELU by tanh.
    Gelu,
    /// gpt-oss: x · sigmoid(1.702 x), x at most 7; times up + 1, up within ±7.
    ClampedSilu,
}

/// Bound and slope of [`ActivationFn::ClampedSilu`].
const CLAMPED_SILU: (f32, f32) = (7.0, 1.702);

kernel!(Gated<'a> { activation: ActivationFn, row: &'a mut [f32], gate: &'a [f32], up: &'a [f32] } |self, s| {
    let (x, up) = (self.gate, self.up);
    // The choice is made outside the loop, so that each function has a loop of its own.
    match self.activation {
        ActivationFn::Silu => map_row(s, self.row, #[inline(always)] |i, _| s.mul(math::silu(s, vector(s, x, i)), vector(s, up, i))),
        ActivationFn::Gelu => map_row(s, self.row, #[inline(always)] |i, _| s.mul(math::gelu(s, vector(s, x, i)), vector(s, up, i))),
        ActivationFn::ClampedSilu => {
            let (limit, slope) = (s.splat(CLAMPED_SILU.0), s.splat(CLAMPED_SILU.1));
            map_row(s, self.row, #[inline(always)] |i, _| {
                let gate = s.min(vector(s, x, i), limit);
                let up = s.max(s.min(vector(s, up, i), limit), s.splat(-CLAMPED_SILU.0));
                s.mul(math::sigmoid_times(s, gate, s.mul(slope, gate)), s.add(up, s.splat(1.0)))
            });
        }
    }
});

/// row = activation(gate) ⊙ up, as in SwiGLU and GeGLU.
///
/// # Panics
/// If the lengths differ.
pub fn gated(isa: Isa, activation: ActivationFn, row: &mut [f32], gate: &[f32], up: &[f32]) {
    assert!(
        row.len() == gate.len() && row.len() == up.len(),
        "a gate for each value"
    );
    isa.run(Gated {
        activation,
        row,
        gate,
        up,
    });
}

kernel!(Add<'a> { row: &'a mut [f32], other: &'a [f32] } |self, s| {
    map_row(s, self.row, #[inline(always)] |i, x| s.add(x, vector(s, self.other, i)));
});

/// row + other: a residual connection, or a bias.
///
/// # Panics
/// If the lengths differ.
pub fn add(isa: Isa, row: &mut [f32], other: &[f32]) {
    assert_eq!(row.len(), other.len(), "rows of one length");
    isa.run(Add { row, other });
}

kernel!(Scale<'a> { row: &'a mut [f32], factor: f32 } |self, s| {
    map_row(s, self.row, #[inline(always)] |_, x| s.mul(x, s.splat(self.factor)));
});

/// row · factor.
pub fn scale(isa: Isa, row: &mut [f32], factor: f32) {
    isa.run(Scale { row, factor });
}

kernel!(Softcap<'a> { row: &'a mut [f32], cap: f32 } |self, s| {
    map_row(s, self.row, #[inline(always)] |_, x| s.mul(s.splat(self.cap), math::tanh(s, s.div(x, s.splat(self.cap)))));
});

/// cap · tanh(row / cap).
pub fn softcap(isa: Isa, row: &mut [f32], cap: f32) {
    isa.run(Softcap { row, cap });
}

struct Exp<'a> {
    row: &'a mut [f32],
}

impl Kernel for Exp<'_> {
    type Output = f32;
    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f32 {
        // A maximum is the same in any order, so this loop may be the compiler's.
        let largest = self.row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut total = s.splat(0.0);
        let n = self.row.len();
        map_row(
            s,
            self.row,
            #[inline(always)]
            |i, x| {
                let e = math::exp(s, s.sub(x, s.splat(largest)));
                total = s.add(total, if i + LANES <= n { e } else { keep(s, e, n - i) });
                e
            },
        );
        s.sum(total)
    }
}

/// The first `n` lanes of x, the rest zero: e^x of the padding would count in the total.
#[inline(always)]
fn keep<S: Vector>(s: S, x: S::F, n: usize) -> S::F {
    let mut lanes = [0.0; LANES];
    // SAFETY: `lanes` has 16 elements.
    unsafe {
        s.store(lanes.as_mut_ptr(), x);
        lanes[n..].fill(0.0);
        s.load(lanes.as_ptr())
    }
}

/// Turns scores into probabilities. The largest score is subtracted first, so that no exponential overflows.
pub fn softmax(isa: Isa, row: &mut [f32]) {
    let total = isa.run(Exp { row: &mut *row });
    row.iter_mut().for_each(|p| *p /= total);
}

/// Which elements of a head RoPE rotates together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RopePairing {
    /// (i, i + n/2): Gemma, Qwen.
    Halves,
    /// (2i, 2i + 1): Llama as GGUF stores it.
    Neighbours,
}

/// Plain loops: the compiler vectorises them for each ISA it is entered with, and there is no sum whose order matters.
struct ApplyRope<'a> {
    pairing: RopePairing,
    head: &'a mut [f32],
    angles: &'a [(f32, f32)],
}

impl Kernel for ApplyRope<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let n = self.angles.len();
        let head = &mut self.head[..2 * n];
        match self.pairing {
            RopePairing::Halves => {
                let (first, second) = head.split_at_mut(n);
                for ((a, b), &(cos, sin)) in first.iter_mut().zip(second).zip(self.angles) {
                    (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
                }
            }
            RopePairing::Neighbours => {
                for (pair, &(cos, sin)) in head.chunks_exact_mut(2).zip(self.angles) {
                    let (a, b) = (pair[0], pair[1]);
                    (pair[0], pair[1]) = (a * cos - b * sin, a * sin + b * cos);
                }
            }
        }
    }
}

/// Rotary position embedding: rotates each pair of `head` by its angle, given as (cos, sin). Elements beyond the pairs
/// (partial rotary) stay.
///
/// # Panics
/// If there are more pairs than the head has.
pub fn rope(isa: Isa, pairing: RopePairing, head: &mut [f32], angles: &[(f32, f32)]) {
    assert!(
        2 * angles.len() <= head.len(),
        "a head has an element for each half of a pair"
    );
    isa.run(ApplyRope {
        pairing,
        head,
        angles,
    });
}
