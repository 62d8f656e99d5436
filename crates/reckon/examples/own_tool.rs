//! Tools of your own for the guards: `cargo run --release --example own_tool -- model.gguf`
//!
//! Here each program is printed before the sandbox runs it. The same two functions could ask a service instead.
#![expect(clippy::print_stdout, reason = "an example for a terminal")]
use reckon::{Model, Outcome, Toolbox, Tools};

struct Loud(Toolbox);

impl Tools for Loud {
    fn python(&mut self, program: &str) -> Outcome {
        println!("--- runs:\n{program}");
        let outcome = self.0.python(program);
        println!("--- gives: {:?}", outcome.value);
        outcome
    }

    fn logic(&mut self, program: &str) -> Outcome {
        println!("--- solves:\n{program}");
        self.0.logic(program)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which model file?")?;
    let model = Model::open(path)?;
    let mut chat = model
        .chat()
        .guards(reckon::guards::all())
        .tools(Loud(reckon::tools()));
    let reply = chat.ask("12 boxes of 8 rolls, 37 sold. How many are left?", |_| ())?;
    println!("{}", reply.text);
    Ok(())
}
