//! A pack as a guard: what a person described in a file, under the same rules as the seven.
//!
//! `strip` needs no model. The others spend the one generation, and their result ships only if the pack's own trigger
//! no longer fires (or its question is then answered with yes) and the answer is not gutted.

use super::{Arithmetic, flaw, is_gutted, question, with_note, with_objection};
use crate::{
    Action, Guard, GuardBudget, GuardRequest, Turn, Verdict,
    detect::Finding,
    guard::FRESH_ANSWER,
    pack::{Pack, PackAction},
};
use reckon_engine::Message;

impl Guard for Pack {
    fn name(&self) -> &str {
        &self.class
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        Self::look(self, turn.question(), turn.answer)
    }

    fn may_revise(&self, messages: &[Message]) -> bool {
        self.trigger.may_fire(question(messages))
    }

    fn act(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        match self.action {
            PackAction::Strip => match self.strip(turn.question(), turn.answer) {
                Some(text) => self.revised(text),
                None => Action::kept("nothing would be left"),
            },
            PackAction::Compute => Arithmetic.act(turn, budget),
            PackAction::Regenerate => self.regenerate(turn, budget),
            PackAction::Check => self.check(turn, budget),
        }
    }
}

impl Pack {
    fn regenerate(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        let text = match self.second(turn, budget) {
            Ok(text) => text,
            Err(reason) => return Action::kept(reason),
        };
        if self.look(turn.question(), &text).is_some() {
            return Action::kept("the second answer has it too");
        }
        self.revised(text)
    }

    fn check(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        let ask = |answer: &str| {
            let question = self.question.clone().unwrap_or_default();
            with_objection(turn.messages, answer, question)
        };
        if budget.decide(ask(turn.answer)) != Some(false) {
            return Action::kept("the check passes");
        }
        let text = match self.second(turn, budget) {
            Ok(text) => text,
            Err(reason) => return Action::kept(reason),
        };
        if budget.decide(ask(&text)) != Some(true) {
            return Action::kept("the second answer does not pass the check");
        }
        self.revised(text)
    }

    /// The one more answer, with the anchor.
    fn second(
        &self,
        turn: &Turn<'_>,
        budget: &mut GuardBudget<'_>,
    ) -> Result<String, &'static str> {
        let anchor = self.anchor.as_deref().unwrap_or("");
        let request = GuardRequest {
            messages: with_note(turn.messages, anchor),
            least_room: FRESH_ANSWER,
            ..GuardRequest::default()
        };
        let Some(text) = budget.generate(request) else {
            return Err("no second answer");
        };
        if let Some(why) = flaw(&text, turn.answer) {
            return Err(why);
        }
        if is_gutted(&text, turn.answer) {
            return Err("the second answer says too little");
        }
        Ok(text)
    }

    fn revised(&self, text: String) -> Action {
        Action::plain(Verdict::Revised {
            text,
            reason: self.summary.clone(),
        })
    }
}
