//! Attention: the same bits however it is split, and close to the textbook formula.

use crate::fixture::Random;
use reckon_kernels::{Cpu, Isa, KvCache, Precision, Queries, attend};

#[derive(Clone, Copy)]
struct Case {
    heads: usize,
    kv_heads: usize,
    dim: usize,
    window: Option<usize>,
    tokens: usize,
}

struct Data {
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    sinks: Option<Vec<f32>>,
}

impl Case {
    fn data(&self) -> Data {
        let mut random = Random(5);
        let mut rows = |heads: usize| random.floats(self.tokens * heads * self.dim);
        Data {
            q: rows(self.heads),
            k: rows(self.kv_heads),
            v: rows(self.kv_heads),
            sinks: None,
        }
    }

    /// Reads the tokens in batches of `batch` and returns every output.
    fn run(&self, cpu: &Cpu, precision: Precision, batch: usize, data: &Data) -> Vec<f32> {
        let room = self
            .window
            .map_or(self.tokens, |w| w + batch)
            .min(self.tokens);
        let mut cache = KvCache::new(precision, self.kv_heads, self.dim, room);
        let mut out = vec![0.0; data.q.len()];
        let (width, kv_width) = (self.heads * self.dim, self.kv_heads * self.dim);
        for start in (0..self.tokens).step_by(batch) {
            let end = self.tokens.min(start + batch);
            let range = start * kv_width..end * kv_width;
            cache.write(start, &data.k[range.clone()], &data.v[range]);
            let range = start * width..end * width;
            let queries = Queries {
                cache: &cache,
                rows: &data.q[range.clone()],
                start,
                heads: self.heads,
                scale: 0.25,
                window: self.window,
                causal: true,
                sinks: data.sinks.as_deref(),
            };
            attend(cpu, &[queries], &mut out[range]);
        }
        out
    }

    fn textbook(&self, data: &Data) -> Vec<f64> {
        let mut out = Vec::new();
        let at = |rows: &[f32], heads: usize, token: usize, head: usize, i: usize| {
            f64::from(rows[(token * heads + head) * self.dim + i])
        };
        for token in 0..self.tokens {
            let first = self.window.map_or(0, |w| (token + 1).saturating_sub(w));
            for head in 0..self.heads {
                let key_head = head / (self.heads / self.kv_heads);
                let weights: Vec<f64> = (first..=token)
                    .map(|p| {
                        let dot: f64 = (0..self.dim)
                            .map(|i| {
                                at(&data.q, self.heads, token, head, i)
                                    * at(&data.k, self.kv_heads, p, key_head, i)
                            })
                            .sum();
                        (0.25 * dot).exp()
                    })
                    .collect();
                let sink = data.sinks.as_ref().map(|s| f64::from(s[head]).exp());
                let total = weights.iter().sum::<f64>() + sink.unwrap_or(0.0);
                for i in 0..self.dim {
                    out.push(
                        (first..=token)
                            .zip(&weights)
                            .map(|(p, w)| w * at(&data.v, self.kv_heads, p, key_head, i))
                            .sum::<f64>()
                            / total,
                    );
                }
            }
        }
        out
    }
}

const fn case(
    heads: usize,
    kv_heads: usize,
    dim: usize,
    window: Option<usize>,
    tokens: usize,
) -> Case {
    Case {
        heads,
        kv_heads,
        dim,
        window,
        tokens,
    }
}

/// Heads that fill tiles and that do not, dimensions with and without a rest, windows within and across chunks.
const CASES: [Case; 6] = [
    case(8, 1, 32, None, 600),
    case(3, 3, 16, Some(40), 300),
    case(9, 3, 16, Some(300), 700),
    case(14, 2, 80, None, 70),
    case(4, 1, 144, Some(65), 200),
    case(2, 2, 64, Some(1), 20),
];

#[test]
fn it_is_the_textbook_formula() {
    let cpu = Cpu::new(Isa::detect(), &[]);
    for case in CASES {
        let data = case.data();
        let want = case.textbook(&data);
        let limits = [
            (Precision::Full, 1e-5),
            (Precision::Half, 2e-3),
            (Precision::Eight, 2e-2),
        ];
        for (precision, limit) in limits {
            let got = case.run(&cpu, precision, 64, &data);
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                assert!(
                    (f64::from(*got) - want).abs() < limit,
                    "{precision:?}, element {i}: {got} is not {want}"
                );
            }
        }
    }
}

