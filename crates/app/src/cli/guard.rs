//! `reckon guard`: what may be typed.
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Guardrails: what there is, what one does, what one sees in a text
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon guard list
  reckon guard explain arithmetic
  reckon guard test my-pack.toml
  reckon guard scan --prompt question.txt --response answer.txt --json

Packs are read from RECKON_HOME/guards/*.toml; docs/adding-a-guardrail.md tells
how to write one."
)]
pub(crate) struct GuardArgs {
    #[command(subcommand)]
    pub(crate) command: GuardCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    List(ListArgs),
    Explain(ExplainArgs),
    Test(TestArgs),
    Scan(ScanArgs),
}

/// List the built-in guards and the packs of this machine
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  reckon guard list\n  reckon guard list --json")]
pub(crate) struct ListArgs {
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Say what a guard waits for, what it does, when its result ships and what it costs
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reckon guard explain persona\n  reckon guard explain sign-off --json"
)]
pub(crate) struct ExplainArgs {
    /// A guard or the class of a pack, as `reckon guard list` shows it
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Run the examples of a pack; fails if it fires on a control or misses a triggered one
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reckon guard test packs/sign-off.toml\n  reckon guard test my-pack.toml --json"
)]
pub(crate) struct TestArgs {
    /// The pack, a TOML file
    #[arg(value_name = "PACK")]
    pub(crate) pack: PathBuf,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what guards see in a finished answer, and the answer after the passes that need no model
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon guard scan --response answer.txt
  reckon guard scan --prompt question.txt --response answer.txt --json
  reckon guard scan --jsonl rows.jsonl --json

A row of the JSONL file is an object with `response` and, if there is one,
`prompt`; its `id` is kept. Spans are bytes.")]
pub(crate) struct ScanArgs {
    /// File with the question
    #[arg(long, value_name = "P", conflicts_with = "jsonl")]
    pub(crate) prompt: Option<PathBuf>,
    /// File with the answer
    #[arg(
        long,
        value_name = "R",
        required_unless_present = "jsonl",
        conflicts_with = "jsonl"
    )]
    pub(crate) response: Option<PathBuf>,
    /// File with one object a row
    #[arg(long, value_name = "F")]
    pub(crate) jsonl: Option<PathBuf>,
    /// Use this pack too (may be repeated)
    #[arg(long = "pack", value_name = "PACK")]
    pub(crate) packs: Vec<PathBuf>,
    /// Print one JSON object (a row) instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}
