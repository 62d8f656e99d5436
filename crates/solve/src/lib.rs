//! Runs what a model wrote: untrusted programs in, verdicts out.
//!
//! [`Sandbox::run`] takes Python text and gives a [`Run`]: the value, what was printed, or why there is none. The program
//! runs behind `reckon_walls`, in a child process that can do nothing but calculate; it runs one program and ends. Whatever
//! happens in there, the parent gets a `Run`. A binary that uses this hands [`JOBS`] to [`reckon_walls::child`] first.
//!
//! The only way out of the child is one call, `_reckon.call(kind, text)` in Python, that the caller's closure answers.
//!
//! [`logic`] answers questions of logic: SMT-LIB, or z3py programs. They are parsed and solved in such a child as well.
//!
//! Left out on purpose: files, input, threads, packages that are not Python's own; see docs/sandbox.md.
pub mod logic;
mod python;
mod sandbox;

pub use python::{PYTHON, Z3PY};
pub use reckon_walls::{Error, Limits, Protection, Start};
pub use sandbox::{Run, Sandbox};

/// What children of this crate can be asked to do.
pub const JOBS: &[reckon_walls::Job] = &[PYTHON, Z3PY, logic::LOGIC];
