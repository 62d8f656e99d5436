//! The gated delta rule: linear attention over a state that does not grow with the context (Qwen 3.5).
//!
//! Each head keeps a matrix S, `[dim][value_dim]`, which maps keys to values. A token lets it fade, takes what it says of
//! the token's key for wrong by the difference to the token's value, and asks it with the token's query:
//!
//! ```text
//!   S ← decay · S     S ← S + k ⊗ rate · (v − Sᵀk)     out = Sᵀq
//! ```
//! Tokens come one after the other, heads side by side on the threads. A vector holds 16 columns of S, so no sum crosses
//! lanes: rows are added in their order, on every ISA.

use crate::Cpu;
use crate::simd::{Kernel, LANES, Simd};

/// Vectors of columns that go through all tokens together: their part of S stays in the first cache, and two sums of
/// each in registers.
const ABREAST: usize = 4;

/// How many heads a layer has, and how wide they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeltaShape {
    /// Heads of queries and keys; value head i has those of head i modulo this.
    pub key_heads: usize,
    /// Heads of values, each with a matrix.
    pub value_heads: usize,
    /// Elements of a query or key.
    pub dim: usize,
    /// Elements of a value; a multiple of 16.
    pub value_dim: usize,
}

impl DeltaShape {
    /// Elements of a token's queries or keys.
    pub const fn key_width(&self) -> usize {
        self.key_heads * self.dim
    }

    /// Elements of a token's values.
    pub const fn value_width(&self) -> usize {
        self.value_heads * self.value_dim
    }

    /// Elements of a token's queries, keys and values.
    pub const fn width(&self) -> usize {
        2 * self.key_width() + self.value_width()
    }

    /// Elements of the matrices of all heads.
    pub const fn state_len(&self) -> usize {
        self.value_width() * self.dim
    }
}

/// Some tokens of one sequence.
#[derive(Debug)]
pub struct DeltaRows<'a> {
    /// The matrices of the heads, one after the other, before these tokens; left as they are after them.
    pub state: &'a mut [f32],
    /// Queries, then keys, then values of each token.
    pub rows: &'a [f32],
    /// How much of its matrix each value head keeps, and at which rate it learns: for each token all the one, then all
    /// the other.
    pub gates: &'a [f32],
    /// What each head gives for each token, `[head][token][value_dim]`.
    pub out: &'a mut [f32],
}

/// One head of one sequence.
struct Head<'a> {
    shape: DeltaShape,
    head: usize,
    state: &'a mut [f32],
    rows: &'a [f32],
    gates: &'a [f32],
    out: &'a mut [f32],
}

/// Applies the rule to the tokens of some sequences.
///
/// # Panics
/// If a length does not fit the shape, or values are no whole vectors.
pub fn delta_rule(cpu: &Cpu, shape: DeltaShape, sequences: &mut [DeltaRows<'_>]) {
    assert!(shape.value_dim.is_multiple_of(LANES), "whole vectors");
    let mut heads = Vec::with_capacity(sequences.len() * shape.value_heads);
    for sequence in sequences {
        let tokens = sequence.rows.len() / shape.width();
        assert!(
            sequence.rows.len() == tokens * shape.width()
                && sequence.gates.len() == tokens * 2 * shape.value_heads
                && sequence.out.len() == tokens * shape.value_width()
                && sequence.state.len() == shape.state_len(),
            "{tokens} tokens of {shape:?}"
        );
        if tokens == 0 {
            continue;
        }
        let states = sequence.state.chunks_exact_mut(shape.dim * shape.value_dim);
        let outs = sequence.out.chunks_exact_mut(tokens * shape.value_dim);
        for (head, (state, out)) in states.zip(outs).enumerate() {
            heads.push(Head {
                shape,
                head,
                state,
                rows: sequence.rows,
                gates: sequence.gates,
                out,
            });
        }
    }
    let run = |_, head: &mut [Head<'_>]| cpu.isa.run(&mut head[0]);
    cpu.pool.for_each_row(&mut heads, 1, run);
}

impl Kernel for &mut Head<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let vectors = self.shape.value_dim / LANES;
        let mut first = 0;
        while first + ABREAST <= vectors {
            self.columns::<S, ABREAST>(s, first * LANES);
            first += ABREAST;
        }
        for vector in first..vectors {
            self.columns::<S, 1>(s, vector * LANES);
        }
    }
}

impl Head<'_> {
    /// `N` vectors of columns from `first` on, through all tokens.
    #[inline(always)]
    fn columns<S: Simd, const N: usize>(&mut self, s: S, first: usize) {
        let DeltaShape {
            key_heads,
            value_heads,
            dim,
            value_dim,
        } = self.shape;
        let (query, key) = (self.head % key_heads * dim, self.shape.key_width());
        let value = 2 * key + self.head * value_dim + first;
        let tokens = self.rows.chunks_exact(self.shape.width());
        let gates = self.gates.chunks_exact(2 * value_heads);
        let outs = self.out.chunks_exact_mut(value_dim);
        for ((row, gates), out) in tokens.zip(gates).zip(outs) {
            let (decay, rate) = (
                s.splat(gates[self.head]),
                s.splat(gates[value_heads + self.head]),
            );
            let zero = s.splat(0.0);
            let mut known = [zero; N];
            let lines = self.state.chunks_exact_mut(value_dim);
            for (line, &k) in lines.zip(&row[key + query..][..dim]) {
                let (line, k) = (line[first..][..N * LANES].as_mut_ptr(), s.splat(k));
                for (n, known) in known.iter_mut().enumerate() {
                    // SAFETY: the slice has `N` vectors.
                    unsafe {
                        let faded = s.mul(s.load(line.add(n * LANES)), decay);
                        s.store(line.add(n * LANES), faded);
                        *known = s.fma(faded, k, *known);
                    }
                }
            }
            let mut step = [zero; N];
            let values = row[value..][..N * LANES].as_ptr();
            for n in 0..N {
                // SAFETY: the slice has `N` vectors.
                let v = unsafe { s.load(values.add(n * LANES)) };
                step[n] = s.mul(rate, s.sub(v, known[n]));
            }
            let mut sums = [zero; N];
            let lines = self.state.chunks_exact_mut(value_dim);
            let pairs = row[key + query..][..dim].iter().zip(&row[query..][..dim]);
            for (line, (&k, &q)) in lines.zip(pairs) {
                let line = line[first..][..N * LANES].as_mut_ptr();
                let (k, q) = (s.splat(k), s.splat(q));
                for n in 0..N {
                    // SAFETY: the slice has `N` vectors.
                    unsafe {
                        let learned = s.fma(step[n], k, s.load(line.add(n * LANES)));
                        s.store(line.add(n * LANES), learned);
                        sums[n] = s.fma(learned, q, sums[n]);
                    }
                }
            }
            let out = out[first..][..N * LANES].as_mut_ptr();
            for (n, sum) in sums.into_iter().enumerate() {
                // SAFETY: the slice has `N` vectors.
                unsafe { s.store(out.add(n * LANES), sum) };
            }
        }
    }
}
