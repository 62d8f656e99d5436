//! Reads and writes rows of `model_judgment/<judge>_single.jsonl` and `_pair.jsonl`, fields in FastChat's order.
//!
//! Scores are numbers, or texts that are numbers. Everything beyond question, model, turn and verdict may be missing:
//! tables of scores without texts are read too. Three fields are ours and absent where they say nothing: `repeat`, where
//! one thing was judged several times, `track`, and `check`, where a mechanical check spoke.

use super::{Winner, answer};
use crate::{Error, Line, Result, read_lines};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Number, Value};
use std::path::Path;

/// The name of a judge, and of the prompt that it was given.
pub type Judge = (String, String);

/// A judgment of one answer or of two.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Judgment {
    /// Of one.
    Single(Single),
    /// Of two.
    Pair(Pair),
}

/// One answer, scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Single {
    /// The question; a number where it is one.
    pub question_id: Value,
    /// Who answered.
    pub model: String,
    /// Who judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judge>,
    /// What the judge was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_prompt: Option<String>,
    /// What it said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judgment: Option<String>,
    /// Its score, or -1.
    #[serde(deserialize_with = "score")]
    pub score: Number,
    /// Which turn, from 1.
    pub turn: usize,
    /// Seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tstamp: Option<f64>,
    /// Which of several judgments of the same thing, from 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<usize>,
    /// `corrected`, where references of ours and checks took part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub track: Option<String>,
    /// What a mechanical check says, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<bool>,
}

/// Two answers, compared twice: as they are, and the other way round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The question; a number where it is one.
    pub question_id: Value,
    /// Who is shown first in the first game.
    pub model_1: String,
    /// Who is shown second.
    pub model_2: String,
    /// Who wins the first game.
    pub g1_winner: Winner,
    /// Who wins the second.
    pub g2_winner: Winner,
    /// Who judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judge>,
    /// What the judge was asked in the first game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g1_user_prompt: Option<String>,
    /// What it said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g1_judgment: Option<String>,
    /// What the judge was asked in the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g2_user_prompt: Option<String>,
    /// What it said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g2_judgment: Option<String>,
    /// Which turn, from 1.
    pub turn: usize,
    /// Seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tstamp: Option<f64>,
    /// Which of several judgments of the same thing, from 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<usize>,
    /// `corrected`, where references of ours and checks took part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub track: Option<String>,
}

impl Pair {
    /// Who wins: games that disagree are a tie; nobody if the judge did not say.
    pub fn winner(&self) -> Option<Winner> {
        match (self.g1_winner, self.g2_winner) {
            (Winner::Error, _) | (_, Winner::Error) => None,
            (one, other) if one == other => Some(one),
            _ => Some(Winner::Tie),
        }
    }
}

/// The judgments of a file, in order, doubles and all.
pub fn read_judgments(path: &Path) -> Result<Vec<Judgment>> {
    let lines = read_lines(path)?;
    lines
        .into_iter()
        .map(|line| Judgment::of(line, path))
        .collect()
}

impl Judgment {
    /// The judgment of a line.
    pub fn of(line: Line, path: &Path) -> Result<Self> {
        let number = line.number;
        let row = match line.value.get("g1_winner") {
            Some(_) => Self::Pair(line.parse(path)?),
            None => Self::Single(line.parse(path)?),
        };
        let (id, models, turn) = match &row {
            Self::Single(row) => (&row.question_id, [&row.model; 2], row.turn),
            Self::Pair(row) => (&row.question_id, [&row.model_1, &row.model_2], row.turn),
        };
        let why = if answer::id(id).is_none() {
            "`question_id` is neither a text nor a number".into()
        } else if models.iter().any(|name| name.trim().is_empty()) {
            "a model without a name".into()
        } else if !matches!(turn, 1 | 2) {
            format!("turn {turn}: only 1 and 2 are known")
        } else {
            return Ok(row);
        };
        Err(Error::line(path, number, why))
    }
}

/// A number, or a text that is one.
fn score<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Number, D::Error> {
    let value = Value::deserialize(from)?;
    let read = match &value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => {
            let whole = text.trim().parse::<i64>().ok().map(Number::from);
            whole.or_else(|| Number::from_f64(text.trim().parse().ok()?))
        }
        _ => None,
    };
    let short = || value.to_string().chars().take(40).collect::<String>();
    read.ok_or_else(|| D::Error::custom(format!("the score {} is not a number", short())))
}
