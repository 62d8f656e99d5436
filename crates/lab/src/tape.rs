//! A tape: one row a turn, appended as soon as it is there, so that a run can be killed and resumed.
//!
//! A row holds two texts: what the model says without guards, in a conversation of its own, and what ships with them.
//! As long as no guard has changed anything the two conversations are one. Questions stay where they are: the tape has
//! their ids only.

use crate::{Error, Journal, Result, read_lines};
use reckon::assistant::{Entry, Receipt, detect::Side};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, path::Path};

/// A tape and what it is called.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its name, on the page.
    pub name: String,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// One turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The question.
    pub id: String,
    /// Which turn of it, from 1.
    pub turn: usize,
    /// What kind of question it is, if the file says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What the model says without guards.
    pub raw: String,
    /// What ships with them.
    pub text: String,
    /// Whether the raw text is right, if that is known.
    pub raw_right: Option<bool>,
    /// Whether the shipped text is right, if that is known.
    pub right: Option<bool>,
    /// What decided that; nothing on a tape from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graded: Option<String>,
    /// Why the model ended.
    pub finish: String,
    /// Tokens of the model's own answer.
    pub usage: Usage,
    /// Milliseconds of the whole turn.
    pub ms: u64,
    /// What made it; guards that saw nothing are left out.
    pub receipt: Receipt,
}

/// Tokens read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read.
    pub prompt: usize,
    /// Written.
    pub completion: usize,
}

/// The rows of a tape. A turn that is there twice is refused.
pub fn read_tape(path: &Path) -> Result<Vec<Row>> {
    let mut said = Said::default();
    let mut rows = Vec::new();
    for line in read_lines(path)? {
        let number = line.number;
        let row: Row = line.parse(path)?;
        if !said.hear(&row) {
            return Err(twice(path, number, &row));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The texts of turns: raw, and shipped.
#[derive(Debug, Default)]
struct Said(HashMap<String, Vec<Option<(String, String)>>>);

impl Said {
    /// Whether it was not there yet.
    fn hear(&mut self, row: &Row) -> bool {
        let turns = self.0.entry(row.id.clone()).or_default();
        if turns.len() < row.turn {
            turns.resize(row.turn.min(MOST_TURNS), None);
        }
        match row.turn.checked_sub(1).and_then(|at| turns.get_mut(at)) {
            Some(turn @ None) => {
                *turn = Some((row.raw.clone(), row.text.clone()));
                true
            }
            _ => false,
        }
    }
}

/// Turns of a question.
pub(crate) const MOST_TURNS: usize = 64;

fn twice(path: &Path, line: usize, row: &Row) -> Error {
    let why = format!("turn {} of {} is there twice", row.turn, row.id);
    Error::line(path, line, why)
}

/// A tape that is being written.
#[derive(Debug)]
pub struct Tape {
    journal: Journal,
    said: Said,
    receipt: Option<Receipt>,
}

impl Tape {
    /// Opens or begins a tape; a half-written last row is cut off and made again.
    pub fn open(path: &Path) -> Result<Self> {
        let (journal, lines) = Journal::open(path)?;
        let mut said = Said::default();
        let mut receipt = None;
        for line in lines {
            let number = line.number;
            let row: Row = line.parse(path)?;
            if !said.hear(&row) {
                return Err(twice(path, number, &row));
            }
            receipt.get_or_insert(row.receipt);
        }
        Ok(Self {
            journal,
            said,
            receipt,
        })
    }

    /// What made the first row, if there is one.
    pub fn receipt(&self) -> Option<&Receipt> {
        self.receipt.as_ref()
    }

    /// The turns of a question that are on the tape, from the first on: raw texts, and shipped ones.
    pub fn said(&self, id: &str) -> Vec<(String, String)> {
        let turns = self.said.0.get(id).map_or(&[][..], Vec::as_slice);
        turns.iter().map_while(Clone::clone).collect()
    }

    /// Appends a row, in one write.
    pub fn add(&mut self, mut row: Row) -> Result<()> {
        for entry in &mut row.receipt.guards {
            forget_question(entry);
        }
        self.journal.add(&row)?;
        self.said.hear(&row);
        Ok(())
    }
}

/// The words of a question are not ours to copy; where they stand is enough.
fn forget_question(entry: &mut Entry) {
    if let Some(evidence) = &mut entry.evidence
        && evidence.side == Side::Prompt
    {
        evidence.text.clear();
    }
}
