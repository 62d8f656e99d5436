//! Guardrails around a language model: they check an answer with classical tools before it stands, and keep a receipt.
//!
//! The model answers first and streams. Each guard then looks for evidence of its own kind of mistake; only where it
//! finds some may it act, once, and only what is provably better replaces the answer. What looked, what fired and what
//! it ran is in the receipt.
//!
//! No IO, no async code, no clock: models and tools are handed in.

pub mod about;
pub mod check;
pub mod choice;
pub mod detect;
pub mod guards;
pub mod pack;
pub mod scan;
pub mod version;

mod error;
mod guard;
mod jury;
mod mark;
mod model;
mod pipeline;
mod receipt;
mod tools;

pub use error::{Error, Result};
pub use guard::{Action, Guard, GuardBudget, GuardRequest, Turn, Verdict};
pub use jury::{Ballot, JURY_TEXTS, Juror, Jury, Vote};
pub use mark::{Mark, MarkState};
pub use model::{Ask, BatchEvent, CheckLevel, OnBatch, OnEvent, TextModel};
pub use pipeline::{Event, OnReply, Pipeline, Reply};
pub use receipt::{
    Cited, Digest, Entry, Evidence, GuardOutcome, Handover, PeerEntry, PeerOutcome, Program,
    Receipt, Sampler, Sent, Source, Spent,
};
pub use reckon_compute::number;
pub use tools::{NoTools, Outcome, Tools};
