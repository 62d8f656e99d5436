//! Reads and writes rows of `model_judgment/<judge>_single.jsonl` and `_pair.jsonl`, fields in FastChat's order.
//!
//! Scores are numbers, or texts that are numbers. Everything beyond question, model, turn and verdict may be missing:
//! tables of scores without texts are read too. Three fields are ours and absent where they say nothing: `repeat`, where
//! one thing was judged several times, `track`, and `check`, where a mechanical check spoke.

use super::{Winner, answer};
use crate::{Error, Line, Result, read_lines};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use std::path::Path;

/// The name of a judge, and of the prompt that it was given.
pub type Judge = (String, String);

/// A judgment of one answer or of two.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgment {
    /// Of one.
    Single(Single),
    /// Of two.
    Pair(Pair),
}

/// One answer, scored.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
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

impl Serialize for Judgment {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Single(row) => row.serialize(serializer),
            Self::Pair(row) => row.serialize(serializer),
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
        let refuse = |why: String| Error::Line {
            path: path.to_owned(),
            line: number,
            why,
        };
        let pair = line.value.get("g1_winner").is_some();
        let row: Row = line.parse(path)?;
        match pair {
            true => row.pair().map(Self::Pair),
            false => row.single().map(Self::Single),
        }
        .map_err(refuse)
    }
}

/// Both kinds, before it is known which.
#[derive(Deserialize)]
struct Row {
    question_id: Value,
    model: Option<String>,
    model_1: Option<String>,
    model_2: Option<String>,
    g1_winner: Option<Winner>,
    g2_winner: Option<Winner>,
    judge: Option<Judge>,
    user_prompt: Option<String>,
    judgment: Option<String>,
    g1_user_prompt: Option<String>,
    g1_judgment: Option<String>,
    g2_user_prompt: Option<String>,
    g2_judgment: Option<String>,
    score: Option<Value>,
    turn: usize,
    tstamp: Option<f64>,
    repeat: Option<usize>,
    track: Option<String>,
    check: Option<bool>,
}

type Refused<T> = std::result::Result<T, String>;

impl Row {
    fn single(self) -> Refused<Single> {
        Ok(Single {
            question_id: id(self.question_id)?,
            model: model(self.model, "model")?,
            judge: self.judge,
            user_prompt: self.user_prompt,
            judgment: self.judgment,
            score: score(self.score)?,
            turn: turn(self.turn)?,
            tstamp: self.tstamp,
            repeat: self.repeat,
            track: self.track,
            check: self.check,
        })
    }

    fn pair(self) -> Refused<Pair> {
        let winner = |winner: Option<Winner>| winner.ok_or("there is no `g2_winner`");
        Ok(Pair {
            question_id: id(self.question_id)?,
            model_1: model(self.model_1, "model_1")?,
            model_2: model(self.model_2, "model_2")?,
            g1_winner: winner(self.g1_winner)?,
            g2_winner: winner(self.g2_winner)?,
            judge: self.judge,
            g1_user_prompt: self.g1_user_prompt,
            g1_judgment: self.g1_judgment,
            g2_user_prompt: self.g2_user_prompt,
            g2_judgment: self.g2_judgment,
            turn: turn(self.turn)?,
            tstamp: self.tstamp,
            repeat: self.repeat,
            track: self.track,
        })
    }
}

fn id(value: Value) -> Refused<Value> {
    match answer::id(&value) {
        Some(_) => Ok(value),
        None => Err("`question_id` is neither a text nor a number".into()),
    }
}

fn model(name: Option<String>, field: &str) -> Refused<String> {
    match name {
        Some(name) if !name.trim().is_empty() => Ok(name),
        _ => Err(format!("`{field}` does not name a model")),
    }
}

fn turn(turn: usize) -> Refused<usize> {
    match turn {
        1 | 2 => Ok(turn),
        _ => Err(format!("turn {turn}: only 1 and 2 are known")),
    }
}

/// A number, or a text that is one.
fn score(value: Option<Value>) -> Refused<Number> {
    match value {
        Some(Value::Number(number)) => Ok(number),
        Some(Value::String(text)) => {
            let whole = text.trim().parse::<i64>().ok().map(Number::from);
            let number = || Number::from_f64(text.trim().parse().ok()?);
            whole
                .or_else(number)
                .ok_or_else(|| format!("the score {:?} is not a number", short(&text)))
        }
        Some(_) => Err("the score is not a number".into()),
        None => Err("there is no `score`".into()),
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
