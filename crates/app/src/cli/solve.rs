//! What may be typed after `reckon solve`.
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Run what a model wrote, without trusting it
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon solve python program.py
  echo 'answer = 17 * 23' | reckon solve python -"
)]
pub(crate) struct SolveArgs {
    #[command(subcommand)]
    pub(crate) command: SolveCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SolveCommand {
    Python(PythonArgs),
}

/// Run a Python program in a sandbox and print its value
///
/// No files, no network, no environment, no processes, no input; 5 seconds of
/// CPU, 256 MiB, 64 KiB of output. Python's standard library, nothing else.
///
/// The value is `answer`, else `ans`, else the last expression, else the last
/// printed line.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon solve python program.py
  echo 'answer = 17 * 23' | reckon solve python - --json
  reckon solve python --jsonl programs.jsonl > values.jsonl

Exit codes: 0 it ran, 1 it failed, 4 it is no program")]
pub(crate) struct PythonArgs {
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
}

/// Where programs come from and how results go out.
#[derive(Debug, Args)]
pub(crate) struct ProgramArgs {
    /// The program; `-` reads it from standard input
    #[arg(
        value_name = "FILE|-",
        required_unless_present = "jsonl",
        conflicts_with = "jsonl"
    )]
    pub(crate) file: Option<PathBuf>,
    /// Many programs, an object with `program` on each line; gives an object
    /// for each, in order, `id` kept
    #[arg(long, value_name = "F")]
    pub(crate) jsonl: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
