//! Elementary functions as fixed sequences of `fma`, so that every CPU gives the same bits.
//!
//! `exp` is good to about 1e-7 relative over its whole range; `tanh` to 1e-7 absolute.
//! Both are total: large arguments are clamped, never infinite.

use crate::simd::Vector;

/// e^x, with x clamped to ±87 so that the result stays a normal number.
#[inline(always)]
pub(crate) fn exp<S: Vector>(s: S, x: S::F) -> S::F {
    let x = s.min(s.max(x, s.splat(-87.0)), s.splat(87.0));
    // x = n·ln 2 + r with |r| ≤ ln 2 / 2; ln 2 is split so that n times its first part is exact.
    let n = s.round(s.mul(x, s.splat(std::f32::consts::LOG2_E)));
    let r = s.fma(n, s.splat(-0.693_359_4), x);
    let r = s.fma(n, s.splat(2.121_944_4e-4), r);
    // e^r by a polynomial of degree 7 (Horner), then n goes into the exponent: exact, since 2^n is.
    let mut p = s.splat(1.987_569_1e-4);
    for c in [
        1.398_2e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
        1.0,
        1.0,
    ] {
        p = s.fma(p, r, s.splat(c));
    }
    s.mul(p, s.pow2(n))
}

/// e^x for the weights of attention, x ≤ 0: nothing below e^-64, so that no product with a weight is subnormal, which
/// takes a CPU a hundred times as long. What is left out is 10^-28 of the largest weight.
#[inline(always)]
pub(crate) fn weight<S: Vector>(s: S, x: S::F) -> S::F {
    s.at_least(x, s.splat(-64.0), exp(s, x))
}

/// x · sigmoid(y) = x / (1 + e^(-y)): SiLU (y = x) and, with another y, GELU and GLU.
#[inline(always)]
pub(crate) fn sigmoid_times<S: Vector>(s: S, x: S::F, y: S::F) -> S::F {
    let e = exp(s, s.sub(s.splat(0.0), y));
    s.div(x, s.add(s.splat(1.0), e))
}

/// x · sigmoid(x).
#[inline(always)]
pub(crate) fn silu<S: Vector>(s: S, x: S::F) -> S::F {
    sigmoid_times(s, x, x)
}

/// The tanh form of GELU: x/2 · (1 + tanh u) = x / (1 + e^(-2u)), u = √(2/π) · (x + 0.044715 x³).
#[inline(always)]
pub(crate) fn gelu<S: Vector>(s: S, x: S::F) -> S::F {
    let inner = s.fma(s.mul(s.mul(x, x), s.splat(0.044_715)), x, x);
    sigmoid_times(s, x, s.mul(inner, s.splat(1.595_769_2)))
}

/// tanh x = 1 − 2 / (e^(2x) + 1).
#[inline(always)]
pub(crate) fn tanh<S: Vector>(s: S, x: S::F) -> S::F {
    let e = exp(s, s.add(x, x));
    s.sub(s.splat(1.0), s.div(s.splat(2.0), s.add(e, s.splat(1.0))))
}
