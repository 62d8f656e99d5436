//! The child of this crate's tests: nothing but the jobs.
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    reckon_walls::child(reckon_solve::JOBS, &arguments).unwrap_or(ExitCode::FAILURE)
}