#[test]
fn isa_threads_and_batch_do_not_change_a_bit_of_the_definition() {
    for case in CASES {
        same_bits(case, &case.data());
    }
}

#[test]
fn sinks_take_their_share_of_the_softmax() {
    for case in CASES {
        let mut data = case.data();
        // Below, among and far above the scores.
        let sink = |head: usize| [-9.0, 0.5, 2.0, 30.0][head % 4];
        data.sinks = Some((0..case.heads).map(sink).collect());
        let want = case.textbook(&data);
        let plain = case.run(&Cpu::new(Isa::SCALAR, &[]), Precision::Full, 64, &data);
        for (got, want) in plain.iter().zip(&want) {
            assert!((f64::from(*got) - want).abs() < 1e-5, "{got} is not {want}");
        }
        for isa in Isa::available() {
            for (threads, batch) in [(1, 64), (2, 7), (3, 1000)] {
                let cpu = Cpu::new(isa, &vec![0; threads]);
                let got = case.run(&cpu, Precision::Full, batch, &data);
                let same = got
                    .iter()
                    .zip(&plain)
                    .all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{isa}, {threads} threads, batches of {batch}");
            }
        }
    }
}

#[test]
fn scores_that_are_far_apart_give_the_defined_bits() {
    for case in [CASES[2], CASES[4]] {
        let mut data = case.data();
        data.q.iter_mut().for_each(|q| *q *= 100.0);
        same_bits(case, &data);
    }
}

fn same_bits(case: Case, data: &Data) {
    for precision in Precision::ALL {
        let want = plain::attention(&case, precision, data);
        for isa in Isa::available() {
            for (threads, batch) in [(1, 1), (2, 1), (1, 7), (2, 64), (3, 1000)] {
                // The plain code is slow: it is enough to try it where it differs.
                if isa == Isa::SCALAR && batch == 1 && threads > 1 {
                    continue;
                }
                let cpu = Cpu::new(isa, &vec![0; threads]);
                let got = case.run(&cpu, precision, batch, data);
                assert!(
                    got.iter()
                        .zip(&want)
                        .all(|(a, b)| a.to_bits() == b.to_bits()),
                    "{precision:?}, {isa}, {threads} threads, batches of {batch}, heads of {}",
                    case.dim
                );
            }
        }
    }
}

/// The definition, as plain as it can be written.
mod plain {
    use super::{Case, Data};
    use reckon_kernels::{Precision, f16_to_f32, f32_to_f16};

    pub(super) fn attention(case: &Case, precision: Precision, data: &Data) -> Vec<f32> {
        let (keys, values) = (
            kept(precision, case.dim, &data.k),
            kept(precision, case.dim, &data.v),
        );
        let row = |rows: &[f32], heads: usize, position: usize, head: usize| {
            rows[(position * heads + head) * case.dim..][..case.dim].to_vec()
        };
        let mut out = Vec::new();
        for token in 0..case.tokens {
            let first = case.window.map_or(0, |w| (token + 1).saturating_sub(w));
            for head in 0..case.heads {
                let query = row(&data.q, case.heads, token, head);
                let key_head = head / (case.heads / case.kv_heads);
                let seen = |rows: &[f32], positions: std::ops::Range<usize>| -> Vec<Vec<f32>> {
                    positions
                        .map(|p| row(rows, case.kv_heads, p, key_head))
                        .collect()
                };
                let mut merged: Option<(f32, f32, Vec<f32>)> = None;
                for chunk in first / 256..=token / 256 {
                    let positions = first.max(chunk * 256)..(token + 1).min(chunk * 256 + 256);
                    let part = part(
                        &query,
                        positions.start,
                        &seen(&keys, positions.clone()),
                        &seen(&values, positions.clone()),
                    );
                    merged = Some(merge(merged, part));
                }
                let (_, total, sums) = merged.expect("a token sees itself");
                out.extend(sums.iter().map(|sum| sum / total));
            }
        }
        out
    }

    /// What is left of rows that were kept in a cache.
    fn kept(precision: Precision, dim: usize, rows: &[f32]) -> Vec<f32> {
        match precision {
            Precision::Full => rows.to_vec(),
            Precision::Half => rows.iter().map(|&x| f16_to_f32(f32_to_f16(x))).collect(),
            Precision::Eight => rows
                .chunks(dim)
                .flat_map(|row| row.chunks(32))
                .flat_map(|group| {
                    let largest = group.iter().map(|x| x.abs()).fold(0.0, f32::max);
                    let d = f16_to_f32(f32_to_f16(largest / 127.0));
                    group
                        .iter()
                        .map(move |x| d * (x / d).round_ties_even().clamp(-127.0, 127.0))
                })
                .collect(),
        }
    }

