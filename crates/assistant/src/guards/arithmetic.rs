//! Class 1, arithmetic drift: a number has to be what an independent computation comes to.
//!
//! Cheapest first. What the question states as a closed form is computed at once (`compute::direct`). What the answer
//! itself states is checked next: its equations, and programs whose output it claims (`draft`). Where neither settles it,
//! a jury has voted in one batch with the answer (`jury`): programs verify it, a broad agreement of answers and programs
//! corrects it, anything else is marked as doubtful. What else was tried: docs/guard-prompts.md.

mod draft;
mod vote;

use super::{constraints::lost, program, question};
use crate::{
    Action, Ask, CheckLevel, Guard, GuardBudget, Jury, Mark, MarkState, Turn, Verdict, check,
    detect::{Finding, Side, arithmetic, counting},
    jury::{Number, Outcome, said},
    number::{Value, format_number},
};
use draft::Refuted;
use reckon_compute::{
    direct::{self, Computed},
    misread::{Misreading, misreading},
};
use reckon_engine::Message;

const SHOTS: &str = include_str!("prompts/arithmetic.txt");

/// Computes what the answer claims.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic;

impl Guard for Arithmetic {
    fn name(&self) -> &str {
        "arithmetic"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        asked(turn.messages).or_else(|| draft::look(turn.answer))
    }

    fn may_revise(&self, messages: &[Message]) -> bool {
        asked(messages).is_some()
    }

    fn knows_the_end(&self, messages: &[Message]) -> bool {
        direct::compute(&earlier(messages), question(messages)).is_some()
    }

    fn jury(&self, ask: &Ask) -> Option<Jury> {
        let question = question(&ask.messages);
        let earlier = earlier(&ask.messages);
        if counting::look(question, "").is_some() || direct::compute(&earlier, question).is_some() {
            return None;
        }
        arithmetic::look_in(&earlier, question)?;
        let shown = program::with_examples(SHOTS, &ask.messages);
        Some(Jury::new(ask, &shown, &vote::opening(question), vote::run))
    }

    fn act(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        if budget.level() == CheckLevel::Off {
            return Action::kept("checks are off");
        }
        if let Some(computed) = direct::compute(&turn.earlier(), turn.question()) {
            return by_closed_form(turn, &computed);
        }
        let refuted = draft::refuted(turn, budget);
        match (budget.take_jury(), refuted) {
            (Some(jury), refuted) => by_jury(turn, &jury, refuted),
            (None, Some(refuted)) => refuted.action(None),
            (None, None) if counting::look(turn.question(), "").is_some() => {
                Action::kept("left to the guard for counts")
            }
            (None, None) => Action::kept("nothing settles it without the model")
                .mark(Mark::unchecked("no closed form, and no equation to check")),
        }
    }
}

/// A number is asked for, or the question states one as a closed form.
fn asked(messages: &[Message]) -> Option<Finding> {
    let (question, earlier) = (question(messages), earlier(messages));
    if direct::compute(&earlier, question).is_some() {
        let whole = 0..question.len();
        return Some(Finding::new(Side::Prompt, question, whole, "closed form"));
    }
    // Combinatorial counts have a guard of their own; puzzles are left out by the detector.
    if counting::look(question, "").is_some() {
        return None;
    }
    arithmetic::look_in(&earlier, question)
}

/// The person's earlier questions.
fn earlier(messages: &[Message]) -> Vec<&str> {
    let turn = Turn {
        messages,
        answer: "",
    };
    turn.earlier()
}

/// The question itself says what its answer is.
fn by_closed_form(turn: &Turn<'_>, computed: &Computed) -> Action {
    let Computed { text, how, .. } = computed;
    let is_said = computed.is_said(turn.question(), turn.answer);
    let mark = |state, why: String| Mark::new(state, why).value(text).votes(1, 1);
    match is_said {
        Some(true) => Action::plain(Verdict::Confirmed(format!("computed: {how}"))).mark(mark(
            MarkState::Verified,
            format!("computed, {how} = {text}"),
        )),
        Some(false) => {
            let was = said(turn.question(), turn.answer);
            let was = was.ok().map(|number| number.shown());
            let why = match &was {
                Some(was) => format!("the model said {was}; computed, {how} = {text}"),
                None => format!("computed, {how} = {text}"),
            };
            let texts = [format!("{how} = **{text}**"), text.clone()];
            revision(turn, texts, format!("computed: {how} = {text}"))
                .mark(mark(MarkState::Corrected, why).other(was))
        }
        None => {
            // Said once more it does no harm, and an exact result must not be left to guesses.
            let answer = draft::boxed_again(turn.answer.trim_end(), text);
            let texts = [
                format!("{answer}\n\n{how} = **{text}**"),
                format!("{how} = **{text}**"),
                text.clone(),
            ];
            let why = format!("it was not clear what the model said; computed, {how} = {text}");
            revision(turn, texts, why.clone()).mark(mark(MarkState::Corrected, why))
        }
    }
}

