//! No guard looks at an everyday request, so its answer cannot change.
use reckon::assistant::{Turn, guards};
use reckon::engine::Message;
use reckon_lab::control_questions;

/// An answer with nothing in it that a guard could act on.
const ANSWER: &str = "It has a long story. People have enjoyed it for ages, and there is much to discover. Start small, be patient, and ask those who know it well.";

#[test]
fn no_guard_looks_at_the_control_set() {
    let questions = control_questions();
    assert!(questions.len() >= 1000, "{}", questions.len());
    let mut seen = Vec::new();
    for question in &questions {
        let messages = [Message::user(question.turns[0].as_str())];
        let turn = Turn {
            messages: &messages,
            answer: ANSWER,
        };
        for guard in guards::all() {
            if guard.look(&turn).is_some() {
                seen.push(format!("{}: {}", guard.name(), question.turns[0]));
            }
        }
    }
    assert!(seen.is_empty(), "{seen:#?}");
}
