//! Class 3, per-unit constraints: each requirement of the question is checked, and what fails is asked for again, once.
//!
//! The second answer is accepted only if strictly more requirements hold, none is lost, and it is still an answer: it
//! says something of what the first said and does not go round in circles. Where the requirements are regular, it is
//! written under a grammar that cannot drift. Its length is bounded, whatever the model would like to write: unless a full
//! check was asked for, it takes at most twice the time of the first.

use super::{NO_ROOM, flaw, is_off_topic, question, with_objection};
use crate::{
    Action, Guard, GuardBudget, GuardRequest, Turn, Verdict,
    check::{self, Compliance, Relation, Requirement, Rule, What},
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
            .find(|one| one.verify(turn.answer) == Compliance::Fail)?;
        Some(failed.finding(turn.question()))
    }

    fn may_revise(&self, messages: &[Message]) -> bool {
        !check::find(question(messages)).is_empty()
    }

    fn act(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        let found = check::find(turn.question());
        let Some(room) = budget.brief_room(room(&found, GENEROUS), room(&found, SPARE)) else {
            return Action::kept(NO_ROOM);
        };
        let request = GuardRequest {
            messages: with_objection(turn.messages, turn.answer, objection(&found, turn.answer)),
            shape: check::grammar(&found).map(Shape::Lark),
            max_tokens: Some(room),
            ..GuardRequest::default()
        };
        let Some(text) = budget.generate(request) else {
            return Action::kept("no second answer");
        };
        let translated = |rule: &Rule| matches!(rule, Rule::Language(_) | Rule::Options(_));
        let off_topic = || {
            let free = found.iter().any(|one| translated(&one.rule));
            (!free && is_off_topic(&text, turn))
                .then_some("the second answer is about something else")
        };
        if let Some(why) = flaw(&text, turn.answer).or_else(off_topic) {
            return Action::kept(why);
        }
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

/// Tokens for a word, for a sentence, line or item, and for a paragraph.
type TokensFor = [u64; 3];
/// Words of a language that the model writes in small pieces, long sentences.
const GENEROUS: TokensFor = [3, 60, 200];
/// Nobody says it with fewer.
const SPARE: TokensFor = [1, 5, 16];

/// Tokens for an answer that is as long as was asked for.
fn room(found: &[Requirement], [word, sentence, paragraph]: TokensFor) -> usize {
    let tokens = |one: &Requirement| {
        let Rule::Count { what, bound } = &one.rule else {
            return 0;
        };
        let each = match what {
            What::Words | What::UniqueWords => word,
            What::Sentences | What::Lines | What::Bullets | What::Items => sentence,
            What::Paragraphs | What::StarredParts | What::Sections(_) => paragraph,
            _ => return 0,
        };
        let more = !matches!(bound.relation, Relation::LessThan | Relation::AtMost);
        if more {
            bound.number.saturating_mul(each)
        } else {
            0
        }
    };
    let most = found.iter().map(tokens).max().unwrap_or(0);
    usize::try_from(most.min(MOST_ROOM)).unwrap_or(0)
}

/// Nobody waits for more than this, however much was asked for.
const MOST_ROOM: u64 = 8192;

/// How many requirements hold.
fn holding(found: &[Requirement], answer: &str) -> usize {
    let holds = |one: &&Requirement| one.verify(answer) == Compliance::Pass;
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
        .find(|one| one.verify(before) == Compliance::Pass && one.verify(after) == Compliance::Fail)
}

/// What the model is told: what fails and why, and what must stay true.
fn objection(found: &[Requirement], answer: &str) -> String {
    let mut text = INTRO.to_owned();
    let mut kept = Vec::new();
    for one in found {
        let finding = one.examine(answer);
        match finding.verdict {
            Compliance::Fail if finding.evidence.is_empty() => {
                text += &format!("- {}\n", one.describe());
            }
            Compliance::Fail => text += &format!("- {} ({})\n", one.describe(), finding.evidence),
            Compliance::Pass => kept.push(one.describe()),
            Compliance::Unknown => {}
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
