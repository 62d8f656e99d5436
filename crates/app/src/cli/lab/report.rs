//! The arguments of `reckon lab report`.
use clap::Args;
use std::path::PathBuf;

/// Tapes and judgments as a page, as Markdown or as JSON
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon lab report mt.tape.jsonl -o report.html
  reckon lab report mt.tape.jsonl --questions question.jsonl -o reports/
  reckon lab report mt.tape.jsonl --judgments gpt-4_single.jsonl --json

A page is one file: no scripts, nothing from elsewhere, light and dark. Without
-o the report is printed as Markdown. Questions are shown in examples only if
you name their file; tapes hold their ids."
)]
pub(crate) struct ReportArgs {
    /// Tapes that `lab run` has written
    #[arg(value_name = "TAPE.jsonl")]
    pub(crate) tapes: Vec<PathBuf>,
    /// Scores in FastChat's form, of a judge or of `lab grade --export`
    #[arg(long, value_name = "J.jsonl")]
    pub(crate) judgments: Vec<PathBuf>,
    /// The questions: shown in examples, and tapes are scored again by their
    /// checks
    #[arg(long, value_name = "Q.jsonl")]
    pub(crate) questions: Option<PathBuf>,
    /// What a person says about turns; see `lab classes --help`
    #[arg(long, value_name = "L.jsonl")]
    pub(crate) labels: Option<PathBuf>,
    /// Where it goes: FILE.html, FILE.md, or a folder for both
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// Markdown, whatever the output is called
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Print one JSON object instead
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
}
