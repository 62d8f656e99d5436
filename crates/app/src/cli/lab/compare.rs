//! The arguments of `reckon lab compare`.
use clap::Args;
use std::path::PathBuf;

/// Raw against guarded on one tape, or two tapes, with a 95 % interval
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab compare gsm8k.tape.jsonl --json
  reckon lab compare raw.jsonl guarded.jsonl

With two tapes, what shipped on the first is compared with what shipped on the
second, question by question.")]
pub(crate) struct CompareArgs {
    /// A tape that `lab run` has written
    #[arg(value_name = "A.jsonl")]
    pub(crate) tape: PathBuf,
    /// Another one
    #[arg(value_name = "B.jsonl")]
    pub(crate) other: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
