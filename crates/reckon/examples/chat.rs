//! A guarded conversation in the terminal: `cargo run --release --example chat -- model.gguf`
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example for a terminal"
)]
use reckon::{Event, Model};
use std::io::{self, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which model file?")?;
    let model = Model::open(path)?;
    let mut chat = model.chat().guards(reckon::guards::all());
    eprintln!("{}: say something, or end with Ctrl-D", model.info().name);
    for line in io::stdin().lines() {
        let reply = chat.ask(&line?, |event| match event {
            Event::Text(text) => {
                print!("{text}");
                // A terminal that is gone ends the loop at the next line.
                let _ = io::stdout().flush();
            }
            Event::Revise { guard, text } => println!("\n[{guard} puts it right]\n{text}"),
            _ => {}
        })?;
        eprintln!("\n{}\n", reply.receipt);
    }
    Ok(())
}
