//! The arguments of `reckon lab report`.
use clap::Args;
use std::path::PathBuf;

/// What judgments come to: averages as FastChat prints them, win rates
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon lab report --from-judgments gpt-4_single.jsonl
  reckon lab report --from-judgments gpt-4_single.jsonl.gz --json
  reckon lab report --from-judgments gpt-4_pair.jsonl

Averages are over rows, as FastChat's show_result.py has them: scores of -1 are
dropped, rows that a second run has appended count again. Beside them stands
what is left when each question, turn, judge and repeat counts once, by the last
row that has a score."
)]
pub(crate) struct ReportArgs {
    /// FastChat's judgments, single or pair, also packed with gzip
    #[arg(long, value_name = "J.jsonl")]
    pub(crate) from_judgments: Option<PathBuf>,
    /// The questions, for their categories (default: those of MT-Bench)
    #[arg(long, value_name = "Q.jsonl")]
    pub(crate) questions: Option<PathBuf>,
    /// Print one JSON object instead
    #[arg(long)]
    pub(crate) json: bool,
}
