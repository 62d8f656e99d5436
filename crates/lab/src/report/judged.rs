//! What judges said: systems by score, with intervals, and each against one of them, question by question.
//!
//! Overlapping intervals of two systems say little, because both answered the same questions; what counts is the paired
//! difference, and that is what the last column has.

use super::Recording;
use crate::{
    Question,
    fastchat::Judgment,
    mt_bench,
    statistics::{Estimate, Paired, Scale, Score, ScorePair, by_category, estimate, paired},
};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The score of one turn of one system.
#[derive(Clone, Debug, PartialEq)]
pub struct Rated {
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
        judgments: &[Rated],
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
pub(crate) fn pairs(first: &[Score], second: &[Score]) -> Vec<ScorePair> {
    let by_turn: HashMap<(&str, usize), &Score> = second
        .iter()
        .map(|one| ((&*one.question, one.turn), one))
        .collect();
    first
        .iter()
        .filter_map(|one| {
            let other = by_turn.get(&(&*one.question, one.turn))?;
            Some(ScorePair {
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
        let known = self.0.get(question).cloned();
        known.or_else(|| mt_bench::category(question).map(str::to_owned))
    }
}

/// The scores of single judgments, one a turn: of doubles the last one that has a score, as FastChat's last answer
/// counts; over judges and repeats the mean. Judgments of our corrected track are a system of their own where
/// the other track is there too.
pub fn rated(judgments: &[Judgment]) -> Vec<Rated> {
    let mut tracks: HashMap<&str, HashSet<Option<&str>>> = HashMap::new();
    let mut turns: BTreeMap<RatedTurn<'_>, BTreeMap<Draw<'_>, f64>> = BTreeMap::new();
    for row in judgments {
        let Judgment::Single(row) = row else { continue };
        let Some(score) = row.score.as_f64().filter(|score| *score != -1.0) else {
            continue;
        };
        let question = match &row.question_id {
            Value::String(id) => id.clone(),
            id => id.to_string(),
        };
        let track = row.track.as_deref();
        tracks.entry(&row.model).or_default().insert(track);
        let judge = row.judge.as_ref().map(|judge| &*judge.0);
        turns
            .entry((&row.model, track, question, row.turn))
            .or_default()
            .insert((judge, row.repeat), score);
    }
    let one =
        |((model, track, question, turn), draws): (RatedTurn<'_>, BTreeMap<Draw<'_>, f64>)| Rated {
            model: match track {
                Some(track) if tracks.get(model).is_some_and(|all| all.len() > 1) => {
                    format!("{model} ({track})")
                }
                _ => model.to_owned(),
            },
            question,
            turn,
            score: draws.values().sum::<f64>() / draws.len() as f64,
        };
    turns.into_iter().map(one).collect()
}

/// System, track, question and turn.
type RatedTurn<'a> = (&'a str, Option<&'a str>, String, usize);
/// Judge and repeat.
type Draw<'a> = (Option<&'a str>, Option<usize>);
