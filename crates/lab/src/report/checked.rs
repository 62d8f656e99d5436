//! Right and wrong without a judge: raw against guarded, as a whole and by category.

use super::{Recording, judged::pairs};
use crate::{
    Row,
    statistics::{Estimate, Paired, Scale, Score, by_category, estimate, paired},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// The turns of a tape that a check can decide.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The tape.
    pub name: String,
    /// The share that is right without guards.
    pub raw: Estimate,
    /// And with them.
    pub guarded: Estimate,
    /// What guards changed.
    pub difference: Paired,
    /// The same for each category.
    pub categories: Vec<Category>,
    /// What decided, and about how many turns; `""` where the tape does not say.
    pub graded: BTreeMap<String, usize>,
    /// Answers that guards put right: question and turn.
    pub fixed: Vec<(String, usize)>,
    /// Answers that were right without them.
    pub broken: Vec<(String, usize)>,
}

/// One category.
#[derive(Clone, Debug, Serialize)]
pub struct Category {
    /// Its name.
    pub category: String,
    /// Without guards.
    pub raw: Estimate,
    /// With them.
    pub guarded: Estimate,
}

impl Checked {
    /// Nothing if no turn can be checked.
    pub(super) fn new(recording: &Recording) -> Option<Self> {
        let rows = &recording.rows;
        let (raw, guarded) = scores(rows);
        let by_category = by_category(&raw, Scale::Share)
            .into_iter()
            .zip(by_category(&guarded, Scale::Share));
        let turned = |from: bool| {
            rows.iter()
                .filter(|row| row.raw_right == Some(from) && row.right == Some(!from))
                .map(|row| (row.id.clone(), row.turn))
                .collect()
        };
        Some(Self {
            name: recording.name.clone(),
            difference: paired(&pairs(&raw, &guarded))?,
            raw: estimate(&raw, Scale::Share)?,
            guarded: estimate(&guarded, Scale::Share)?,
            categories: by_category
                .map(|((category, raw), (_, guarded))| Category {
                    category,
                    raw,
                    guarded,
                })
                .collect(),
            graded: graded(rows),
            fixed: turned(false),
            broken: turned(true),
        })
    }
}

/// Most graders that are told apart: a tape may name any.
const GRADERS: usize = 32;

fn graded(rows: &[Row]) -> BTreeMap<String, usize> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let known = rows
        .iter()
        .filter(|row| row.raw_right.zip(row.right).is_some());
    for row in known {
        let name = row.graded.clone().unwrap_or_default();
        if found.len() < GRADERS || found.contains_key(&name) {
            *found.entry(name).or_default() += 1;
        }
    }
    found
}

/// Scores of both systems, for the turns where both are known.
pub(super) fn scores(rows: &[Row]) -> (Vec<Score>, Vec<Score>) {
    let score = |row: &Row, right: bool, text: &str| Score {
        question: row.id.clone(),
        turn: row.turn,
        category: row.category.clone(),
        value: f64::from(right),
        length: Some(text.chars().count()),
    };
    rows.iter()
        .filter_map(|row| {
            let (raw, right) = row.raw_right.zip(row.right)?;
            Some((score(row, raw, &row.raw), score(row, right, &row.text)))
        })
        .unzip()
}
