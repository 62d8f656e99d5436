//! `reckon bot`, as it is typed.
use super::{Check, MachineArgs, at_least_one};
use clap::{Args, Subcommand};
use std::{net::SocketAddr, path::PathBuf};

/// Answer on Telegram, with the model of this machine
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon bot setup --token-file token
  reckon bot telegram --token-file token --model smollm2-135m
  reckon bot pending
  reckon bot approve T6649WEF

Nobody is answered before you approve them: a stranger gets a code by /start.
docs/telegram.md tells how to get a token and how to run it as a service."
)]
pub(crate) struct BotArgs {
    #[command(subcommand)]
    pub(crate) command: BotCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BotCommand {
    /// Answer until Ctrl-C
    #[command(
        after_help = "Example:\n  reckon bot telegram --token-file token --answers-per-day 50"
    )]
    Telegram(Box<TelegramArgs>),
    /// Check the token and print a systemd unit
    #[command(after_help = "Example:\n  reckon bot setup --token-file token > reckon-bot.service")]
    Setup {
        #[command(flatten)]
        token: TokenArgs,
        /// Arguments for `reckon bot telegram` in the unit
        #[arg(last = true, value_name = "ARGUMENTS")]
        arguments: Vec<String>,
    },
    /// Show who asked to be let in, with their codes
    #[command(after_help = "Example:\n  reckon bot pending --json")]
    Pending {
        /// Print one JSON object instead of lines
        #[arg(long)]
        json: bool,
    },
    /// Let somebody in, by the code that the bot gave them
    #[command(after_help = "Example:\n  reckon bot approve T6649WEF")]
    Approve {
        /// The code
        code: String,
    },
    /// Show who is answered
    #[command(after_help = "Example:\n  reckon bot people")]
    People {
        /// Print one JSON object instead of lines
        #[arg(long)]
        json: bool,
    },
    /// Answer somebody no longer
    #[command(after_help = "Example:\n  reckon bot revoke 123456789 --erase")]
    Revoke {
        /// The number of `reckon bot people`
        account: i64,
        /// Delete their conversations and what they had remembered, too
        #[arg(long)]
        erase: bool,
    },
}

/// Who the bot is.
#[derive(Clone, Debug, Args)]
pub(crate) struct TokenArgs {
    /// File with the token, readable by you alone [env: RECKON_TELEGRAM_TOKEN is the token itself]
    #[arg(long, value_name = "F")]
    pub(crate) token_file: Option<PathBuf>,
    /// Where the Bot API is, if not at Telegram
    #[arg(long, value_name = "U")]
    pub(crate) api_url: Option<String>,
}

/// How the bot answers.
#[derive(Clone, Debug, Args)]
pub(crate) struct TelegramArgs {
    #[command(flatten)]
    pub(crate) token: TokenArgs,
    /// Wait for Telegram's calls at this address instead of asking for messages
    #[arg(long, value_name = "ADDR")]
    pub(crate) webhook: Option<SocketAddr>,
    /// The https address that Telegram calls; what is there passes calls on to --webhook
    #[arg(long, value_name = "URL", requires = "webhook")]
    pub(crate) webhook_url: Option<String>,
    /// Answer this account without approval (may be repeated)
    #[arg(long, value_name = "NUMBER")]
    pub(crate) allow: Vec<i64>,
    /// Answers that a person gets in a day
    #[arg(long, value_name = "N")]
    pub(crate) answers_per_day: Option<u64>,
    /// Tokens that a person may use in a day
    #[arg(long, value_name = "N")]
    pub(crate) tokens_per_day: Option<u64>,
    /// Answers that are written at a time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    pub(crate) parallel: usize,
    /// Catalogue name, hf.co/OWNER/REPO:QUANT or path of a GGUF file (default: the default model)
    #[arg(short, long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// Standing instructions for the model, for people who set none
    #[arg(long, value_name = "S")]
    pub(crate) system: Option<String>,
    /// Let people have things remembered (/remember, /forget); each only for themselves
    #[arg(long)]
    pub(crate) memory: bool,
    /// Tell the model what it is and where it runs, so that it can say so
    #[arg(long)]
    pub(crate) about_self: bool,
    /// Longest answer
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = at_least_one)]
    pub(crate) max_tokens: usize,
    /// How far numbers and conclusions are checked
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub(crate) check: Check,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}
