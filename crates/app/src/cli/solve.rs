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
  echo 'answer = 17 * 23' | reckon solve python -
  reckon solve logic puzzle.py
  reckon solve setup"
)]
pub(crate) struct SolveArgs {
    #[command(subcommand)]
    pub(crate) command: SolveCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SolveCommand {
    Python(PythonArgs),
    Logic(LogicArgs),
    Setup(SetupArgs),
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

/// Answer a question of logic: z3py or SMT-LIB 2
///
/// A z3py program runs in the same sandbox as `solve python`; SMT-LIB is told
/// by its first line. The `z3` program answers if it is there (see `reckon
/// solve setup`), the embedded solver otherwise. Every model is checked.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon solve logic puzzle.py
  reckon solve logic problem.smt2 --json
  reckon solve logic --jsonl programs.jsonl --solver embedded > verdicts.jsonl

JSON: status (sat, unsat or unknown; of the last question), model, unique (is
that model the only one? null: not known), checked, stdout, error, ms

Exit codes: 0 it ran, 1 it failed, 4 it is no program")]
pub(crate) struct LogicArgs {
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
    /// Who answers (default: z3 if it is there)
    #[arg(long, value_name = "S")]
    pub(crate) solver: Option<SolverChoice>,
}

/// Who answers questions of logic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SolverChoice {
    /// The `z3` program
    Z3,
    /// The solver that is part of reckon
    Embedded,
}

/// Fetch the solver Z3 and check its hash
///
/// The program comes out of the Python wheel `z3-solver`, through this
/// machine's own pip; nothing is installed into Python. It goes to
/// RECKON_HOME/solver. Without it the embedded solver answers.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reckon solve setup")]
pub(crate) struct SetupArgs {
    /// Print one JSON object instead of a line
    #[arg(long)]
    pub(crate) json: bool,
}
