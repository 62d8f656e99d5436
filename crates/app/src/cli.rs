//! The command line: what may be typed, as types.
//!
//! `parse` turns arguments into a [`Cli`] or into clap's own stop (help, version, usage error). Names, letters and
//! defaults are a contract that scripts rely on. Nothing is looked up here: commands check what they are given.
pub(crate) mod batch;
pub(crate) mod bot;
pub(crate) mod check;
pub(crate) mod debug;
pub(crate) mod fleet;
pub(crate) mod guard;
pub(crate) mod lab;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod recipe;
pub(crate) mod serve;
pub(crate) mod solve;

use check::CheckArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use reckon::{CheckLevel, engine::Precision};
use solve::SolveArgs;
use std::{ffi::OsString, path::PathBuf};

/// Parses one command line, the program's name first.
pub(crate) fn parse(
    arguments: impl IntoIterator<Item = OsString>,
) -> std::result::Result<Cli, clap::Error> {
    Cli::try_parse_from(arguments)
}

/// Private AI on the CPU you own
#[derive(Debug, Parser)]
#[command(name = "reckon", version, max_term_width = 80, after_help = ROOT_HELP)]
#[command(arg_required_else_help = true, subcommand_required = true)]
pub(crate) struct Cli {
    /// Never touch the network [env: RECKON_OFFLINE=1]
    #[arg(long, global = true)]
    pub(crate) offline: bool,

    /// Do not ask before a model is fetched or removed
    #[arg(long, global = true)]
    pub(crate) yes: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Chat(ChatArgs),
    Ask(AskArgs),
    Run(recipe::RunArgs),
    Recipe(recipe::RecipeArgs),
    Batch(batch::BatchArgs),
    Bot(bot::BotArgs),
    Serve(serve::ServeArgs),
    Keys(serve::KeysArgs),
    Fleet(fleet::FleetArgs),
    Log(LogArgs),
    Memory(memory::MemoryArgs),
    Models(models::ModelsArgs),
    Check(CheckArgs),
    Tokenize(TokenizeArgs),
    Guard(guard::GuardArgs),
    Bench(BenchArgs),
    Lab(lab::LabArgs),
    Debug(debug::DebugArgs),
    Solve(SolveArgs),
    Doctor(DoctorArgs),
    Completions(CompletionsArgs),
    #[command(hide = true)]
    Man(ManArgs),
}

const ROOT_HELP: &str = "\
Examples:
  reckon chat                          talk to the default model
  reckon ask \"What is 17 * 23?\"        one question, one answer
  reckon serve                         a page, and an API for other programs
  reckon models list                   what can be fetched, what is here

Environment:
  RECKON_HOME     where models and state are kept (default: the data directory
                  of the platform)
  RECKON_OFFLINE  1 is the same as --offline
  HF_HOME, HF_ENDPOINT, HF_TOKEN  as for other Hugging Face tools
  OLLAMA_MODELS   where Ollama keeps its models, which are used in place

Exit codes: 0 ok, 1 failed, 2 usage, 3 model, 4 input refused";

/// Talk to a model in the terminal
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon chat
  reckon chat --model smollm2-135m
  reckon chat --model ./my.gguf --system \"Answer in one sentence.\"

  reckon chat --continue

In the chat: /save FILE [n], /run [n], /copy [n], /attach FILE, /retry, /edit,
/undo, /load, /remember, /forget, /model, /system, /why, /stats, /quit; /ROLE
asks a peer that has this role (reckon fleet)

Conversations are kept on this machine (`reckon log`); --forget keeps nothing.")]
pub(crate) struct ChatArgs {
    /// Go on with the last conversation
    #[arg(short = 'c', long = "continue", conflicts_with = "forget")]
    pub(crate) resume: bool,
    /// Keep nothing of this conversation
    #[arg(long)]
    pub(crate) forget: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Let a peer with this role answer (`reckon fleet` shows them); this machine does if none can
    #[arg(long, value_name = "ROLE", conflicts_with = "endpoint")]
    pub(crate) role: Option<String>,
    /// Standing instructions for the model
    #[arg(long, value_name = "S")]
    pub(crate) system: Option<String>,
    /// Leave out what you had remembered (`reckon memory`)
    #[arg(long)]
    pub(crate) no_memory: bool,
    /// Tell the model what it is and where it runs, so that it can say so
    #[arg(long)]
    pub(crate) about_self: bool,
    /// Turn every guardrail off
    #[arg(long)]
    pub(crate) raw: bool,
    /// How far numbers and conclusions are checked: without the model (direct), with a few programs beside the answer
    /// (quick), with a jury of answers and programs (full)
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub(crate) check: Check,
    /// Stop every answer after N tokens
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) max_tokens: Option<usize>,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// Ask one question and print the answer
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon ask \"What is the capital of France?\"
  reckon ask -f notes.txt \"Sum this up in three points.\"
  reckon ask -f report.pdf \"How much was spent on travel?\"
  git diff | reckon ask -
  reckon ask -c \"And in French?\"
  reckon ask -f letter.txt --schema person.json \"Who wrote this?\"
  reckon ask --model smollm2-135m --greedy --json \"Say hello.\"")]
