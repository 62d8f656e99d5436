//! Runs the program on standard input, without walls: `cargo run -p reckon-python --example run < program.py`.
//!
//! Prints what it prints, then `=>` and its value, or `!!` and its error line. For comparing with CPython.
use reckon_python::{Host, Interpreter};
use std::io::Read;

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let stack = 256 << 20;
    let work = move || {
        let host = Host {
            write: Box::new(|text, shown| {
                use std::io::Write;
                let _ = match shown {
                    true => std::io::stdout().write_all(text.as_bytes()),
                    false => std::io::stderr().write_all(text.as_bytes()),
                };
            }),
            call: Box::new(|_, _| Err("nobody answers".into())),
            modules: &[],
        };
        Interpreter::new(host, stack).run(&text, "memory")
    };
    let result = std::thread::Builder::new()
        .stack_size(stack)
        .spawn(work)?
        .join();
    use std::io::Write;
    match result {
        Ok(Ok(value)) => writeln!(std::io::stdout(), "=> {value}"),
        Ok(Err(line)) => writeln!(std::io::stdout(), "!! {line}"),
        Err(_) => writeln!(std::io::stdout(), "PANIC"),
    }
}
