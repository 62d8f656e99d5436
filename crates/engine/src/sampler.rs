//! Samples the next token from logits.
//!
//! Called by `sequence` once per token; `logits` is `[n_vocab]` f32, unnormalised.
//! Order of filters: penalty, top-k, top-p, min-p, temperature. Order changes results.
//! If a grammar says which tokens are allowed, all others are as if they were not in the vocabulary.
//! Ties go to the lower id. The arithmetic is fixed and the generator is our own, so the
//! same seed gives the same tokens on every CPU.
//!
//! Left out on purpose: beam search, mirostat, DRY. No clock; the seed is given.

use crate::{Sampling, Token};
use llguidance::toktrie::SimpleVob;
use reckon_kernels::{Isa, softmax};
use std::cmp::Ordering;

/// Chooses tokens; keeps the state of its generator.
#[derive(Debug)]
pub(crate) struct Sampler {
    settings: Sampling,
    isa: Isa,
    state: u64,
    candidates: Vec<(f32, Token)>,
    weights: Vec<f32>,
}

impl Sampler {
    pub(crate) fn new(settings: &Sampling, isa: Isa) -> Self {
        Self {
            settings: settings.clone(),
            isa,
            state: settings.seed,
            candidates: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// The next token after `history`. May change `logits`.
    pub(crate) fn choose(&mut self, logits: &mut [f32], history: &[Token]) -> Token {
        self.punish(logits, history);
        if self.settings.temperature <= 0.0 {
            return best(logits.iter().copied().zip(0..));
        }
        self.candidates.clear();
        self.candidates.extend(logits.iter().copied().zip(0..));
        self.sample()
    }

    /// The next token after `history`, one of those that are allowed: at least one is. May change `logits`.
    pub(crate) fn choose_among(
        &mut self,
        allowed: &SimpleVob,
        logits: &mut [f32],
        history: &[Token],
    ) -> Token {
        self.punish(logits, history);
        self.candidates.clear();
        allowed.iter_set_entries(|i| {
            if let Some(&logit) = logits.get(i) {
                self.candidates.push((logit, i as Token));
            }
        });
        if self.settings.temperature <= 0.0 {
            return best(self.candidates.iter().copied());
        }
        self.sample()
    }

    /// One of the candidates.
    fn sample(&mut self) -> Token {
        self.shortlist();
        // top-p and min-p look at the model's own probabilities; temperature reshapes only what they leave.
        self.weigh(1.0);
        self.cut();
        self.weigh(self.settings.temperature);
        self.draw()
    }

    fn punish(&self, logits: &mut [f32], history: &[Token]) {
        let penalty = self.settings.repetition_penalty;
        if penalty == 1.0 || penalty <= 0.0 {
            return;
        }
        let from = history.len().saturating_sub(self.settings.penalty_window);
        let mut seen = history[from..].to_vec();
        seen.sort_unstable();
        seen.dedup();
        for token in seen {
            if let Some(logit) = logits.get_mut(token as usize) {
                // Dividing a negative logit would make the token likelier.
                *logit = if *logit > 0.0 {
                    *logit / penalty
                } else {
                    *logit * penalty
                };
            }
        }
    }

    /// The most likely tokens, best first.
    fn shortlist(&mut self) {
        let k = self.settings.top_k;
        if k > 0 && k < self.candidates.len() {
            self.candidates.select_nth_unstable_by(k, better);
            self.candidates.truncate(k);
        }
        self.candidates.sort_unstable_by(better);
    }

    /// The candidates' probabilities at a temperature.
    fn weigh(&mut self, temperature: f32) {
        self.weights.clear();
        self.weights
            .extend(self.candidates.iter().map(|(logit, _)| logit / temperature));
        softmax(self.isa, &mut self.weights);
    }

    /// Drops what top-p and min-p leave out; the best candidate always stays.
    fn cut(&mut self) {
        let mut kept = self.weights.len();
        if self.settings.top_p < 1.0 {
            // In f64, so that a sum over a whole vocabulary does not drift.
            let mut sum = 0.0f64;
            let enough = |p: &f32| {
                sum += f64::from(*p);
                sum >= f64::from(self.settings.top_p)
            };
            kept = self.weights.iter().position(enough).map_or(kept, |i| i + 1);
        }
        let floor = self.settings.min_p * self.weights[0];
        kept = self.weights[..kept]
            .iter()
            .position(|p| *p < floor)
            .unwrap_or(kept);
        self.candidates.truncate(kept.max(1));
    }

    fn draw(&mut self) -> Token {
        let mut left = self.uniform();
        for (p, (_, token)) in self.weights.iter().zip(&self.candidates) {
            left -= f64::from(*p);
            if left < 0.0 {
                return *token;
            }
        }
        // Rounding may leave a little of the draw: the last candidate takes it.
        self.candidates[self.candidates.len() - 1].1
    }

    /// SplitMix64, as a number from 0 up to 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    fn uniform(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The token with the largest logit.
fn best(pairs: impl Iterator<Item = (f32, Token)>) -> Token {
    pairs
        .reduce(|a, b| {
            if better(&b, &a) == Ordering::Less {
                b
            } else {
                a
            }
        })
        .map_or(0, |(_, token)| token)
}

/// Larger logit first, then lower id; a NaN is worse than anything.
pub(crate) fn better(a: &(f32, Token), b: &(f32, Token)) -> Ordering {
    let key = |x: f32| if x.is_nan() { f32::NEG_INFINITY } else { x };
    key(b.0).total_cmp(&key(a.0)).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Sampling = Sampling {
        temperature: 1.0,
        top_k: 0,
        top_p: 1.0,
        min_p: 0.0,
        repetition_penalty: 1.0,
        penalty_window: 64,
        seed: 7,
    };

    fn draws(settings: &Sampling, logits: &[f32], n: usize) -> Vec<usize> {
        let mut sampler = Sampler::new(settings, Isa::detect());
        let mut counts = vec![0; logits.len()];
        for _ in 0..n {
            counts[sampler.choose(&mut logits.to_vec(), &[]) as usize] += 1;
        }
        counts
    }

    #[test]
    fn frequencies_follow_the_probabilities() {
        let logits: Vec<f32> = [0.5f32, 0.3, 0.15, 0.05].iter().map(|p| p.ln()).collect();
        let counts = draws(&ALL, &logits, 20_000);
        for (count, p) in counts.iter().zip([0.5, 0.3, 0.15, 0.05]) {
            let off = (*count as f64 / 20_000.0 - p).abs();
            assert!(
                off < 4.0 * (p * (1.0 - p) / 20_000.0f64).sqrt(),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn each_filter_leaves_what_it_says() {
        let logits: Vec<f32> = [0.5f32, 0.3, 0.15, 0.05].iter().map(|p| p.ln()).collect();
        let kept = |settings: Sampling| {
            draws(&settings, &logits, 500)
                .iter()
                .filter(|n| **n > 0)
                .count()
        };
        assert_eq!(kept(Sampling { top_k: 2, ..ALL }), 2);
        assert_eq!(kept(Sampling { top_p: 0.79, ..ALL }), 2);
        assert_eq!(kept(Sampling { top_p: 0.81, ..ALL }), 3);
        assert_eq!(kept(Sampling { min_p: 0.29, ..ALL }), 3);
        assert_eq!(kept(Sampling { top_p: 0.0, ..ALL }), 1);
        assert_eq!(
            kept(Sampling {
                temperature: 0.0,
                ..ALL
            }),
            1
        );
    }

    #[test]
    fn same_seed_same_tokens_on_every_isa() {
        let logits: Vec<f32> = (0..1000).map(|i| ((i * 37) % 101) as f32 / 20.0).collect();
        let run = |isa, seed| {
            let mut sampler = Sampler::new(
                &Sampling {
                    top_k: 50,
                    top_p: 0.9,
                    seed,
                    ..ALL
                },
                isa,
            );
            (0..100)
                .map(|_| sampler.choose(&mut logits.clone(), &[]))
                .collect::<Vec<_>>()
        };
        for isa in Isa::available() {
            assert_eq!(run(isa, 1), run(Isa::SCALAR, 1));
        }
        assert_ne!(run(Isa::SCALAR, 1), run(Isa::SCALAR, 2));
    }

    #[test]
    fn ties_and_nans_are_settled() {
        let greedy = Sampling {
            temperature: 0.0,
            ..ALL
        };
        let choose =
            |logits: &[f32]| Sampler::new(&greedy, Isa::SCALAR).choose(&mut logits.to_vec(), &[]);
        assert_eq!(choose(&[1.0, 2.0, 2.0]), 1);
        assert_eq!(choose(&[f32::NAN, -5.0, f32::NAN]), 1);
    }

    #[test]
    fn the_penalty_looks_back_only_so_far() {
        let settings = Sampling {
            temperature: 0.0,
            repetition_penalty: 2.0,
            penalty_window: 1,
            ..ALL
        };
        let mut sampler = Sampler::new(&settings, Isa::SCALAR);
        assert_eq!(sampler.choose(&mut [3.0, 2.0], &[0]), 1);
        assert_eq!(sampler.choose(&mut [3.0, 2.0], &[0, 1]), 0);
        assert_eq!(sampler.choose(&mut [-1.0, -1.5], &[0]), 1);
    }
}
