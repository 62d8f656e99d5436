//! Tests of the crate through its public interface.
mod bounds;
mod detect;
mod packs;
mod pipeline;
mod script;
mod transcripts;
