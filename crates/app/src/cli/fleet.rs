//! `reckon fleet`, as it is typed.
use clap::Args;

/// Show the other machines that may answer
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon fleet
  reckon fleet --json

Peers stand in config.toml in RECKON_HOME:
  [peers.mini]
  url = \"https://mini.local:11435/v1\"
  models = [\"qwen2.5-coder-1.5b\"]
  role = \"premium\"
  key_variable = \"MINI_KEY\"

`reckon ask --role premium` and `/premium` in a chat ask such a peer. With
  [handover]
  doubtful = \"premium\"
an answer that is marked doubtful goes there, too; otherwise it stays here.")]
pub(crate) struct FleetArgs {
    /// Only ask whether the server at this address can answer now; exit code 1 if not
    #[arg(long, value_name = "URL")]
    pub(crate) ready: Option<String>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}
