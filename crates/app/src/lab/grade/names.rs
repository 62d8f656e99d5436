//! `reckon lab grade --reveal`: prints the scores of a finished grading with names, as a table, as JSON, as judgments.
use crate::lab::now;
use crate::{Failure, cli::lab::GradeArgs};
use reckon_lab::{
    fastchat::dumps,
    grade::{Grading, Revealed},
};
use serde_json::json;
use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

/// Joins scores and names; nothing can be graded afterwards.
pub(super) fn reveal(args: &GradeArgs, mut grading: Grading) -> anyhow::Result<()> {
    // The file is made before the names are: a reveal that cannot be kept should not happen.
    let mut file = args.export.as_deref().map(create).transpose()?;
    let revealed = match grading.reveal(args.partial, now()) {
        Ok(revealed) => revealed,
        Err(error) => {
            if let Some(path) = &args.export {
                // It is empty, and ours.
                let _ = std::fs::remove_file(path);
            }
            return Err(match error {
                reckon_lab::Error::Act(why) => Failure::failed(why)
                    .hint("grade the rest, or end it as it is with --partial")
                    .into(),
                error => error.into(),
            });
        }
    };
    if let Some(file) = &mut file {
        let mut lines = Vec::new();
        for row in revealed.judgments() {
            lines.extend(dumps(&row)?);
            lines.push(b'\n');
        }
        file.write_all(&lines)?;
    }
    let mut out = io::stdout();
    if args.json {
        let object = as_json(&revealed, &grading);
        writeln!(out, "{object}")?;
    } else {
        write!(out, "{}", table(&revealed))?;
    }
    Ok(())
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create_new(path).map_err(|error| {
        let what = format!("cannot write {}: {error}", path.display());
        Failure::failed(what).hint("--export takes the name of a new file")
    })
}

fn as_json(revealed: &Revealed, grading: &Grading) -> serde_json::Value {
    let progress = grading.progress();
    json!({
        "seal": grading.seal(), "items": progress.total, "graded": progress.graded,
        "systems": revealed.means(), "pairs": revealed.records(),
    })
}

fn table(revealed: &Revealed) -> String {
    let names = revealed.systems.iter().map(|name| name.chars().count());
    let width = names.max().unwrap_or(0);
    let mut lines = String::new();
    for mean in revealed.means() {
        let score = mean.mean.map_or("no grade".into(), |m| format!("{m:.2}"));
        lines += &format!(
            "{:<width$}  {score} of 10, {} grades\n",
            mean.system, mean.n
        );
    }
    for record in revealed.records() {
        lines += &format!(
            "{:<width$}  against {:<width$}  {} won, {} lost, {} even\n",
            record.system, record.other, record.wins, record.losses, record.ties
        );
    }
    lines
}
