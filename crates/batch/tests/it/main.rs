//! The queue as a command line and a server use it: files in and out, workers that are killed, databases that go away.
#![expect(
    clippy::print_stderr,
    reason = "tests say what they skip and what they measured"
)]

mod child;
mod hours;
mod input;
mod killed;
mod outputs;
mod postgres;
mod server;
mod summaries;
mod workers;
