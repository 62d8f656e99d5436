//! The arguments of `reckon lab pull`.
use clap::Args;

/// Fetch the files of a benchmark, each checked against its sha256
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab pull mt-bench
  reckon lab run mt-bench --tape mt.jsonl

mt-bench is FastChat's: 80 questions of two turns, the judge's prompts and the
reference answers of GPT-4 (Apache-2.0). They go to RECKON_HOME/sets; nothing
of them comes with Reckon.")]
pub(crate) struct PullArgs {
    /// The benchmark: mt-bench
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Another place that has the same files
    #[arg(long, value_name = "URL")]
    pub(crate) from: Option<String>,
}
