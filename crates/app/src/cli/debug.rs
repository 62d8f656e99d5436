//! `reckon debug`, as it is typed.
use super::{at_least_one, precision};
use clap::{Args, Subcommand, ValueEnum};
use reckon::engine::Precision;
use std::path::PathBuf;

/// Conformance: what the model computes, for comparison with others
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon debug logits --model ./my.gguf --tokens 1,2,3 --out logits.npy
  reckon debug perplexity --model ./my.gguf --ctx 512 text.txt --json"
)]
pub(crate) struct DebugArgs {
    #[command(subcommand)]
    pub(crate) command: DebugCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DebugCommand {
    Logits(LogitsArgs),
    Perplexity(PerplexityArgs),
    Media(MediaArgs),
}

/// Write what an encoder makes of a picture or sound as a NumPy file of f32
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon debug media --model ./my.gguf --mmproj ./eyes.gguf photo.jpg \\
      --stage pixels --out pixels.npy
  reckon debug media --model ./my.gguf --mmproj ./eyes.gguf memo.ogg \\
      --stage embeddings --out embeddings.npy

FILE is a picture, sound, or a .npy: pixels [3][h][w] or samples at 16 kHz.")]
pub(crate) struct MediaArgs {
    /// Catalogue name or path of a GGUF file
    #[arg(short, long, value_name = "M")]
    pub(crate) model: String,
    /// GGUF file with the model's eyes and ears
    #[arg(long, value_name = "P")]
    pub(crate) mmproj: PathBuf,
    /// What to look at
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// How far to go
    #[arg(long, value_enum)]
    pub(crate) stage: Stage,
    /// The file to write
    #[arg(short, long, value_name = "OUT.npy")]
    pub(crate) out: PathBuf,
    /// Do it so many times and print how long each took, in milliseconds
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) repeat: Option<usize>,
    /// Threads to run on (default: one per physical core that we may use)
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
}

/// How far media is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// A picture, as the encoder is given it: [3, h, w]
    Pixels,
    /// Sound, as the encoder is given it: [frames, 128]
    Mel,
    /// What the language model is given: [tokens, width]
    Embeddings,
}

/// Write the logits of every position as a NumPy file of f32
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  reckon debug logits --model ./my.gguf --tokens 1,2,3 --out logits.npy

The file holds f32 [n_tokens, n_vocab].")]
pub(crate) struct LogitsArgs {
    /// Catalogue name or path of a GGUF file
    #[arg(short, long, value_name = "M")]
    pub(crate) model: String,
    /// Token ids, with commas between them
    #[arg(long, value_name = "IDS", value_delimiter = ',', required = true)]
    pub(crate) tokens: Vec<u32>,
    /// The file to write
    #[arg(short, long, value_name = "F.npy")]
    pub(crate) out: PathBuf,
    /// Only the last position, read the fast way of a prompt
    #[arg(long)]
    pub(crate) last: bool,
    /// Threads to run on (default: one per physical core that we may use)
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
}

/// Perplexity of a text: chunks of --ctx tokens, the second half of each scored
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  reckon debug perplexity --model ./my.gguf --ctx 512 text.txt --json"
)]
pub(crate) struct PerplexityArgs {
    /// Catalogue name or path of a GGUF file
    #[arg(short, long, value_name = "M")]
    pub(crate) model: String,
    /// Tokens of a chunk
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = at_least_one)]
    pub(crate) ctx: usize,
    /// Threads to run on (default: one per physical core that we may use)
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
    /// How the context is kept: f16 or q8_0
    #[arg(long, value_name = "KV", value_parser = precision)]
    pub(crate) kv: Option<Precision>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// The text to score
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}
