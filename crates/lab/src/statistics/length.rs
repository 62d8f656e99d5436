//! Scores against the length of answers: a judge that likes long answers must not make a system look better.
//!
//! Lengths enter as logarithms to the base 2: twice as long is one step. [`length`] asks how closely scores follow length
//! within one system. [`equal_length`] takes two systems and asks what would be left of their difference if both wrote
//! equally much: what a step of length brings is learned from the answers of each system among themselves, and that
//! much for the steps between the systems is taken off (a covariance analysis: one slope, two levels). Learning it from
//! the differences instead would call a guard's whole effect one of length, since it changes a text and its length at
//! once. Intervals draw questions, as everywhere.

use super::{
    Score, ScorePair,
    bootstrap::{bootstrap, clusters, total},
};
use serde::Serialize;

/// How the scores of one system go with the length of its answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Length {
    /// Turns.
    pub n: usize,
    /// Correlation with the logarithm of the length.
    pub correlation: f64,
    /// 95 % interval of it.
    pub interval: Option<(f64, f64)>,
    /// What an answer of twice the length got more.
    pub per_doubling: f64,
}

/// Two systems, had they written equally much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EqualLength {
    /// Turns.
    pub n: usize,
    /// Second minus first, at equal length.
    pub difference: f64,
    /// 95 % interval of it.
    pub interval: Option<(f64, f64)>,
    /// What twice the length brings.
    pub per_doubling: f64,
    /// How many times as long the second system's answers are, as a geometric mean.
    pub ratio: f64,
}

/// Scores against lengths; nothing where one of the two never moves.
pub fn length(scores: &[Score]) -> Option<Length> {
    let with: Vec<(&Score, usize)> = scores
        .iter()
        .filter_map(|score| Some((score, score.length?)))
        .collect();
    let sums = |(score, length): &(&Score, usize)| Sums::of(log(*length), score.value);
    let questions = clusters(
        with.iter()
            .map(|one| (&*one.0.question, one.0.turn, sums(one))),
    );
    let all = Sums(total(&questions));
    let correlation = all.correlation();
    correlation.is_finite().then(|| Length {
        n: with.len(),
        correlation,
        interval: bootstrap(&questions, |sums| Sums(sums).correlation()),
        per_doubling: all.slope(),
    })
}

/// The difference at equal length; nothing without lengths.
pub fn equal_length(pairs: &[ScorePair]) -> Option<EqualLength> {
    let with: Vec<(&ScorePair, (usize, usize))> = pairs
        .iter()
        .filter_map(|pair| Some((pair, pair.lengths?)))
        .collect();
    let sums = |(pair, (first, second)): &(&ScorePair, (usize, usize))| {
        let first = Sums::of(log(*first), pair.first);
        let second = Sums::of(log(*second), pair.second);
        std::array::from_fn(|i| if i < 6 { first[i] } else { second[i - 6] })
    };
    let questions: Vec<[f64; 12]> = clusters(
        with.iter()
            .map(|one| (&*one.0.question, one.0.turn, sums(one))),
    );
    let all = Two::new(&total(&questions));
    let n = all.first.0[0];
    (n > 0.0).then(|| EqualLength {
        n: with.len(),
        difference: all.difference(),
        interval: bootstrap(&questions, |sums| Two::new(&sums).difference()),
        per_doubling: all.slope(),
        ratio: all.steps().exp2(),
    })
}

/// The sums of two systems.
struct Two {
    first: Sums,
    second: Sums,
}

impl Two {
    fn new(sums: &[f64; 12]) -> Self {
        Self {
            first: Sums(std::array::from_fn(|i| sums[i])),
            second: Sums(std::array::from_fn(|i| sums[i + 6])),
        }
    }

    /// One slope for both, within each.
    fn slope(&self) -> f64 {
        let (first, second) = (self.first.centred(), self.second.centred());
        let spread = first.0 + second.0;
        // Lengths that never move explain nothing.
        if spread <= TINY {
            return 0.0;
        }
        (first.1 + second.1) / spread
    }

    /// Steps of length from the first to the second, on average.
    fn steps(&self) -> f64 {
        let mean = |Sums([n, x, ..]): &Sums| x / n;
        mean(&self.second) - mean(&self.first)
    }

    fn difference(&self) -> f64 {
        let mean = |Sums([n, _, y, ..]): &Sums| y / n;
        mean(&self.second) - mean(&self.first) - self.slope() * self.steps()
    }
}

/// An empty answer counts as one character.
fn log(length: usize) -> f64 {
    (length.max(1) as f64).log2()
}

/// n, Σx, Σy, Σxx, Σxy, Σyy.
struct Sums([f64; 6]);

impl Sums {
    fn of(x: f64, y: f64) -> [f64; 6] {
        [1.0, x, y, x * x, x * y, y * y]
    }

    /// Sums of squares and products around the means: xx, xy, yy.
    fn centred(&self) -> (f64, f64, f64) {
        let [n, x, y, xx, xy, yy] = self.0;
        (xx - x * x / n, xy - x * y / n, yy - y * y / n)
    }

    fn correlation(&self) -> f64 {
        let (xx, xy, yy) = self.centred();
        if xx <= TINY || yy <= TINY {
            return f64::NAN;
        }
        xy / (xx * yy).sqrt()
    }

    /// Lengths that never move explain nothing.
    fn slope(&self) -> f64 {
        let (xx, xy, _) = self.centred();
        if xx <= TINY { 0.0 } else { xy / xx }
    }
}

/// What is left by rounding where there is no spread.
const TINY: f64 = 1e-9;
