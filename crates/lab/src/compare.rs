//! Compares two systems on the same turns: what differs, and what the difference is worth.
//!
//! Called by `lab compare`. The two are what a model says without guards and with them (one tape), what shipped on two
//! tapes, or two models in files of judgments.

use crate::{
    Row,
    report::{Rated, Recording},
    statistics::{EqualLength, Paired, Scale, ScorePair, equal_length, paired},
};
use reckon::assistant::GuardOutcome;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Two systems side by side.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What the first one is called.
    pub first: String,
    /// And the second.
    pub second: String,
    /// Right and wrong, or points.
    pub scale: Scale,
    /// Turns that both answered.
    pub answers: usize,
    /// Questions that both answered.
    pub questions: usize,
    /// Turns whose texts have the same bytes, where the texts are at hand.
    pub same_bytes: Option<usize>,
    /// What the difference is worth, on the turns that both have a score for.
    pub scores: Option<Paired>,
    /// What is left of it at equal length.
    pub equal_length: Option<EqualLength>,
    /// Turns where the two got different scores, the largest differences first.
    pub flips: Vec<Flip>,
    /// How often each guard came to what.
    pub guards: BTreeMap<String, BTreeMap<&'static str, usize>>,
}

/// A turn where two systems got different scores.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Flip {
    /// The question.
    pub id: String,
    /// From 1.
    pub turn: usize,
    /// What the first got.
    pub first: f64,
    /// What the second got.
    pub second: f64,
    /// The guards that replaced or flagged the answer.
    pub guards: Vec<String>,
}

/// One turn of both.
struct Both {
    id: String,
    turn: usize,
    same: Option<bool>,
    scores: Option<(f64, f64)>,
    lengths: Option<(usize, usize)>,
    guards: Vec<String>,
}

impl Comparison {
    /// What a model says without guards, and with them.
    pub fn of_tape(tape: &Recording) -> Self {
        let both = |row: &Row| Both {
            id: row.id.clone(),
            turn: row.turn,
            same: Some(row.raw == row.text),
            scores: right(row.raw_right).zip(right(row.right)),
            lengths: Some((row.raw.chars().count(), row.text.chars().count())),
            guards: fired(row),
        };
        let turns = tape.rows.iter().map(both).collect();
        Self {
            guards: outcomes(&tape.rows),
            ..Self::new("raw", "guarded", Scale::Share, turns)
        }
    }

    /// What shipped on two tapes.
    pub fn of_tapes(first: &Recording, second: &Recording) -> Self {
        let by_turn: HashMap<(&str, usize), &Row> = second
            .rows
            .iter()
            .map(|row| ((&*row.id, row.turn), row))
            .collect();
        let both = |row: &Row| {
            let other = by_turn.get(&(&*row.id, row.turn))?;
            Some(Both {
                id: row.id.clone(),
                turn: row.turn,
                same: Some(row.text == other.text),
                scores: right(row.right).zip(right(other.right)),
                lengths: Some((row.text.chars().count(), other.text.chars().count())),
                guards: fired(row).into_iter().chain(fired(other)).collect(),
            })
        };
        let turns = first.rows.iter().filter_map(both).collect();
        Self::new(&first.name, &second.name, Scale::Share, turns)
    }

    /// Two models that were judged.
    pub fn of_judgments(judgments: &[Rated], first: &str, second: &str) -> Self {
        let of = |name: &str| -> Vec<&Rated> {
            judgments.iter().filter(|one| one.model == name).collect()
        };
        let others = of(second);
        let by_turn: HashMap<(&str, usize), f64> = others
            .iter()
            .map(|one| ((&*one.question, one.turn), one.score))
            .collect();
        let both = |one: &&Rated| {
            let other = by_turn.get(&(&*one.question, one.turn))?;
            Some(Both {
                id: one.question.clone(),
                turn: one.turn,
                same: None,
                scores: Some((one.score, *other)),
                lengths: None,
                guards: Vec::new(),
            })
        };
        let turns = of(first).iter().filter_map(both).collect();
        Self::new(first, second, Scale::Points, turns)
    }

    fn new(first: &str, second: &str, scale: Scale, turns: Vec<Both>) -> Self {
        let pairs: Vec<ScorePair> = turns.iter().filter_map(Both::pair).collect();
        let ids: HashSet<&str> = turns.iter().map(|turn| &*turn.id).collect();
        let known = turns.iter().filter_map(|turn| turn.same);
        let same = known.clone().filter(|same| *same).count();
        Self {
            first: first.to_owned(),
            second: second.to_owned(),
            scale,
            answers: turns.len(),
            questions: ids.len(),
            same_bytes: (known.count() > 0).then_some(same),
            scores: paired(&pairs),
            equal_length: equal_length(&pairs),
            flips: flips(turns),
            guards: BTreeMap::new(),
        }
    }

    /// Flips where the second is better, and where it is worse.
    pub fn turned(&self) -> (usize, usize) {
        let better = self.flips.iter().filter(|flip| flip.second > flip.first);
        let better = better.count();
        (better, self.flips.len() - better)
    }
}

impl Both {
    fn pair(&self) -> Option<ScorePair> {
        let (first, second) = self.scores?;
        Some(ScorePair {
            question: self.id.clone(),
            turn: self.turn,
            first,
            second,
            lengths: self.lengths,
        })
    }
}

fn right(known: Option<bool>) -> Option<f64> {
    known.map(f64::from)
}

fn fired(row: &Row) -> Vec<String> {
    let fired = row.receipt.guards.iter().filter(|entry| entry.fired);
    fired.map(|entry| entry.guard.clone()).collect()
}

fn flips(turns: Vec<Both>) -> Vec<Flip> {
    let mut flips: Vec<Flip> = turns
        .into_iter()
        .filter_map(|turn| {
            let (first, second) = turn.scores?;
            (first != second).then_some(Flip {
                id: turn.id,
                turn: turn.turn,
                first,
                second,
                guards: turn.guards,
            })
        })
        .collect();
    let size = |flip: &Flip| (flip.second - flip.first).abs();
    flips.sort_by(|a, b| size(b).total_cmp(&size(a)));
    flips
}

/// How often each guard came to what.
fn outcomes(rows: &[Row]) -> BTreeMap<String, BTreeMap<&'static str, usize>> {
    let mut guards: BTreeMap<String, BTreeMap<&'static str, usize>> = BTreeMap::new();
    for entry in rows.iter().flat_map(|row| &row.receipt.guards) {
        let came = match entry.outcome {
            GuardOutcome::Quiet | GuardOutcome::Skipped => continue,
            GuardOutcome::Kept => "kept",
            GuardOutcome::Confirmed => "confirmed",
            GuardOutcome::Revised => "revised",
            GuardOutcome::Flagged => "flagged",
        };
        *guards
            .entry(entry.guard.clone())
            .or_default()
            .entry(came)
            .or_default() += 1;
    }
    guards
}
