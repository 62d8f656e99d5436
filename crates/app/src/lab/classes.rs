//! `reckon lab classes`: lists the failures on a tape by class, and keeps a library of them for others.
use super::recording;
use crate::{Context, Failure, cli::lab::classes::ClassesArgs, exit};
use reckon_lab::{
    classes::{Inventory, Labels, Library, Outcome, failure, inventory, read_labels},
    figures::count,
};
use std::{
    fmt::Write as _,
    io::{self, Write},
    path::Path,
};

/// Runs `reckon lab classes`.
pub(crate) fn run(args: &ClassesArgs, context: &Context) -> anyhow::Result<()> {
    let questions = recording::questions(args.questions.as_ref(), context)?;
    let tape = recording::read(&args.tape, &questions, context)?;
    let labels = match &args.labels {
        Some(path) => read_labels(path, &tape.rows)?,
        None => Labels::default(),
    };
    let found = inventory(&tape, &questions, &labels);
    if let Some(path) = &args.output {
        let classes = keep(path, &found)?;
        exit::notice(&format!("wrote {} (classes: {classes})", path.display()));
    }
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&found)?)?;
    } else {
        write!(out, "{}", text(&found))?;
    }
    Ok(())
}

/// Writes the library, with what was in it of other tapes, and says how many classes it has now.
fn keep(path: &Path, found: &Inventory) -> anyhow::Result<usize> {
    let json = match path.extension().and_then(|ending| ending.to_str()) {
        Some("toml") => false,
        Some("json") => true,
        _ => {
            return Err(Failure::usage("a library is FILE.toml or FILE.json").into());
        }
    };
    let mut library = if path.exists() {
        Library::read(path)?
    } else {
        Library::default()
    };
    library.merge(Library::new(found));
    let text = if json {
        serde_json::to_string_pretty(&library)? + "\n"
    } else {
        library.toml()
    };
    recording::write(path, &text)?;
    Ok(library.class.len())
}

fn text(found: &Inventory) -> String {
    let mut text = format!(
        "{}: {} of {} with a failure or a finding\n",
        printable(&found.tape),
        found.cases.len(),
        count(found.turns, "turn")
    );
    for (class, cases) in found.by_class() {
        let _ = write!(
            text,
            "\n{:<12} {}",
            printable(class),
            count(cases.len(), "turn")
        );
        if !failure(class).is_empty() {
            let _ = write!(text, ", {}", failure(class));
        }
        text.push('\n');
        for outcome in [
            Outcome::Fixed,
            Outcome::Broken,
            Outcome::Wrong,
            Outcome::Right,
            Outcome::Changed,
            Outcome::Unchanged,
        ] {
            let places: Vec<String> = cases
                .iter()
                .filter(|case| case.outcome == outcome)
                .map(|case| format!("{}/{}", printable(&case.id), case.turn))
                .collect();
            if !places.is_empty() {
                let _ = writeln!(text, "  {:<10} {}", outcome.name(), places.join(" "));
            }
        }
        if let Some(figures) = found.validation.get(class) {
            let _ = writeln!(
                text,
                "  guard      evidence on {}, {} fixed, {} broken; control {}, {} changed",
                count(figures.triggered, "turn"),
                figures.fixed,
                figures.broken,
                figures.control,
                figures.control_changed
            );
        }
    }
    text
}

/// Names and ids come from files; a terminal must not be spoken to by them.
fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(shown).collect()
}