    /// Maximum, weight and sums of the positions of one chunk.
    fn part(
        query: &[f32],
        start: usize,
        keys: &[Vec<f32>],
        values: &[Vec<f32>],
    ) -> (f32, f32, Vec<f32>) {
        let scores: Vec<f32> = keys
            .iter()
            .map(|key| {
                let chain = |sum: f32, (k, q): (&f32, &f32)| k.mul_add(*q, sum);
                key.iter().zip(query).fold(0.0, chain) * 0.25
            })
            .collect();
        let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut lanes = [0.0f32; 16];
        let mut sums = vec![0.0f32; query.len()];
        for (i, (score, value)) in scores.iter().zip(values).enumerate() {
            let weight = weight(score - largest);
            lanes[(start + i) % 16] += weight;
            for (sum, v) in sums.iter_mut().zip(value) {
                *sum = weight.mul_add(*v, *sum);
            }
        }
        for half in [8, 4, 2, 1] {
            for i in 0..half {
                lanes[i] += lanes[i + half];
            }
        }
        (largest, lanes[0], sums)
    }

    fn merge(
        merged: Option<(f32, f32, Vec<f32>)>,
        part: (f32, f32, Vec<f32>),
    ) -> (f32, f32, Vec<f32>) {
        let Some((maximum, total, sums)) = merged else {
            return part;
        };
        let largest = maximum.max(part.0);
        let (old, new) = (weight(maximum - largest), weight(part.0 - largest));
        let sums = sums.iter().zip(&part.2);
        (
            largest,
            total * old + part.1 * new,
            sums.map(|(a, b)| a * old + b * new).collect(),
        )
    }

    fn weight(x: f32) -> f32 {
        if x >= -64.0 { exp(x) } else { 0.0 }
    }

    /// e^x as the kernels define it.
    fn exp(x: f32) -> f32 {
        let x = x.clamp(-87.0, 87.0);
        let n = (x * std::f32::consts::LOG2_E).round_ties_even();
        let r = n.mul_add(2.121_944_4e-4, n.mul_add(-0.693_359_4, x));
        let factors = [
            1.987_569_1e-4,
            1.398_2e-3,
            8.333_452e-3,
            4.166_579_6e-2,
            1.666_666_5e-1,
            0.5,
            1.0,
            1.0f32,
        ];
        factors.iter().fold(0.0f32, |p, &c| p.mul_add(r, c)) * 2f32.powi(n as i32)
    }
}

/// Without causality every query sees what a query behind the last position would.
#[test]
fn a_bidirectional_query_sees_what_the_last_position_sees() {
    for case in [
        case(3, 3, 16, None, 300),
        case(4, 4, 64, None, 130),
        case(2, 1, 80, None, 70),
    ] {
        let data = case.data();
        let width = case.heads * case.dim;
        let mut cache = KvCache::new(Precision::Full, case.kv_heads, case.dim, case.tokens);
        cache.write(0, &data.k, &data.v);
        let all = Queries {
            cache: &cache,
            rows: &data.q,
            start: 0,
            heads: case.heads,
            scale: 0.25,
            window: None,
            causal: false,
            sinks: None,
        };
        let last = |token: usize| Queries {
            rows: &data.q[token * width..][..width],
            start: case.tokens - 1,
            causal: true,
            ..all
        };
        let plain = Cpu::new(Isa::SCALAR, &[]);
        let mut want = vec![0.0; data.q.len()];
        for (token, out) in want.chunks_exact_mut(width).enumerate() {
            attend(&plain, &[last(token)], out);
        }
        for isa in Isa::available() {
            for threads in 1..=3 {
                let mut got = vec![0.0; data.q.len()];
                attend(&Cpu::new(isa, &vec![0; threads]), &[all], &mut got);
                assert!(
                    got.iter()
                        .zip(&want)
                        .all(|(a, b)| a.to_bits() == b.to_bits()),
                    "{isa}, {threads} threads, heads of {}",
                    case.dim
                );
            }
        }
    }
}
