//! The arguments of `reckon lab classes`.
use clap::Args;
use std::path::PathBuf;

/// The failures on a tape by class, and a library of them for others
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab classes mt.jsonl --questions mt-bench
  reckon lab classes mt.jsonl --labels labels.jsonl -o library.toml

A turn is listed if a guard replaced or flagged its answer, or if a check says
that the raw answer is wrong; its class is suggested by the guard, the question
or the check. A label replaces the suggestion, one JSON object a line:
  {\"id\": \"119\", \"turn\": 1, \"class\": \"arithmetic\", \"note\": \"sum first\"}
`class` is a name, a number from 1 to 7, a list, or \"none\". A library that
exists is added to. docs/lab.md has the format.")]
pub(crate) struct ClassesArgs {
    /// A tape that `lab run` has written
    #[arg(value_name = "TAPE.jsonl")]
    pub(crate) tape: PathBuf,
    /// The questions: they help to suggest, and their checks score the tape again
    #[arg(long, value_name = "Q.jsonl")]
    pub(crate) questions: Option<PathBuf>,
    /// What a person says about turns
    #[arg(long, value_name = "L.jsonl")]
    pub(crate) labels: Option<PathBuf>,
    /// The library to write or to add to: FILE.toml or FILE.json
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
