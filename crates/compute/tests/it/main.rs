//! Tests of the whole crate, through its public functions.
#![expect(clippy::print_stderr, reason = "tests say what they skip")]

mod direct;
mod everyday;
mod misread;
mod questions;
mod said;
mod terse;
mod typed;
