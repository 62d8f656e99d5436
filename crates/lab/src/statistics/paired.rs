//! What a difference between two systems on the same questions is worth.
//!
//! Both systems' scores of a turn stay together, so what makes a question hard for both does not count as noise.
//! A system is called better only if the interval leaves 0 out and chance is below 5 %: an interval alone is too sure
//! when only a few answers differ (five wins and no loss are one in sixteen by a coin).

use super::{
    NORMAL_80, NORMAL_975,
    bootstrap::{bootstrap, clusters, total},
    chance::{permutation_test, sign_test},
    error,
};
use serde::Serialize;

/// Two scores of one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorePair {
    /// The question, which keeps its turns together.
    pub question: String,
    /// From 1.
    pub turn: usize,
    /// What the first system got.
    pub first: f64,
    /// What the second got.
    pub second: f64,
    /// Characters of both answers, where they are at hand.
    pub lengths: Option<(usize, usize)>,
}

/// Two systems side by side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Paired {
    /// Questions.
    pub questions: usize,
    /// Turns that both answered.
    pub n: usize,
    /// Mean of the first system.
    pub first: f64,
    /// Mean of the second.
    pub second: f64,
    /// Second minus first.
    pub difference: f64,
    /// 95 % interval of the difference; none with fewer than two questions.
    pub interval: Option<(f64, f64)>,
    /// Clustered standard error of the difference, in closed form.
    pub error: Option<f64>,
    /// Questions where the second is better, over all their turns.
    pub wins: usize,
    /// Questions where neither is.
    pub ties: usize,
    /// Questions where the first is better.
    pub losses: usize,
    /// How often chance alone would give a difference as large: permutation test over questions.
    pub p: f64,
    /// The same from wins and losses alone: sign test.
    pub p_sign: f64,
    /// The difference that so many questions of this kind would show in 80 of 100 cases; none if no score differs.
    pub detectable: Option<f64>,
    /// What may be said.
    pub verdict: Verdict,
}

/// Which system is better, as far as can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// The first.
    #[serde(rename = "the first is better")]
    First,
    /// The second.
    #[serde(rename = "the second is better")]
    Second,
    /// Chance explains what there is.
    #[serde(rename = "not distinguishable")]
    Neither,
}

/// Compares pairs of scores; nothing without pairs.
pub fn paired(pairs: &[ScorePair]) -> Option<Paired> {
    let sums = |pair: &ScorePair| [pair.first, pair.second, pair.second - pair.first, 1.0];
    let questions = clusters(
        pairs
            .iter()
            .map(|one| (&*one.question, one.turn, sums(one))),
    );
    let [first, second, difference, n] = total(&questions);
    if n == 0.0 {
        return None;
    }
    let differences: Vec<f64> = questions.iter().map(|[_, _, d, _]| *d).collect();
    let interval = bootstrap(&questions, |[_, _, d, n]| d / n);
    let error = error(
        questions.iter().map(|[_, _, d, n]| (*d, *n)),
        difference / n,
    );
    let wins = differences.iter().filter(|&&d| d > 0.0).count();
    let losses = differences.iter().filter(|&&d| d < 0.0).count();
    let p = permutation_test(&differences);
    Some(Paired {
        questions: questions.len(),
        n: pairs.len(),
        first: first / n,
        second: second / n,
        difference: difference / n,
        interval,
        error,
        wins,
        ties: questions.len() - wins - losses,
        losses,
        p,
        p_sign: sign_test(wins, losses),
        // Where nothing differs, nothing is known about what would.
        detectable: error
            .filter(|error| *error > 0.0)
            .map(|error| (NORMAL_975 + NORMAL_80) * error),
        verdict: verdict(interval, p),
    })
}

fn verdict(interval: Option<(f64, f64)>, p: f64) -> Verdict {
    match interval {
        Some((low, _)) if low > 0.0 && p < 0.05 => Verdict::Second,
        Some((_, high)) if high < 0.0 && p < 0.05 => Verdict::First,
        _ => Verdict::Neither,
    }
}

impl Verdict {
    /// As a clause, with the names of the two systems.
    pub fn say(self, first: &str, second: &str) -> String {
        match self {
            Self::First => format!("{first} is better"),
            Self::Second => format!("{second} is better"),
            Self::Neither => "not distinguishable".to_owned(),
        }
    }
}
