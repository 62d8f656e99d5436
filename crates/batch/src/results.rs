//! Reads results out of a queue, in the order of the input.
//!
//! A line of the output is the row's id and the stored result put together as text, so the bytes of an answer are the
//! same whoever writes the output and however often.
use crate::database::Record;
use crate::error::{Error, Result};
use crate::queue::{Queue, find};
use serde_json::Value;

/// A row and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its line in the input.
    pub line: u64,
    /// Its id, as JSON.
    pub id: String,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing yet.
    Unfinished,
    /// An answer, as a JSON object.
    Done(String),
    /// It failed, for this reason.
    Failed(String),
}

impl Outcome {
    /// A row of the output, without the end of the line; none while there is no result.
    pub fn to_output(&self) -> Option<String> {
        match &self.fate {
            Fate::Unfinished => None,
            // The stored object begins with a brace and has at least the text in it.
            Fate::Done(result) => Some(format!(
                "{{\"id\":{},{}",
                self.id,
                result.get(1..).unwrap_or("}")
            )),
            Fate::Failed(why) => Some(format!(
                "{{\"id\":{},\"error\":{}}}",
                self.id,
                Value::from(why.as_str())
            )),
        }
    }
}

impl Queue {
    /// Rows of a batch after a line, in the order of the input, with what became of them.
    pub fn results(&self, batch: &str, after: u64, most: usize) -> Result<Vec<Outcome>> {
        self.database.transaction(|transaction| {
            let batch = find(transaction, batch)?.id;
            let after = i64::try_from(after).unwrap_or(i64::MAX);
            let most = i64::try_from(most.min(10_000)).unwrap_or(0);
            let records = transaction.query(
                "SELECT r.line, r.id, l.state, l.result, l.error FROM reckon_rows r
                 JOIN reckon_rows l ON l.batch = r.batch AND l.line = r.leader
                 WHERE r.batch = ?1 AND r.line > ?2 ORDER BY r.line LIMIT ?3",
                &[batch.into(), after.into(), most.into()],
            )?;
            records.iter().map(outcome).collect()
        })
    }
}

fn outcome(record: &Record) -> Result<Outcome> {
    let fate = match record.text(2)?.as_str() {
        "done" => Fate::Done(record.text(3)?),
        "failed" => Fate::Failed(record.optional_text(4)?.unwrap_or_default()),
        "waiting" | "running" => Fate::Unfinished,
        other => return Err(Error::Damaged(format!("a row is {other:?}"))),
    };
    Ok(Outcome {
        line: record.count(0)?,
        id: record.text(1)?,
        fate,
    })
}
