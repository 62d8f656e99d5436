//! `reckon models`: what may be typed.
use clap::{Args, Subcommand};

/// Find, fetch, show, check and remove models
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon models list
  reckon models pull qwen2.5-coder-1.5b
  reckon models search qwen3 4b
  reckon models pull hf.co/Qwen/Qwen3-4B-GGUF:Q4_K_M
  reckon models show qwen2.5-coder-1.5b
  reckon models path qwen2.5-coder-1.5b
  reckon models verify
  reckon models lock qwen2.5-coder-1.5b

Names, here and for --model:
  qwen2.5-coder-1.5b            of the catalogue
  hf.co/OWNER/REPO[:QUANT]      of the Hugging Face hub (Q4_K_M if not said)
  ollama/NAME[:TAG]             fetched by Ollama
  lmstudio/OWNER/REPO[:QUANT]   fetched by LM Studio
  ./my.gguf                     a file"
)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    pub(crate) command: ModelsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Show the catalogue, which models are here, and what other programs fetched
    #[command(after_help = "Example:\n  reckon models list --json")]
    List {
        /// Print one JSON object instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Find GGUF repositories on the Hugging Face hub
    #[command(after_help = "\
Examples:
  reckon models search gemma 3 4b
  reckon models search smollm3 --limit 3 --json

The most fetched come first, each with the size of the file that its bare
name means.")]
    Search {
        /// What their names should have
        #[arg(required = true)]
        words: Vec<String>,
        /// Show at most N, up to 30
        #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
        limit: usize,
        /// Print one JSON object instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Show what a model is: size, quantisation, context, licence, digest
    #[command(after_help = "\
Examples:
  reckon models show smollm2-135m
  reckon models show ./my.gguf --json
  reckon models show hf.co/Qwen/Qwen3-4B-GGUF

One of the hub that is not here is asked about; nothing is fetched.")]
    Show {
        /// A name or a path
        name: String,
        /// Print one JSON object instead of lines
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model, or the rest of one, and check its hash
    #[command(after_help = "\
Examples:
  reckon models pull smollm2-135m
  reckon models pull hf.co/Qwen/Qwen3-4B-GGUF:Q8_0 --yes

Licence and size are shown first; on a terminal a gigabyte or more is asked
about, unless --yes is given.")]
    Pull {
        /// A name of `reckon models list`, or hf.co/OWNER/REPO[:QUANT]
        name: String,
    },
    /// Print the file of a model that is here
    #[command(after_help = "Example:\n  ls -l \"$(reckon models path smollm2-135m)\"")]
    Path {
        /// A name of `reckon models list`
        name: String,
    },
    /// Remove a model that Reckon fetched
    #[command(after_help = "\
Example:
  reckon models rm smollm2-135m --yes

What other programs fetched, and files of your own, are left alone.")]
    Rm {
        /// A name of `reckon models list`
        name: String,
    },
    /// Hash models again and compare with catalogue and reckon.lock
    #[command(after_help = "\
Examples:
  reckon models verify
  reckon models verify smollm2-135m --json

Names what changed since `reckon models lock` (weights, quantisation,
tokenizer, template, metadata, sampler, guards) and which guards that affects.
Exit code 1 if something did, 3 if a file is not what the catalogue says.")]
    Verify {
        /// Only this model, by name or path (default: all that are here or locked)
        name: Option<String>,
        /// Print one JSON object instead of lines
        #[arg(long)]
        json: bool,
    },
    Lock(LockArgs),
    /// Give a model another name: a short one, or one that a program insists on
    #[command(after_help = "\
Examples:
  reckon models alias gpt-4o qwen2.5-coder-1.5b
  reckon models alias
  reckon models alias gpt-4o --remove")]
    Alias {
        /// The other name (default: show all)
        alias: Option<String>,
        /// A name of a model, or a path
        #[arg(conflicts_with = "remove")]
        name: Option<String>,
        /// Forget the alias
        #[arg(long, requires = "alias")]
        remove: bool,
    },
}

/// Accept a model as it is now: its state goes into reckon.lock
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon lab gate --model smollm2-135m && reckon models lock smollm2-135m
  reckon models lock ./my.gguf --here

Only a state that `reckon lab gate` has passed is accepted. The lock is
reckon.lock in the working directory if there is one, else in RECKON_HOME.")]
pub(crate) struct LockArgs {
    /// Catalogue name or path of a GGUF file (default: the default model)
    #[arg(value_name = "NAME|PATH")]
    pub(crate) model: Option<String>,
    /// Begin a lock in the working directory, to be kept beside your work
    #[arg(long)]
    pub(crate) here: bool,
    /// Accept although the gate has not passed; the lock says so
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON object instead of a line
    #[arg(long)]
    pub(crate) json: bool,
}
