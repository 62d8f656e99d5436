//! Statistics against closed forms, and against scipy on the shared judgments (`tests/reference/statistics.py`).
use reckon_lab::{
    read_lines,
    statistics::{
        Scale, Score, ScorePair, Verdict, by_category, equal_length, estimate, length, paired,
    },
};
use serde_json::Value;
use std::collections::BTreeMap;

fn score(question: &str, turn: usize, value: f64) -> Score {
    Score {
        question: question.into(),
        turn,
        category: None,
        value,
        length: None,
    }
}

fn pair(question: usize, first: f64, second: f64) -> ScorePair {
    ScorePair {
        question: question.to_string(),
        turn: 1,
        first,
        second,
        lengths: None,
    }
}

#[test]
fn the_interval_is_near_the_normal_one() {
    // 60 questions won, 40 even, of 100: mean 0.6, standard error sqrt(0.6 * 0.4 / 99) = 0.0492.
    let pairs: Vec<ScorePair> = (0..100).map(|i| pair(i, 0.0, f64::from(i < 60))).collect();
    let found = paired(&pairs).expect("questions");
    let (low, high) = found.interval.expect("many");
    assert!((found.difference - 0.6).abs() < 1e-12);
    assert!((found.error.expect("many") - (0.24_f64 / 99.0).sqrt()).abs() < 1e-12);
    assert!((low - (0.6 - 1.96 * 0.0492)).abs() < 0.015);
    assert!((high - (0.6 + 1.96 * 0.0492)).abs() < 0.015);
    assert_eq!((found.wins, found.ties, found.losses), (60, 40, 0));
    assert_eq!(found.verdict, Verdict::Second);
}

#[test]
fn no_difference_has_an_interval_of_nothing() {
    let found = paired(&[pair(1, 1.0, 1.0), pair(2, 0.0, 0.0)]).expect("questions");
    assert_eq!(found.interval, Some((0.0, 0.0)));
    assert_eq!(found.verdict, Verdict::Neither);
    assert_eq!(paired(&[]), None);
}

#[test]
fn five_wins_and_no_loss_are_not_enough() {
    let pairs = |wins: usize| -> Vec<ScorePair> {
        (0..80).map(|i| pair(i, 0.0, f64::from(i < wins))).collect()
    };
    let five = paired(&pairs(5)).expect("questions");
    // The bootstrap alone would be sure; a coin gives five of five in one of sixteen cases.
    assert!(five.interval.expect("many").0 > 0.0);
    assert!((five.p - 0.0625).abs() < 1e-12);
    assert_eq!(five.verdict, Verdict::Neither);
    assert_eq!(
        paired(&pairs(6)).expect("questions").verdict,
        Verdict::Second
    );
}

#[test]
fn one_question_says_nothing_about_others() {
    let found = estimate(&[score("a", 1, 3.0), score("a", 2, 5.0)], Scale::Points).expect("scores");
    assert!((found.mean - 4.0).abs() < 1e-12);
    assert_eq!((found.interval, found.error), (None, None));
    assert_eq!(estimate(&[], Scale::Points), None);
}

#[test]
fn ten_of_ten_is_not_certainty() {
    let right: Vec<Score> = (0..10).map(|i| score(&i.to_string(), 1, 1.0)).collect();
    let (low, high) = estimate(&right, Scale::Share)
        .and_then(|found| found.interval)
        .expect("questions");
    // Wilson: 10 / (10 + 1.96^2).
    assert!((low - 0.7225).abs() < 1e-3 && (high - 1.0).abs() < 1e-12);
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let mut scores: Vec<Score> = (0..60)
        .map(|i| score(&(i % 20).to_string(), i / 20, 0.1 * (i * 7 % 11) as f64))
        .collect();
    let before = estimate(&scores, Scale::Points);
    scores.reverse();
    scores.swap(3, 40);
    assert_eq!(estimate(&scores, Scale::Points), before);
}

