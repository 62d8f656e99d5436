//! `reckon memory`, as it is typed.
use clap::{Args, Subcommand};

/// What the model is told about you with every question
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon memory add \"I am a nurse and prefer short answers.\"
  reckon memory list
  reckon memory forget nurse

Only what you add is remembered, here or by /remember in the chat. It goes into
the system message of `chat` and `ask`, and receipts name it; --no-memory leaves
it out."
)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    pub(crate) command: MemoryCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Show what is remembered
    #[command(after_help = "Example:\n  reckon memory list --json")]
    List {
        /// Print one JSON object instead of lines
        #[arg(long)]
        json: bool,
    },
    /// Remember something
    #[command(after_help = "Example:\n  reckon memory add \"My dog is called Pixel.\"")]
    Add {
        /// One line
        #[arg(required = true)]
        text: Vec<String>,
        /// Print one JSON object instead of a line
        #[arg(long)]
        json: bool,
    },
    /// Forget something, by its number in the list or by words of it
    #[command(after_help = "Example:\n  reckon memory forget Pixel")]
    Forget {
        /// The number, or words
        #[arg(required_unless_present = "all")]
        what: Vec<String>,
        /// Forget everything
        #[arg(long, conflicts_with = "what")]
        all: bool,
    },
    /// Print everything as JSON
    #[command(after_help = "Example:\n  reckon memory export > memory.json")]
    Export,
}