pub(crate) struct AskArgs {
    /// Go on with the last conversation, and keep this in it
    #[arg(short = 'c', long = "continue")]
    pub(crate) resume: bool,
    /// The question; `-` reads it from standard input
    #[arg(value_name = "TEXT|-")]
    pub(crate) text: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Let a peer with this role answer (`reckon fleet` shows them); this machine does if none can
    #[arg(long, value_name = "ROLE", conflicts_with = "endpoint")]
    pub(crate) role: Option<String>,
    /// Standing instructions for the model
    #[arg(long, value_name = "S")]
    pub(crate) system: Option<String>,
    /// Leave out what you had remembered (`reckon memory`)
    #[arg(long)]
    pub(crate) no_memory: bool,
    /// Tell the model what it is and where it runs, so that it can say so
    #[arg(long)]
    pub(crate) about_self: bool,
    /// Turn every guardrail off
    #[arg(long)]
    pub(crate) raw: bool,
    /// How far numbers and conclusions are checked: without the model (direct), with a few programs beside the answer
    /// (quick), with a jury of answers and programs (full)
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub(crate) check: Check,
    /// Put this file before the question: text, a document, a picture, sound (may be repeated)
    #[arg(short, long = "file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Stop after N tokens of answer
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) max_tokens: Option<usize>,
    /// Hold the answer to this JSON schema: what comes out is JSON that it allows
    #[arg(long, value_name = "S.json")]
    pub(crate) schema: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// How far numbers and conclusions of an answer are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Check {
    Off,
    Direct,
    #[default]
    Quick,
    Full,
}

impl From<Check> for CheckLevel {
    fn from(check: Check) -> Self {
        match check {
            Check::Off => Self::Off,
            Check::Direct => Self::Direct,
            Check::Quick => Self::Quick,
            Check::Full => Self::Full,
        }
    }
}

/// Which model answers, and where it is.
#[derive(Clone, Debug, Args)]
pub(crate) struct ModelArgs {
    /// Catalogue name, hf.co/OWNER/REPO:QUANT or path of a GGUF file (default: the default model)
    #[arg(id = "model", short = 'm', long = "model", value_name = "M")]
    pub(crate) name: Option<String>,
    /// Ask an OpenAI-compatible server instead, for example http://localhost:11434/v1; --model is the name that it knows
    /// [env: RECKON_API_KEY or OPENAI_API_KEY is its key]
    #[arg(long, value_name = "URL", conflicts_with = "draft")]
    pub(crate) endpoint: Option<String>,
    /// GGUF file of a drafter made for the model: the same answers, sooner
    #[arg(long, value_name = "FILE")]
    pub(crate) draft: Option<PathBuf>,
}

/// How tokens are chosen; what is not given comes from the model.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Sampling")]
pub(crate) struct SamplingArgs {
    /// Always take the most likely token
    #[arg(long, conflicts_with = "temperature")]
    pub(crate) greedy: bool,
    /// Same seed, same bytes
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// 0 is greedy
    #[arg(long, value_name = "T", value_parser = not_negative)]
    pub(crate) temperature: Option<f32>,
    /// Keep the K most likely tokens; 0 keeps all
    #[arg(long, value_name = "K")]
    pub(crate) top_k: Option<usize>,
    /// Keep the smallest set with this probability
    #[arg(long, value_name = "P", value_parser = probability)]
    pub(crate) top_p: Option<f32>,
    /// Drop tokens less likely than this share of the best
    #[arg(long, value_name = "P", value_parser = probability)]
    pub(crate) min_p: Option<f32>,
    /// Above 1, repeats become less likely
    #[arg(long, value_name = "R", value_parser = positive)]
    pub(crate) repetition_penalty: Option<f32>,
}

/// What of the machine a model may use.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct MachineArgs {
    /// Threads to run on (default: one per physical core that we may use)
    #[arg(short, long, visible_alias = "power", value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
    /// Largest context in tokens (default: the model's own, at most 8192)
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) ctx: Option<usize>,
    /// How the context is kept: f16, or q8_0 in half the memory at a small cost of quality
    #[arg(long, value_name = "KV", value_parser = precision)]
    pub(crate) kv: Option<Precision>,
    /// GGUF file with the model's eyes and ears (an mmproj)
    #[arg(long, value_name = "P")]
    pub(crate) mmproj: Option<PathBuf>,
}

