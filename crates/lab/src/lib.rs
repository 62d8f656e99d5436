//! Benchmarks as data: questions in, a tape of answers, scores and paired statistics out.
//!
//! [`read_questions`] reads question files of several shapes, [`Tape`] keeps one row an answer and survives a kill,
//! [`Question::is_right`] scores without a judge, and [`paired`] says what a difference is worth.
//!
//! [`judge`] is the gate: canaries replayed against what [`Lock`], `reckon.lock`, says was accepted.
//!
//! No network, no clock: who answers and how long it took is handed in.

mod canary;
mod control;
mod error;
mod gate;
mod jsonl;
mod lock;
mod paired;
mod questions;
mod score;
mod tape;

pub use canary::{Canary, Fixed, Trial, canaries, canary_digest, read_canaries, replay_fixed};
pub use control::control_questions;
pub use error::{Error, Result};
pub use gate::{Before, Gate, Played, Rate, Trouble, judge, rates};
pub use jsonl::{Line, read_lines};
pub use lock::{Change, LONGEST_LOCK, Lock, Locked, Part, Sampler, State, affected};
pub use paired::{Paired, paired};
pub use questions::{Expected, Question, read_questions};
pub use tape::{Row, Tape};
