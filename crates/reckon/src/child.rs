//! How a program that embeds this library becomes the child of its own sandbox.
//!
//! Programs that a model wrote run in a child process: the same executable, started again (`reckon_walls::Start::itself`).
//! Such a process must not run the `main` of whoever embeds us. On Linux and macOS a constructor catches it before
//! `main`, so nobody has to do anything; elsewhere `main` calls [`child`] first.
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod constructor;

use std::{ffi::OsString, process::ExitCode};

/// Runs as a child of a sandbox, if this process was started as one; then `main` returns the code that it gives.
///
/// Only needed where the constructor of this module does not exist (Windows); anywhere else it does no harm.
///
/// ```
/// use std::process::ExitCode;
/// fn main() -> ExitCode {
///     if let Some(code) = reckon::child() {
///         return code;
///     }
///     // the program itself
///     ExitCode::SUCCESS
/// }
/// ```
pub fn child() -> Option<ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    reckon_walls::child(&jobs(), &arguments)
}

/// All that a child can do: programs and puzzles, and files of strangers.
fn jobs() -> Vec<reckon_walls::Job> {
    [reckon_solve::JOBS, reckon_media::JOBS].concat()
}
