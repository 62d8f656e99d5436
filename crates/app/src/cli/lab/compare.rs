//! The arguments of `reckon lab compare`.
use clap::Args;
use std::path::PathBuf;

/// Raw against guarded on one tape, two tapes, or two judged models
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab compare gsm8k.tape.jsonl --flips
  reckon lab compare raw.jsonl guarded.jsonl --json
  reckon lab compare gpt-4_single.jsonl --models vicuna-13b-v1.3 claude-v1

With two tapes, what shipped on the first is compared with what shipped on the
second, turn by turn. Questions are drawn with their turns together; a system
is called better only if the 95 % interval leaves 0 out and chance would do the
same in fewer than 5 of 100 cases.")]
pub(crate) struct CompareArgs {
    /// A tape that `lab run` has written, or a file of FastChat judgments
    #[arg(value_name = "A.jsonl")]
    pub(crate) first: PathBuf,
    /// Another one of the same kind
    #[arg(value_name = "B.jsonl")]
    pub(crate) second: Option<PathBuf>,
    /// Two models of the judgments (default: the two that are there)
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub(crate) models: Vec<String>,
    /// Score tapes again, by the checks of these questions
    #[arg(long, value_name = "Q.jsonl")]
    pub(crate) questions: Option<PathBuf>,
    /// List the turns where the two got different scores
    #[arg(long)]
    pub(crate) flips: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
