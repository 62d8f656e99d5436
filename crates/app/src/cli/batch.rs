//! `reckon batch`, as it is typed.
use super::{Check, MachineArgs, SamplingArgs, at_least_one};
use clap::{Args, Subcommand};
use reckon_batch::Hours;
use std::path::PathBuf;

/// Answer a file of questions, to the end, whatever happens on the way
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon batch run rows.jsonl -o answers.jsonl
  reckon batch status answers.jsonl
  reckon batch retry answers.jsonl && reckon batch resume answers.jsonl
  reckon batch run rows.jsonl -o night.jsonl --hours 22-7 --power 2

A row is {\"id\": 1, \"prompt\": \"…\"} or has \"messages\"; system, max_tokens,
temperature, seed, schema and checks may stand beside it. Killed or stopped, the
same command goes on where it was; every row is answered exactly once."
)]
pub(crate) struct BatchArgs {
    #[command(subcommand)]
    pub(crate) command: BatchCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    /// Answer all rows of a file
    #[command(after_help = "\
Examples:
  reckon batch run rows.jsonl -o answers.jsonl --greedy
  reckon batch run rows.jsonl -o a.jsonl --db postgres://me@db/reckon")]
    Run {
        /// The rows, one JSON object a line
        input: PathBuf,
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        work: Box<WorkArgs>,
    },
    /// Go on with a batch that was stopped, killed or cancelled
    #[command(after_help = "Example:\n  reckon batch resume answers.jsonl")]
    Resume {
        #[command(flatten)]
        place: Which,
        #[command(flatten)]
        work: Box<WorkArgs>,
    },
    /// Answer rows of any batch in a shared queue, until none is left
    #[command(after_help = "Example:\n  reckon batch work --db postgres://me@db/reckon --stay")]
    Work {
        /// The queue: sqlite:PATH or postgres://…
        #[arg(long, value_name = "DB")]
        db: String,
        /// Wait for further batches
        #[arg(long)]
        stay: bool,
        #[command(flatten)]
        work: Box<WorkArgs>,
    },
    /// How far a batch is
    #[command(after_help = "Example:\n  reckon batch status answers.jsonl --json")]
    Status {
        #[command(flatten)]
        place: Which,
        /// Print one JSON object instead of lines
        #[arg(long)]
        json: bool,
        /// Write a page with what needs a person's eye first
        #[arg(long, value_name = "F.html")]
        summary: Option<PathBuf>,
    },
    /// Let no worker take further rows of a batch
    #[command(after_help = "Example:\n  reckon batch cancel answers.jsonl")]
    Cancel {
        #[command(flatten)]
        place: Which,
    },
    /// Try rows again that failed
    #[command(after_help = "Example:\n  reckon batch retry answers.jsonl")]
    Retry {
        #[command(flatten)]
        place: Which,
    },
    /// Who answers rows, and how fast
    #[command(after_help = "Example:\n  reckon batch workers --db postgres://me@db/reckon")]
    Workers {
        #[command(flatten)]
        place: Which,
        /// Print one JSON object instead of lines
        #[arg(long)]
        json: bool,
    },
}

impl BatchCommand {
    /// The queue, if one is named.
    pub(crate) fn db(&self) -> Option<&str> {
        match self {
            Self::Run { place, .. } => place.db.as_deref(),
            Self::Work { db, .. } => Some(db),
            Self::Resume { place, .. }
            | Self::Status { place, .. }
            | Self::Cancel { place }
            | Self::Retry { place }
            | Self::Workers { place, .. } => place.db.as_deref(),
        }
    }
}

/// Where a batch and its results are.
#[derive(Clone, Debug, Args)]
pub(crate) struct Place {
    /// Where the answers go; they are beside it in OUT.partial until all are there
    #[arg(short, long, value_name = "OUT.jsonl")]
    pub(crate) output: PathBuf,
    /// The queue: sqlite:PATH, or postgres://… for several machines (default: a file beside the output)
    #[arg(long, value_name = "DB")]
    pub(crate) db: Option<String>,
}

/// A batch that is there already.
#[derive(Clone, Debug, Args)]
pub(crate) struct Which {
    /// Where its answers go (default with --db: all batches of the queue, where that makes sense)
    #[arg(value_name = "OUT.jsonl", required_unless_present = "db")]
    pub(crate) output: Option<PathBuf>,
    /// The queue, if it is not beside the output
    #[arg(long, value_name = "DB")]
    pub(crate) db: Option<String>,
}

/// How rows are answered.
#[derive(Clone, Debug, Args)]
pub(crate) struct WorkArgs {
    /// Catalogue name, hf.co/OWNER/REPO:QUANT or path of a GGUF file (default: the default model)
    #[arg(short, long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// Ask an OpenAI-compatible server instead
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
    /// Let peers of this role answer, for rows that name none; this machine if none of them does
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Standing instructions, for rows that have none
    #[arg(long, value_name = "S")]
    pub(crate) system: Option<String>,
    /// Longest answer, for rows that do not say
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) max_tokens: Option<usize>,
    /// Hold every answer to this JSON schema, unless its row has one
    #[arg(long, value_name = "S.json")]
    pub(crate) schema: Option<PathBuf>,
    /// Hold every answer to these checks (a JSON list as in question files), besides those of its row
    #[arg(long, value_name = "C.json")]
    pub(crate) checks: Option<PathBuf>,
    /// Turn every guardrail off
    #[arg(long)]
    pub(crate) raw: bool,
    /// How far numbers and conclusions are checked
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub(crate) check: Check,
    /// Rows that are answered at a time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = at_least_one)]
    pub(crate) parallel: usize,
    /// Begin rows only in these hours of the day, such as 22-7
    #[arg(long, value_name = "H-H")]
    pub(crate) hours: Option<Hours>,
    /// Work at the same priority as other programs, and on battery, too
    #[arg(long)]
    pub(crate) eager: bool,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}
