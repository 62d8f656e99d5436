//! The sandbox in a program of one's own: `cargo run -p reckon-solve --example python -- 'answer = 6 * 7'`.
//!
//! The same binary is parent and child. The child must do nothing before it calls `reckon_walls::child`.
use reckon_solve::{JOBS, Limits, Sandbox, Start};
use std::{error::Error, process::ExitCode};

#[expect(clippy::print_stdout, reason = "an example that shows a result")]
fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = reckon_walls::child(JOBS, &arguments) {
        return Ok(code);
    }
    let mut sandbox = Sandbox::new(Start::itself()?, Limits::default());
    for program in std::env::args().skip(1) {
        let run = sandbox.run(&program, &mut |kind, text| format!("{kind} of {text}"));
        println!("{run:?}");
    }
    Ok(ExitCode::SUCCESS)
}
