//! The `reckon` command: hands the arguments to the library and ends with its exit code.
use std::process::ExitCode;

fn main() -> ExitCode {
    reckon::run(std::env::args_os())
}
