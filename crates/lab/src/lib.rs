//! Benchmarks as data: questions in, a tape of answers, scores and paired statistics out.
//!
//! [`read_questions`] reads question files of several shapes, [`Tape`] keeps one row an answer and survives a kill,
//! [`Question::is_right`] scores without a judge, and [`paired`] says what a difference is worth.
//!
//! No network, no clock: who answers and how long it took is handed in.

mod control;
mod error;
mod jsonl;
pub mod mt_bench;
mod paired;
mod questions;
mod score;
mod tape;

pub use control::control_questions;
pub use error::{Error, Result};
pub use jsonl::{Line, read_lines};
pub use paired::{Paired, paired};
pub use questions::{Expected, Question, read_questions};
pub use tape::{Row, Tape};
