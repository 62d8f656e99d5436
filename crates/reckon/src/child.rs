//! How a program that embeds this library becomes the child of its own sandbox.
//!
//! Programs that a model wrote run in a child process: the same executable, started again with [`CHILD`] as its first
//! argument. Such a process must not run the `main` of whoever embeds us. On Linux and macOS a constructor catches it before
//! `main`, so nobody has to do anything; elsewhere `main` calls [`child`] first.
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod constructor;

use reckon_solve::Start;
use std::{ffi::OsString, io, process::ExitCode};

/// First argument of a child; nobody types it.
const CHILD: &str = "__sandbox";

/// How children are started.
pub(crate) fn start() -> io::Result<Start> {
    // The link stays good when the file is replaced while we run.
    let program = if cfg!(target_os = "linux") {
        "/proc/self/exe".into()
    } else {
        std::env::current_exe()?
    };
    let arguments = vec![OsString::from(CHILD)];
    Ok(Start { program, arguments })
}

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
    child_of(std::env::args_os())
}

fn child_of(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    let (first, limits, None) = (arguments.next()?, arguments.next()?, arguments.next()) else {
        return None;
    };
    (first == CHILD).then(|| reckon_solve::child(&limits.to_string_lossy()))
}
