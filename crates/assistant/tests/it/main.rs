//! Tests of the crate through its public interface.
mod bounds;
mod check;
mod detect;
#[path = "../../../engine/tests/it/fixture.rs"]
mod fixture;
mod grammar;
mod packs;
mod pipeline;
mod script;
mod transcripts;
