//! Reads answers and references (`model_answer/<model>.jsonl`) as the turns of each question.
//!
//! As FastChat reads them: the model is called what the file is called, only the first choice counts, and of several
//! rows for one question the last one does. A tape of `lab run` is read in the same place.

use crate::{Result, read_lines, read_tape, tape};
use serde::Deserialize;
use serde_json::Value;
use std::{collections::BTreeMap, path::Path};

/// What one model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// The name of the file, without `.jsonl`.
    pub model: String,
    /// The turns of each question, by its id.
    pub turns: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct AnswerRow {
    question_id: Value,
    choices: Vec<FirstChoice>,
}

#[derive(Deserialize)]
struct FirstChoice {
    turns: Vec<String>,
}

/// The answers of a file: one model's, or what shipped on a tape and, where that differs, what the model says raw.
pub fn read_answers(path: &Path) -> Result<Vec<Answers>> {
    let lines = read_lines(path)?;
    let model = file_name(path);
    if lines
        .first()
        .is_some_and(|line| line.value.get("receipt").is_some())
    {
        return of_tape(path, model);
    }
    let mut turns = BTreeMap::new();
    for line in lines {
        let (id, said) = line.parse_by(path, answered)?;
        turns.insert(id, said);
    }
    Ok(vec![Answers { model, turns }])
}

/// The question of a row and the turns of its first choice.
fn answered(row: AnswerRow) -> std::result::Result<(String, Vec<String>), String> {
    let id = id(&row.question_id).ok_or("`question_id` is neither a text nor a number")?;
    match row.choices.into_iter().next() {
        Some(choice) if !choice.turns.is_empty() => Ok((id, choice.turns)),
        _ => Err("there is no answer in it".into()),
    }
}

/// A question's id, as text.
pub(super) fn id(value: &Value) -> Option<String> {
    match value {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

impl Answers {
    /// What one system said on a tape; `text` tells which one.
    pub fn of_tape(model: String, rows: &[tape::Row], text: fn(&tape::Row) -> &str) -> Self {
        let mut rows: Vec<&tape::Row> = rows.iter().collect();
        rows.sort_by_key(|row| row.turn);
        let mut turns: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in rows {
            let said = turns.entry(row.id.clone()).or_default();
            // A turn whose earlier ones are missing cannot be shown to a judge.
            if said.len() + 1 == row.turn {
                said.push(text(row).to_owned());
            }
        }
        Self { model, turns }
    }
}

fn of_tape(path: &Path, model: String) -> Result<Vec<Answers>> {
    let rows = read_tape(path)?;
    let raw = Answers::of_tape(format!("{model}-raw"), &rows, |row| &row.raw);
    let shipped = Answers::of_tape(model, &rows, |row| &row.text);
    Ok(match raw.turns == shipped.turns {
        true => vec![shipped],
        false => vec![raw, shipped],
    })
}

/// What the answers or the tape of a file are called: `model_answer/claude-v1.jsonl.gz` is claude-v1.
pub fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.strip_suffix(".jsonl").unwrap_or(name).to_owned()
}
