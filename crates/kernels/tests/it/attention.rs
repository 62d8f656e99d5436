//! Attention: the same bits however it is split, and close to the textbook formula.

use crate::fixture::Random;
use reckon_kernels::{Cache, Isa, Pool, Precision, Queries, attend};

struct Case {
    heads: usize,
    key_heads: usize,
    dim: usize,
    window: Option<usize>,
    tokens: usize,
}

struct Data {
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
}

impl Case {
    fn data(&self) -> Data {
        let mut random = Random(5);
        let mut rows = |heads: usize| random.floats(self.tokens * heads * self.dim);
        Data {
            q: rows(self.heads),
            k: rows(self.key_heads),
            v: rows(self.key_heads),
        }
    }

    /// Reads the tokens in batches of `batch` and returns every output.
    fn run(
        &self,
        isa: Isa,
        pool: &Pool,
        precision: Precision,
        batch: usize,
        data: &Data,
    ) -> Vec<f32> {
        let room = self
            .window
            .map_or(self.tokens, |w| w + batch)
            .min(self.tokens);
        let mut cache = Cache::new(precision, self.key_heads, self.dim, room);
        let mut out = vec![0.0; data.q.len()];
        let (width, key_width) = (self.heads * self.dim, self.key_heads * self.dim);
        for start in (0..self.tokens).step_by(batch) {
            let end = self.tokens.min(start + batch);
            let range = start * key_width..end * key_width;
            cache.write(start, &data.k[range.clone()], &data.v[range]);
            let range = start * width..end * width;
            let queries = Queries {
                cache: &cache,
                rows: &data.q[range.clone()],
                start,
                heads: self.heads,
                scale: 0.25,
                window: self.window,
            };
            attend(isa, pool, &[queries], &mut out[range]);
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
                let key_head = head / (self.heads / self.key_heads);
                let weights: Vec<f64> = (first..=token)
                    .map(|p| {
                        let dot: f64 = (0..self.dim)
                            .map(|i| {
                                at(&data.q, self.heads, token, head, i)
                                    * at(&data.k, self.key_heads, p, key_head, i)
                            })
                            .sum();
                        (0.25 * dot).exp()
                    })
                    .collect();
                let total: f64 = weights.iter().sum();
                for i in 0..self.dim {
                    out.push(
                        (first..=token)
                            .zip(&weights)
                            .map(|(p, w)| w * at(&data.v, self.key_heads, p, key_head, i))
                            .sum::<f64>()
                            / total,
                    );
                }
            }
        }
        out
    }
}

const CASES: [Case; 4] = [
    Case {
        heads: 8,
        key_heads: 1,
        dim: 32,
        window: None,
        tokens: 600,
    },
    Case {
        heads: 3,
        key_heads: 3,
        dim: 16,
        window: Some(40),
        tokens: 300,
    },
    Case {
        heads: 9,
        key_heads: 3,
        dim: 16,
        window: Some(300),
        tokens: 700,
    },
    Case {
        heads: 14,
        key_heads: 2,
        dim: 16,
        window: None,
        tokens: 40,
    },
];

#[test]
fn it_is_the_textbook_formula() {
    let pool = Pool::new(&[]);
    for case in CASES {
        let data = case.data();
        let want = case.textbook(&data);
        for (precision, limit) in [(Precision::Full, 1e-5), (Precision::Half, 2e-3)] {
            let got = case.run(Isa::detect(), &pool, precision, 64, &data);
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
fn isa_threads_and_batch_do_not_change_a_bit() {
    for case in CASES {
        let data = case.data();
        let want = case.run(Isa::SCALAR, &Pool::new(&[]), Precision::Half, 1, &data);
        for isa in Isa::available() {
            for threads in [1, 2] {
                for batch in [1, 7, 64] {
                    let got = case.run(
                        isa,
                        &Pool::new(&vec![0; threads]),
                        Precision::Half,
                        batch,
                        &data,
                    );
                    assert!(
                        got.iter()
                            .zip(&want)
                            .all(|(a, b)| a.to_bits() == b.to_bits()),
                        "{isa}, {threads} threads, batches of {batch}"
                    );
                }
            }
        }
    }
}
