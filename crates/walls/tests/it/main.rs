//! Tests of the crate through its public interface, with `tests/jobs` as children.
#![expect(clippy::print_stderr, reason = "tests say what they skip")]

mod foreign;
mod frames;
mod jobs;
mod system;

use reckon_walls::{Error, Limits, Outcome, Runner, Start};

/// Children of this crate's own test jobs.
fn start() -> Start {
    Start {
        program: env!("CARGO_BIN_EXE_walls-test-jobs").into(),
        arguments: vec!["__sandbox".into()],
    }
}

fn run_with(job: &str, input: impl Into<Vec<u8>>, limits: &Limits) -> Result<Vec<u8>, Error> {
    reckon_walls::run(&start(), job, input.into(), limits)
}

fn run(job: &str, input: impl Into<Vec<u8>>) -> Result<Vec<u8>, Error> {
    run_with(job, input, &Limits::default())
}

fn outcome(job: &str, input: &str, limits: Limits) -> Outcome {
    let mut runner = Runner::new(start(), job, limits);
    runner.run(input.into(), &mut |kind, text| format!("{kind}: {text}"))
}
