//! What was done for an answer, so that it can be inspected: which guards looked, which fired, what they ran and spent.
//!
//! Written by the pipeline, shown by `/why` and `reckon ask --json`. Every guard of the pipeline has an entry.

use crate::{
    Outcome,
    detect::{Finding, Side},
};
use reckon_engine::{Generation, Timing};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The guards' part of a receipt.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Receipt {
    /// What the model itself said.
    pub raw: String,
    /// One for each guard, in the order in which they looked.
    pub guards: Vec<Entry>,
}

/// What one guard did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The guard.
    pub guard: String,
    /// Whether it replaced the answer or flagged it.
    pub fired: bool,
    /// What it came to.
    pub outcome: GuardOutcome,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What made it look closer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// What it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<Program>,
    /// The answer that it replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Spent::is_nothing")]
    pub spent: Spent,
}

/// What made a guard look closer, for people and programs that read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Which text it stands in.
    #[serde(rename = "in")]
    pub side: Side,
    /// First character, and the one behind the last.
    pub span: [usize; 2],
    /// Which rule saw it.
    pub kind: Cow<'static, str>,
    /// The words.
    pub text: String,
}

impl Evidence {
    /// A finding in `text`. Spans count characters, as most languages count a string.
    pub fn new(finding: Finding, text: &str) -> Self {
        let before = |byte: usize| text[..byte].chars().count();
        Self {
            side: finding.side,
            span: [before(finding.span.start), before(finding.span.end)],
            kind: finding.kind.into(),
            text: finding.evidence,
        }
    }
}

/// What a guard came to, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardOutcome {
    /// It saw nothing to act on.
    Quiet,
    /// It acted, and the answer stands.
    Kept,
    /// A tool came to the same answer.
    Confirmed,
    /// It replaced the answer.
    Revised,
    /// It asks the person to verify.
    Flagged,
}

/// A program that a guard ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// As the model wrote it.
    pub text: String,
    /// What it came to.
    pub outcome: Outcome,
}

/// What a guard cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Extra generations: 0 or 1.
    pub generations: usize,
    /// Yes-or-no questions put to the model: at most 2.
    pub decisions: usize,
    /// Tokens read for them.
    pub prompt: usize,
    /// Tokens written for them.
    pub completion: usize,
    /// Milliseconds of model and tools.
    pub ms: f64,
}

impl Spent {
    pub(crate) fn add(&mut self, said: &Generation) {
        self.prompt += said.usage.prompt;
        self.completion += said.usage.completion;
        let Timing { prefill, decode } = said.timing;
        self.ms += (prefill + decode).as_secs_f64() * 1e3;
    }

    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Receipt {
    /// The entries of guards that acted.
    pub fn acted(&self) -> impl Iterator<Item = &Entry> {
        self.guards
            .iter()
            .filter(|entry| entry.outcome != GuardOutcome::Quiet)
    }
}
