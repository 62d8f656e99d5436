//! Benchmarks as data: questions, tapes of answers, scores without a judge, judges, paired statistics, and the gate.
//!
//! [`read_questions`] reads question files of several shapes, [`Tape`] keeps one row a turn and survives a kill,
//! [`Question::is_right`] scores without a judge, [`statistics`] say what a mean or a difference is worth, [`compare`],
//! [`report`] and [`classes`] make something of it that people can read.
//!
//! [`GateReport`] is the gate: canaries replayed and held against what [`lock`], `reckon.lock`, says was accepted.
//!
//! No network, no clock: who answers and how long it took is handed in.

pub mod calibrate;
mod canary;
mod check;
pub mod classes;
pub mod compare;
mod control;
mod error;
pub mod fastchat;
pub mod figures;
mod gate;
pub mod grade;
mod ifeval;
mod journal;
mod jsonl;
pub mod lock;
pub mod mt_bench;
mod questions;
pub mod report;
mod requirement;
pub mod statistics;
mod tape;

pub use canary::{
    Canary, Script, Trial, canaries, canary_ask, canary_digest, read_canaries, replay_scripted,
};
pub use check::Check;
pub use control::control_questions;
pub use error::{Error, Result};
pub use gate::{
    Accepted, GateFailure, GateReference, GateReport, GuardRate, MarkTrend, Trend, gate_failures,
    guard_rates,
};
pub use journal::Journal;
pub use jsonl::{Line, read_lines};
pub use questions::{Question, read_questions, rescore};
pub use reckon::assistant::{Receipt, Sampler, Source};
pub use requirement::{GRADER, Requirement};
pub use tape::{Row, Tape, Usage, read_tape};
