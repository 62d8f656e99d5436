//! What an answer itself states, checked without the model: its equations, and programs whose output it claims.

use crate::detect::{Finding, Side, correction};
use crate::{
    Action, GuardBudget, Jury, Mark, MarkState, Program, Turn, Verdict,
    guards::program,
    jury::{Number, said},
    number::{Value, format_number, last_box, numbers},
};
use num_rational::BigRational;
use reckon_compute::{
    equation::{equations, repaired_result},
    listing::{self, CodeClaim},
};

/// Most programs of one answer that are run.
const MOST_PROGRAMS: usize = 3;

/// A false equation, or a program with a claimed output.
pub(super) fn look(answer: &str) -> Option<Finding> {
    let found = |span, kind| Some(Finding::new(Side::Response, answer, span, kind));
    if let Some(wrong) = equations(answer).into_iter().find(|one| !one.holds()) {
        return found(wrong.span, "false equation");
    }
    let claim = listing::claims(answer).into_iter().next()?;
    found(claim.span, "claimed output")
}

/// An answer that contradicts itself.
pub(super) struct Refuted {
    /// What was wrong, in words.
    why: String,
    /// What the answer's own steps come to when they are computed.
    value: Option<Value>,
    /// What it said.
    was: String,
    /// The answer with that put right.
    text: Option<String>,
    program: Option<Program>,
}

/// What speaks against the answer, if anything does.
pub(super) fn refuted(turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Option<Refuted> {
    made_up_output(turn, budget).or_else(|| false_equation(turn))
}

/// A program of the answer gives something else than the answer claims.
fn made_up_output(turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Option<Refuted> {
    let claims = listing::claims(turn.answer);
    claims.into_iter().take(MOST_PROGRAMS).find_map(|claim| {
        let outcome = budget.python(&claim.code);
        let printed = outcome.stdout.trim();
        if outcome.error.is_some() || printed.is_empty() || is_same(printed, &claim.claimed) {
            return None;
        }
        let text = with_output(turn, &claim, printed);
        Some(Refuted {
            why: format!(
                "its program gives {}, not {}",
                short(printed),
                short(&claim.claimed)
            ),
            value: program::number(printed),
            was: short(&claim.claimed),
            text: Some(text),
            program: Some(Program {
                text: claim.code,
                outcome,
            }),
        })
    })
}

/// The answer with the real output in place of the claimed one, and the result said once more if it says another.
fn with_output(turn: &Turn<'_>, claim: &CodeClaim, printed: &str) -> String {
    let answer = turn.answer;
    let (before, after) = (&answer[..claim.span.start], &answer[claim.span.end..]);
    let value = program::number(printed);
    // What follows goes on with the number that was made up.
    let after = match (&numbers(&claim.claimed)[..], &value) {
        ([was], Some(value)) => restated(after, &was.value, value),
        _ => after.to_owned(),
    };
    let text = format!("{before}{printed}{after}");
    let says = said(turn.question(), &text).ok();
    match value {
        Some(value) if !says.is_some_and(|one| Value::same(&one.value, &value)) => {
            let shown = format_number(&value);
            let text = boxed_again(&text, &shown);
            format!("{text}\n\nThe answer is **{shown}**.")
        }
        _ => text,
    }
}

/// The answer with this in its last box, if it has one: a box is what people take for the result, so a wrong one is not
/// left standing above the right number.
pub(super) fn boxed_again(answer: &str, result: &str) -> String {
    let mut text = answer.to_owned();
    if let Some(held) = last_box(answer) {
        let result = result.replace('%', "\\%").replace('$', "\\$");
        text.replace_range(held, &result);
    }
    text
}

/// The text with this number in place of that one, wherever it is written.
fn restated(text: &str, was: &BigRational, value: &Value) -> String {
    let shown = format_number(value);
    let mut out = text.to_owned();
    // From the end, so that the places of the others stay what they are.
    for found in numbers(text).iter().rev() {
        if found.value == *was {
            out.replace_range(found.span.clone(), &shown);
        }
    }
    out
}

/// Whether two outputs are the same, numbers compared as numbers.
fn is_same(printed: &str, claimed: &str) -> bool {
    let words = |text: &str| {
        let lower = text.to_lowercase();
        lower.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    if words(printed) == words(claimed) {
        return true;
    }
    let (real, said) = (numbers(printed), numbers(claimed));
    // Rounded or in other words is still the same.
    !said.is_empty()
        && said.len() <= real.len()
        && said.iter().all(|one| {
            let is_it = |other: &&crate::number::Found| one.is(Value::Exact(other.value.clone()));
            real.iter().find(is_it).is_some()
        })
}

fn false_equation(turn: &Turn<'_>) -> Option<Refuted> {
    // An equation that the answer takes back itself is the business of the guard that cuts it.
    if correction::strip(turn.question(), turn.answer).is_some() {
        return None;
    }
    let wrong = equations(turn.answer)
        .into_iter()
        .find(|one| !one.holds())?;
    let actual = format_number(&Value::Exact(wrong.actual));
    let equation = format!("{} = {actual}", wrong.left.trim());
    let repaired = repaired_result(turn.answer, turn.question());
    let value = repaired.map(|one| Value::Exact(one.value));
    let was = said(turn.question(), turn.answer).ok();
    let text = value.as_ref().map(|value| {
        let result = format_number(value);
        let answer = match &was {
            Some(was) => conclusion_restated(turn.answer, was, value),
            None => turn.answer.to_owned(),
        };
        let answer = answer.trim_end();
        format!("{answer}\n\nCorrection: {equation}, so the answer is **{result}**.")
    });
    let claimed = format_number(&Value::Exact(wrong.claimed.value));
    Some(Refuted {
        why: format!("{equation}, not {claimed}"),
        value,
        was: was.map_or(claimed, |one| one.shown()),
        text,
        program: None,
    })
}

/// The answer with another number in its last paragraph: a conclusion that is known to be wrong is not left standing.
fn conclusion_restated(answer: &str, was: &Number, value: &Value) -> String {
    let Value::Exact(was) = &was.value else {
        return answer.to_owned();
    };
    let last = answer.trim_end().rfind("\n\n").map_or(0, |at| at + 2);
    format!(
        "{}{}",
        &answer[..last],
        restated(&answer[last..], was, value)
    )
}

impl Refuted {
    /// Corrects the answer where another computation supports what its own steps come to, else leaves a doubt.
    pub(super) fn action(self, jury: Option<&Jury>) -> Action {
        let Self {
            why,
            value,
            was,
            text,
            program,
        } = self;
        let shown = value.as_ref().map(format_number);
        let supported = match (jury, &value) {
            (Some(jury), Some(value)) => jury.supports(value),
            // What an answer's own steps come to is right in three of four cases, measured: not enough by itself.
            _ => false,
        };
        let state = match (&text, supported) {
            (Some(_), true) => MarkState::Corrected,
            _ => MarkState::Doubtful,
        };
        let mark = Mark {
            value: shown,
            other: Some(was),
            ..Mark::new(state, why.clone())
        };
        let verdict = match text {
            // A made-up output is replaced in any case: it is not what the program prints.
            Some(text) if supported || program.is_some() => Verdict::Revised { text, reason: why },
            _ => Verdict::Flagged(why),
        };
        let value = value.filter(|_| supported);
        Action::plain(verdict)
            .program(program)
            .value(value)
            .mark(mark)
    }
}

/// The first line, for a mark.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or("").trim();
    line.chars().take(60).collect()
}
