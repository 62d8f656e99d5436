//! Percentile intervals by drawing questions with replacement.
//!
//! A question is a row of sums over its turns (`[sum, n]`, or the sums of a regression). A resample adds the rows of
//! as many questions as there are and hands the total to the statistic, so one loop serves means, differences,
//! correlations and regressions alike.

use super::random::Random;
use std::collections::BTreeMap;

/// Resamples of an interval.
const RESAMPLES: usize = 10_000;
/// Most draws for one interval; more questions than fit get fewer resamples, and need fewer.
const DRAWS: usize = 200_000_000;
/// Least resamples: below that the ends of the interval are noise.
const LEAST: usize = 1_000;

/// Adds the turns of each question. In the order of questions and turns, so that the order of rows does not matter.
pub(super) fn clusters<'a, const N: usize>(
    turns: impl Iterator<Item = (&'a str, usize, [f64; N])>,
) -> Vec<[f64; N]> {
    let mut questions: BTreeMap<&str, Vec<(usize, [f64; N])>> = BTreeMap::new();
    for (question, turn, sums) in turns {
        questions.entry(question).or_default().push((turn, sums));
    }
    let sum = |mut turns: Vec<(usize, [f64; N])>| {
        turns.sort_by(|a, b| {
            let bits = |sums: &[f64; N]| sums.map(f64::to_bits);
            (a.0, bits(&a.1)).cmp(&(b.0, bits(&b.1)))
        });
        let rows: Vec<[f64; N]> = turns.into_iter().map(|(_, sums)| sums).collect();
        total(&rows)
    };
    questions.into_values().map(sum).collect()
}

/// All rows added.
pub(super) fn total<const N: usize>(rows: &[[f64; N]]) -> [f64; N] {
    let mut total = [0.0; N];
    for row in rows {
        add(&mut total, row);
    }
    total
}

/// The 95 % interval of a statistic; none with fewer than two questions, or where it is undefined too often.
pub(super) fn bootstrap<const N: usize>(
    questions: &[[f64; N]],
    statistic: impl Fn([f64; N]) -> f64,
) -> Option<(f64, f64)> {
    if questions.len() < 2 {
        return None;
    }
    let mut random = Random::new();
    let resamples = (DRAWS / questions.len()).clamp(LEAST, RESAMPLES);
    let mut found: Vec<f64> = (0..resamples)
        .map(|_| {
            let mut sums = [0.0; N];
            for _ in 0..questions.len() {
                add(&mut sums, &questions[random.below(questions.len())]);
            }
            statistic(sums)
        })
        .filter(|value| value.is_finite())
        .collect();
    // A resample without any spread has no slope; a few of those do not matter, many do.
    if found.len() < resamples - resamples / 20 {
        return None;
    }
    found.sort_by(f64::total_cmp);
    Some((quantile(&found, 0.025), quantile(&found, 0.975)))
}

fn add<const N: usize>(sums: &mut [f64; N], row: &[f64; N]) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum += value;
    }
}

/// Linear between the two nearest, as numpy does it.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (low, part) = (at.floor(), at.fract());
    let below = sorted[low as usize];
    let above = sorted[(low as usize + 1).min(sorted.len() - 1)];
    below + (above - below) * part
}
