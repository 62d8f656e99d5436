//! Tests of the crate through its public interface.
mod pipeline;
mod script;
mod bounds;
mod detect;
mod packs;
mod transcripts;
