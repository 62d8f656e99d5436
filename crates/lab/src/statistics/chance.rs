//! How often chance alone would give a difference as large as the one that was found.

use super::random::Random;

/// Draws of signs when there are too many questions to try all.
const DRAWS: usize = 10_000;
/// Questions with a difference up to which all signs are tried: 2¹⁸ sums.
const EXACT: usize = 18;

/// The sign test, two-sided: `wins` and `losses` of a fair coin.
pub(super) fn sign_test(wins: usize, losses: usize) -> f64 {
    let n = wins + losses;
    let few = wins.min(losses);
    // Terms of the binomial from the middle outwards would overflow as they are; as logarithms they do not.
    let mut term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = term.exp();
    for k in 1..=few {
        term += ((n - k + 1) as f64).ln() - (k as f64).ln();
        tail += term.exp();
    }
    (2.0 * tail).min(1.0)
}

/// The permutation test, two-sided: were the two systems the same, each question's difference could as well have had
/// the other sign. Exact for few differences, else drawn.
pub(super) fn permutation_test(differences: &[f64]) -> f64 {
    let moved: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let scale: f64 = moved.iter().map(|d| d.abs()).sum();
    // Sums of the same numbers in another order differ in their last bits.
    let reach = moved.iter().sum::<f64>().abs() - scale * 1e-9;
    if moved.len() <= EXACT {
        let all = 1_usize << moved.len();
        let signed = |signs: usize| -> f64 {
            let term = |(i, d): (usize, &f64)| if signs >> i & 1 == 1 { -d } else { *d };
            moved.iter().enumerate().map(term).sum()
        };
        let far = (0..all).filter(|&signs| signed(signs).abs() >= reach);
        return far.count() as f64 / all as f64;
    }
    let mut random = Random::new();
    let far = (0..DRAWS).filter(|_| drawn(&moved, &mut random).abs() >= reach);
    // The signs as they are count as one draw, so that chance is never nothing.
    (far.count() + 1) as f64 / (DRAWS + 1) as f64
}

fn drawn(differences: &[f64], random: &mut Random) -> f64 {
    let mut sum = 0.0;
    for chunk in differences.chunks(64) {
        let signs = random.next();
        for (i, d) in chunk.iter().enumerate() {
            sum += if signs >> i & 1 == 1 { -d } else { *d };
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_test_is_the_binomial() {
        // 2 * (1 + 5) / 2^5, 2 / 2^5 and a tie.
        assert!((sign_test(4, 1) - 0.375).abs() < 1e-12);
        assert!((sign_test(0, 5) - 0.0625).abs() < 1e-12);
        assert!((sign_test(3, 3) - 1.0).abs() < 1e-12);
        assert!((sign_test(0, 0) - 1.0).abs() < 1e-12);
        assert!(sign_test(100_000, 99_000).is_finite());
    }

    #[test]
    fn the_permutation_test_counts_signs() {
        // Sums of +-1 +-2 +-3 that are at least 6 away from 0: two of eight.
        assert!((permutation_test(&[1.0, 0.0, 2.0, 3.0]) - 0.25).abs() < 1e-12);
        assert!((permutation_test(&[]) - 1.0).abs() < 1e-12);
        // 40 differences of one size are a sign test: 25 wins to 15 losses.
        let mut differences = vec![1.0; 25];
        differences.extend([-1.0; 15]);
        let found = permutation_test(&differences);
        assert!((found - sign_test(25, 15)).abs() < 0.01, "{found}");
    }
}
