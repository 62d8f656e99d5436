//! What a guardrail is: it looks at a turn, and where it has evidence it may act once.
//!
//! The five rules live in these types. A guard that finds nothing never reaches `act` (the default route is the raw
//! answer). `act` gets a [`Desk`] that hands out one generation and no more. Whatever `act` returns, the raw answer
//! ships unless it is `Verdict::Revised`.

use crate::{
    Desk,
    detect::{Finding, Side},
    receipt::{Evidence, Program},
};
use reckon_engine::Message;

/// A question and its answer so far, as guards see them.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The conversation; the last message is the question.
    pub messages: &'a [Message],
    /// The answer as it stands: the model's own, or what an earlier guard made of it.
    pub answer: &'a str,
}

impl<'a> Turn<'a> {
    /// What was asked last.
    pub fn question(&self) -> &'a str {
        self.messages
            .last()
            .map_or("", |message| message.content.as_str())
    }

    /// What was found, for the receipt.
    pub(crate) fn evidence(&self, finding: Finding) -> Evidence {
        match finding.side {
            Side::Prompt => Evidence::new(finding, self.question()),
            Side::Response => Evidence::new(finding, self.answer),
        }
    }
}

/// What a guard came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The answer stands, for this reason: nothing was wrong, or the guard could not do better.
    Kept(String),
    /// The answer stands, and a tool came to the same.
    Confirmed(String),
    /// This text takes the answer's place.
    Revised {
        /// The whole new answer.
        text: String,
        /// Why it is better.
        reason: String,
    },
    /// The answer stands; the person is told to look at it.
    Flagged(String),
}

/// A guardrail. Without state: what it did is in the receipt.
pub trait Guard: Send + Sync {
    /// One word, as in `reckon guard explain WORD`.
    fn name(&self) -> &str;

    /// The evidence that makes it act, if there is any. Looks at the turn only; calls nothing.
    fn look(&self, turn: &Turn<'_>) -> Option<Finding>;

    /// Whether it might replace an answer to this question. Asked before there is one, so that a front end that
    /// cannot take text back holds it until it is settled.
    fn may_revise(&self, messages: &[Message]) -> bool;

    /// Tries to make the answer right.
    fn act(&self, turn: &Turn<'_>, desk: &mut Desk<'_>) -> Action;
}

/// What acting came to, and what was run for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// What becomes of the answer.
    pub verdict: Verdict,
    /// The program that was run, with its outcome.
    pub program: Option<Program>,
    /// A number that a tool has established: no later guard may lose it.
    pub value: Option<f64>,
}

impl Action {
    /// Without a program.
    pub fn plain(verdict: Verdict) -> Self {
        Self {
            verdict,
            program: None,
            value: None,
        }
    }

    /// The answer stands, for this reason.
    pub fn kept(reason: impl Into<String>) -> Self {
        Self::plain(Verdict::Kept(reason.into()))
    }
}
