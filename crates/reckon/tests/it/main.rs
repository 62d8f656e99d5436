//! The library as programs meet it: through its public functions only, with tiny random models and scripted ones.
#![expect(clippy::print_stderr, reason = "tests say what they skip")]

mod attachment;
mod chat;
mod documents;
mod endpoint;
#[path = "../../../engine/tests/it/fixture.rs"]
mod fixture;
mod given;
mod many;
#[path = "../../../engine/tests/it/senses/mmproj.rs"]
#[expect(dead_code, reason = "the engine's own tests need more of it")]
mod mmproj;
mod peers;
mod prefixes;
mod sandbox;
mod script;
