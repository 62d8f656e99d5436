//! What was run, from the receipts of a tape's rows.

use super::Recording;
use crate::{Row, Sampler, Source};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// How a tape came about.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The tape.
    pub name: String,
    /// Who spoke; a tape that was made with more than one setting has several, and is not one system.
    pub settings: Vec<Settings>,
    /// How tokens were chosen, and for how many turns.
    pub samplers: Vec<(Sampler, usize)>,
    /// Questions.
    pub questions: usize,
    /// Turns.
    pub turns: usize,
    /// Turns whose text is the same with guards and without.
    pub same: usize,
    /// Why answers ended, and how many did.
    pub finish: BTreeMap<String, usize>,
    /// Tokens read and written.
    pub tokens: (usize, usize),
    /// Seconds of all turns.
    pub seconds: u64,
}

/// Most settings that are kept.
const MOST: usize = 16;

/// Who spoke, and under which instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// The model.
    pub model: Source,
    /// The system text.
    pub system: Option<String>,
    /// Of Reckon.
    pub version: String,
}

impl Run {
    pub(super) fn new(recording: &Recording) -> Self {
        let rows = &recording.rows;
        let mut finish = BTreeMap::new();
        let mut samplers: Vec<(Sampler, usize)> = Vec::new();
        let mut settings: Vec<Settings> = Vec::new();
        for row in rows {
            *finish.entry(row.finish.clone()).or_default() += 1;
            let sampler = &row.receipt.sampler;
            match samplers.iter().position(|(one, _)| one == sampler) {
                Some(at) => samplers[at].1 += 1,
                // A tape has a few; one that has more is shown by its first ones.
                None if samplers.len() < MOST => samplers.push((sampler.clone(), 1)),
                None => {}
            }
            let setting = Settings::of(row);
            if settings.len() < MOST && !settings.contains(&setting) {
                settings.push(setting);
            }
        }
        let ids: HashSet<&str> = rows.iter().map(|row| &*row.id).collect();
        Self {
            name: recording.name.clone(),
            settings,
            samplers,
            questions: ids.len(),
            turns: rows.len(),
            same: rows.iter().filter(|row| row.raw == row.text).count(),
            finish,
            tokens: (
                sum(rows, |row| row.usage.prompt),
                sum(rows, |row| row.usage.completion),
            ),
            seconds: rows
                .iter()
                .fold(0_u64, |all, row| all.saturating_add(row.ms))
                / 1000,
        }
    }
}

impl Settings {
    fn of(row: &Row) -> Self {
        Self {
            model: row.receipt.model.clone(),
            system: row.receipt.system.clone(),
            version: row.receipt.version.clone(),
        }
    }
}

/// Numbers of a file may be anything.
fn sum(rows: &[Row], of: impl Fn(&Row) -> usize) -> usize {
    rows.iter()
        .fold(0_usize, |all, row| all.saturating_add(of(row)))
}
