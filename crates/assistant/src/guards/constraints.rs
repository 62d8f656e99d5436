//! Class 3, per-unit constraints: each requirement of the question is checked, and what fails is asked for again, once.
//!
//! The second answer is accepted only if strictly more requirements hold and none is lost. Where the requirements are
//! regular, it is written under a grammar that cannot drift.

use super::{question, with_objection};
use crate::{
    Action, Desk, Errand, Guard, Turn, Verdict,
    check::{self, Requirement, Verdict as Holds},
    detect::Finding,
};
use reckon_engine::{Message, Shape};

const INTRO: &str = include_str!("prompts/constraints.txt");

/// Checks what can be checked, refines what fails.
#[derive(Clone, Copy, Debug)]
pub struct Constraints;

impl Guard for Constraints {
    fn name(&self) -> &str {
        "constraints"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        let found = check::find(turn.question());
        let failed = found
            .iter()
            .find(|one| one.verify(turn.answer) == Holds::Fail)?;
        Some(failed.finding(turn.question()))
    }

    fn may_revise(&self, messages: &[Message]) -> bool {
        !check::find(question(messages)).is_empty()
    }

    fn act(&self, turn: &Turn<'_>, desk: &mut Desk<'_>) -> Action {
        let found = check::find(turn.question());
        let errand = Errand {
            messages: with_objection(turn.messages, turn.answer, objection(&found, turn.answer)),
            shape: check::grammar(&found).map(Shape::Lark),
            ..Errand::default()
        };
        let Some(text) = desk.generate(errand) else {
            return Action::kept("no second answer");
        };
        let (before, after) = (holding(&found, turn.answer), holding(&found, &text));
        if let Some(lost) = lost(&found, turn.answer, &text) {
            return Action::kept(format!("the second answer loses one: {}", lost.describe()));
        }
        if after <= before {
            return Action::kept(format!("{before} of {} hold in both answers", found.len()));
        }
        Action::plain(Verdict::Revised {
            reason: format!(
                "{after} instead of {before} of {} requirements hold",
                found.len()
            ),
            text,
        })
    }
}

/// How many requirements hold.
fn holding(found: &[Requirement], answer: &str) -> usize {
    let holds = |one: &&Requirement| one.verify(answer) == Holds::Pass;
    found.iter().filter(holds).count()
}

/// A requirement that holds before and not after.
pub(super) fn lost<'a>(
    found: &'a [Requirement],
    before: &str,
    after: &str,
) -> Option<&'a Requirement> {
    found
        .iter()
        .find(|one| one.verify(before) == Holds::Pass && one.verify(after) == Holds::Fail)
}

/// What the model is told: what fails and why, and what must stay true.
fn objection(found: &[Requirement], answer: &str) -> String {
    let mut text = INTRO.to_owned();
    let mut kept = Vec::new();
    for one in found {
        let finding = one.examine(answer);
        match finding.verdict {
            Holds::Fail if finding.evidence.is_empty() => {
                text += &format!("- {}\n", one.describe());
            }
            Holds::Fail => text += &format!("- {} ({})\n", one.describe(), finding.evidence),
            Holds::Pass => kept.push(one.describe()),
            Holds::Unknown => {}
        }
    }
    if !kept.is_empty() {
        text += "These hold already and must stay true:\n";
        for one in kept {
            text += &format!("- {one}\n");
        }
    }
    text + "Write the whole answer again, and nothing else."
}
