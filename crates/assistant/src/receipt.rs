//! What made an answer, so that it can be inspected and made again: the model and its settings, which guards looked,
//! which fired, what they ran and spent.
//!
//! There is one receipt for all front ends: `reckon ask --json` prints it, tapes of the lab keep it, `/why` shows it. The
//! pipeline writes what the guards did, whoever knows the model adds the rest. Every guard of the pipeline has an entry.

mod display;
mod handover;

pub use handover::{Handover, PeerEntry, PeerOutcome, Sent};

use crate::{
    Mark, Outcome, Vote,
    detect::{Finding, Side},
};
use reckon_engine::{Generation, Sampling, Timing};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, path::PathBuf};

/// What made an answer. The names in JSON and their order are a contract; more may be added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// Who answered.
    pub model: Source,
    /// The system text that the model was given.
    pub system: Option<String>,
    /// How tokens were chosen.
    pub sampler: Sampler,
    /// Of Reckon.
    pub version: String,
    /// The instructions that computed it; results do not depend on them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isa: Option<String>,
    /// How keys and values were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv: Option<String>,
    /// The schema that the answer was held to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Digest>,
    /// What the model itself said; absent without guards, where it is the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// What was found out about the answer's number or conclusion; absent where there is nothing to verify.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// What left this machine for the answer; absent if nothing did and nothing was to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handover: Option<Handover>,
    /// One for each guard, in the order in which they looked.
    #[serde(default)]
    pub guards: Vec<Entry>,
    /// Pages of documents that the model was shown for this question, and what the answer quotes of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<Cited>,
    /// What the person had it remember, as the model was told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<String>,
    /// What the model was told about itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about_self: Option<String>,
}

/// A page of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cited {
    /// The document's name.
    pub file: String,
    /// The page, where pages are numbered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// How many passages of it were shown.
    pub passages: usize,
    /// What is quoted, as the page has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
}

/// A model, as far as it can be named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// What it is called.
    pub name: String,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Of the whole file, where it is known; nobody reads gigabytes for a receipt.
    #[serde(default)]
    pub sha256: Option<String>,
    /// Sha256 of the chat template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Where it was asked, if that was elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
}

/// How tokens were chosen: the engine's [`Sampling`], except that a server elsewhere decides most of it by itself, which
/// then is not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampler {
    /// 0 is greedy.
    pub temperature: f32,
    /// Keep the k most likely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// Keep the smallest set with this probability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f32>,
    /// Drop tokens less likely than this share of the best one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_p: Option<f32>,
    /// Above 1, repeats are less likely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition_penalty: Option<f32>,
    /// How far back the penalty looks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty_window: Option<usize>,
    /// Same seed, same bytes.
    pub seed: u64,
    /// Longest answer, if it was limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
}

impl Sampler {
    /// Of a model of this machine, where all of it is known.
    pub fn local(sampling: &Sampling, max_tokens: Option<usize>) -> Self {
        Self {
            top_k: Some(sampling.top_k),
            top_p: Some(sampling.top_p),
            min_p: Some(sampling.min_p),
            repetition_penalty: Some(sampling.repetition_penalty),
            penalty_window: Some(sampling.penalty_window),
            ..Self::remote(sampling, max_tokens)
        }
    }

    /// Of a server elsewhere: what it is told.
    pub fn remote(sampling: &Sampling, max_tokens: Option<usize>) -> Self {
        Self {
            temperature: sampling.temperature,
            seed: sampling.seed,
            max_tokens,
            ..Self::default()
        }
    }
}

/// A file that the person gave, by its digest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// Where it was, if it was a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Of its bytes.
    pub sha256: String,
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
    /// What the answers and programs of its jury came to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
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
    /// It looked and saw nothing to act on.
    Quiet,
    /// It did not look: the answer was cut, or is held to a schema.
    Skipped,
    /// It acted, and the answer stands.
    Kept,
    /// A tool came to the same answer.
    Confirmed,
    /// It replaced the answer.
    Revised,
    /// It asks the person to verify.
    Flagged,
}

impl GuardOutcome {
    /// Whether nothing was done: it saw nothing, or did not look.
    pub fn is_idle(self) -> bool {
        matches!(self, Self::Quiet | Self::Skipped)
    }
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
    /// Extra generations: 0 or 1; a batch is one.
    pub generations: usize,
    /// Answers and programs of that batch, where it was one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub samples: usize,
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

    /// One of a batch that is written at the same time: it takes no longer than the longest.
    pub(crate) fn add_beside(&mut self, said: &Generation) {
        let ms = self.ms;
        self.ms = 0.0;
        self.add(said);
        self.ms = self.ms.max(ms);
        self.samples += 1;
    }

    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Receipt {
    /// The entries of guards that acted.
    pub fn acted(&self) -> impl Iterator<Item = &Entry> {
        self.guards.iter().filter(|entry| !entry.outcome.is_idle())
    }
}
