//! Runs what a model wrote: untrusted programs in, verdicts out.
//!
//! [`Sandbox::run`] takes Python text and gives a [`Run`]: the value, what was printed, or why there is none. The program
//! runs in a child process, the same binary started again, that calls [`child`] and nothing else. The child locks itself
//! in before it reads the program: no files, no network, no environment, no processes; bounded time, memory and output.
//! It runs one program and ends. Whatever happens in there, the parent gets a `Run`.
//!
//! The only way out of the child is one call, `_reckon.call(kind, text)` in Python, that the caller's closure answers.
//!
//! [`logic`] answers questions of logic: SMT-LIB, or z3py programs that run in the sandbox.
//!
//! Left out on purpose: files, input, threads, packages that are not Python's own; see docs/sandbox.md.
mod child;
mod error;
mod frame;
mod limits;
pub mod logic;
mod run;
mod sandbox;

pub use child::child;
pub use error::Error;
pub use limits::Limits;
pub use run::{Protection, Run};
pub use sandbox::{Sandbox, Start};
