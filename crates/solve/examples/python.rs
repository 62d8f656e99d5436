//! The sandbox in a program of one's own: `cargo run -p reckon-solve --example python -- 'answer = 6 * 7'`.
//!
//! The same binary is parent and child. The child must do nothing before it calls `reckon_solve::child`.
use reckon_solve::{Limits, Sandbox, Start};
use std::process::ExitCode;

#[expect(clippy::print_stdout, reason = "an example that shows a result")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, first, limits] = arguments.as_slice()
        && first == "child"
    {
        return reckon_solve::child(limits);
    }
    let Ok(program) = std::env::current_exe() else {
        return ExitCode::FAILURE;
    };
    let arguments_of_a_child = vec!["child".into()];
    let start = Start {
        program,
        arguments: arguments_of_a_child,
    };
    let mut sandbox = Sandbox::new(start, Limits::default());
    for program in &arguments[1..] {
        let run = sandbox.run(program, &mut |kind, text| format!("{kind} of {text}"));
        println!("{run:?}");
    }
    ExitCode::SUCCESS
}
