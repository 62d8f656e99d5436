//! Joins grades with the names in the sealed plan: what `lab grade --reveal` prints and exports.
//!
//! A grade counts for every system that gave the text. Skips give no row. The export has the fields of FastChat's
//! judgments, with `["human", "blind"]` as the judge, so that whatever reads those reads these.

use super::{
    Item, Pick, Plan,
    ledger::{Grade, Ledger},
};
use crate::fastchat::{Judgment, Pair, Single, Winner};
use serde::Serialize;
use std::collections::BTreeMap;

/// Scores or choices with names.
#[derive(Clone, Debug, PartialEq)]
pub struct Revealed {
    /// All systems, those without a score too.
    pub systems: Vec<String>,
    /// In the order in which they were given.
    pub verdicts: Vec<Graded>,
}

/// One grade for one system, or between two.
#[derive(Clone, Debug, PartialEq)]
pub struct Graded {
    /// Id of the question.
    pub question: String,
    /// Its turn, from 1.
    pub turn: usize,
    /// The system; of two, the first by name.
    pub system: String,
    /// The other of two.
    pub other: Option<String>,
    /// 1 to 10; of two, 1 if the first is better, 0 if the other, 0.5 if neither.
    pub score: f64,
    /// What was noted.
    pub comment: Option<String>,
    /// Seconds since 1970.
    pub tstamp: f64,
}

/// What a system was given on average.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// The system.
    pub system: String,
    /// Grades.
    pub n: usize,
    /// Their mean; none without grades.
    pub mean: Option<f64>,
}

/// How two systems did against each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record {
    /// One.
    pub system: String,
    /// The other.
    pub other: String,
    /// Choices for the one.
    pub wins: usize,
    /// Choices for the other.
    pub losses: usize,
    /// Choices for neither, and turns where both said the same.
    pub ties: usize,
}

impl Revealed {
    /// The mean of each system, in the order of their names; empty for pairs.
    pub fn means(&self) -> Vec<Mean> {
        if self.verdicts.iter().any(|verdict| verdict.other.is_some()) {
            return Vec::new();
        }
        let mean = |system: &String| {
            let own = self.verdicts.iter().filter(|v| v.system == *system);
            let scores: Vec<f64> = own.map(|verdict| verdict.score).collect();
            let n = scores.len();
            Mean {
                system: system.clone(),
                n,
                mean: (n > 0).then(|| scores.iter().sum::<f64>() / n as f64),
            }
        };
        self.systems.iter().map(mean).collect()
    }

    /// Each two systems, in the order of their names; empty without pairs.
    pub fn records(&self) -> Vec<Record> {
        let mut counts: BTreeMap<(&str, &str), [usize; 3]> = BTreeMap::new();
        for verdict in &self.verdicts {
            let Some(other) = &verdict.other else {
                continue;
            };
            let at = match verdict.score {
                score if score > 0.5 => 0,
                score if score < 0.5 => 1,
                _ => 2,
            };
            counts.entry((&verdict.system, other)).or_default()[at] += 1;
        }
        let records = counts.into_iter();
        records
            .map(|((system, other), [wins, losses, ties])| Record {
                system: system.to_owned(),
                other: other.to_owned(),
                wins,
                losses,
                ties,
            })
            .collect()
    }

    /// FastChat's rows: of single judgments, or of pairs (one order was shown, so both games have one winner).
    pub fn judgments(&self) -> Vec<Judgment> {
        self.verdicts.iter().map(Graded::judgment).collect()
    }
}

impl Graded {
    fn judgment(&self) -> Judgment {
        let question_id = match self.question.parse::<u64>() {
            Ok(number) if number.to_string() == self.question => number.into(),
            _ => self.question.clone().into(),
        };
        let judge = Some(("human".to_owned(), "blind".to_owned()));
        let said = Some(self.comment.clone().unwrap_or_default());
        let asked = Some(String::new());
        let (turn, tstamp) = (self.turn, Some(self.tstamp));
        let Some(other) = &self.other else {
            return Judgment::Single(Single {
                question_id,
                model: self.system.clone(),
                judge,
                user_prompt: asked,
                judgment: said,
                score: (self.score as u8).into(),
                turn,
                tstamp,
                repeat: None,
                track: None,
                check: None,
            });
        };
        let winner = match self.score {
            score if score > 0.5 => Winner::First,
            score if score < 0.5 => Winner::Second,
            _ => Winner::Tie,
        };
        Judgment::Pair(Pair {
            question_id,
            model_1: self.system.clone(),
            model_2: other.clone(),
            g1_winner: winner,
            g2_winner: winner,
            judge,
            g1_user_prompt: asked.clone(),
            g1_judgment: said.clone(),
            g2_user_prompt: asked,
            g2_judgment: said,
            turn,
            tstamp,
            repeat: None,
            track: None,
        })
    }
}

/// Gives every grade its names.
pub(super) fn join(plan: &Plan, ledger: &Ledger) -> Revealed {
    let mut verdicts = Vec::new();
    let mut add = |item: &Item, (system, other, score): Named, comment: Option<&str>, tstamp| {
        let name = |at: usize| plan.systems[at].clone();
        verdicts.push(Graded {
            question: item.question.clone(),
            turn: item.turn,
            system: name(system),
            other: other.map(name),
            score,
            comment: comment.map(str::to_owned),
            tstamp,
        });
    };
    for standing in ledger.standing() {
        if let Some((item, grade)) = plan.items.get(standing.item).zip(standing.grade) {
            for one in named(item, grade) {
                add(item, one, ledger.comment(standing.item), standing.tstamp);
            }
        }
    }
    // Systems that said the same are even.
    for item in &plan.same {
        for systems in item.sides.iter().map(|side| &side.systems) {
            for (at, &one) in systems.iter().enumerate() {
                for &other in &systems[at + 1..] {
                    add(item, (one, Some(other), 0.5), None, 0.0);
                }
            }
        }
    }
    Revealed {
        systems: plan.systems.clone(),
        verdicts,
    }
}

/// The system or two systems, by number, and the score.
type Named = (usize, Option<usize>, f64);

/// Everybody whom a grade is about.
fn named(item: &Item, grade: Grade) -> Vec<Named> {
    match (grade, &item.sides[..]) {
        (Grade::Score(score), [side]) => {
            let score = f64::from(score);
            side.systems.iter().map(|&at| (at, None, score)).collect()
        }
        (Grade::Pick(pick), [left, right]) => {
            let score = match pick {
                Pick::Left => 1.0,
                Pick::Right => 0.0,
                Pick::Tie => 0.5,
            };
            let mut named = Vec::new();
            for &one in &left.systems {
                for &other in &right.systems {
                    named.push(if one < other {
                        (one, Some(other), score)
                    } else {
                        (other, Some(one), 1.0 - score)
                    });
                }
            }
            named
        }
        _ => Vec::new(),
    }
}
