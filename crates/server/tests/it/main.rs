//! The server as its clients see it: over TCP, with a tiny random model or a scripted one.
mod client;
#[path = "../../../engine/tests/it/fixture.rs"]
mod fixture;
mod fixtures;
mod house;
mod keys;
mod limits;
mod page;
mod protocols;
mod streams;
mod tools;
