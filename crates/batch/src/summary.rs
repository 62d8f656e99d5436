//! What a batch came to: counts by mark and by end, and the rows that a person should look at first.
//!
//! All results are read once, page by page; of the rows to look at only the first [`MOST_LISTED`] of each kind are kept.
mod page;

use crate::error::{Error, Result};
use crate::queue::{Progress, Queue};
use crate::results::{Fate, Outcome};
use crate::row::Check;
use crate::submit::Refused;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Rows that are listed of each kind.
const MOST_LISTED: usize = 100;
/// Characters of an answer that are shown.
const EXCERPT: usize = 300;
const PAGE: usize = 50;

/// What a batch came to.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The batch.
    pub batch: String,
    /// What its owner calls it.
    pub name: Option<String>,
    /// The counts.
    pub progress: Progress,
    /// Answers by mark; `none` for those without.
    pub marks: BTreeMap<String, u64>,
    /// Answers by how they ended: `stop`, `length`; `unknown` where nobody said.
    pub finishes: BTreeMap<String, u64>,
    /// What to look at, most urgent first; kinds without a row are left out.
    pub attention: Vec<Attention>,
    /// Lines of the input that are no rows.
    pub refused: u64,
    /// The first of them.
    pub refused_lines: Vec<Refused>,
}

/// Rows that need a look for the same reason.
#[derive(Clone, Debug, Serialize)]
pub struct Attention {
    /// Why.
    pub reason: Reason,
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub rows: Vec<Listed>,
}

/// Why a row needs a look, most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Computations disagree with the answer, or with each other.
    Doubtful,
    /// The answer was replaced by what was computed.
    Corrected,
    /// It does not fulfil what was asked of it.
    FailedCheck,
    /// There is no answer.
    Failed,
    /// The answer ends at its limit of tokens.
    Cut,
}

impl Reason {
    /// As a heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Doubtful => "Doubtful answers",
            Self::Corrected => "Corrected answers",
            Self::FailedCheck => "Failed checks",
            Self::Failed => "Failed rows",
            Self::Cut => "Answers that were cut",
        }
    }

    /// What it means, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Doubtful => {
                "Computations disagree with the answer, or with each other: decide which is right."
            }
            Self::Corrected => {
                "The model's number was replaced by what was computed: see that the question was read right."
            }
            Self::FailedCheck => "The answer does not fulfil what was asked of it.",
            Self::Failed => "There is no answer. Failed rows can be retried.",
            Self::Cut => {
                "The answer ended at its limit of tokens: what it was about to say is missing."
            }
        }
    }
}

/// One row to look at.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// Its line in the input.
    pub line: u64,
    /// Its id, as a person reads it.
    pub id: String,
    /// Why: the mark's reason, the check, the error.
    pub why: String,
    /// The beginning of the answer.
    pub excerpt: String,
}

/// What the summary needs of a result.
#[derive(Deserialize)]
struct Stored {
    #[serde(default)]
    text: String,
    #[serde(default)]
    mark: Value,
    finish: Option<String>,
    #[serde(default)]
    checks: Vec<Check>,
}

impl Queue {
    /// What a batch came to so far.
    pub fn summary(&self, id: &str) -> Result<Summary> {
        let batch = self.batch(id)?;
        let mut summary = Summary {
            progress: self.progress(&batch.id)?,
            marks: BTreeMap::new(),
            finishes: BTreeMap::new(),
            attention: Vec::new(),
            refused: batch.refused,
            refused_lines: self.refused(&batch.id, 0, MOST_LISTED)?,
            batch: batch.id,
            name: batch.name,
        };
        let mut line = 0;
        loop {
            let page = self.results(&summary.batch, line, PAGE)?;
            let Some(last) = page.last() else {
                break;
            };
            line = last.line;
            for outcome in &page {
                summary.add(outcome)?;
            }
        }
        summary.attention.sort_by_key(|attention| attention.reason);
        Ok(summary)
    }
}

impl Summary {
    /// One page that needs nothing else: no script, font or picture from anywhere.
    pub fn to_html(&self) -> String {
        page::html(self)
    }

    fn add(&mut self, outcome: &Outcome) -> Result<()> {
        let stored = match &outcome.fate {
            Fate::Unfinished => return Ok(()),
            Fate::Failed(why) => {
                self.list(Reason::Failed, outcome, why, "");
                return Ok(());
            }
            Fate::Done(result) => result,
        };
        let stored: Stored = serde_json::from_str(stored).map_err(|error| {
            Error::Damaged(format!("the result of line {}: {error}", outcome.line))
        })?;
        let state = stored.mark["state"]
            .as_str()
            .or(stored.mark.as_str())
            .unwrap_or("none");
        let finish = stored.finish.as_deref().unwrap_or("unknown");
        count(&mut self.marks, state);
        count(&mut self.finishes, finish);
        let why = stored.mark["why"].as_str().unwrap_or_default();
        match state {
            "doubtful" => self.list(Reason::Doubtful, outcome, why, &stored.text),
            "corrected" => self.list(Reason::Corrected, outcome, why, &stored.text),
            _ => {}
        }
        let failed: Vec<_> = stored
            .checks
            .iter()
            .filter(|check| !check.passed)
            .map(in_words)
            .collect();
        if !failed.is_empty() {
            self.list(
                Reason::FailedCheck,
                outcome,
                &failed.join("; "),
                &stored.text,
            );
        }
        if finish == "length" {
            self.list(Reason::Cut, outcome, "", &stored.text);
        }
        Ok(())
    }

    fn list(&mut self, reason: Reason, outcome: &Outcome, why: &str, text: &str) {
        let at = self
            .attention
            .iter()
            .position(|attention| attention.reason == reason);
        let at = at.unwrap_or_else(|| {
            let (count, rows) = (0, Vec::new());
            self.attention.push(Attention {
                reason,
                count,
                rows,
            });
            self.attention.len() - 1
        });
        let attention = &mut self.attention[at];
        attention.count += 1;
        if attention.rows.len() < MOST_LISTED {
            attention.rows.push(Listed {
                line: outcome.line,
                id: readable(&outcome.id),
                why: beginning(why),
                excerpt: beginning(text),
            });
        }
    }
}

/// At most this many names are told apart; an answerer that makes up one for each row fills no memory.
const MOST_NAMES: usize = 50;

fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    let known = counts.contains_key(name) || counts.len() < MOST_NAMES;
    let name = if known {
        beginning(name)
    } else {
        "other".into()
    };
    *counts.entry(name).or_default() += 1;
}

fn in_words(check: &Check) -> String {
    match check.why.as_str() {
        "" => check.name.clone(),
        why => format!("{}: {why}", check.name),
    }
}

/// An id without the quotes of JSON.
fn readable(id: &str) -> String {
    serde_json::from_str::<String>(id).unwrap_or_else(|_| id.into())
}

fn beginning(text: &str) -> String {
    let mut start: String = text.chars().take(EXCERPT).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
