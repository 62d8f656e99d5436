//! `reckon lab classes`: lists the failures on a tape by class, and keeps a library of them for others.
use super::{print, recording};
use crate::{Context, Failure, cli::lab::ClassesArgs, exit, printable::one_line};
use reckon_lab::{
    classes::{Inventory, Labels, Library, Outcome, failure, inventory, read_labels},
    figures::count,
};
use std::path::Path;

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
    print(&found, args.json, || text(&found))
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
    let (tape, n) = (one_line(&found.tape), found.cases.len());
    let turns = count(found.turns, "turn");
    let mut text = format!("{tape}: {n} of {turns} with a failure or a finding\n");
    for (class, cases) in found.by_class() {
        text += &format!("\n{:<12} {}", one_line(class), count(cases.len(), "turn"));
        if !failure(class).is_empty() {
            text += &format!(", {}", failure(class));
        }
        text.push('\n');
        for outcome in Outcome::ALL {
            let those = cases.iter().filter(|case| case.outcome == outcome);
            let places = those.map(|case| format!("{}/{}", one_line(&case.id), case.turn));
            let places: Vec<String> = places.collect();
            if !places.is_empty() {
                text += &format!("  {:<10} {}\n", outcome.name(), places.join(" "));
            }
        }
        if let Some(figures) = found.validation.get(class) {
            text += &format!(
                "  guard      evidence on {}, {} fixed, {} broken; control {}, {} changed\n",
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
