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

pub use arithmetic::Arithmetic;
pub use constraints::Constraints;
pub use correction::Correction;
pub use counting::Counting;
pub use logic::Logic;
pub use persona::Persona;
pub use qualifier::Qualifier;

use crate::{Guard, Turn};
use reckon_engine::Message;

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
    let messages = [Message::user(text)];
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

/// Why there is no second answer where [`GuardBudget::brief_room`](crate::GuardBudget::brief_room) gives none.
const NO_ROOM: &str =
    "a second answer would take over twice the time of the first; a full check allows it";

/// Why a second answer must not take the place of the first, whatever it fulfils: it says nothing, or repeats itself
/// where the first does not. A small model that is held to a form it cannot fill writes such texts.
fn flaw(text: &str, answer: &str) -> Option<&'static str> {
    if !text.contains(char::is_alphanumeric) {
        return Some("the second answer says nothing");
    }
    (is_repetition(text) && !is_repetition(answer)).then_some("the second answer repeats itself")
}

/// Whether a text has nothing to do with the question and the answer before it: no word of content is shared.
fn is_off_topic(text: &str, turn: &Turn<'_>) -> bool {
    let known = stems(turn.answer);
    let asked = stems(turn.question());
    let own = stems(text);
    !own.is_empty() && own.is_disjoint(&known) && own.is_disjoint(&asked)
}

/// The beginnings of the longer words of a text: "sleeping" and "sleep" are one.
fn stems(text: &str) -> std::collections::HashSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let stem = |word: &str| word.chars().take(4).collect::<String>();
    let content =
        |word: &&str| word.chars().count() > 3 || word.contains(|c: char| c.is_ascii_digit());
    words.filter(content).map(stem).collect()
}

/// The same three words again and again, or letters without an end.
fn is_repetition(text: &str) -> bool {
    let endless = |word: &str| word.chars().count() > 60 && word.chars().all(char::is_alphabetic);
    if text.split_whitespace().any(endless) {
        return true;
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let threes: std::collections::HashSet<&[&str]> = words.windows(3).collect();
    words.len() >= 12 && threes.len() * 3 < words.len() - 2
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
    messages.push(Message::assistant(answer));
    messages.push(Message::user(objection));
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_go_round_in_circles_are_told_from_texts() {
        for bad in [
            "the sea is the sea is the sea is the sea is the sea is the sea is".to_owned(),
            "no ".repeat(40),
            "a".repeat(61),
        ] {
            assert_eq!(
                flaw(&bad, "The sea is wide."),
                Some("the second answer repeats itself")
            );
        }
        assert_eq!(
            flaw("- … -", "The sea."),
            Some("the second answer says nothing")
        );
        let chorus =
            "Row, row, row your boat, gently down the stream. Row, row, row your boat to the sea.";
        assert_eq!(flaw(chorus, "Rowing is fun."), None);
        let asked_for = "no ".repeat(20);
        assert_eq!(
            flaw(&"no ".repeat(40), &asked_for),
            None,
            "the first does it too"
        );
    }

    #[test]
    fn a_second_answer_is_about_something_that_was_said() {
        let messages = [Message::user(
            "What is the capital of France? Answer in one word.",
        )];
        let answer = "The capital of France is Paris.";
        let turn = Turn {
            messages: &messages,
            answer,
        };
        assert!(!is_off_topic("Paris", &turn));
        assert!(!is_off_topic("No.", &turn), "too short to tell");
        assert!(is_off_topic("Wonderful", &turn));
    }
}
