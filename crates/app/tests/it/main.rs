//! The program as people and scripts meet it: the real binary, a loopback hub, a pip made of a shell script.
//!
//! Models are the tiny random ones of the engine's tests, written into the directory of the test.
#![expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests say what they skip and what they measured"
)]

mod ask;
mod bad;
mod chat;
mod check;
mod cli;
mod elsewhere;
mod escape;
#[path = "../../../engine/tests/it/fixture.rs"]
mod fixture;
mod gate;
mod grade;
mod guard;
mod hub;
mod judge;
mod lab;
mod logic;
mod markdown;
mod measure;
mod mt_bench;
mod pages;
mod place;
mod real;
#[cfg(unix)]
mod registry;
mod same;
mod sandbox;
mod server;
mod speed;
mod startup;
mod terminal;
mod tokenize;
