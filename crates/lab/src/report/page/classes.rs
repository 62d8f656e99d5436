//! Failures by class, with examples as far as the tape has them.

use super::super::{
    Recording, Report,
    block::{Block, Cell, Table, head},
};
use crate::{
    Question,
    classes::{Case, Inventory, Outcome, failure},
    figures::count,
};

/// Examples of a class.
const EXAMPLES: usize = 3;
/// Most classes that are shown.
const CLASSES: usize = 24;
/// Longest text of an example, in characters.
const LONGEST: usize = 1600;

pub(super) fn classes(page: &mut Vec<Block>, report: &Report) {
    if report.classes.iter().all(|one| one.cases.is_empty()) {
        return;
    }
    page.push(Block::Section("Error classes".into()));
    page.push(Block::Text(
        "A turn is listed if a guard replaced or flagged its answer, or if a check says that the raw answer is wrong. The \
         class is suggested by the guard or by the check, unless a person has named it."
            .into(),
    ));
    let recordings = &report.texts.recordings;
    for (inventory, recording) in report.classes.iter().zip(recordings) {
        if inventory.cases.is_empty() {
            continue;
        }
        if report.classes.len() > 1 {
            page.push(Block::Heading(inventory.tape.clone()));
        }
        page.push(Block::Table(table(inventory)));
        for (class, cases) in inventory.by_class().into_iter().take(CLASSES) {
            page.push(Block::Details {
                summary: summary(class, &cases),
                blocks: examples(&cases, recording, &report.texts.questions),
            });
        }
    }
}

fn table(inventory: &Inventory) -> Table {
    let rows = inventory
        .by_class()
        .into_iter()
        .take(CLASSES)
        .map(|(class, cases)| {
            let of = |outcome: Outcome| {
                let n = cases.iter().filter(|case| case.outcome == outcome).count();
                Cell::figure(n)
            };
            vec![
                Cell::words(class),
                Cell::words(failure(class)),
                Cell::figure(cases.len()),
                of(Outcome::Fixed),
                of(Outcome::Wrong),
                of(Outcome::Broken),
                of(Outcome::Right),
                of(Outcome::Changed),
                of(Outcome::Unchanged),
            ]
        });
    Table {
        caption: format!(
            "{}: {} of {} with a failure or a finding, by class and by what became of them",
            inventory.tape,
            inventory.cases.len(),
            count(inventory.turns, "turn")
        ),
        head: head(&[
            "Class",
            "What fails",
            "Turns",
            "Fixed",
            "Still wrong",
            "Broken",
            "Right throughout",
            "Changed, unchecked",
            "Flagged, unchecked",
        ]),
        rows: rows.collect(),
    }
}

fn summary(class: &str, cases: &[&Case]) -> String {
    let what = failure(class);
    let what = if what.is_empty() {
        String::new()
    } else {
        format!(", {what}")
    };
    let shown = cases.len().min(EXAMPLES);
    format!(
        "{class}{what}: {} ({shown} shown)",
        count(cases.len(), "turn")
    )
}

/// One of each outcome first, so that what went wrong is not hidden behind what went well.
fn examples(cases: &[&Case], recording: &Recording, questions: &[Question]) -> Vec<Block> {
    let mut chosen: Vec<&Case> = Vec::new();
    for outcome in [
        Outcome::Fixed,
        Outcome::Broken,
        Outcome::Wrong,
        Outcome::Changed,
        Outcome::Right,
        Outcome::Unchanged,
    ] {
        chosen.extend(cases.iter().find(|case| case.outcome == outcome));
    }
    let rest = cases.iter().filter(|case| !chosen.contains(case));
    let rest: Vec<&Case> = rest.copied().collect();
    chosen.extend(rest);
    let mut blocks = Vec::new();
    for case in chosen.into_iter().take(EXAMPLES) {
        example(&mut blocks, case, recording, questions);
    }
    blocks
}

fn example(blocks: &mut Vec<Block>, case: &Case, recording: &Recording, questions: &[Question]) {
    let same = |id: &str, turn: usize| id == case.id && turn == case.turn;
    let Some(row) = recording.rows.iter().find(|row| same(&row.id, row.turn)) else {
        return;
    };
    blocks.push(Block::Heading(format!(
        "Question {}, turn {}: {}, seen by {}",
        case.id,
        case.turn,
        case.outcome.name(),
        case.by.name()
    )));
    if let Some(note) = &case.note {
        blocks.push(Block::Text(note.clone()));
    }
    let question = questions.iter().find(|one| one.id == case.id);
    let asked = question.and_then(|one| one.turns.get(case.turn.checked_sub(1)?));
    let mut said = |name: &str, text: &str| {
        blocks.push(Block::Text(name.to_owned()));
        blocks.push(Block::Said(cut(text)));
    };
    if let Some(asked) = asked {
        said("Asked:", asked);
    }
    if row.raw == row.text {
        said("Answered, with guards and without:", &row.raw);
    } else {
        said("Raw:", &row.raw);
        said("Guarded:", &row.text);
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}\n…", &text[..at]),
    }
}
