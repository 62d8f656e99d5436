//! The arguments of `reckon lab`.
pub(crate) mod gate;

use super::{MachineArgs, SamplingArgs, at_least_one};
use clap::{Args, Subcommand};
use gate::GateArgs;
use std::path::PathBuf;

/// Benchmarks: run questions, keep tapes, compare
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon lab run gsm8k.jsonl --tape gsm8k.tape.jsonl --greedy
  reckon lab compare gsm8k.tape.jsonl
  reckon lab run control --tape a.jsonl --seed 1 --max-tokens 64
  reckon lab run control --tape b.jsonl --seed 1 --max-tokens 64 --raw
  reckon lab compare a.jsonl b.jsonl
  reckon lab gate --model qwen2.5-coder-1.5b"
)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    pub(crate) command: LabCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    Run(Box<RunArgs>),
    Compare(CompareArgs),
    Gate(GateArgs),
}

/// Answer the questions of a file, raw and guarded, onto a tape
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab run gsm8k.jsonl --tape gsm8k.tape.jsonl --greedy
  reckon lab run puzzles.jsonl --from 60 --count 40 --tape p.jsonl --greedy

A question is a JSON object a line: question + answer (a number), question +
options + answer (a letter), input + target, or prompt. `control` is the
built-in set of 1,200 everyday requests that no guard may touch. A tape that
exists is gone on with: what is on it is not asked again.")]
pub(crate) struct RunArgs {
    /// The questions, one JSON object a line; or `control`
    #[arg(value_name = "FILE")]
    pub(crate) questions: PathBuf,
    /// Where the answers go; gone on with if it exists
    #[arg(long, value_name = "T.jsonl")]
    pub(crate) tape: PathBuf,
    /// Skip the first N questions
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) from: usize,
    /// Ask at most N questions
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<usize>,
    /// Questions at the same time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = at_least_one)]
    pub(crate) parallel: usize,
    /// Turn every guardrail off
    #[arg(long)]
    pub(crate) raw: bool,
    /// Catalogue name or path of a GGUF file (default: the default model)
    #[arg(short, long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// Standing instructions for the model
    #[arg(long, value_name = "S")]
    pub(crate) system: Option<String>,
    /// Stop every answer after N tokens
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = at_least_one)]
    pub(crate) max_tokens: usize,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

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
