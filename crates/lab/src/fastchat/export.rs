//! Writes a system's answers as FastChat writes `model_answer/<model>.jsonl`.

use super::{Answers, dumps};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The alphabet of FastChat's answer ids: letters and digits that nobody confuses.
const ALPHABET: &[u8; 57] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Fields in FastChat's order.
#[derive(Serialize)]
struct ExportRow<'a> {
    question_id: Value,
    answer_id: String,
    model_id: &'a str,
    choices: [ExportChoice<'a>; 1],
    tstamp: f64,
}

#[derive(Serialize)]
struct ExportChoice<'a> {
    index: usize,
    turns: &'a [String],
}

/// The whole file, a line a question, by number; `tstamp` is when, in seconds. The same answers have the same ids.
pub fn answer_file(answers: &Answers, tstamp: f64) -> serde_json::Result<Vec<u8>> {
    let mut rows: Vec<ExportRow<'_>> = answers
        .turns
        .iter()
        .map(|(id, turns)| ExportRow {
            question_id: id
                .parse::<u64>()
                .map_or_else(|_| id.as_str().into(), Value::from),
            answer_id: answer_id(&answers.model, id, turns),
            model_id: &answers.model,
            choices: [ExportChoice { index: 0, turns }],
            tstamp,
        })
        .collect();
    // Numbers by size; the map has them by their letters.
    rows.sort_by_key(|row| row.question_id.as_u64());
    let mut file = Vec::new();
    for row in rows {
        file.extend(dumps(&row)?);
        file.push(b'\n');
    }
    Ok(file)
}

fn answer_id(model: &str, id: &str, turns: &[String]) -> String {
    let mut hash = Sha256::new();
    for part in [model, id]
        .into_iter()
        .chain(turns.iter().map(String::as_str))
    {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let letter = |byte: &u8| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]);
    hash.finalize().iter().take(22).map(letter).collect()
}
