//! The arguments of `reckon lab grade`.
use crate::cli::at_least_one;
use clap::Args;
use std::path::PathBuf;

/// Grade answers blind: at the terminal, or on a page of this machine
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab grade a.tape.jsonl --questions question.jsonl -o g.jsonl
  reckon lab grade a.tape.jsonl gpt.jsonl --questions q.jsonl -o g.jsonl --web
  reckon lab grade a.tape.jsonl --questions q.jsonl -o p.jsonl --pairs
  reckon lab grade a.tape.jsonl --questions q.jsonl -o g.jsonl --reveal \\
      --export judgments.jsonl

A tape holds two systems, raw and guarded, if a guard changed anything; a
FastChat answer file holds one.
Who said what is sealed in g.seal.json before anything is shown, and joined by
--reveal, which ends the grading. The same command goes on where it was left.")]
pub(crate) struct GradeArgs {
    /// Tapes of `lab run`, or FastChat answer files
    #[arg(value_name = "TAPE", required = true)]
    pub(crate) answers: Vec<PathBuf>,
    /// The questions that were answered
    #[arg(long, value_name = "Q")]
    pub(crate) questions: PathBuf,
    /// Where the grades go; gone on with if it exists
    #[arg(short = 'o', long = "output", value_name = "G")]
    pub(crate) grades: PathBuf,
    /// Two answers side by side instead of scores from 1 to 10
    #[arg(long)]
    pub(crate) pairs: bool,
    /// Same seed, same order (default: by chance)
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Grade N questions, drawn by the seed (default: all)
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) sample: Option<usize>,
    /// Grade on a page that only this machine can open
    #[arg(long, conflicts_with = "reveal")]
    pub(crate) web: bool,
    /// Port of the page (default: one that is free)
    #[arg(long, value_name = "N", requires = "web", default_value_t = 0)]
    pub(crate) port: u16,
    /// End the grading: join scores and names
    #[arg(long)]
    pub(crate) reveal: bool,
    /// Reveal although not everything is graded
    #[arg(long, requires = "reveal")]
    pub(crate) partial: bool,
    /// Write FastChat judgments to this new file
    #[arg(long, value_name = "J", requires = "reveal")]
    pub(crate) export: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long, requires = "reveal")]
    pub(crate) json: bool,
}
