//! The arguments of `reckon lab calibrate`.
use clap::Args;
use std::path::PathBuf;

/// Show how often each mark is true: verified, corrected, doubtful, unchecked
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab run gsm8k.jsonl --tape gsm8k.tape.jsonl --greedy --check full
  reckon lab calibrate gsm8k.tape.jsonl
  reckon lab calibrate *.tape.jsonl --json

A share is of the answers whose task says what is right, with Wilson's 95 %
interval.")]
pub(crate) struct CalibrateArgs {
    /// Tapes of `lab run`
    #[arg(value_name = "T.jsonl", required = true)]
    pub(crate) tapes: Vec<PathBuf>,
    /// The questions, if their checks have changed since the run
    #[arg(long, value_name = "FILE")]
    pub(crate) questions: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
