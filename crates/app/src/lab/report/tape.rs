//! Tapes and judgments in, a page, Markdown or JSON out.
use crate::{Context, Failure, cli::lab::ReportArgs, exit, lab::recording};
use reckon_lab::{
    Question,
    classes::{Labels, inventory, read_labels},
    fastchat::read_judgments,
    report::{Rated, Recording, Report, rated},
};
use std::{
    collections::HashSet,
    io::{self, Write},
    path::Path,
};

/// Runs `reckon lab report TAPE...`.
pub(super) fn run(args: &ReportArgs, context: &Context) -> anyhow::Result<()> {
    let mut questions = recording::questions(args.questions.as_ref(), context)?;
    let recordings = recordings(args, &questions, context)?;
    let judgments = judgments(args)?;
    let labels = labels(args, &recordings)?;
    let classes = recordings
        .iter()
        .map(|one| inventory(one, &questions, &labels))
        .collect();
    if args.ids {
        for question in &mut questions {
            question.turns.clear();
        }
    }
    let report = Report::new(recordings, &judgments, questions, classes);
    if let Some(path) = &args.output {
        for file in write(&report, path, args.markdown)? {
            exit::notice(&format!("wrote {file}"));
        }
    }
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else if args.output.is_none() {
        write!(out, "{}", report.markdown())?;
    }
    Ok(())
}

/// The tapes, each under a name of its own.
fn recordings(
    args: &ReportArgs,
    questions: &[Question],
    context: &Context,
) -> anyhow::Result<Vec<Recording>> {
    let mut names = HashSet::new();
    let mut recordings = Vec::new();
    for path in &args.tapes {
        let mut one = recording::read(path, questions, context)?;
        let name = one.name.clone();
        let mut n = 2;
        while !names.insert(one.name.clone()) {
            one.name = format!("{name}-{n}");
            n += 1;
        }
        recordings.push(one);
    }
    Ok(recordings)
}

fn judgments(args: &ReportArgs) -> anyhow::Result<Vec<Rated>> {
    let mut all = Vec::new();
    for path in &args.judgments {
        all.extend(read_judgments(path)?);
    }
    let rated = rated(&all);
    if rated.is_empty() && !args.judgments.is_empty() {
        return Err(Failure::input("no score in the judgments")
            .hint("--from-judgments takes judgments of pairs")
            .into());
    }
    Ok(rated)
}

/// Labels name turns of any of the tapes.
fn labels(args: &ReportArgs, recordings: &[Recording]) -> anyhow::Result<Labels> {
    let Some(path) = &args.labels else {
        return Ok(Labels::default());
    };
    let rows: Vec<_> = recordings.iter().flat_map(|one| one.rows.clone()).collect();
    Ok(read_labels(path, &rows)?)
}

/// Writes what the name asks for, and gives the files.
fn write(report: &Report, path: &Path, markdown: bool) -> anyhow::Result<Vec<String>> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let files = match ending {
        _ if path.is_dir() => folder(report, path),
        Some("html" | "htm") if !markdown => vec![(path.to_owned(), report.html())],
        Some(_) if markdown => vec![(path.to_owned(), report.markdown())],
        Some("md") => vec![(path.to_owned(), report.markdown())],
        Some(other) => {
            return Err(
                Failure::usage(format!("no report can be written as .{other}"))
                    .hint("FILE.html, FILE.md or a folder")
                    .into(),
            );
        }
        None => {
            let failed = |error: io::Error| Failure::failed(format!("{}: {error}", path.display()));
            std::fs::create_dir_all(path).map_err(failed)?;
            folder(report, path)
        }
    };
    let mut written = Vec::new();
    for (file, text) in files {
        recording::write(&file, &text)?;
        written.push(file.display().to_string());
    }
    Ok(written)
}

fn folder(report: &Report, path: &Path) -> Vec<(std::path::PathBuf, String)> {
    vec![
        (path.join("report.html"), report.html()),
        (path.join("report.md"), report.markdown()),
    ]
}
