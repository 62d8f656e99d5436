//! The `reckon` command: hands the arguments to the library and ends with its exit code.
use std::process::ExitCode;

fn main() -> ExitCode {
    // Where no constructor does it before us: programs that a model wrote run in a child that is this binary.
    if let Some(code) = reckon::child() {
        return code;
    }
    reckon_app::run(std::env::args_os())
}
