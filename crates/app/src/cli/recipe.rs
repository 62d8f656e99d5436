//! `reckon run` and `reckon recipe`, as they are typed.
use super::{Check, MachineArgs, ModelArgs, SamplingArgs, at_least_one};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Run a recipe on files, mail, a recording or standard input
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reckon run translate letter.txt --set to=German
  echo \"tell Ann I am late\" | reckon run email -
  reckon run classify notes.txt letter.txt --set labels=private,business
  reckon run extract invoices/ --set fields=vendor,date,total --out table.csv
  reckon run extract letter.txt --schema person.json
  reckon run documents notes.txt letter.txt --out summaries.md
  reckon run documents --watch ~/inbox
  git diff | reckon run review -
  arecord -f S16_LE -r 16000 -t wav | reckon run meeting - --out notes.md

`reckon recipe list` shows the recipes, `reckon recipe show NAME` how one is used.
With --out a run that was stopped skips what is done when it is started again.")]
pub(crate) struct RunArgs {
    /// Name of a recipe, or path of a TOML file
    #[arg(value_name = "RECIPE")]
    pub(crate) recipe: String,
    /// Files and folders; `-` reads standard input
    #[arg(value_name = "FILES|-", conflicts_with = "watch")]
    pub(crate) files: Vec<PathBuf>,
    /// Set a parameter of the recipe (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Append results to this file, each once; with --watch the folder of the results
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Answer each file that comes into this folder, until Ctrl-C; results are in DIR/results
    #[arg(long, value_name = "DIR")]
    pub(crate) watch: Option<PathBuf>,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Hold answers to this JSON schema instead of the recipe's form
    #[arg(long, value_name = "S.json")]
    pub(crate) schema: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Turn every guardrail off
    #[arg(long)]
    pub(crate) raw: bool,
    /// How far numbers and conclusions are checked (default: as the recipe says)
    #[arg(long, value_name = "LEVEL", value_enum)]
    pub(crate) check: Option<Check>,
    /// Stop each answer after N tokens
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) max_tokens: Option<usize>,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// Show and write recipes
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  reckon recipe list
  reckon recipe show translate
  reckon recipe new my-recipe

Your own are TOML files in RECKON_HOME/recipes; docs/recipes.md has every key."
)]
pub(crate) struct RecipeArgs {
    #[command(subcommand)]
    pub(crate) command: RecipeCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RecipeCommand {
    /// Show what there is
    #[command(after_help = "Example:\n  reckon recipe list --json")]
    List {
        /// Print one JSON object instead of lines
        #[arg(long)]
        json: bool,
    },
    /// Print the TOML of a recipe
    #[command(after_help = "Example:\n  reckon recipe show meeting > my-meeting.toml")]
    Show {
        /// Name or path
        name: String,
    },
    /// Write a commented recipe to begin with
    #[command(after_help = "Example:\n  reckon recipe new minutes")]
    New {
        /// Lowercase letters, digits and hyphens
        name: String,
    },
}

fn setting(text: &str) -> std::result::Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("must be KEY=VALUE".into()),
    }
}
