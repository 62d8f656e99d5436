//! One model, many threads, answered together: `cargo run --release --example many_askers -- model.gguf`
#![expect(clippy::print_stdout, reason = "an example for a terminal")]
use reckon::Model;
use std::thread;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which model file?")?;
    // Four at a time share each pass through the weights; each hears what it would hear alone.
    let model = Model::open(path)?.shared(4)?;
    thread::scope(|scope| {
        for city in ["Paris", "Quito", "Oslo", "Hanoi", "Lima", "Accra"] {
            let mut chat = model.chat().max_tokens(60);
            scope.spawn(move || {
                let question = format!("In one sentence: what is {city} known for?");
                match chat.ask(&question, |_| ()) {
                    Ok(reply) => println!("{city}: {}", reply.text),
                    Err(error) => println!("{city}: {error}"),
                }
            });
        }
    });
    Ok(())
}
