//! Files of answers in, systems out: a name each, and what each said to every question.
//!
//! A tape (`id`, `turn`, `raw`, `text`) holds two systems, without guards and with them. A FastChat file of answers
//! (`question_id`, `choices`) holds one; of its choices the first is taken, and the last row of a question stands, as
//! FastChat has it. The name of a system comes from the name of its file.

use crate::{Error, Result, read_lines};
use serde_json::Value;
use std::{collections::BTreeMap, path::Path};

/// Most turns of a question.
const TURNS: usize = 64;

/// Somebody who answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// What it is called; nobody who grades sees it.
    pub name: String,
    /// Its answers, turn by turn, by the id of the question.
    pub answers: BTreeMap<String, Vec<String>>,
}

/// The systems of a tape or of a FastChat file of answers.
pub fn read_systems(path: &Path) -> Result<Vec<System>> {
    let name = name(path);
    let (mut raw, mut guarded) = (Turns::new(), Turns::new());
    let mut answers = BTreeMap::new();
    for line in read_lines(path)? {
        let refuse = |why: String| Error::Line {
            path: path.to_owned(),
            line: line.number,
            why,
        };
        let row = &line.value;
        if row.get("choices").is_some() {
            let (id, turns) = choice(row).map_err(refuse)?;
            answers.insert(id, turns);
        } else {
            let (key, one, other) = turn(row).map_err(refuse)?;
            if raw.insert(key.clone(), one).is_some() {
                return Err(refuse(format!(
                    "turn {} of question {} is there twice",
                    key.1, key.0
                )));
            }
            guarded.insert(key, other);
        }
    }
    let refuse = |why: &str| Err(Error::Plan(format!("{}: {why}", path.display())));
    match (answers.is_empty(), raw.is_empty()) {
        (true, true) => refuse("no answers"),
        (false, false) => refuse("rows of a tape and rows of FastChat answers"),
        (false, true) => Ok(vec![System { name, answers }]),
        (true, false) => [(raw, "raw"), (guarded, "guarded")]
            .into_iter()
            .map(|(turns, which)| {
                let answers = whole(turns)
                    .map_err(|why| Error::Plan(format!("{}: {why}", path.display())))?;
                let name = format!("{name}-{which}");
                Ok(System { name, answers })
            })
            .collect(),
    }
}

/// Texts by question and turn.
type Turns = BTreeMap<(String, usize), String>;

/// `dir/a.tape.jsonl` is `a`, as FastChat names a model by its file.
fn name(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let file = file.strip_suffix(".jsonl").unwrap_or(&file);
    file.strip_suffix(".tape").unwrap_or(file).to_owned()
}

fn id(row: &Value, field: &str) -> std::result::Result<String, String> {
    match row.get(field) {
        Some(Value::String(id)) => Ok(id.clone()),
        Some(Value::Number(id)) => Ok(id.to_string()),
        _ => Err(format!("no `{field}`")),
    }
}

fn choice(row: &Value) -> std::result::Result<(String, Vec<String>), String> {
    let turns = row
        .pointer("/choices/0/turns")
        .and_then(Value::as_array)
        .ok_or("no `turns` in the first of `choices`")?;
    let text = |turn: &Value| turn.as_str().map(str::to_owned);
    let turns: Option<Vec<String>> = turns.iter().map(text).collect();
    let turns = turns.ok_or("a turn is not a text")?;
    if turns.is_empty() || turns.len() > TURNS {
        return Err(format!("{} turns, not 1 to {TURNS}", turns.len()));
    }
    Ok((id(row, "question_id")?, turns))
}

type TapeRow = ((String, usize), String, String);

fn turn(row: &Value) -> std::result::Result<TapeRow, String> {
    let text = |field: &str| {
        let text = row.get(field).and_then(Value::as_str);
        text.map(str::to_owned)
            .ok_or_else(|| format!("no `{field}`: neither a row of a tape nor FastChat answers"))
    };
    let turn = match row.get("turn") {
        None => 1,
        Some(turn) => turn
            .as_u64()
            .and_then(|turn| usize::try_from(turn).ok())
            .filter(|turn| (1..=TURNS).contains(turn))
            .ok_or_else(|| format!("`turn` is not 1 to {TURNS}"))?,
    };
    Ok(((id(row, "id")?, turn), text("raw")?, text("text")?))
}

/// Turns in their order; one that is missing below another is an error.
fn whole(turns: Turns) -> std::result::Result<BTreeMap<String, Vec<String>>, String> {
    let mut answers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ((id, turn), text) in turns {
        let texts = answers.entry(id.clone()).or_default();
        if turn != texts.len() + 1 {
            return Err(format!(
                "question {id} has a turn {turn} and no turn {}",
                texts.len() + 1
            ));
        }
        texts.push(text);
    }
    Ok(answers)
}
