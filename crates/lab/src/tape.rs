//! A tape: one row an answer, appended as soon as it is there, so that a run can be killed and resumed.
//!
//! A row holds what the model said and what shipped, side by side: guards look after the model has spoken and change
//! nothing of its prompt, so one run gives both. Questions stay where they are: the tape has their ids only.

use crate::{Error, Result, read_lines};
use reckon_assistant::{Entry, detect::Side};
use serde::Serialize;
use std::{
    collections::HashSet,
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// One answer.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The question.
    pub id: String,
    /// What the model itself said.
    pub raw: String,
    /// What shipped.
    pub text: String,
    /// Whether the raw text is right, if that is known.
    pub raw_right: Option<bool>,
    /// Whether the shipped text is right, if that is known.
    pub right: Option<bool>,
    /// What the guards did; those that saw nothing are left out.
    pub guards: Vec<Entry>,
    /// Tokens of the raw answer.
    pub tokens: usize,
    /// Milliseconds of the whole turn.
    pub ms: u64,
}

/// A tape that is being written.
#[derive(Debug)]
pub struct Tape {
    path: PathBuf,
    file: File,
    done: HashSet<String>,
}

impl Tape {
    /// Opens or begins a tape; a half-written last row is cut off and made again.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |source| Error::File {
            path: path.to_owned(),
            source,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(failed)?;
        trim(&mut file).map_err(failed)?;
        let mut done = HashSet::new();
        for line in read_lines(path)? {
            if let Some(id) = line.value.get("id").and_then(|id| id.as_str()) {
                done.insert(id.to_owned());
            }
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            done,
        })
    }

    /// Whether the answer to this question is on the tape.
    pub fn has(&self, id: &str) -> bool {
        self.done.contains(id)
    }

    /// Appends a row, in one write.
    pub fn add(&mut self, mut row: Row) -> Result<()> {
        for entry in &mut row.guards {
            forget_question(entry);
        }
        let failed = |source| Error::File {
            path: self.path.clone(),
            source,
        };
        let mut line = serde_json::to_vec(&row).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(failed)?;
        self.done.insert(row.id);
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

/// Cuts a last line that has no end.
fn trim(file: &mut File) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let whole = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    if whole < bytes.len() {
        file.set_len(whole as u64)?;
    }
    Ok(())
}
