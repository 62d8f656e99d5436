//! Suggests the classes that the failure of a row seems to belong to.

use super::{By, Case, OTHER, Outcome, Spot};
use crate::{Check, Question, Row};
use reckon::assistant::{Entry, detect::Finding, scan};

/// The cases of a row; none if nothing failed as far as can be told.
pub(super) fn cases(row: &Row, question: Option<&Question>) -> Vec<Case> {
    let case = |class: &str, by: By, spot: Option<Spot>| Case {
        class: class.to_owned(),
        id: row.id.clone(),
        turn: row.turn,
        by,
        outcome: Outcome::of(row),
        spot,
        note: None,
    };
    let fired: Vec<Case> = entries(row)
        .filter(|entry| entry.fired)
        .map(|entry| case(&entry.guard, By::Fired, spot_of(entry)))
        .collect();
    if !fired.is_empty() {
        return fired;
    }
    if row.raw_right != Some(false) {
        return Vec::new();
    }
    if let Some(entry) = entries(row).next() {
        return vec![case(&entry.guard, By::Looked, spot_of(entry))];
    }
    if let Some((guard, spot)) = seen(row, question) {
        return vec![case(&guard, By::Seen, Some(spot))];
    }
    match question.and_then(|one| checked(one, row.turn)) {
        Some(class) => vec![case(class, By::Check, None)],
        None => vec![case(OTHER, By::Check, None)],
    }
}

/// Where a guard saw something of this class.
pub(super) fn spot(row: &Row, class: &str) -> Option<Spot> {
    entries(row)
        .find(|entry| entry.guard == class)
        .and_then(spot_of)
}

fn entries(row: &Row) -> impl Iterator<Item = &Entry> {
    let guards = row.receipt.guards.iter();
    guards.filter(|entry| !entry.outcome.is_idle())
}

fn spot_of(entry: &Entry) -> Option<Spot> {
    let evidence = entry.evidence.as_ref()?;
    Some(Spot {
        side: evidence.side,
        span: evidence.span,
        kind: evidence.kind.to_string(),
    })
}

/// What a detector sees in the raw answer, or else in the question.
fn seen(row: &Row, question: Option<&Question>) -> Option<(String, Spot)> {
    let prompt = question.and_then(|one| one.turns.get(row.turn.checked_sub(1)?));
    let prompt = prompt.map_or("", String::as_str);
    let found = scan::scan(prompt, &row.raw, &[]);
    let mut all = found.fired.into_iter().chain(found.looked);
    let first = all.find(|one| one.acts)?;
    let text = match first.finding.side {
        reckon::assistant::detect::Side::Prompt => prompt,
        reckon::assistant::detect::Side::Response => &row.raw,
    };
    Some((first.guard, place(first.finding, text)))
}

/// Spans of findings count bytes, those of people characters.
fn place(finding: Finding, text: &str) -> Spot {
    let before = |byte: usize| text.get(..byte).map_or(0, |head| head.chars().count());
    Spot {
        side: finding.side,
        span: [before(finding.span.start), before(finding.span.end)],
        kind: finding.kind.to_string(),
    }
}

/// What a question that was answered wrongly asks for.
fn checked(question: &Question, turn: usize) -> Option<&'static str> {
    let checks = question.checks.get(turn.checked_sub(1)?)?;
    checks.iter().find_map(|check| match check {
        Check::Number(_) | Check::Near { .. } => Some("arithmetic"),
        Check::Choice { .. } | Check::Word(..) => Some("logic"),
        Check::Constraints(_) => Some("constraints"),
        _ => None,
    })
}
