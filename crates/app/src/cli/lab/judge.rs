//! The arguments of `reckon lab judge`.
use super::ModelArgs;
use crate::cli::at_least_one;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Have answers judged by a model, as FastChat does
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab judge mt.tape.jsonl --questions mt-bench --model gpt-4 \\
      --endpoint https://api.openai.com/v1 -o gpt-4_single.jsonl
  reckon lab judge a.jsonl b.jsonl --mode pair --baseline a --track corrected \\
      --questions question.jsonl --prompts judge_prompts.jsonl \\
      --references gpt-4.jsonl --model qwen2.5-coder-1.5b -o pair.jsonl

Answers are FastChat's (the model is called what the file is called) or a tape:
what shipped and, where guards changed something, what the model said raw.
Questions, prompts and references are FastChat's files, from where you have
them. In pair mode both orders are shown; orders that disagree are a tie. The
compat track is FastChat's own; the corrected one replaces 16 wrong references
and asks no judge where a check decides. A judgment without a rating scores -1.
What is in the output already is not judged again.")]
pub(crate) struct JudgeArgs {
    /// Tapes, or answers in FastChat's form
    #[arg(required = true, value_name = "ANSWERS")]
    pub(crate) answers: Vec<PathBuf>,
    /// The questions; or `mt-bench`, which brings prompts and references
    #[arg(long, value_name = "Q")]
    pub(crate) questions: PathBuf,
    /// FastChat's judge_prompts.jsonl
    #[arg(long, value_name = "P.jsonl")]
    pub(crate) prompts: Option<PathBuf>,
    /// Reference answers for math, reasoning and coding
    #[arg(long, value_name = "R.jsonl")]
    pub(crate) references: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) answerer: ModelArgs,
    /// One answer at a time, or two
    #[arg(long, value_enum, default_value_t = JudgeMode::Single)]
    pub(crate) mode: JudgeMode,
    /// In pair mode: the model that all others are compared with
    #[arg(long, value_name = "NAME")]
    pub(crate) baseline: Option<String>,
    /// As FastChat, or with right references and checks first
    #[arg(long, value_enum, default_value_t = Track::Compat)]
    pub(crate) track: Track,
    /// Judge everything N times, to see how much the judge agrees with itself
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
    pub(crate) repeats: usize,
    /// Of the judge; 0 is greedy
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    pub(crate) temperature: f32,
    /// Longest judgment
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = at_least_one)]
    pub(crate) max_tokens: usize,
    /// Judgments at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = at_least_one)]
    pub(crate) parallel: usize,
    /// Where the judgments go; gone on with if it exists
    #[arg(short, long, value_name = "J")]
    pub(crate) output: PathBuf,
}

/// How answers are shown to the judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgeMode {
    Single,
    Pair,
}

/// By whose references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Track {
    Compat,
    Corrected,
}
