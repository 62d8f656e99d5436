//! A model of a server, guarded in the same way: `cargo run --example endpoint -- http://localhost:11434/v1 llama3`
#![expect(clippy::print_stdout, reason = "an example for a terminal")]
use reckon::{Endpoint, EndpointOptions, Model};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("which server?")?;
    let name = arguments.next().ok_or("which model?")?;
    let options = EndpointOptions {
        // Sent over https or to this machine only.
        key: std::env::var("OPENAI_API_KEY").ok(),
        ..EndpointOptions::default()
    };
    let model = Model::remote(Endpoint::new(&url, &name, options)?);
    let mut chat = model.chat().guards(reckon::guards::all());
    let reply = chat.ask("12 boxes of 8 rolls, 37 sold. How many are left?", |_| ())?;
    println!("{}\n\n{}", reply.text, reply.receipt);
    Ok(())
}
