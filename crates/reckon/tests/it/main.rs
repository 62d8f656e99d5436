//! The library as programs meet it: through its public functions only, with tiny random models and scripted ones.
mod chat;
mod documents;
mod endpoint;
#[path = "../../../engine/tests/it/fixture.rs"]
mod fixture;
mod given;
mod many;
mod prefixes;
mod sandbox;
mod script;
