//! The arguments of `reckon lab run`.
use super::ModelArgs;
use crate::cli::{Check, SamplingArgs, at_least_one};
use clap::Args;
use std::path::PathBuf;

/// Answer the questions of a file, raw and guarded, onto a tape
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab run mt-bench --tape mt.jsonl
  reckon lab run gsm8k.jsonl --tape gsm8k.tape.jsonl --greedy
  reckon lab run puzzles.jsonl --from 60 --count 40 --tape p.jsonl --greedy
  reckon lab run question.jsonl --tape q.jsonl --model qwen3.5:9b \\
      --endpoint http://localhost:11434/v1

A question is a JSON object a line: FastChat's (question_id, category, turns),
IFEval's (prompt, instruction_id_list, kwargs), GSM8K's (question + answer, a
number), question + options + answer (a letter), input + target, or prompt or
turns with checks, references and category of your own; docs/lab.md has the
forms. A folder is all its .jsonl files. `control` is the built-in set of 1,200
everyday requests that no guard may touch; `mt-bench` what `lab pull` has
fetched. FastChat's questions are answered at
FastChat's temperatures unless you name one. A tape that exists is gone on with:
what is on it is not asked again. Of FastChat's questions the answers are also
written as FastChat's model_answer files, to T.fastchat beside the tape.")]
pub(crate) struct RunArgs {
    /// The questions, one JSON object a line; a folder of such files; `control`; `mt-bench`
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
    /// How far numbers and conclusions are checked: without the model (direct), with a few programs beside the answer
    /// (quick), with a jury of answers and programs (full)
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub(crate) check: Check,
    #[command(flatten)]
    pub(crate) answerer: ModelArgs,
    /// Standing instructions for the model
    #[arg(long, value_name = "S")]
    pub(crate) system: Option<String>,
    /// Stop every answer after N tokens
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = at_least_one)]
    pub(crate) max_tokens: usize,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
}
