//! What the guards did on a tape, and what became of the answers: before and after.

use super::Recording;
use crate::classes::{Validation, validations};
use reckon::assistant::GuardOutcome;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the guards of one run did.
#[derive(Clone, Debug, Serialize)]
pub struct Firings {
    /// The tape.
    pub name: String,
    /// By guard.
    pub guards: BTreeMap<String, Counts>,
    /// Turns that no guard looked at, in conversations that no guard had changed before.
    pub control: usize,
    /// Those of them whose text differs all the same; must be 0.
    pub control_changed: usize,
}

/// How often a guard came to what.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    /// It had evidence and acted, and the answer stands.
    pub kept: usize,
    /// A tool came to the same answer.
    pub confirmed: usize,
    /// It replaced the answer.
    pub revised: usize,
    /// It asked the person to verify.
    pub flagged: usize,
    /// What became of the answers.
    pub validation: Validation,
}

impl Firings {
    /// Nothing if no guard did anything.
    pub(super) fn new(recording: &Recording) -> Option<Self> {
        let mut guards: BTreeMap<String, Counts> = BTreeMap::new();
        let mut found = validations(&recording.rows);
        for row in &recording.rows {
            for entry in &row.receipt.guards {
                let counts = guards.entry(entry.guard.clone()).or_insert_with(|| Counts {
                    validation: found.remove(&entry.guard).unwrap_or_default(),
                    ..Counts::default()
                });
                match entry.outcome {
                    GuardOutcome::Quiet | GuardOutcome::Skipped => {}
                    GuardOutcome::Kept => counts.kept += 1,
                    GuardOutcome::Confirmed => counts.confirmed += 1,
                    GuardOutcome::Revised => counts.revised += 1,
                    GuardOutcome::Flagged => counts.flagged += 1,
                }
            }
        }
        let whole = &guards.values().next()?.validation;
        Some(Self {
            name: recording.name.clone(),
            control: whole.control,
            control_changed: whole.control_changed,
            guards,
        })
    }
}
