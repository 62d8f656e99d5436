//! The arguments of `reckon lab report`.
use clap::Args;
use std::path::PathBuf;

/// What tapes and judgments come to: a page, Markdown, JSON, FastChat's table
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon lab report mt.jsonl -o report.html
  reckon lab report mt.jsonl --questions mt-bench -o reports/
  reckon lab report mt.jsonl --judgments gpt-4_single.jsonl --json
  reckon lab report --from-judgments gpt-4_single.jsonl.gz --json
  reckon lab report --from-judgments gpt-4_pair.jsonl

A page is one file: no scripts, nothing from elsewhere, light and dark. Without
-o the report is printed as Markdown. Questions are shown in examples only if
you name their file; tapes hold their ids.

--from-judgments prints averages over rows, as FastChat's show_result.py has
them: scores of -1 are dropped, rows that a second run has appended count again.
Beside them stands what is left when each question, turn, judge and repeat
counts once, by the last row that has a score."
)]
pub(crate) struct ReportArgs {
    /// Tapes that `lab run` has written
    #[arg(value_name = "TAPE.jsonl", conflicts_with = "from_judgments")]
    pub(crate) tapes: Vec<PathBuf>,
    /// Scores of a judge, or of `lab grade --export`, for the page
    #[arg(long, value_name = "J.jsonl", conflicts_with = "from_judgments")]
    pub(crate) judgments: Vec<PathBuf>,
    /// FastChat's judgments, single or pair, also packed with gzip: its table
    #[arg(long, value_name = "J.jsonl")]
    pub(crate) from_judgments: Option<PathBuf>,
    /// The questions: their categories (default: those of MT-Bench), their words
    /// in examples, and tapes are scored again by their checks
    #[arg(long, value_name = "Q.jsonl")]
    pub(crate) questions: Option<PathBuf>,
    /// Name questions by their ids, without their words
    #[arg(long, requires = "questions")]
    pub(crate) ids: bool,
    /// What a person says about turns; see `lab classes --help`
    #[arg(long, value_name = "L.jsonl", conflicts_with = "from_judgments")]
    pub(crate) labels: Option<PathBuf>,
    /// Where it goes: FILE.html, FILE.md, or a folder for both
    #[arg(short, long, value_name = "PATH", conflicts_with = "from_judgments")]
    pub(crate) output: Option<PathBuf>,
    /// Markdown, whatever the output is called
    #[arg(long, conflicts_with = "from_judgments")]
    pub(crate) markdown: bool,
    /// Print one JSON object instead
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
}
