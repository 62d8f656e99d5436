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
            self.gather(logits, 1);
            return best(self.candidates.iter().copied());
        }
        self.gather(logits, self.settings.top_k);
        self.sample()
    }

    /// Makes candidates of all tokens that can be among the best `k` (0: of all tokens), and of few others.
    ///
    /// The largest logits of k blocks are k tokens, so no token below the smallest of those can be among the best k. Most
    /// blocks have none above it, and are left after a look at their largest.
    fn gather(&mut self, logits: &[f32], k: usize) {
        self.candidates.clear();
        let blocks = || logits.chunks(BLOCK).zip((0..).step_by(BLOCK));
        self.weights.clear();
        self.weights
            .extend(blocks().map(|(block, _)| largest(block)));
        let floor = match k.checked_sub(1) {
            Some(last) if last < self.weights.len() => {
                let (_, floor, _) = self
                    .weights
                    .select_nth_unstable_by(last, |a, b| b.total_cmp(a));
                *floor
            }
            _ => f32::NEG_INFINITY,
        };
        for (block, first) in blocks() {
            let tokens = block.iter().copied().zip(first..);
            if floor == f32::NEG_INFINITY {
                self.candidates.extend(tokens);
            } else if largest(block) >= floor {
                self.candidates
                    .extend(tokens.filter(|(logit, _)| *logit >= floor));
            }
        }
    }

    /// What `choose_among` would choose, if that can be told by asking about few tokens; `allows` gives `None` where it
    /// cannot tell of one token. Logits are those that `punish` left.
    ///
    /// A greedy choice needs to know one allowed token, a choice among the best k needs k: mostly these are the likeliest ones,
    /// while finding out about the whole vocabulary may take longer than a small model takes for a token.
    pub(crate) fn choose_if(
        &mut self,
        logits: &[f32],
        mut allows: impl FnMut(Token) -> Option<bool>,
    ) -> Option<Token> {
        let is_greedy = self.settings.temperature <= 0.0;
        let k = if is_greedy { 1 } else { self.settings.top_k };
        if k == 0 || k > MOST_ASKED {
            return None;
        }
        self.gather(logits, k + SPARE);
        self.candidates.sort_unstable_by(better);
        self.candidates.truncate(k + SPARE);
        let mut kept = 0;
        for i in 0..self.candidates.len() {
            if kept == k {
                break;
            }
            if allows(self.candidates[i].1)? {
                self.candidates[kept] = self.candidates[i];
                kept += 1;
            }
        }
        self.candidates.truncate(kept);
        if kept < k {
            return None;
        }
        Some(if is_greedy {
            self.candidates[0].1
        } else {
            self.sample()
        })
    }

    /// The next token, one of those that are allowed: at least one is. Logits are those that `punish` left.
    pub(crate) fn choose_among(&mut self, allowed: &SimpleVob, logits: &[f32]) -> Token {
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

    /// Makes tokens of `history` less likely, if that is asked for.
    pub(crate) fn punish(&self, logits: &mut [f32], history: &[Token]) {
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

/// Most allowed tokens that are looked for one by one; for more of them all tokens are looked at together.
const MOST_ASKED: usize = 128;
/// As many tokens may turn out not to be allowed.
const SPARE: usize = 32;
/// Logits whose largest one is found first.
const BLOCK: usize = 128;

/// The largest of some logits; a NaN is none.
fn largest(logits: &[f32]) -> f32 {
    // Side by side, as vector instructions find them.
    let mut lanes = [f32::NEG_INFINITY; 16];
    let (rows, rest) = logits.as_chunks::<16>();
    for row in rows {
        for (lane, logit) in lanes.iter_mut().zip(row) {
            *lane = if *logit > *lane { *logit } else { *lane };
        }
    }
    let all = lanes.iter().chain(rest);
    all.fold(f32::NEG_INFINITY, |a, b| if *b > a { *b } else { a })
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

    /// Ties, zeros of both signs, infinities and NaN among few distinct logits: the shortlist is that of a whole sort.
    #[test]
    fn no_token_of_the_best_is_passed_over() {
        let few = [1.0, 0.0, -0.0, -1.5, f32::NAN, f32::NEG_INFINITY, 2.0];
        let mut random = Sampler::new(&ALL, Isa::SCALAR);
        for n in [1, 15, 127, 128, 129, 1000, 5000] {
            for values in 1..=few.len() {
                let pick = |random: &mut Sampler| (random.uniform() * values as f64) as usize;
                let logits: Vec<f32> = (0..n).map(|_| few[pick(&mut random)]).collect();
                for k in [0, 1, 2, 7, 64, 4999] {
                    let mut sampler = Sampler::new(&Sampling { top_k: k, ..ALL }, Isa::SCALAR);
                    sampler.gather(&logits, k);
                    sampler.shortlist();
                    let mut whole: Vec<(f32, Token)> = logits.iter().copied().zip(0..).collect();
                    whole.sort_by(better);
                    whole.truncate(if k == 0 { n } else { k });
                    let ids =
                        |pairs: &[(f32, Token)]| pairs.iter().map(|p| p.1).collect::<Vec<_>>();
                    assert_eq!(ids(&sampler.candidates), ids(&whole), "{n} {values} {k}");
                }
            }
        }
    }

    /// Asking about single tokens chooses what a look at all of them chooses, and draws as often.
    #[test]
    fn tokens_that_are_asked_about_one_by_one_are_those_of_the_mask() {
        let mut random = Sampler::new(&ALL, Isa::SCALAR);
        let (mut told, mut untold) = (0, 0);
        for n in [40, 1000, 5000] {
            for round in 0..200 {
                let logits: Vec<f32> = (0..n).map(|_| (random.uniform() * 50.0) as f32).collect();
                let share = [1.0, 0.9, 0.3, 0.02][round % 4];
                let mut allowed = SimpleVob::alloc(n);
                for token in 0..n {
                    if random.uniform() < share {
                        allowed.allow_token(token as Token);
                    }
                }
                allowed.allow_token(3);
                for temperature in [0.0, 0.7] {
                    let settings = Sampling {
                        temperature,
                        top_k: [1, 5, 64, 0][round / 4 % 4],
                        top_p: 0.9,
                        seed: round as u64,
                        ..ALL
                    };
                    let mut one = Sampler::new(&settings, Isa::SCALAR);
                    let mut all = Sampler::new(&settings, Isa::SCALAR);
                    match one.choose_if(&logits, |token| Some(allowed.is_allowed(token))) {
                        Some(token) => {
                            assert_eq!(token, all.choose_among(&allowed, &logits));
                            assert_eq!(one.state, all.state);
                            told += 1;
                        }
                        None => {
                            assert_eq!(one.state, settings.seed);
                            untold += 1;
                        }
                    }
                }
            }
        }
        assert!(told > 300 && untold > 100, "{told}, {untold}");
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
