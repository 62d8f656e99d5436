//! What a guard is worth on a tape: the triggered set and the control set, counted.

use crate::Row;
use reckon::assistant::GuardOutcome;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// The figures of a guard on a tape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// Turns on the tape.
    pub turns: usize,
    /// Turns where the guard had evidence.
    pub triggered: usize,
    /// Turns where it replaced or flagged the answer.
    pub fired: usize,
    /// Turns with a check where it replaced a wrong answer and a right one shipped.
    pub fixed: usize,
    /// Turns with a check where it replaced a right answer and a wrong one shipped.
    pub broken: usize,
    /// Turns that no guard looked at, in conversations that no guard had changed before.
    pub control: usize,
    /// Those of them whose text differs with guards and without; must be 0.
    pub control_changed: usize,
}

/// Counts, for every guard that had evidence anywhere.
pub fn validations(rows: &[Row]) -> BTreeMap<String, Validation> {
    let mut guards: BTreeMap<String, Validation> = BTreeMap::new();
    for row in rows {
        let mut counted = HashSet::new();
        for entry in &row.receipt.guards {
            if entry.outcome.is_idle() || !counted.insert(&entry.guard) {
                continue;
            }
            let figures = guards.entry(entry.guard.clone()).or_default();
            figures.triggered += 1;
            figures.fired += usize::from(entry.fired);
            if entry.outcome == GuardOutcome::Revised {
                let turned = (row.raw_right, row.right);
                figures.fixed += usize::from(turned == (Some(false), Some(true)));
                figures.broken += usize::from(turned == (Some(true), Some(false)));
            }
        }
    }
    let (control, changed) = control(rows);
    for figures in guards.values_mut() {
        figures.turns = rows.len();
        figures.control = control;
        figures.control_changed = changed;
    }
    guards
}

/// Turns without any guard, and how many of them differ. Once a guard has changed a conversation, its later turns are
/// answers to another history and belong to neither set.
pub(crate) fn control(rows: &[Row]) -> (usize, usize) {
    let quiet = |row: &&Row| {
        let mut entries = row.receipt.guards.iter();
        entries.all(|entry| entry.outcome.is_idle())
    };
    let changed: HashSet<(&str, usize)> = rows
        .iter()
        .filter(|row| !quiet(row) && row.raw != row.text)
        .map(|row| (&*row.id, row.turn))
        .collect();
    // The first turn that a guard changed, by question.
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, turn) in changed {
        let known = first.entry(id).or_insert(turn);
        *known = turn.min(*known);
    }
    let untouched = |row: &&Row| first.get(&*row.id).is_none_or(|turn| row.turn < *turn);
    let control: Vec<&Row> = rows.iter().filter(quiet).filter(untouched).collect();
    let differ = control.iter().filter(|row| row.raw != row.text).count();
    (control.len(), differ)
}
