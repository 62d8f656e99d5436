//! Class 2, logic variance: a puzzle of people, objects and positions is handed to a solver.

use super::question;
use crate::{Action, Desk, Evidence, Guard, Turn, detect::logic};
use reckon_engine::Message;

/// Solves puzzles.
#[derive(Clone, Copy, Debug)]
pub struct Logic;

impl Guard for Logic {
    fn name(&self) -> &str {
        "logic"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Evidence> {
        logic::look(turn.question(), "").map(Evidence::from)
    }

    fn may_revise(&self, messages: &[Message]) -> bool {
        logic::look(question(messages), "").is_some()
    }

    fn act(&self, _: &Turn<'_>, _: &mut Desk<'_>) -> Action {
        Action::kept("no solver yet")
    }
}