/// Find, show and export conversations of the terminal and the page
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon log
  reckon log zebra --json
  reckon log --show 1f3a9c02
  reckon log --export 1f3a9c02 > conversation.json")]
pub(crate) struct LogArgs {
    /// Only conversations with these words
    pub(crate) words: Vec<String>,
    /// Show at most N
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: u32,
    /// Print a conversation, by the beginning of its id
    #[arg(long, value_name = "ID", conflicts_with = "words")]
    pub(crate) show: Option<String>,
    /// Print a conversation as JSON that the page can import
    #[arg(long, value_name = "ID", conflicts_with_all = ["words", "show"])]
    pub(crate) export: Option<String>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show how a model cuts a text into tokens
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon tokenize --model smollm2-135m \"Hello, world\"
  reckon tokenize --model ./my.gguf --json - < notes.txt")]
pub(crate) struct TokenizeArgs {
    /// Catalogue name, hf.co/OWNER/REPO:QUANT or path of a GGUF file
    #[arg(short, long, value_name = "M")]
    pub(crate) model: String,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
    /// The text; `-` reads it from standard input
    #[arg(value_name = "TEXT|-")]
    pub(crate) text: String,
}

/// Measure
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Example:\n  reckon bench speed --model smollm2-135m"
)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    Speed(SpeedArgs),
}

/// Tokens per second of reading and of writing
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon bench speed --model smollm2-135m
  reckon bench speed --model ./my.gguf -p 1024 -n 64 -t 2 -r 5 --json")]
pub(crate) struct SpeedArgs {
    /// Catalogue name, hf.co/OWNER/REPO:QUANT or path of a GGUF file
    #[arg(short, long, value_name = "M")]
    pub(crate) model: String,
    /// Tokens of prompt to read
    #[arg(short = 'p', long = "prompt", value_name = "N", default_value_t = 512)]
    pub(crate) prompt: usize,
    /// Tokens of answer to write
    #[arg(
        short = 'n',
        long = "generate",
        value_name = "N",
        default_value_t = 128
    )]
    pub(crate) generate: usize,
    /// Tokens already in the context before measuring (default: 0, and 4096 if
    /// the model's context allows)
    #[arg(short = 'd', long = "depth", value_name = "N")]
    pub(crate) depth: Option<usize>,
    /// Threads to run on (default: one per physical core that we may use)
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
    /// How the context is kept: f16 or q8_0
    #[arg(long, value_name = "KV", value_parser = precision)]
    pub(crate) kv: Option<Precision>,
    /// How often to repeat
    #[arg(short, long, value_name = "N", default_value_t = 3, value_parser = at_least_one)]
    pub(crate) repeat: usize,
    /// Conversations at the same time (default: 1, 2, 4, 8 and 16; none with -d)
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) parallel: Option<usize>,
    /// Store the report in this file (default: a new file in bench below
    /// RECKON_HOME)
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what this machine offers: CPU, memory, disk, models
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  reckon doctor\n  reckon doctor --json")]
pub(crate) struct DoctorArgs {
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon completions bash > ~/.local/share/bash-completion/completions/reckon
  reckon completions zsh > ~/.zfunc/_reckon
  reckon completions fish > ~/.config/fish/completions/reckon.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Print manual pages, for packages
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for each command into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

fn at_least_one(text: &str) -> std::result::Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("must be at least 1".into()),
        Ok(number) => Ok(number),
        Err(_) => Err("not a whole number".into()),
    }
}

/// Full floats are there for comparisons with references, so they are not in the help.
fn precision(text: &str) -> std::result::Result<Precision, String> {
    Precision::named(text).ok_or_else(|| "must be f16 or q8_0".into())
}

fn number(text: &str, holds: fn(f32) -> bool, wanted: &str) -> std::result::Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() && holds(value) => Ok(value),
        _ => Err(format!("must be {wanted}")),
    }
}

fn not_negative(text: &str) -> std::result::Result<f32, String> {
    number(text, |value| value >= 0.0, "a number of at least 0")
}

fn positive(text: &str) -> std::result::Result<f32, String> {
    number(text, |value| value > 0.0, "a number above 0")
}

fn probability(text: &str) -> std::result::Result<f32, String> {
    number(
        text,
        |value| (0.0..=1.0).contains(&value),
        "a number from 0 to 1",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
