//! Intervals on made-up experiments whose truth is known: they must cover it as often as the documentation says.
use reckon_lab::statistics::{Scale, Score, ScorePair, Verdict, estimate, paired};

/// SplitMix64, as a uniform number between 0 and 1.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Two turns a question that share the question's difficulty: the truth is 5, the correlation one half.
fn scores(questions: usize, dice: &mut Dice) -> Vec<Score> {
    let mut scores = Vec::new();
    for question in 0..questions {
        let shared = dice.roll();
        for turn in [1, 2] {
            scores.push(Score {
                question: question.to_string(),
                turn,
                category: None,
                value: 10.0 * (shared + dice.roll()) / 2.0,
                length: None,
            });
        }
    }
    scores
}

fn covered(experiments: usize, questions: usize) -> f64 {
    let mut dice = Dice(questions as u64);
    let hits = (0..experiments).filter(|_| {
        let found = estimate(&scores(questions, &mut dice), Scale::Points).expect("scores");
        let (low, high) = found.interval.expect("questions");
        (low..=high).contains(&5.0)
    });
    hits.count() as f64 / experiments as f64
}

#[test]
fn eighty_questions_cover_the_truth_in_95_of_100() {
    // 250 experiments: a share of 0.95 has a standard error of 0.014.
    let share = covered(250, 80);
    assert!((0.908..=0.99).contains(&share), "{share}");
}

#[test]
fn ten_questions_cover_the_truth_in_about_90_of_100() {
    let share = covered(1000, 10);
    assert!((0.86..=0.94).contains(&share), "{share}");
}

#[test]
fn turns_apart_would_claim_too_much() {
    let found = estimate(&scores(80, &mut Dice(3)), Scale::Points).expect("scores");
    let (clustered, naive) = (found.error.expect("many"), found.naive_error.expect("many"));
    // Two turns with a correlation of one half: the root of 1.5.
    assert!((clustered / naive - 1.5_f64.sqrt()).abs() < 0.08);
    let (low, high) = found.interval.expect("many");
    assert!(((high - low) / 2.0 / 1.96 - clustered).abs() < 0.05 * clustered);
}

#[test]
fn two_equal_systems_are_called_different_in_fewer_than_5_of_100() {
    let mut dice = Dice(11);
    let experiments = 200;
    let wrong = (0..experiments).filter(|_| {
        let pairs: Vec<ScorePair> = (0..40)
            .map(|question| ScorePair {
                question: question.to_string(),
                turn: 1,
                first: f64::from(dice.roll() < 0.4),
                second: f64::from(dice.roll() < 0.4),
                lengths: None,
            })
            .collect();
        paired(&pairs).expect("pairs").verdict != Verdict::Neither
    });
    let wrong = wrong.count();
    // 5 % of 200 are 10; two and a half standard errors above that are 18.
    assert!(wrong <= 18, "{wrong} of {experiments}");
}

#[test]
fn the_detectable_difference_is_found_in_80_of_100() {
    // Differences of mean 0.3 and deviation 1: 80 % power needs (1.96 + 0.84)^2 / 0.3^2 = 87 questions.
    let mut dice = Dice(5);
    let experiments = 120;
    let mut detectable = 0.0;
    let found = (0..experiments).filter(|_| {
        let pairs: Vec<ScorePair> = (0..87)
            .map(|question| ScorePair {
                question: question.to_string(),
                turn: 1,
                first: 0.0,
                // Uniform with a deviation of 1.
                second: 0.3 + (dice.roll() - 0.5) * 12_f64.sqrt(),
                lengths: None,
            })
            .collect();
        let found = paired(&pairs).expect("pairs");
        detectable += found.detectable.expect("many") / f64::from(experiments);
        found.verdict == Verdict::Second
    });
    let found = found.count();
    assert!((83..=109).contains(&found), "{found} of {experiments}");
    assert!((detectable - 0.3).abs() < 0.01, "{detectable}");
}
