//! How likely tokens were: logits in, log-probabilities of the chosen token and of the likeliest out.
//!
//! Called by `sequence` for each token, if the request asks for it. The probabilities are the model's own: the softmax of
//! the logits before penalties, temperature, filters and grammar. Sums are the kernels', which have the same bits on every
//! CPU; the logarithm comes from a pure Rust library.

use crate::generate::TokenLogprobs;
use crate::sampler::better;
use crate::{Error, Result, Token};
use reckon_kernels::{Isa, softmax};

/// Most of the likeliest tokens that can be asked for.
const MAX_TOP: usize = 20;

/// Collects log-probabilities.
#[derive(Debug)]
pub(crate) struct Logprobs {
    top: usize,
    isa: Isa,
    logits: Vec<f32>,
    weights: Vec<f32>,
    candidates: Vec<(f32, Token)>,
    settled: Vec<TokenLogprobs>,
}

impl Logprobs {
    pub(crate) fn new(top: usize, isa: Isa) -> Self {
        Self {
            top,
            isa,
            logits: Vec::new(),
            weights: Vec::new(),
            candidates: Vec::new(),
            settled: Vec::new(),
        }
    }

    /// Whether so many can be given.
    pub(crate) fn check(top: Option<usize>) -> Result<()> {
        match top {
            Some(n) if n > MAX_TOP => Err(Error::Request(format!(
                "log-probabilities of {n} tokens, {MAX_TOP} allowed"
            ))),
            _ => Ok(()),
        }
    }

    /// The logits that the next token is chosen from, before anything changes them.
    pub(crate) fn look(&mut self, logits: &[f32]) {
        self.logits.clear();
        self.logits.extend_from_slice(logits);
    }

    /// The token that was chosen from them; how likely it was.
    pub(crate) fn settle(&mut self, token: Token) -> &TokenLogprobs {
        self.candidates.clear();
        self.candidates.extend(self.logits.iter().copied().zip(0..));
        // The likeliest one is needed in any case.
        let n = self.top.clamp(1, self.candidates.len());
        if n < self.candidates.len() {
            self.candidates.select_nth_unstable_by(n, better);
            self.candidates.truncate(n);
        }
        self.candidates.sort_unstable_by(better);
        let (largest, likeliest) = self.candidates[0];
        self.weights.clear();
        self.weights.extend_from_slice(&self.logits);
        softmax(self.isa, &mut self.weights);
        // ln Σ exp(x) = x - ln p(x); exact to rounding for the likeliest, whose probability is never small.
        let share = f64::from(self.weights[likeliest as usize]);
        let sum = f64::from(largest) - libm::log(share);
        let logprob = |logit: f32| (f64::from(logit) - sum) as f32;
        let chosen = self.logits.get(token as usize).copied();
        let settled = TokenLogprobs {
            token,
            logprob: logprob(chosen.unwrap_or(f32::NEG_INFINITY)),
            top: self.candidates[..self.top.min(n)]
                .iter()
                .map(|&(logit, token)| (token, logprob(logit)))
                .collect(),
        };
        self.settled.push(settled);
        &self.settled[self.settled.len() - 1]
    }

    /// All of them, in order.
    pub(crate) fn finish(self) -> Vec<TokenLogprobs> {
        self.settled
    }
}