#[test]
fn a_difference_that_length_explains_is_gone_at_equal_length() {
    // The second writes twice as long on every other question, and each doubling brings 2 points.
    let pairs: Vec<ScorePair> = (0..40)
        .map(|i| ScorePair {
            lengths: Some((100, if i % 2 == 0 { 200 } else { 100 })),
            ..pair(i, 5.0, if i % 2 == 0 { 7.0 } else { 5.0 })
        })
        .collect();
    assert!((paired(&pairs).expect("pairs").difference - 1.0).abs() < 1e-12);
    let found = equal_length(&pairs).expect("lengths");
    assert!(found.difference.abs() < 1e-9, "{found:?}");
    assert!((found.per_doubling - 2.0).abs() < 1e-9);
    assert!((found.ratio - 2_f64.sqrt()).abs() < 1e-9);
    assert_eq!(equal_length(&[pair(1, 0.0, 1.0)]), None);
    assert_eq!(length(&[score("a", 1, 1.0)]), None);
}

#[test]
fn a_guard_that_shortens_what_it_puts_right_keeps_its_effect() {
    // Right and wrong have nothing to do with length; every fourth answer is put right and halved.
    let pairs: Vec<ScorePair> = (0..80)
        .map(|i| {
            let (mended, right) = (i % 4 == 0, i % 4 == 1);
            let length = 200 + 10 * (i / 4);
            ScorePair {
                lengths: Some((length, if mended { length / 2 } else { length })),
                ..pair(i, f64::from(right), f64::from(right || mended))
            }
        })
        .collect();
    let found = equal_length(&pairs).expect("lengths");
    assert!((paired(&pairs).expect("pairs").difference - 0.25).abs() < 1e-12);
    assert!((0.1..=0.25).contains(&found.difference), "{found:?}");
}

const CATEGORIES: [&str; 8] = [
    "writing",
    "roleplay",
    "reasoning",
    "math",
    "coding",
    "extraction",
    "stem",
    "humanities",
];

/// The shared judgments by model; -1 is no score.
fn judged() -> Option<BTreeMap<String, Vec<Score>>> {
    let path = crate::shared("mt_bench/gpt-4_single_scores.jsonl")?;
    let mut models: BTreeMap<String, Vec<Score>> = BTreeMap::new();
    for line in read_lines(&path).expect("read") {
        let number = |name: &str| line.value[name].as_f64().expect("a number");
        let (question, turn, value) = (number("question_id"), number("turn"), number("score"));
        if value < 0.0 {
            continue;
        }
        let model = line.value["model"].as_str().expect("a name").to_owned();
        models.entry(model).or_default().push(Score {
            question: question.to_string(),
            turn: turn as usize,
            category: Some(CATEGORIES[(question as usize - 81) / 10].into()),
            value,
            length: Some(made_up_length(question, turn, value)),
        });
    }
    Some(models)
}

/// As in the reference: any lengths will do that both sides can make.
fn made_up_length(question: f64, turn: f64, score: f64) -> usize {
    (100.0 + 40.0 * score + (question * 37.0 + turn * 11.0) % 200.0) as usize
}

fn close(found: f64, expected: &Value, limit: f64, what: &str) {
    let expected = expected.as_f64().expect("a number");
    assert!(
        (found - expected).abs() <= limit,
        "{what}: {found}, scipy {expected}"
    );
}

/// Ends of an interval: some 10,000 resamples leave noise of about 2 % of a standard error on either side. Means of few
/// questions lie on a coarse grid besides, and an end may fall on either side of a gap.
fn close_interval(
    found: Option<(f64, f64)>,
    expected: &Value,
    (error, few): (f64, bool),
    what: &str,
) {
    let (low, high) = found.expect("questions");
    let limit = if few { 0.3 * error + 0.05 } else { 0.1 * error };
    close(low, &expected[0], limit, what);
    close(high, &expected[1], limit, what);
}

