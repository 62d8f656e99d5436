//! Arguments of `reckon check`.
use clap::Args;
use std::path::PathBuf;

/// Check an answer against the requirements in its prompt's own words
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon check --prompt prompt.txt --response answer.txt
  reckon check --prompt prompt.txt --response answer.txt --json
  reckon check --jsonl rows.jsonl > verdicts.jsonl

A row has `prompt` and `response`; `id` and `key` are kept, and each row gives one
object: {\"id\", \"constraints\": [{\"id\", \"span\", \"text\", \"verdict\", …}]}.
A span counts the prompt's characters; a verdict is pass, fail or unknown.
The exit code is 1 when something fails.")]
pub(crate) struct CheckArgs {
    /// The prompt; `-` reads it from standard input
    #[arg(
        long,
        value_name = "P.txt",
        requires = "response",
        required_unless_present = "jsonl"
    )]
    pub(crate) prompt: Option<PathBuf>,
    /// The answer to it
    #[arg(long, value_name = "R.txt", requires = "prompt")]
    pub(crate) response: Option<PathBuf>,
    /// Many prompts and answers, one JSON object a line; `-` reads standard input
    #[arg(long, value_name = "F", conflicts_with_all = ["prompt", "response"])]
    pub(crate) jsonl: Option<PathBuf>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}
