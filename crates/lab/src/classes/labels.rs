//! What a person says about turns: one JSON object a line, `{"id": "119", "turn": 1, "class": "arithmetic"}`.
//!
//! `class` is a name, a number from 1 to 7, a list of both, or `none` for a turn that did not fail; `note` is free. A
//! turn that is labelled twice, or not on the tape, is refused with its line.

use crate::{Error, Result, Row, read_lines};
use reckon::assistant::about;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

/// Longest name of a class, and longest note, in characters.
const LONGEST: (usize, usize) = (64, 2000);
/// Most classes of a turn.
const MOST: usize = 16;

/// Labels by turn.
#[derive(Clone, Debug, Default)]
pub struct Labels(HashMap<(String, usize), Label>);

/// What a person says about a turn.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// None if it did not fail.
    pub(super) classes: Vec<String>,
    pub(super) note: Option<String>,
}

impl Labels {
    pub(super) fn of(&self, id: &str, turn: usize) -> Option<&Label> {
        self.0.get(&(id.to_owned(), turn))
    }

    /// How many turns are labelled.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads labels for the turns of a tape.
pub fn read_labels(path: &Path, rows: &[Row]) -> Result<Labels> {
    let known: HashSet<(&str, usize)> = rows.iter().map(|row| (&*row.id, row.turn)).collect();
    let mut labels = HashMap::new();
    for line in read_lines(path)? {
        let refuse = |why: String| Error::line(path, line.number, why);
        let (id, turn) = turn(&line.value).map_err(refuse)?;
        let label = label(&line.value).map_err(refuse)?;
        if !known.contains(&(&*id, turn)) {
            return Err(refuse(format!("turn {turn} of {id} is not on the tape")));
        }
        let what = format!("turn {turn} of {id} is labelled twice");
        if labels.insert((id, turn), label).is_some() {
            return Err(refuse(what));
        }
    }
    Ok(Labels(labels))
}

fn turn(row: &Value) -> std::result::Result<(String, usize), String> {
    let id = match row.get("id").or_else(|| row.get("question_id")) {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => return Err("no `id`".into()),
    };
    let turn = match row.get("turn") {
        None => 1,
        Some(turn) => turn
            .as_u64()
            .and_then(|turn| usize::try_from(turn).ok())
            .filter(|turn| *turn > 0)
            .ok_or("`turn` is no number from 1 on")?,
    };
    Ok((id, turn))
}

fn label(row: &Value) -> std::result::Result<Label, String> {
    let named = match row.get("class") {
        Some(Value::Array(list)) if list.len() <= MOST => {
            list.iter()
                .map(class)
                .collect::<std::result::Result<Vec<_>, _>>()?
        }
        Some(Value::Array(_)) => return Err(format!("more than {MOST} classes")),
        Some(one) => vec![class(one)?],
        None => return Err("no `class`".into()),
    };
    let note = match row.get("note") {
        None | Some(Value::Null) => None,
        Some(Value::String(note)) if note.chars().count() <= LONGEST.1 => Some(note.clone()),
        Some(_) => {
            return Err(format!(
                "`note` is no text of up to {} characters",
                LONGEST.1
            ));
        }
    };
    Ok(Label {
        classes: named.into_iter().flatten().collect(),
        note,
    })
}

/// The name of a class; nothing for `none`.
fn class(value: &Value) -> std::result::Result<Option<String>, String> {
    match value {
        Value::String(name) if name == "none" => Ok(None),
        Value::String(name) => {
            let fits = (1..=LONGEST.0).contains(&name.chars().count());
            if !fits || name.chars().any(char::is_control) {
                return Err(format!(
                    "`class` is no name of up to {} characters",
                    LONGEST.0
                ));
            }
            Ok(Some(name.clone()))
        }
        Value::Number(number) => {
            let known = |guard: &&about::About| number.as_u64() == Some(guard.class.into());
            let found = about::GUARDS.iter().find(known);
            found
                .map(|guard| Some(guard.name.to_owned()))
                .ok_or_else(|| format!("no class {number}: they are 1 to {}", about::GUARDS.len()))
        }
        _ => Err("`class` is neither a name nor a number".into()),
    }
}