#[test]
fn estimates_equal_those_of_scipy() {
    let Some(models) = judged() else { return };
    let figures: Value =
        serde_json::from_str(include_str!("../reference/statistics.json")).expect("JSON");
    let mut compared = 0;
    for (model, scores) in &models {
        let Some(expected) = figures["models"].get(model) else {
            continue;
        };
        let mut all = by_category(scores, Scale::Points);
        all.push((
            model.clone(),
            estimate(scores, Scale::Points).expect("scores"),
        ));
        for (name, found) in all {
            let expected = expected["categories"].get(&name).unwrap_or(expected);
            let what = format!("{model} {name}");
            let error = found.error.expect("many");
            assert_eq!(found.questions, expected["questions"], "{what}");
            assert_eq!(found.n, expected["n"], "{what}");
            close(found.mean, &expected["mean"], 1e-6, &what);
            close(
                found.naive_error.expect("many"),
                &expected["naive_error"],
                1e-6,
                &what,
            );
            // The jackknife equals the closed form where all questions have as many turns.
            let even = found.n == 2 * found.questions;
            close(
                error,
                &expected["error"],
                if even { 1e-6 } else { 0.01 },
                &what,
            );
            close_interval(
                found.interval,
                &expected["interval"],
                (error, found.questions < 40),
                &what,
            );
            compared += 1;
        }
        let found = length(scores).expect("lengths").correlation;
        close(found, &expected["length"], 1e-5, model);
    }
    assert!(
        compared > 0 || models.is_empty(),
        "no model of the reference is there"
    );
}

#[test]
fn paired_tests_equal_those_of_scipy() {
    let Some(models) = judged() else { return };
    let figures: Value =
        serde_json::from_str(include_str!("../reference/statistics.json")).expect("JSON");
    for expected in figures["pairs"].as_array().expect("pairs") {
        let side = |name: &str| models.get(expected[name].as_str().expect("a name"));
        let (Some(first), Some(second)) = (side("first"), side("second")) else {
            continue;
        };
        let what = format!("{} {}", expected["first"], expected["second"]);
        let pairs: Vec<ScorePair> = first
            .iter()
            .filter_map(|a| {
                let b = second
                    .iter()
                    .find(|b| (&b.question, b.turn) == (&a.question, a.turn))?;
                Some(ScorePair {
                    question: a.question.clone(),
                    turn: a.turn,
                    first: a.value,
                    second: b.value,
                    lengths: a.length.zip(b.length),
                })
            })
            .collect();
        let found = paired(&pairs).expect("pairs");
        let error = found.error.expect("many");
        assert_eq!(found.n, expected["n"], "{what}");
        assert_eq!(found.wins, expected["wins"], "{what}");
        assert_eq!(found.losses, expected["losses"], "{what}");
        close(found.difference, &expected["difference"], 1e-6, &what);
        close(
            error,
            &expected["error"],
            if found.n == 160 { 1e-6 } else { 0.01 },
            &what,
        );
        close(found.p_sign, &expected["p_sign"], 1e-6, &what);
        // 10,000 draws on our side, 20,000 on the other: three standard errors of a share near one half.
        close(found.p, &expected["p"], 0.02, &what);
        close_interval(
            found.interval,
            &expected["interval"],
            (error, found.questions < 40),
            &what,
        );
        let level = equal_length(&pairs).expect("lengths");
        let expected = &expected["equal_length"];
        close(level.difference, &expected["difference"], 1e-5, &what);
        close(level.per_doubling, &expected["per_doubling"], 1e-5, &what);
        // §4.7 of the product notes: paired errors of 0.19 to 0.25 make 0.53 to 0.71 detectable, a factor of 2.8.
        close(
            found.detectable.expect("many"),
            &Value::from(2.801_585 * error),
            1e-5,
            &what,
        );
    }
}
