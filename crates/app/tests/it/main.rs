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
mod batch;
#[cfg(unix)]
mod bot;
mod chat;
mod check;
mod cli;
#[cfg(unix)]
#[path = "../../../bot/tests/it/double.rs"]
#[expect(dead_code, reason = "the bot's own tests need more of it")]
mod double;
mod elsewhere;
mod escape;
#[cfg(target_os = "linux")]
mod examples;
#[path = "../../../engine/tests/it/fixture.rs"]
mod fixture;
mod fleet;
mod gate;
mod grade;
mod guard;
mod judge;
mod lab;
mod logic;
mod markdown;
mod measure;
#[cfg(unix)]
mod memory;
#[path = "../../../engine/tests/it/senses/mmproj.rs"]
#[expect(dead_code, reason = "the engine's own tests need more of it")]
mod mmproj;
mod models;
mod mt_bench;
#[cfg(unix)]
mod names;
#[cfg(target_os = "linux")]
mod network;
mod pages;
mod place;
mod real;
mod recipe;
mod same;
#[path = "../../../models/tests/it/samples.rs"]
mod samples;
mod sandbox;
#[path = "../../../models/tests/it/server.rs"]
mod server;
mod speed;
mod terminal;
mod tokenize;
