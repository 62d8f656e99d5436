//! Answers that are JSON of a given form, whatever the weights say: `cargo run --release --example schema -- model.gguf`
#![expect(clippy::print_stdout, reason = "an example for a terminal")]
use reckon::{Model, Schema};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which model file?")?;
    let schema = Schema::new(
        r#"{"type": "object", "required": ["name", "year"], "additionalProperties": false,
            "properties": {"name": {"type": "string"}, "year": {"type": "integer"}}}"#,
    )?;
    let mut chat = Model::open(path)?.chat().schema(schema);
    let question = "The Eiffel Tower was finished in 1889. Give its name and year as JSON.";
    println!("{}", chat.ask(question, |_| ())?.text);
    Ok(())
}
