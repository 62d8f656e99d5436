//! Tests of the crate through its public interface.
#![expect(clippy::print_stderr, reason = "tests say what they skip")]

mod bounds;
mod check;
mod detect;
#[expect(dead_code, reason = "no test here is about the senses")]
#[path = "../../../engine/tests/it/fixture.rs"]
mod fixture;
mod grammar;
mod jury;
mod packs;
mod pipeline;
mod questions;
mod script;
mod transcripts;
mod version;
