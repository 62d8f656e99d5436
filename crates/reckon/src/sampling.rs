//! How tokens are chosen: the model's own settings, changed by what the caller wants otherwise.
use reckon_engine::Sampling;
use std::hash::{BuildHasher, Hasher, RandomState};

/// What the caller wants otherwise than the model's own sampling; `None` leaves it.
///
/// ```
/// use reckon::{Overrides, Sampling};
/// let own = Sampling::default();
/// let greedy = Overrides { temperature: Some(0.0), seed: Some(1), ..Overrides::default() };
/// assert_eq!(greedy.apply(own.clone()).top_k, own.top_k);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// 0 always takes the most likely token.
    pub temperature: Option<f32>,
    /// Keep the k most likely; 0 keeps all.
    pub top_k: Option<usize>,
    /// Keep the smallest set with this probability.
    pub top_p: Option<f32>,
    /// Drop tokens less likely than this share of the best one.
    pub min_p: Option<f32>,
    /// Above 1, repeats are less likely.
    pub repetition_penalty: Option<f32>,
    /// Same seed, same bytes; `None` draws one for each answer, and the receipt names it.
    pub seed: Option<u64>,
}

impl Overrides {
    /// The model's `own` sampling with these changes.
    #[must_use]
    pub fn apply(&self, own: Sampling) -> Sampling {
        Sampling {
            temperature: self.temperature.unwrap_or(own.temperature),
            top_k: self.top_k.unwrap_or(own.top_k),
            top_p: self.top_p.unwrap_or(own.top_p),
            min_p: self.min_p.unwrap_or(own.min_p),
            repetition_penalty: self.repetition_penalty.unwrap_or(own.repetition_penalty),
            penalty_window: own.penalty_window,
            seed: self.seed.unwrap_or_else(drawn_seed),
        }
    }
}

/// A seed nobody chose: the standard library's random keys, short enough to be an exact number in any JSON reader.
fn drawn_seed() -> u64 {
    RandomState::new().build_hasher().finish() >> 11
}
