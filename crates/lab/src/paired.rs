//! What a difference between two systems on the same questions is worth.
//!
//! Percentile bootstrap over questions: each resample draws questions with replacement and keeps both systems' scores
//! of a question together. The generator is our own and seeded, so the same rows give the same interval.

/// Resamples of an interval.
const RESAMPLES: usize = 10_000;

/// Two systems side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Questions.
    pub n: usize,
    /// Mean of the first system.
    pub first: f64,
    /// Mean of the second.
    pub second: f64,
    /// Second minus first.
    pub difference: f64,
    /// 95 % interval of the difference.
    pub interval: (f64, f64),
    /// Questions where the second is better.
    pub wins: usize,
    /// Questions where the first is better.
    pub losses: usize,
}

/// Compares pairs of scores, one pair a question; nothing without questions.
pub fn paired(pairs: &[(f64, f64)]) -> Option<Paired> {
    if pairs.is_empty() {
        return None;
    }
    let n = pairs.len() as f64;
    let first = pairs.iter().map(|pair| pair.0).sum::<f64>() / n;
    let second = pairs.iter().map(|pair| pair.1).sum::<f64>() / n;
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| b - a).collect();
    Some(Paired {
        n: pairs.len(),
        first,
        second,
        difference: second - first,
        interval: bootstrap(&differences),
        wins: differences.iter().filter(|&&d| d > 0.0).count(),
        losses: differences.iter().filter(|&&d| d < 0.0).count(),
    })
}

fn bootstrap(values: &[f64]) -> (f64, f64) {
    let mut random = Random(0x5eed);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let sum: f64 = (0..values.len())
                .map(|_| values[random.below(values.len())])
                .sum();
            sum / values.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (quantile(&means, 0.025), quantile(&means, 0.975))
}

/// Linear between the two nearest, as numpy does it.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (low, part) = (at.floor(), at.fract());
    let below = sorted[low as usize];
    let above = sorted[(low as usize + 1).min(sorted.len() - 1)];
    below + (above - below) * part
}

/// SplitMix64: small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, evenly enough: `n` is tiny beside 2⁶⁴.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_near_the_normal_one() {
        // 60 questions won, 40 even, of 100: mean 0.6, standard error sqrt(0.6 * 0.4 / 100) = 0.049.
        let pairs: Vec<(f64, f64)> = (0..100).map(|i| (0.0, f64::from(i < 60))).collect();
        let found = paired(&pairs).expect("questions");
        assert!((found.difference - 0.6).abs() < 1e-12);
        assert!((found.interval.0 - (0.6 - 1.96 * 0.049)).abs() < 0.015);
        assert!((found.interval.1 - (0.6 + 1.96 * 0.049)).abs() < 0.015);
        assert_eq!((found.wins, found.losses), (60, 0));
    }

    #[test]
    fn no_difference_has_an_interval_of_nothing() {
        let found = paired(&[(1.0, 1.0), (0.0, 0.0)]).expect("questions");
        assert_eq!(found.interval, (0.0, 0.0));
        assert_eq!(paired(&[]), None);
    }

    #[test]
    fn the_interval_covers_the_truth_as_often_as_it_says() {
        // Differences of -1, 0, 1 with a true mean of 0.2; 200 experiments of 60 questions.
        let mut random = Random(7);
        let covered = (0..200)
            .filter(|_| {
                let pairs: Vec<(f64, f64)> = (0..60)
                    .map(|_| match random.below(10) {
                        0 | 1 => (1.0, 0.0),
                        2..=5 => (0.0, 1.0),
                        _ => (1.0, 1.0),
                    })
                    .collect();
                let (low, high) = paired(&pairs).expect("questions").interval;
                (low..=high).contains(&0.2)
            })
            .count();
        assert!((180..=199).contains(&covered), "{covered} of 200");
    }
}
