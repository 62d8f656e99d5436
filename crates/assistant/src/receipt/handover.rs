//! What left this machine for an answer: to which peers, why, how much of it, and what came back.
//!
//! Written by whoever asks peers (`reckon::Peers`); this crate sends nothing. A receipt without it says that nothing left.
use crate::Mark;
use serde::{Deserialize, Serialize};

/// A question that was handed to other machines, or would have been.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Handover {
    /// Why a peer was to be asked.
    pub why: String,
    /// The peers, in the order in which they were turned to.
    pub peers: Vec<PeerEntry>,
    /// The answer of this machine, where a peer's stands in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// The mark of that answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_mark: Option<Mark>,
}

/// One peer: what it was sent and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerEntry {
    /// What the person calls it.
    pub peer: String,
    /// What it is there for.
    pub role: String,
    /// Where it was asked.
    pub url: String,
    /// The model that it was asked for.
    pub model: String,
    /// What it came to.
    pub outcome: PeerOutcome,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What left this machine.
    pub sent: Sent,
    /// Milliseconds until that was settled.
    pub ms: f64,
    /// Its answer, where it is not the one that ships.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The mark of that answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
}

/// How much left this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Requests: the question, and what guards asked about the answer.
    pub requests: usize,
    /// Messages of the conversation in the first of them.
    pub messages: usize,
    /// Bytes of all of them.
    pub bytes: usize,
}

/// What became of a peer, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PeerOutcome {
    /// Its answer ships.
    Used,
    /// It answered, and the answer of this machine ships all the same.
    Kept,
    /// It did not answer, or with something that is no answer.
    Failed,
    /// It was not asked.
    Skipped,
}

impl Handover {
    /// For this reason; nobody was asked yet.
    pub fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            ..Self::default()
        }
    }

    /// The peer whose answer ships.
    pub fn answered(&self) -> Option<&PeerEntry> {
        let used = |entry: &&PeerEntry| entry.outcome == PeerOutcome::Used;
        self.peers.iter().find(used)
    }
}

impl PeerEntry {
    /// In one line, for people.
    pub fn line(&self) -> String {
        let Self { peer, url, .. } = self;
        let came = match self.outcome {
            PeerOutcome::Used => "its answer ships",
            PeerOutcome::Kept => "the answer of this machine ships",
            PeerOutcome::Failed => "did not answer",
            PeerOutcome::Skipped => "not asked",
        };
        let reason = self.reason.iter().map(|why| format!(" ({why})"));
        let Sent {
            requests,
            messages,
            bytes,
        } = self.sent;
        let left = match requests {
            0 => "nothing left this machine".to_owned(),
            1 => format!("1 request of {messages} messages, {bytes} bytes left this machine"),
            n => format!("{n} requests, {bytes} bytes left this machine"),
        };
        let reason: String = reason.collect();
        format!("{peer} at {url}: {came}{reason}; {left}")
    }
}
