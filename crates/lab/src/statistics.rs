//! What scores are worth: means, differences and how far both can be trusted.
//!
//! Called by `lab compare`, `lab report` and `lab classes`. A question is the unit that is drawn at random: its turns
//! share a text and a history, so they stay together in every resample and in every standard error. Intervals are
//! percentile bootstrap intervals over questions, seeded: the same scores give the same interval, in any order of rows.
//! Beside them stands the clustered standard error in closed form, which shows whether the resampling can be believed.
//!
//! With ten questions, as a category of MT-Bench has, such an interval covers the truth in about 90 of 100 cases, not
//! in 95; with eighty in 94 (`tests/it/coverage.rs`). Source of the formulas: the sandwich estimator of a ratio, with
//! K/(K-1); checked against scipy by `tests/it/statistics.rs`.

mod bootstrap;
mod chance;
mod length;
mod paired;
mod random;

pub use length::{EqualLength, Length, equal_length, length};
pub use paired::{Paired, ScorePair, Verdict, paired};

use bootstrap::{bootstrap, clusters};
use serde::Serialize;
use std::collections::BTreeMap;

/// What scores are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// 0 or 1: wrong or right; the mean is a share.
    Share,
    /// Points, as a judge gives them.
    Points,
}

/// The score of one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The question, which keeps its turns together.
    pub question: String,
    /// From 1.
    pub turn: usize,
    /// What the question is about.
    pub category: Option<String>,
    /// The score itself.
    pub value: f64,
    /// Characters of the answer, where the answer is at hand.
    pub length: Option<usize>,
}

/// A mean, and how far it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Questions.
    pub questions: usize,
    /// Turns.
    pub n: usize,
    /// Mean over all turns, pooled.
    pub mean: f64,
    /// 95 % interval; none with fewer than two questions.
    pub interval: Option<(f64, f64)>,
    /// Standard error with the turns of a question kept together, in closed form.
    pub error: Option<f64>,
    /// Standard error as if all turns were independent: what most tables quote, and too small.
    pub naive_error: Option<f64>,
}

/// The mean of scores; nothing without scores.
pub fn estimate(scores: &[Score], scale: Scale) -> Option<Estimate> {
    let values = |score: &Score| [score.value, 1.0, score.value * score.value];
    let clusters = clusters(
        scores
            .iter()
            .map(|one| (&*one.question, one.turn, values(one))),
    );
    let [sum, n, squares] = bootstrap::total(&clusters);
    if n == 0.0 {
        return None;
    }
    let mean = sum / n;
    let deviation = (squares / n - mean * mean).max(0.0) * n / (n - 1.0);
    let certain = scale == Scale::Share && (mean == 0.0 || mean == 1.0);
    Some(Estimate {
        questions: clusters.len(),
        n: scores.len(),
        mean,
        interval: if certain {
            (clusters.len() > 1).then(|| wilson(mean, clusters.len()))
        } else {
            bootstrap(&clusters, |[sum, n, _]| sum / n)
        },
        error: error(clusters.iter().map(|[sum, n, _]| (*sum, *n)), mean),
        naive_error: (n > 1.0).then(|| (deviation / n).sqrt()),
    })
}

/// The same for each category, by name; scores without one are left out.
pub fn by_category(scores: &[Score], scale: Scale) -> Vec<(String, Estimate)> {
    let mut groups: BTreeMap<&str, Vec<Score>> = BTreeMap::new();
    for score in scores {
        if let Some(category) = &score.category {
            groups.entry(category).or_default().push(score.clone());
        }
    }
    let estimated = |(category, scores): (&str, Vec<Score>)| {
        Some((category.to_owned(), estimate(&scores, scale)?))
    };
    groups.into_iter().filter_map(estimated).collect()
}

/// The clustered standard error of a pooled mean: what each question adds to the sum of deviations, squared.
fn error(clusters: impl Iterator<Item = (f64, f64)> + Clone, mean: f64) -> Option<f64> {
    let questions = clusters.clone().count() as f64;
    let n: f64 = clusters.clone().map(|(_, n)| n).sum();
    let squares: f64 = clusters.map(|(sum, n)| (sum - n * mean).powi(2)).sum();
    (questions > 1.0).then(|| (squares * questions / (questions - 1.0)).sqrt() / n)
}

/// Wilson's interval, for shares of 0 and 1: there a resample has nothing else to draw, and would claim certainty.
fn wilson(share: f64, questions: usize) -> (f64, f64) {
    let n = questions as f64;
    let z2 = NORMAL_975 * NORMAL_975;
    let reach = z2 / (n + z2);
    if share == 0.0 {
        (0.0, reach)
    } else {
        (1.0 - reach, 1.0)
    }
}

/// Where 97.5 % of the normal distribution lie below.
const NORMAL_975: f64 = 1.959_963_984_540_054;
/// Where 80 % lie below.
const NORMAL_80: f64 = 0.841_621_233_572_914_2;
