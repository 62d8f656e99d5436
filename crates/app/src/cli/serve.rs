//! `reckon serve` and `reckon keys`, as they are typed.
use super::{MachineArgs, at_least_one};
use clap::{Args, Subcommand};
use std::{net::IpAddr, path::PathBuf};

/// Serve a page and the APIs of OpenAI, Ollama and Anthropic
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon serve
  reckon serve --model smollm2-135m --port 11434
  reckon keys create phone && reckon serve --host 0.0.0.0

Open http://127.0.0.1:11435/ in a browser. Programs use
  OpenAI     http://127.0.0.1:11435/v1
  Ollama     http://127.0.0.1:11435
  Anthropic  http://127.0.0.1:11435

Only this machine can reach it. With another --host everybody needs a key.")]
pub(crate) struct ServeArgs {
    /// Address to listen on
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// Port to listen on; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 11435)]
    pub(crate) port: u16,
    /// Catalogue name, hf.co/OWNER/REPO:QUANT or path of a GGUF file (default: the default model)
    #[arg(short, long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// Serve a model of this OpenAI-compatible server instead, with guards; needs --model [env: RECKON_API_KEY]
    #[arg(long, value_name = "URL", requires = "model")]
    pub(crate) endpoint: Option<String>,
    /// Largest context in tokens (default: the model's own, at most 8192)
    #[arg(short = 'c', long = "context", value_name = "N", value_parser = at_least_one, conflicts_with = "ctx")]
    pub(crate) context: Option<usize>,
    /// File with keys, one a line, readable by you alone; everybody needs one
    /// [env: RECKON_KEYS has keys in the same form]
    #[arg(long, value_name = "F")]
    pub(crate) key_file: Option<PathBuf>,
    /// Ask for a key on this machine too
    #[arg(long)]
    pub(crate) require_key: bool,
    /// End after S seconds without a request
    #[arg(long, value_name = "S")]
    pub(crate) idle_exit: Option<u64>,
    /// Seconds that a model stays loaded after its last use; the default model stays
    #[arg(long, value_name = "S", default_value_t = 300)]
    pub(crate) keep_alive: u64,
    /// Answers that are written at a time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = at_least_one)]
    pub(crate) parallel: usize,
    /// Requests that may wait; more are refused with 429
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) queue: usize,
    /// Keep nothing of prompts on the disk: after a restart long ones are read again
    #[arg(long)]
    pub(crate) forget_prompts: bool,
    /// Turn every guardrail off
    #[arg(long)]
    pub(crate) raw: bool,
    /// Certificate chain for https, as PEM
    #[arg(long, value_name = "F", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Its private key, as PEM
    #[arg(long, value_name = "F", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// Make, list and revoke keys for `reckon serve`
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon keys create phone
  reckon keys create script --requests-per-minute 20 --tokens-per-day 100000
  reckon keys list
  reckon keys revoke phone"
)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a key; it is shown once and kept as a digest
    #[command(after_help = "Example:\n  reckon keys create phone")]
    Create {
        /// What you call it
        name: String,
        /// Requests that it may send a minute
        #[arg(long, value_name = "N")]
        requests_per_minute: Option<u32>,
        /// Tokens that it may use a day, read and written
        #[arg(long, value_name = "N")]
        tokens_per_day: Option<u64>,
        /// Print one JSON object instead of lines
        #[arg(long)]
        json: bool,
    },
    /// Show all keys, without their secrets
    #[command(after_help = "Example:\n  reckon keys list --json")]
    List {
        /// Print one JSON object instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Take a key away; a running server refuses it at once
    #[command(after_help = "Example:\n  reckon keys revoke phone")]
    Revoke {
        /// Its name or id
        name: String,
        /// Print one JSON object instead of a line
        #[arg(long)]
        json: bool,
    },
}
