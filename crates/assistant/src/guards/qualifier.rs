//! Class 6, qualifier drift: what the question rules out is delivered all the same.
//!
//! What can be seen by looking is decided so. Where it cannot, the model is asked one question that it can only answer
//! with yes or no. Then one more try; it is accepted only if the same check passes.

use super::{NO_ROOM, flaw, is_gutted, is_off_topic, question, with_objection};
use crate::{
    Action, Guard, GuardBudget, GuardRequest, Turn, Verdict,
    detect::{
        Finding,
        qualifier::{self, Condition},
    },
};
use reckon_engine::Message;

/// Holds an answer to what its question rules out.
#[derive(Clone, Copy, Debug)]
pub struct Qualifier;

impl Guard for Qualifier {
    fn name(&self) -> &str {
        "qualifier"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        let conditions = qualifier::find(turn.question());
        let seen = conditions.iter().find_map(|one| one.violation(turn.answer));
        let asked = || conditions.iter().find(|one| one.excluded.is_some());
        seen.or_else(|| asked().map(|one| one.finding.clone()))
    }

    fn may_revise(&self, messages: &[Message]) -> bool {
        !qualifier::find(question(messages)).is_empty()
    }

    fn act(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        let conditions = qualifier::find(turn.question());
        let Some(broken) = broken(&conditions, turn, turn.answer, budget) else {
            return Action::kept("the answer respects it");
        };
        let Some(room) = budget.brief_room(0, 0) else {
            return Action::kept(NO_ROOM);
        };
        let request = GuardRequest {
            messages: with_objection(turn.messages, turn.answer, objection(broken)),
            max_tokens: Some(room),
            ..GuardRequest::default()
        };
        let Some(text) = budget.generate(request) else {
            return Action::kept("no second answer");
        };
        if let Some(why) = flaw(&text, turn.answer) {
            return Action::kept(why);
        }
        if is_gutted(&text, turn.answer) || is_off_topic(&text, turn) {
            return Action::kept("the second answer says too little");
        }
        if self::broken(&conditions, turn, &text, budget).is_some() {
            return Action::kept("the second answer does not respect it either");
        }
        Action::plain(Verdict::Revised {
            text,
            reason: format!("the answer ignored \"{}\"", broken.finding.evidence),
        })
    }
}

/// The first condition that the answer breaks: by looking, else by one question.
fn broken<'a>(
    conditions: &'a [Condition],
    turn: &Turn<'_>,
    answer: &str,
    budget: &mut GuardBudget<'_>,
) -> Option<&'a Condition> {
    let seen = conditions
        .iter()
        .find(|one| one.violation(answer).is_some());
    if seen.is_some() {
        return seen;
    }
    let doubtful = conditions
        .iter()
        .find(|one| one.excluded.is_some() && !is_mechanical(one))?;
    let messages = with_objection(turn.messages, answer, doubtful.question());
    (budget.decide(messages) == Some(false)).then_some(doubtful)
}

fn objection(broken: &Condition) -> String {
    let excluded = match &broken.excluded {
        Some(term) => format!(" Do not give {term}."),
        None => String::new(),
    };
    format!(
        "I asked for something else: \"{}\".{excluded} Write the whole answer again so that it respects this, and nothing else.",
        broken.finding.evidence
    )
}

/// Whether looking settles it.
fn is_mechanical(condition: &Condition) -> bool {
    matches!(condition.finding.kind, "unmentioned" | "unused" | "bracket")
}
