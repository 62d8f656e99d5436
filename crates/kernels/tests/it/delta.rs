//! The gated delta rule against its formula in double precision; the same bits on every ISA, however the tokens are cut.

use crate::fixture::Random;
use reckon_kernels::{Cpu, DeltaRows, DeltaShape, Isa, delta_rule};

/// Two value heads for each key head, and values that are no whole number of four vectors.
const SHAPE: DeltaShape = DeltaShape {
    key_heads: 2,
    value_heads: 4,
    dim: 24,
    value_dim: 80,
};
const TOKENS: usize = 11;

/// Queries, keys and values of some tokens, and the gates of their heads.
fn sequence(random: &mut Random) -> (Vec<f32>, Vec<f32>) {
    let rows = random.floats(TOKENS * SHAPE.width());
    let gates = random.floats(TOKENS * 2 * SHAPE.value_heads);
    let gates = gates.iter().map(|x| 0.5 + 0.5 * x).collect();
    (rows, gates)
}

/// The state after the tokens and what the heads gave, in parts of so many tokens; `[token][head][value_dim]`.
fn run(cpu: &Cpu, rows: &[f32], gates: &[f32], parts: &[usize]) -> (Vec<f32>, Vec<f32>) {
    let mut state = vec![0.0; SHAPE.state_len()];
    let (mut all, mut from) = (Vec::new(), 0);
    for &tokens in parts {
        let mut out = vec![0.0; tokens * SHAPE.value_width()];
        let width = 2 * SHAPE.value_heads;
        let part = DeltaRows {
            state: &mut state,
            rows: &rows[from * SHAPE.width()..][..tokens * SHAPE.width()],
            gates: &gates[from * width..][..tokens * width],
            out: &mut out,
        };
        delta_rule(cpu, SHAPE, &mut [part]);
        for token in 0..tokens {
            for head in 0..SHAPE.value_heads {
                let at = (head * tokens + token) * SHAPE.value_dim;
                all.extend_from_slice(&out[at..][..SHAPE.value_dim]);
            }
        }
        from += tokens;
    }
    assert_eq!(from, TOKENS);
    (state, all)
}

/// The formula as it is written, in double precision.
fn expected(rows: &[f32], gates: &[f32]) -> Vec<f64> {
    let (dim, value_dim) = (SHAPE.dim, SHAPE.value_dim);
    let mut out = Vec::new();
    let mut states = vec![vec![vec![0.0; value_dim]; dim]; SHAPE.value_heads];
    for (row, gates) in rows
        .chunks(SHAPE.width())
        .zip(gates.chunks(2 * SHAPE.value_heads))
    {
        let row: Vec<f64> = row.iter().map(|x| f64::from(*x)).collect();
        let (queries, rest) = row.split_at(SHAPE.key_width());
        let (keys, values) = rest.split_at(SHAPE.key_width());
        for (head, state) in states.iter_mut().enumerate() {
            let at = head % SHAPE.key_heads * dim;
            let (q, k) = (&queries[at..][..dim], &keys[at..][..dim]);
            let v = &values[head * value_dim..][..value_dim];
            let decay = f64::from(gates[head]);
            let rate = f64::from(gates[SHAPE.value_heads + head]);
            for j in 0..value_dim {
                let known: f64 = (0..dim).map(|i| decay * state[i][j] * k[i]).sum();
                for i in 0..dim {
                    state[i][j] = decay * state[i][j] + k[i] * rate * (v[j] - known);
                }
                out.push((0..dim).map(|i| state[i][j] * q[i]).sum());
            }
        }
    }
    out
}

#[test]
fn the_delta_rule_is_its_formula_on_every_isa_however_tokens_are_cut() {
    let (mut rows, gates) = sequence(&mut Random(8));
    // Keys of length one, as the rule wants them: others make the state grow without end.
    for row in rows.chunks_mut(SHAPE.width()) {
        for key in row[SHAPE.key_width()..2 * SHAPE.key_width()].chunks_mut(SHAPE.dim) {
            let length = key.iter().map(|x| x * x).sum::<f32>().sqrt();
            key.iter_mut().for_each(|x| *x /= length);
        }
    }
    let want = run(&Cpu::new(Isa::SCALAR, &[]), &rows, &gates, &[TOKENS]);
    for (got, want) in want.1.iter().zip(expected(&rows, &gates)) {
        let apart = (f64::from(*got) - want).abs();
        assert!(apart < 1e-5 * (1.0 + want.abs()), "{got} is not {want}");
    }
    let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for isa in Isa::available() {
        let cpu = Cpu::new(isa, &[0, 1, 0]);
        for parts in [&[TOKENS][..], &[1; TOKENS], &[0, 4, 7]] {
            let got = run(&cpu, &rows, &gates, parts);
            assert_eq!(bits(&got.0), bits(&want.0), "{isa}, {parts:?}: the state");
            assert_eq!(bits(&got.1), bits(&want.1), "{isa}, {parts:?}");
        }
    }
}

#[test]
fn sequences_do_not_meet() {
    let mut random = Random(9);
    let sequences = [sequence(&mut random), sequence(&mut random)];
    let cpu = Cpu::new(Isa::detect(), &[0, 1]);
    let alone = sequences
        .each_ref()
        .map(|(rows, gates)| run(&cpu, rows, gates, &[TOKENS]).0);
    let mut states = [0, 1].map(|_| vec![0.0; SHAPE.state_len()]);
    let mut out = [0, 1].map(|_| vec![0.0; TOKENS * SHAPE.value_width()]);
    let parts = states.iter_mut().zip(&mut out).zip(&sequences);
    let mut parts: Vec<DeltaRows<'_>> = parts
        .map(|((state, out), (rows, gates))| DeltaRows {
            state,
            rows,
            gates,
            out,
        })
        .collect();
    delta_rule(&cpu, SHAPE, &mut parts);
    assert_eq!(states, alone);
}
