//! A guard of your own behind the built-in ones: `cargo run --release --example own_guard -- model.gguf`
//!
//! It looks at every answer and acts only where it has evidence: here, an answer that promises a follow-up.
#![expect(clippy::print_stdout, reason = "an example for a terminal")]
use reckon::{
    Guard, Message, Model,
    assistant::{
        Action, GuardBudget, Turn, Verdict,
        detect::{Finding, Side},
    },
};

/// "I will get back to you": nobody will.
struct NoPromises;

const PROMISE: &str = "get back to you";

impl Guard for NoPromises {
    fn name(&self) -> &str {
        "promises"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        let start = turn.answer.find(PROMISE)?;
        Some(Finding {
            side: Side::Response,
            span: start..start + PROMISE.len(),
            kind: "promise",
            evidence: PROMISE.into(),
        })
    }

    fn may_revise(&self, _: &[Message]) -> bool {
        false
    }

    fn act(&self, _: &Turn<'_>, _: &mut GuardBudget<'_>) -> Action {
        Action::plain(Verdict::Flagged("it cannot keep this promise".into()))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which model file?")?;
    let mut guards = reckon::guards::all();
    guards.push(Box::new(NoPromises));
    let mut chat = Model::open(path)?.chat().guards(guards);
    let reply = chat.ask(
        "Who won yesterday? If unsure, say you will get back to me.",
        |_| (),
    )?;
    println!("{}\n\n{}", reply.text, reply.receipt);
    Ok(())
}
