//! Tests of the crate through its public interface.
#[path = "../../../engine/tests/it/fixture.rs"]
mod fixture;
mod grammar;
