//! Tests of the crate through its public interface.
#[path = "../../../engine/tests/it/fixture.rs"]
mod fixture;
mod grammar;
mod pipeline;
mod script;
mod bounds;
mod detect;
mod packs;
mod transcripts;
