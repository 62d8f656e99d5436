//! Runs anything hostile in a locked child process: a model's programs, SMT text, chat templates, documents, media.
//!
//! A [`Job`] is a name and a function from bytes to bytes. The parent starts its own binary again, the child locks itself
//! in (no files, no network, no processes; bounded time, memory and output) and only then reads its input, runs the job
//! once and ends. Whatever happens in there, the parent gets bytes or an [`Error`] of one line.
//!
//! Every binary that runs jobs begins its `main` with [`child`], which returns at once in the parent:
//! ```no_run
//! use reckon_walls::{Job, Limits, Start};
//! use std::process::ExitCode;
//!
//! const JOBS: &[Job] = &[Job::new("count", |text| Ok(text.len().to_string().into_bytes()))];
//!
//! fn main() -> ExitCode {
//!     let arguments: Vec<_> = std::env::args_os().collect();
//!     if let Some(code) = reckon_walls::child(JOBS, &arguments) {
//!         return code;
//!     }
//!     let start = Start::itself().unwrap();
//!     let length = reckon_walls::run(&start, "count", b"four".to_vec(), &Limits::default());
//!     assert_eq!(length.unwrap(), b"4");
//!     ExitCode::SUCCESS
//! }
//! ```
//! A job that prints or asks its parent questions uses [`inside`]; the parent then uses a [`Runner`], which also keeps a
//! child ready ahead of time.
//!
//! A program that is not ours runs as a [`helper`], under the limits that one program can set for another.
//!
//! Left out on purpose: threads, files and clocks of jobs. A job computes.
mod child;
mod error;
mod foreign;
mod frame;
mod job;
mod limits;
mod process;
mod runner;

pub use child::{channel as inside, child, child_before_main};
pub use error::Error;
pub use foreign::helper;
pub use job::{Job, Work};
pub use limits::Limits;
pub use process::{Protection, Start};
#[doc(hidden)]
pub use runner::replay;
pub use runner::{Outcome, Runner};

/// Runs a job once, in a fresh child that may ask nobody anything.
///
/// # Errors
/// Why there is no output: see [`Error`].
pub fn run(start: &Start, job: &str, input: Vec<u8>, limits: &Limits) -> Result<Vec<u8>, Error> {
    let mut runner = Runner::new(start.clone(), job, limits.clone());
    runner.run(input, &mut |_, _| String::new()).result
}
