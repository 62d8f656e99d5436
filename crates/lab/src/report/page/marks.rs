//! Marks in words, tables and a reliability plot: share of right answers over share of votes.

use super::super::{
    Report,
    block::{Block, Cell, Table, head},
    marks::Marks,
    plot,
};
use crate::{
    calibrate::{Bin, Share},
    figures,
    statistics::Scale,
};

/// The section; nothing without marks.
pub(super) fn marks(page: &mut Vec<Block>, report: &Report) {
    if report.marks.is_empty() {
        return;
    }
    page.push(Block::Section("Marks".into()));
    page.push(Block::Text(
        "A mark says what became of the number or conclusion of an answer when it was checked. Here it is held against \
         the task's own checks, never against what a guard found."
            .into(),
    ));
    for found in &report.marks {
        if report.marks.len() > 1 {
            page.push(Block::Heading(found.name.clone()));
        }
        page.push(Block::Text(sentence(found)));
        page.push(Block::Table(by_mark(found)));
        reliability(page, found);
    }
}

/// What nobody was warned of, in a sentence.
fn sentence(found: &Marks) -> String {
    let Share { right, of, .. } = found.found.silent_wrong;
    let (low, high) = found.found.silent_wrong.interval().unwrap_or_default();
    format!(
        "Of {}, {right} shipped wrong without being marked doubtful or unchecked {}.",
        figures::count(of, "answer"),
        figures::interval(Some((low, high)), Scale::Share)
    )
}

fn by_mark(found: &Marks) -> Table {
    let lines = found.found.marks.iter();
    let there = lines.filter(|line| line.all.of + line.all.unknown > 0);
    let rows = there.map(|line| {
        let name = match line.mark {
            "none" => "no mark",
            name => name,
        };
        [vec![Cell::words(name)], counted(line.all)].concat()
    });
    Table {
        caption: format!(
            "{}: how often each mark is on a right answer, with Wilson's 95 % interval",
            found.name
        ),
        head: head(&["Mark", "Answers", "Right", "Share", "Interval", "Not known"]),
        rows: rows.collect(),
    }
}

/// Answers, right ones, share, interval, and those that nobody knows of.
fn counted(right: Share) -> Vec<Cell> {
    let share = right
        .share()
        .map(|share| figures::mean(share, Scale::Share));
    let interval = right.interval();
    let interval = interval.map(|ends| figures::interval(Some(ends), Scale::Share));
    vec![
        Cell::figure(right.of),
        Cell::figure(right.right),
        Cell::Figure(share.unwrap_or_default()),
        Cell::Figure(interval.unwrap_or_default()),
        Cell::figure(right.unknown),
    ]
}

fn reliability(page: &mut Vec<Block>, found: &Marks) {
    let bins = &found.found.reliability;
    let Some(distance) = found.found.distance else {
        return;
    };
    page.push(Block::Text(format!(
        "Where several computations voted, the share of votes should tell how often the answer is right: on the diagonal \
         it does, above it votes are too modest, below it too sure. The mean distance from the diagonal is {:.1} points.",
        100.0 * distance
    )));
    page.push(Block::Figure {
        svg: plot::reliability(&spoken(found), bins),
        caption: format!(
            "{}: share of right answers over the share of votes that agreed, with Wilson's 95 % intervals; the dashed line \
             is where both are equal, n counts answers",
            found.name
        ),
    });
    let row = |bin: &Bin| {
        let votes = figures::mean(bin.agreed, Scale::Share);
        [vec![Cell::words(votes)], counted(bin.right)].concat()
    };
    page.push(Block::Table(Table {
        caption: format!("{}: the same in figures", found.name),
        head: head(&[
            "Votes that agreed",
            "Answers",
            "Right",
            "Share",
            "Interval",
            "Not known",
        ]),
        rows: bins.iter().map(row).collect(),
    }));
}

/// The drawing as a screen reader says it.
fn spoken(found: &Marks) -> String {
    let bin = |bin: &Bin| {
        let Share { right, of, .. } = bin.right;
        format!("at {:.0} % of votes {right} of {of}", 100.0 * bin.agreed)
    };
    let bins: Vec<String> = found.found.reliability.iter().map(bin).collect();
    format!(
        "{}: right answers by share of votes that agreed: {}",
        found.name,
        bins.join(", ")
    )
}
