//! The figures of FastChat's `show_result.py` from judgments, and beside them what is left without doubles.
//!
//! FastChat drops scores of -1, then takes means over rows: of turn 1, of turn 2, and of all rows pooled, which is not
//! the mean of the two. It counts every row, also those that a second run has appended. Without doubles, each question,
//! turn, judge and repeat counts once: the last row that has a score, as the last answer of a file counts.

use super::{Judgment, Pair, Single, Winner, answer};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Means of one model's scores; nothing where there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MeanScores {
    /// Of first turns.
    pub first: Option<f64>,
    /// Of second turns.
    pub second: Option<f64>,
    /// Of all.
    pub average: Option<f64>,
    /// Scores in it.
    pub n: usize,
}

/// What one model's judgments come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Who answered.
    pub model: String,
    /// As FastChat counts.
    #[serde(flatten)]
    pub score: MeanScores,
    /// Each turn once.
    pub deduplicated: MeanScores,
    /// Rows without a score.
    pub failed: usize,
    /// Means by category, as FastChat counts; questions of no known category are left out.
    pub categories: BTreeMap<String, f64>,
    /// Where things were judged several times: the mean, over them, of the standard deviation of their scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
}

/// How one model fares against others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Who.
    pub model: String,
    /// Rows that it wins.
    pub win: usize,
    /// Rows that it loses.
    pub loss: usize,
    /// Rows that nobody wins, those where the two games disagree among them.
    pub tie: usize,
    /// Share of rows won.
    pub win_rate: f64,
    /// Share of rows lost.
    pub loss_rate: f64,
    /// Share of rows won, ties half.
    pub win_rate_adjusted: f64,
}

/// The figures of each model that has single judgments, best first. `category` knows the kind of a question.
pub fn figures(rows: &[Judgment], category: &dyn Fn(&str) -> Option<String>) -> Vec<Figures> {
    let mut by_model: BTreeMap<&str, Vec<&Single>> = BTreeMap::new();
    for row in rows {
        if let Judgment::Single(row) = row {
            by_model.entry(&row.model).or_default().push(row);
        }
    }
    let of_model = |(model, rows): (&str, Vec<&Single>)| {
        let scored: Vec<&Single> = rows
            .iter()
            .copied()
            .filter(|row| value(row) != -1.0)
            .collect();
        Figures {
            model: model.to_owned(),
            score: score(&scored),
            deduplicated: score(&without_doubles(&scored)),
            failed: rows.len() - scored.len(),
            categories: categories(&scored, category),
            noise: noise(&scored),
        }
    };
    let mut all: Vec<Figures> = by_model.into_iter().map(of_model).collect();
    all.sort_by(|a, b| {
        let average = |one: &Figures| one.score.average.unwrap_or(-1.0);
        average(b).total_cmp(&average(a))
    });
    all
}

/// -1 is no score.
fn value(row: &Single) -> f64 {
    row.score.as_f64().unwrap_or(-1.0)
}

fn score(rows: &[&Single]) -> MeanScores {
    let of_turn = |turn| {
        mean(
            rows.iter()
                .filter(|row| row.turn == turn)
                .map(|row| value(row)),
        )
    };
    MeanScores {
        first: of_turn(1),
        second: of_turn(2),
        average: mean(rows.iter().map(|row| value(row))),
        n: rows.len(),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0usize), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / n as f64)
}

/// What is judged: a question's turn, by whom, for the how-many-th time.
type JudgedTurn<'r> = (String, usize, Option<&'r str>, Option<usize>);

fn place(row: &Single) -> JudgedTurn<'_> {
    let id = answer::id(&row.question_id).unwrap_or_default();
    let judge = row.judge.as_ref().map(|(name, _)| name.as_str());
    (id, row.turn, judge, row.repeat)
}

/// The last row of each place.
fn without_doubles<'r>(rows: &[&'r Single]) -> Vec<&'r Single> {
    let last: BTreeMap<_, _> = rows.iter().map(|row| (place(row), *row)).collect();
    last.into_values().collect()
}

fn categories(
    rows: &[&Single],
    category: &dyn Fn(&str) -> Option<String>,
) -> BTreeMap<String, f64> {
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in rows {
        let id = answer::id(&row.question_id).unwrap_or_default();
        if let Some(category) = category(&id) {
            values.entry(category).or_default().push(value(row));
        }
    }
    let mean = |(name, values): (String, Vec<f64>)| Some((name, mean(values.into_iter())?));
    values.into_iter().filter_map(mean).collect()
}

/// How much one judge disagrees with itself about the same answer.
fn noise(rows: &[&Single]) -> Option<f64> {
    let mut draws: HashMap<_, Vec<f64>> = HashMap::new();
    for row in without_doubles(rows) {
        let (id, turn, judge, _) = place(row);
        draws.entry((id, turn, judge)).or_default().push(value(row));
    }
    let spreads = draws.into_values().filter(|draws| draws.len() > 1);
    mean(spreads.map(|draws| deviation(&draws)))
}

/// The standard deviation of a sample.
fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// How each model that has pair judgments fares, best first; rows that a judge did not decide are left out.
/// With `once`, of several rows about the same thing only the last counts.
pub fn standings(rows: &[Judgment], once: bool) -> Vec<Standing> {
    let mut pairs: Vec<(&Pair, Winner)> = Vec::new();
    for row in rows {
        if let Judgment::Pair(row) = row
            && let Some(winner) = row.winner()
        {
            pairs.push((row, winner));
        }
    }
    if once {
        let key = |row: &Pair| {
            let models = (row.model_1.clone(), row.model_2.clone());
            (
                id_text(&row.question_id),
                row.turn,
                models,
                row.judge.clone(),
                row.repeat,
            )
        };
        let last: BTreeMap<_, _> = pairs.into_iter().map(|pair| (key(pair.0), pair)).collect();
        pairs = last.into_values().collect();
    }
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (row, winner) in pairs {
        let (one, other) = match winner {
            Winner::First => (0, 1),
            Winner::Second => (1, 0),
            Winner::Tie | Winner::Error => (2, 2),
        };
        counts.entry(&row.model_1).or_default()[one] += 1;
        counts.entry(&row.model_2).or_default()[other] += 1;
    }
    let mut all: Vec<Standing> = counts.into_iter().map(standing).collect();
    all.sort_by(|a, b| b.win_rate_adjusted.total_cmp(&a.win_rate_adjusted));
    all
}

fn id_text(id: &Value) -> String {
    answer::id(id).unwrap_or_default()
}

fn standing((model, [win, loss, tie]): (&str, [usize; 3])) -> Standing {
    let all = (win + loss + tie) as f64;
    Standing {
        model: model.to_owned(),
        win,
        loss,
        tie,
        win_rate: win as f64 / all,
        loss_rate: loss as f64 / all,
        win_rate_adjusted: (win as f64 + 0.5 * tie as f64) / all,
    }
}
