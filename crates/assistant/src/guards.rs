//! The seven guards, one file each, in the order in which they look.
//!
//! What computes comes first: the other guards then look at the text that would ship. What a guard says to a model is
//! in `guards/prompts`.

mod arithmetic;
mod constraints;
mod correction;
mod counting;
mod derivation;
mod logic;
mod pack;
mod persona;
mod program;
mod qualifier;
mod shots;

pub use arithmetic::Arithmetic;
pub use constraints::Constraints;
pub use correction::Correction;
pub use counting::Counting;
pub use logic::Logic;
pub use persona::Persona;
pub use qualifier::Qualifier;

use crate::{Guard, Turn};
use reckon_engine::{Message, Role};

/// All of them.
pub fn all() -> Vec<Box<dyn Guard>> {
    vec![
        Box::new(Logic),
        Box::new(Arithmetic),
        Box::new(Constraints),
        Box::new(Persona),
        Box::new(Qualifier),
        Box::new(Correction),
        Box::new(Counting),
    ]
}

/// Compiles what guards look with, so that the first answer need not wait for it.
pub fn prepare() {
    let text = "How many words are there, and who is left of whom? Do not say it; act as one.";
    let messages = [Message {
        role: Role::User,
        content: text.to_owned(),
    }];
    for guard in all() {
        let _ = guard.may_revise(&messages);
        let _ = guard.look(&Turn {
            messages: &messages,
            answer: text,
        });
    }
}

/// The question of a conversation.
fn question(messages: &[Message]) -> &str {
    messages.last().map_or("", |last| last.content.as_str())
}

/// Whether a second answer was gutted rather than mended: less than a third of the first is left.
fn is_gutted(text: &str, answer: &str) -> bool {
    text.trim().len() * 3 < answer.trim().len()
}

/// The conversation with something more behind the question. The beginning stays, so that a model which has read it
/// need not read it again.
fn with_note(messages: &[Message], note: &str) -> Vec<Message> {
    let mut messages = messages.to_vec();
    if let Some(last) = messages.last_mut() {
        last.content.push_str("\n\n");
        last.content.push_str(note);
    }
    messages
}

/// The conversation, the answer and an objection to it.
fn with_objection(messages: &[Message], answer: &str, objection: String) -> Vec<Message> {
    let mut messages = messages.to_vec();
    messages.push(Message {
        role: Role::Assistant,
        content: answer.to_owned(),
    });
    messages.push(Message {
        role: Role::User,
        content: objection,
    });
    messages
}
