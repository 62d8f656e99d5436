//! Puts a report into the blocks of a page: what was found first, how it was made last.

mod classes;
mod marks;
mod scores;
mod settings;

use super::{
    Report,
    block::{Block, Cell, Table, head},
    plot::{self, Series},
};
use crate::{
    figures::{self, count},
    statistics::Scale,
};

/// What the page is called.
pub(super) fn title(report: &Report) -> String {
    let mut names: Vec<&str> = Vec::new();
    for run in &report.runs {
        for setting in &run.settings {
            if !names.contains(&&*setting.model.name) {
                names.push(&setting.model.name);
            }
        }
    }
    match names.len() {
        0 => "Reckon lab report".into(),
        1..=3 => format!("Reckon lab report: {}", names.join(", ")),
        n => format!("Reckon lab report: {n} models"),
    }
}

/// What was found, in a few sentences.
pub(super) fn summary(report: &Report) -> String {
    let mut sentences = Vec::new();
    for run in &report.runs {
        sentences.push(format!(
            "{}: {}, {}.",
            run.name,
            count(run.questions, "question"),
            count(run.turns, "turn")
        ));
        if let Some(found) = report.checked.iter().find(|one| one.name == run.name) {
            sentences.push(scores::sentence(found));
        }
    }
    if let Some(judged) = &report.judged {
        sentences.push(scores::judged_sentence(judged));
    }
    if sentences.is_empty() {
        sentences.push("Nothing to report.".into());
    }
    sentences.join(" ")
}

/// All of it.
pub(super) fn blocks(report: &Report) -> Vec<Block> {
    let mut page = Vec::new();
    scores::checked(&mut page, report);
    marks::marks(&mut page, report);
    scores::judged(&mut page, report);
    classes::classes(&mut page, report);
    guards(&mut page, report);
    lengths(&mut page, report);
    settings::settings(&mut page, report);
    settings::method(&mut page, report);
    page
}

fn guards(page: &mut Vec<Block>, report: &Report) {
    if report.guards.is_empty() {
        return;
    }
    page.push(Block::Section("Guards, before and after".into()));
    for firings in &report.guards {
        let rows = firings.guards.iter().take(MOST).map(|(guard, counts)| {
            let figures = &counts.validation;
            let mut row = vec![Cell::words(guard)];
            row.extend(
                [
                    figures.triggered,
                    counts.confirmed,
                    counts.kept,
                    counts.revised,
                    counts.flagged,
                    figures.fixed,
                    figures.broken,
                ]
                .map(Cell::figure),
            );
            row
        });
        page.push(Block::Table(Table {
            caption: format!(
                "{}: what each guard came to, and what became of the answers that it replaced",
                firings.name
            ),
            head: head(&[
                "Guard",
                "Evidence",
                "Confirmed",
                "Kept",
                "Revised",
                "Flagged",
                "Wrong → right",
                "Right → wrong",
            ]),
            rows: rows.collect(),
        }));
        let same = firings.control - firings.control_changed;
        page.push(Block::Text(format!(
            "Control: no guard looked at {}; {same} of them have the same bytes with guards and without.",
            count(firings.control, "turn")
        )));
        if firings.control_changed > 0 {
            page.push(Block::Warning(format!(
                "{} differ although no guard looked: guarded and raw answers were not made alike.",
                count(firings.control_changed, "turn")
            )));
        }
    }
}

fn lengths(page: &mut Vec<Block>, report: &Report) {
    if report.lengths.is_empty() {
        return;
    }
    page.push(Block::Section("Scores at equal length".into()));
    page.push(Block::Text(
        "Judges tend to like long answers. The correlation says how closely scores follow the length of the answers of \
         one system; the last column says what would be left of the difference if both systems wrote equally much."
            .into(),
    ));
    let mut rows = Vec::new();
    for one in &report.lengths {
        let name = match one.scale {
            Scale::Share => format!("{}, right or wrong", one.name),
            Scale::Points => format!("{}, judged", one.name),
        };
        let correlation = |found: &Option<crate::statistics::Length>| match found {
            None => Cell::figure("none"),
            Some(found) => Cell::figure(format!(
                "{:+.2} {}",
                found.correlation,
                figures::interval(found.interval, Scale::Points)
            )),
        };
        let (ratio, equal) = match &one.equal {
            None => (String::new(), String::new()),
            Some(found) => (
                format!("{:.2} ×", found.ratio),
                figures::signed(found.difference, found.interval, one.scale),
            ),
        };
        rows.push(vec![
            Cell::Words(name),
            correlation(&one.raw),
            correlation(&one.guarded),
            Cell::Figure(ratio),
            Cell::Figure(equal),
        ]);
    }
    page.push(Block::Table(Table {
        caption: "Correlation of scores with the logarithm of length, and guarded minus raw at equal length, with \
                  95 % intervals"
            .into(),
        head: head(&[
            "Scores", "Correlation, raw", "Correlation, guarded", "Guarded is longer by", "Difference at equal length",
        ]),
        rows,
    }));
    for one in report
        .lengths
        .iter()
        .filter(|one| one.scale == Scale::Points)
    {
        let [raw, guarded] = &one.points;
        let kinds = [(Series::First, raw), (Series::Second, guarded)];
        let points: Vec<(Series, usize, f64)> = kinds
            .iter()
            .flat_map(|(kind, points)| points.iter().take(2000).map(|(x, y)| (*kind, *x, *y)))
            .collect();
        let caption = format!("{}: score over characters of the answer", one.name);
        page.push(Block::Figure {
            svg: plot::legend("raw", "guarded") + &plot::scatter(&caption, &points),
            caption,
        });
    }
}

/// Most rows of a table that files decide the length of.
const MOST: usize = 200;
