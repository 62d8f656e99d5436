//! Benchmarks as data: questions in, a tape of answers, scores and paired statistics out.
//!
//! [`read_questions`] reads question files of several shapes, [`Tape`] keeps one row a turn and survives a kill,
//! [`Question::is_right`] scores without a judge, and [`paired`] says what a difference is worth.
//!
//! No network, no clock: who answers and how long it took is handed in.

mod check;
mod control;
mod error;
pub mod grade;
mod ifeval;
mod journal;
mod jsonl;
mod paired;
mod questions;
mod tape;

pub use check::Check;
pub use control::control_questions;
pub use error::{Error, Result};
pub use journal::Journal;
pub use jsonl::{Line, read_lines};
pub use paired::{Paired, paired};
pub use questions::{Question, read_questions, rescore};
pub use tape::{Receipt, Row, Sampler, Source, Tape, Usage, read_tape};
