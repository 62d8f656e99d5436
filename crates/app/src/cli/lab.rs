//! The arguments of `reckon lab`, one file a command.
pub(crate) mod calibrate;
pub(crate) mod classes;
pub(crate) mod compare;
pub(crate) mod gate;
pub(crate) mod grade;
pub(crate) mod judge;
pub(crate) mod pull;
pub(crate) mod report;
pub(crate) mod run;

use super::MachineArgs;
use clap::{Args, Subcommand};

/// Benchmarks: run questions, keep tapes, report, compare
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon lab run gsm8k.jsonl --tape gsm8k.tape.jsonl --greedy
  reckon lab compare gsm8k.tape.jsonl
  reckon lab calibrate gsm8k.tape.jsonl
  reckon lab report gsm8k.tape.jsonl -o report.html
  reckon lab classes gsm8k.tape.jsonl -o library.toml
  reckon lab run control --tape a.jsonl --seed 1 --max-tokens 64
  reckon lab run control --tape b.jsonl --seed 1 --max-tokens 64 --raw
  reckon lab compare a.jsonl b.jsonl
  reckon lab gate --model qwen2.5-coder-1.5b
  reckon lab grade a.jsonl --questions q.jsonl -o grades.jsonl --web"
)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    pub(crate) command: LabCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    Pull(pull::PullArgs),
    Run(Box<run::RunArgs>),
    Judge(Box<judge::JudgeArgs>),
    Report(report::ReportArgs),
    Compare(compare::CompareArgs),
    Calibrate(calibrate::CalibrateArgs),
    Classes(classes::ClassesArgs),
    Gate(gate::GateArgs),
    Grade(grade::GradeArgs),
}

/// Who answers: a model of this machine, or one elsewhere.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ModelArgs {
    /// Catalogue name or path of a GGUF file (default: the default model); with
    /// --endpoint, the name that the server knows
    #[arg(short, long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// Ask an OpenAI-compatible server, for example http://localhost:11434/v1
    /// [env: RECKON_API_KEY or OPENAI_API_KEY is its key]
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}
