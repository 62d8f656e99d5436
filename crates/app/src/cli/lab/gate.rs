//! The arguments of `reckon lab gate`.
use crate::cli::at_least_one;
use clap::Args;
use std::path::PathBuf;

/// Replay canaries: does every guard still do what it did?
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab gate --model qwen2.5-coder-1.5b
  reckon lab gate --fixed
  reckon lab gate --canary mine.jsonl --json

Fixed texts with a known outcome go through every guard, then the model answers
a few questions for each guard and everyday ones for none. Exit code 1 if a
guard does worse than in reckon.lock (without one: than in the first run), if
an answer changed that is no guard's business, or if the model, its template,
the sampler or a guard is not what was accepted. `reckon models lock` accepts.

A canary file is a question file; `category` names the guard, or `control`.")]
pub(crate) struct GateArgs {
    /// Catalogue name or path of a GGUF file (default: the default model)
    #[arg(short, long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// Questions to ask the model instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(crate) canary: Option<PathBuf>,
    /// Only the fixed texts: no model is loaded
    #[arg(long, conflicts_with_all = ["model", "canary"])]
    pub(crate) fixed: bool,
    /// Questions at the same time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = at_least_one)]
    pub(crate) parallel: usize,
    /// Threads to run on (default: one per physical core that we may use)
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
