//! What was run, and how the figures were made.

use super::super::{
    Report, Run, Settings,
    block::{Block, Cell, Table, head},
};
use crate::{
    Sampler,
    figures::{count, thousands},
};

pub(super) fn settings(page: &mut Vec<Block>, report: &Report) {
    if report.runs.is_empty() {
        return;
    }
    page.push(Block::Section("What was run".into()));
    for run in &report.runs {
        if run.settings.len() > 1 {
            page.push(Block::Warning(format!(
                "The tape {} was made with {} different settings: its figures are not those of one system.",
                run.name,
                run.settings.len()
            )));
        }
        page.push(Block::Table(Table {
            caption: format!("{}: model, settings and size", run.name),
            head: head(&["What", "Value"]),
            rows: rows(run),
        }));
    }
}

fn rows(run: &Run) -> Vec<Vec<Cell>> {
    let mut rows = Vec::new();
    let mut row = |what: &str, value: Cell| rows.push(vec![Cell::words(what), value]);
    for Settings {
        model,
        system,
        version,
    } in &run.settings
    {
        row("Model", Cell::words(&model.name));
        if let Some(sha256) = &model.sha256 {
            row("SHA-256 of the file", Cell::code(sha256));
        }
        if let Some(template) = &model.template {
            row("SHA-256 of the template", Cell::code(template));
        }
        if let Some(endpoint) = &model.endpoint {
            row("Endpoint", Cell::code(endpoint));
        }
        let system = system.as_deref().unwrap_or("none");
        row("System text", Cell::words(system));
        row("Reckon", Cell::words(version));
    }
    for (sampler, turns) in &run.samplers {
        let what = format!("{}: {}", count(*turns, "turn"), say(sampler));
        row("Sampling", Cell::Words(what));
    }
    row(
        "Size",
        Cell::Words(format!(
            "{}, {}; {} of them with the same text with guards and without",
            count(run.questions, "question"),
            count(run.turns, "turn"),
            run.same
        )),
    );
    let ends = run
        .finish
        .iter()
        .take(16)
        .map(|(why, n)| format!("{why} {n}"));
    row("Ended by", Cell::Words(ends.collect::<Vec<_>>().join(", ")));
    row(
        "Tokens of raw answers",
        Cell::Words(format!(
            "{} read, {} written",
            thousands(run.tokens.0),
            thousands(run.tokens.1)
        )),
    );
    row(
        "Time of all turns",
        Cell::Words(format!("{} min", thousands(run.seconds as usize / 60))),
    );
    rows
}

fn say(sampler: &Sampler) -> String {
    let mut parts = Vec::new();
    if sampler.temperature > 0.0 {
        parts.push(format!("temperature {}", sampler.temperature));
        parts.extend(sampler.top_k.map(|value| format!("top-k {value}")));
        parts.extend(sampler.top_p.map(|value| format!("top-p {value}")));
        parts.extend(sampler.min_p.map(|value| format!("min-p {value}")));
    } else {
        parts.push("greedy".to_owned());
    }
    let penalty = sampler.repetition_penalty.filter(|value| *value != 1.0);
    parts.extend(penalty.map(|value| format!("repetition penalty {value}")));
    parts.push(format!("seed {}", sampler.seed));
    let most = sampler.max_tokens;
    parts.extend(most.map(|most| format!("at most {most} tokens")));
    parts.join(", ")
}

pub(super) fn method(page: &mut Vec<Block>, report: &Report) {
    page.push(Block::Section("How to read this".into()));
    let mut say = |text: &str| page.push(Block::Text(text.to_owned()));
    say(
        "Intervals are 95 % percentile bootstrap intervals: 10,000 times, as many questions are drawn with replacement as \
         there are, and the turns of a question stay together. The generator is seeded, so the same tape gives the same \
         figures. With ten questions, as in a category of MT-Bench, such an interval covers the truth in about 90 of \
         100 cases; with eighty in about 94.",
    );
    say(
        "One system is called better than another only if the interval of the paired difference leaves 0 out and chance \
         would give a difference as large in fewer than 5 of 100 cases (permutation test over questions). Otherwise the \
         two are not distinguishable, however different their means look. Many comparisons at once find something by \
         chance: of twenty, one.",
    );
    if !report.checked.is_empty() {
        say(
            "Right and wrong are decided by reading or running, by nobody's opinion; turns that no check can decide are \
             left out of these shares, not counted as wrong.",
        );
    }
    if report.judged.is_some() {
        say(
            "Judged scores are what the judgment file says: -1 is no score, of two rows of one judge for one turn the \
             later one counts, and repeats and judges are averaged. A score says what this judge thinks, and judges differ by more than most systems do.",
        );
    }
}
