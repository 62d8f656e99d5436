//! What judges said: systems by score, with intervals, and each against one of them, question by question.
//!
//! Overlapping intervals of two systems say little, because both answered the same questions; what counts is the paired
//! difference, and that is what the last column has.

use super::Recording;
use crate::{
    Error, Question, Result, read_lines,
    statistics::{Estimate, Pair, Paired, Scale, Score, by_category, estimate, paired},
};
use serde::Serialize;
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

/// One score of a judge.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgment {
    /// The system.
    pub model: String,
    /// The question.
    pub question: String,
    /// From 1.
    pub turn: usize,
    /// The mean, if the turn was judged more than once.
    pub score: f64,
}

/// The systems that were judged, the best first.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The system that the others are held against.
    pub reference: String,
    /// All of them.
    pub systems: Vec<System>,
}

/// One system.
#[derive(Clone, Debug, Serialize)]
pub struct System {
    /// Its name.
    pub model: String,
    /// Over all turns.
    pub all: Estimate,
    /// First turns.
    pub first: Option<Estimate>,
    /// Second turns.
    pub second: Option<Estimate>,
    /// By category.
    pub categories: Vec<(String, Estimate)>,
    /// This system minus the reference, on the turns that both have.
    pub against: Option<Paired>,
}

impl Judged {
    /// Nothing without judgments.
    pub(super) fn new(
        judgments: &[Judgment],
        recordings: &[Recording],
        categories: &Categories,
    ) -> Option<Self> {
        let mut systems: BTreeMap<&str, Vec<Score>> = BTreeMap::new();
        for one in judgments {
            systems.entry(&one.model).or_default().push(Score {
                question: one.question.clone(),
                turn: one.turn,
                category: categories.of(&one.question),
                value: one.score,
                length: None,
            });
        }
        let mean = |scores: &[Score]| {
            scores.iter().map(|one| one.value).sum::<f64>() / scores.len() as f64
        };
        let best = systems
            .iter()
            .max_by(|a, b| mean(a.1).total_cmp(&mean(b.1)))
            .map(|(name, _)| (*name).to_owned())?;
        let ours = recordings
            .iter()
            .flat_map(|one| one.systems().map(|(name, _)| name))
            .rfind(|name| systems.contains_key(&**name));
        let reference = ours.unwrap_or(best);
        let base = systems.get(&*reference)?;
        let mut found: Vec<System> = systems
            .iter()
            .filter_map(|(name, scores)| system(name, scores, (*name != reference).then_some(base)))
            .collect();
        found.sort_by(|a, b| b.all.mean.total_cmp(&a.all.mean));
        Some(Self {
            reference,
            systems: found,
        })
    }
}

fn system(name: &str, scores: &[Score], base: Option<&Vec<Score>>) -> Option<System> {
    let turn = |turn: usize| {
        let some: Vec<Score> = scores
            .iter()
            .filter(|one| one.turn == turn)
            .cloned()
            .collect();
        estimate(&some, Scale::Points)
    };
    Some(System {
        model: name.to_owned(),
        all: estimate(scores, Scale::Points)?,
        first: turn(1),
        second: turn(2),
        categories: by_category(scores, Scale::Points),
        against: base.and_then(|base| paired(&pairs(base, scores))),
    })
}

/// The scores of two systems on the turns that both have.
pub(crate) fn pairs(first: &[Score], second: &[Score]) -> Vec<Pair> {
    let by_turn: HashMap<(&str, usize), &Score> = second
        .iter()
        .map(|one| ((&*one.question, one.turn), one))
        .collect();
    first
        .iter()
        .filter_map(|one| {
            let other = by_turn.get(&(&*one.question, one.turn))?;
            Some(Pair {
                question: one.question.clone(),
                turn: one.turn,
                first: one.value,
                second: other.value,
                lengths: one.length.zip(other.length),
            })
        })
        .collect()
}

/// Which category a question has: as tapes and question files say, else by the ids of MT-Bench.
pub(super) struct Categories(HashMap<String, String>);

impl Categories {
    pub(super) fn new(recordings: &[Recording], questions: &[Question]) -> Self {
        let rows = recordings.iter().flat_map(|one| &one.rows);
        let taped = rows.filter_map(|row| Some((row.id.clone(), row.category.clone()?)));
        let asked = questions
            .iter()
            .filter_map(|one| Some((one.id.clone(), one.category.clone()?)));
        Self(taped.chain(asked).collect())
    }

    fn of(&self, question: &str) -> Option<String> {
        const MT_BENCH: [&str; 8] = [
            "writing",
            "roleplay",
            "reasoning",
            "math",
            "coding",
            "extraction",
            "stem",
            "humanities",
        ];
        self.0.get(question).cloned().or_else(|| {
            let id: usize = question.parse().ok()?;
            let at = id.checked_sub(81)? / 10;
            MT_BENCH.get(at).map(|&name| name.to_owned())
        })
    }
}

/// Single judgments in FastChat's form. -1 is no score; of two rows for one turn the later one counts.
pub fn read_judgments(path: &Path) -> Result<Vec<Judgment>> {
    let mut places: HashMap<(String, String, usize), usize> = HashMap::new();
    let mut found: Vec<Judgment> = Vec::new();
    for line in read_lines(path)? {
        let judgment = judgment(&line.value).map_err(|why| Error::Line {
            path: path.to_owned(),
            line: line.number,
            why: why.to_owned(),
        })?;
        let key = (
            judgment.model.clone(),
            judgment.question.clone(),
            judgment.turn,
        );
        match places.get(&key) {
            Some(&at) => found[at] = judgment,
            None => {
                places.insert(key, found.len());
                found.push(judgment);
            }
        }
    }
    found.retain(|one| one.score != -1.0);
    Ok(found)
}

fn judgment(row: &Value) -> std::result::Result<Judgment, &'static str> {
    let name = |field: &str| match row.get(field) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let score = match row.get("score") {
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(value) => value.as_f64(),
        None => None,
    };
    let turn = row.get("turn").and_then(Value::as_u64);
    Ok(Judgment {
        model: name("model").ok_or("no `model`")?,
        question: name("question_id").ok_or("no `question_id`")?,
        turn: turn
            .and_then(|turn| usize::try_from(turn).ok())
            .ok_or("`turn` is no number")?,
        score: score
            .filter(|score: &f64| score.is_finite())
            .ok_or("`score` is no number")?,
    })
}
