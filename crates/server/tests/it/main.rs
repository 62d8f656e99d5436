//! The server as its clients see it: over TCP, with a tiny random model or a scripted one.
mod attachments;
mod batches;
mod client;
#[expect(dead_code, reason = "the tests of the program use more of it")]
#[path = "../../../app/tests/it/elsewhere.rs"]
mod elsewhere;
#[path = "../../../engine/tests/it/fixture.rs"]
mod fixture;
mod fixtures;
mod handover;
mod house;
mod keys;
mod limits;
#[expect(dead_code, reason = "the tests of the engine use more of it")]
#[path = "../../../engine/tests/it/senses/mmproj.rs"]
mod mmproj;
mod openapi;
mod page;
mod protocols;
mod streams;
mod tools;
mod transcriptions;