/// What the votes say, and what the answer's own equations and programs say against it.
fn by_jury(turn: &Turn<'_>, jury: &Jury, refuted: Option<Refuted>) -> Action {
    let own = said(turn.question(), turn.answer).ok();
    let own = own.map(|number| number.shown());
    let shown = |places: &[usize]| {
        let number = jury.number(places);
        number.map_or_else(String::new, |number| number.shown())
    };
    let program = |places: &[usize]| {
        let mut ballots = places.iter().filter_map(|&at| jury.ballot(at));
        ballots.find_map(|ballot| ballot.program.clone())
    };
    match believed(turn, jury) {
        Outcome::Verified { votes, cast } => {
            let number = said(turn.question(), turn.answer).ok();
            if let Some(misread) = number.and_then(|number| misread(turn, &number)) {
                return misread;
            }
            let value = own.unwrap_or_default();
            let why = format!("{votes} of {cast} computations give {value}");
            Action::plain(Verdict::Confirmed(why.clone()))
                .value(said(turn.question(), turn.answer).ok().map(|one| one.value))
                .mark(
                    Mark::new(MarkState::Verified, why)
                        .value(value)
                        .votes(votes, cast),
                )
        }
        Outcome::Corrected { by, cast } => {
            let (value, votes) = (shown(&by), by.len());
            let texts = by
                .iter()
                .filter_map(|&at| Some(jury.ballot(at)?.text.clone()));
            let texts: Vec<String> = texts.chain([value.clone()]).collect();
            let why = match &own {
                Some(own) => {
                    format!("the model said {own}; {votes} of {cast} computations give {value}")
                }
                None => format!("{votes} of {cast} computations give {value}"),
            };
            let mark = Mark::new(MarkState::Corrected, why.clone());
            revision(turn, texts, why)
                .program(program(&by))
                .value(jury.number(&by).map(|number| number.value.clone()))
                .mark(mark.value(value).other(own).votes(votes, cast))
        }
        Outcome::Doubtful { by, votes, cast } => {
            if let Some(refuted) = refuted {
                return refuted.action(Some(jury));
            }
            let (value, against) = (shown(&by), by.len());
            let own = own.unwrap_or_default();
            let why = format!(
                "the answer says {own} ({votes} of {cast}), others give {value} ({against})"
            );
            Action::plain(Verdict::Flagged(why.clone()))
                .program(program(&by))
                .mark(
                    Mark::new(MarkState::Doubtful, why)
                        .value(own)
                        .other(value)
                        .votes(votes, cast),
                )
        }
        Outcome::Silent { votes, cast } => {
            if let Some(refuted) = refuted {
                return refuted.action(Some(jury));
            }
            let why = match own {
                None => "it is not clear which number is the answer".to_owned(),
                Some(_) => "too few programs came to a number".to_owned(),
            };
            Action::kept(why.clone()).mark(Mark::unchecked(why).votes(votes, cast))
        }
    }
}

/// What the votes come to; a misreading that they share corrects nothing.
fn believed(turn: &Turn<'_>, jury: &Jury) -> Outcome {
    let is_misread = |by: &[usize]| {
        jury.number(by)
            .is_some_and(|one| misread(turn, one).is_some())
    };
    match jury.outcome(turn.answer) {
        Outcome::Corrected { by, cast } if is_misread(&by) => {
            Outcome::Doubtful { by, votes: 1, cast }
        }
        outcome => outcome,
    }
}

/// The votes agree on what small models come to by misreading such a question: that verifies and corrects nothing.
fn misread(turn: &Turn<'_>, agreed: &Number) -> Option<Action> {
    let Value::Exact(value) = &agreed.value else {
        return None;
    };
    let Misreading { why, other } = misreading(turn.question(), value)?;
    let other = other.map(|value| format_number(&Value::Exact(value)));
    let mut why = why.to_owned();
    if let Some(other) = &other {
        why += &format!("; else it is {other}");
    }
    let mark = Mark::new(MarkState::Doubtful, why.clone());
    let mark = mark.value(agreed.shown()).other(other);
    Some(Action::plain(Verdict::Flagged(why)).mark(mark))
}

/// The first of these texts that keeps what the person required and the answer fulfilled.
fn revision(turn: &Turn<'_>, texts: impl IntoIterator<Item = String>, reason: String) -> Action {
    let found = check::find(turn.question());
    let kept = |text: &String| lost(&found, turn.answer, text).is_none();
    match texts.into_iter().find(kept) {
        Some(text) => Action::plain(Verdict::Revised { text, reason }),
        None => Action::plain(Verdict::Flagged(
            "the computed answer would break a requirement".into(),
        )),
    }
}
