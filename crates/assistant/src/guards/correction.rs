//! Class 5, visible self-correction: a draft that the answer itself takes back is cut. No generation.

use super::question;
use crate::{
    Action, Guard, GuardBudget, Turn, Verdict,
    detect::{Finding, correction},
};
use reckon_engine::Message;

/// Cuts a draft that a complete restated answer follows.
#[derive(Clone, Copy, Debug)]
pub struct Correction;

impl Guard for Correction {
    fn name(&self) -> &str {
        "correction"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        correction::look(turn.question(), turn.answer)
    }

    /// Corrections come where something is worked out; a text without a number in its question streams.
    fn may_revise(&self, messages: &[Message]) -> bool {
        question(messages).contains(|c: char| c.is_ascii_digit())
    }

    fn act(&self, turn: &Turn<'_>, _: &mut GuardBudget<'_>) -> Action {
        match correction::strip(turn.question(), turn.answer) {
            Some(cut) => Action::plain(Verdict::Revised {
                text: cut.text,
                reason: "a draft that the answer itself corrects is left out".into(),
            }),
            None => Action::kept("nothing to cut"),
        }
    }
}
