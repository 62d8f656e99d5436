//! The child of the tests: a binary that can do the jobs of this crate and nothing else.
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    reckon_walls::child(reckon_media::JOBS, &arguments).unwrap_or(ExitCode::FAILURE)
}
