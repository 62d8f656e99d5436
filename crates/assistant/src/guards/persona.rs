//! Class 4, persona break: asked to be somebody, the model says that it is a model. One more try, with an anchor.

use super::{flaw, is_gutted, with_note};
use crate::{
    Action, Guard, GuardBudget, GuardRequest, Turn, Verdict,
    detect::{Finding, persona},
    guard::FRESH_ANSWER,
};
use reckon_engine::{Message, Role};

const ANCHOR: &str = include_str!("prompts/persona.txt");

/// Regenerates an answer that falls out of the persona it was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Persona;

impl Guard for Persona {
    fn name(&self) -> &str {
        "persona"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        persona::look(&told(turn.messages), turn.answer)
    }

    fn may_revise(&self, messages: &[Message]) -> bool {
        persona::asked(&told(messages)).is_some()
    }

    fn act(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        let request = GuardRequest {
            messages: with_note(turn.messages, ANCHOR.trim_end()),
            least_room: FRESH_ANSWER,
            ..GuardRequest::default()
        };
        let Some(text) = budget.generate(request) else {
            return Action::kept("no second answer");
        };
        if let Some(why) = flaw(&text, turn.answer) {
            return Action::kept(why);
        }
        if persona::look(&told(turn.messages), &text).is_some() {
            return Action::kept("the second answer breaks the persona too");
        }
        if is_gutted(&text, turn.answer) {
            return Action::kept("the second answer says too little");
        }
        Action::plain(Verdict::Revised {
            text,
            reason: "the answer fell out of its persona".into(),
        })
    }
}

/// All that the model was told: a persona holds from the turn that asks for it.
fn told(messages: &[Message]) -> String {
    let said = messages
        .iter()
        .filter(|message| message.role != Role::Assistant);
    let texts: Vec<&str> = said.map(|message| message.content.as_str()).collect();
    texts.join("\n\n")
}
