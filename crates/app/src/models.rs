//! `reckon models`: the store of `reckon-models` on a terminal, and what `reckon.lock` says about it.
//!
//! [`locate`] is what commands call: the text of `--model`, or nothing, becomes the path of a GGUF file; what happens on
//! the way is shown on stderr.
mod accept;
mod alias;
mod list;
mod progress;
mod state;
mod verify;

pub(crate) use accept::run as accept;
pub(crate) use state::{Rehash, state};

use crate::{
    Context, Failure,
    cli::{ModelsArgs, ModelsCommand},
};
use progress::shown;
use reckon::models::size;
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Runs `reckon models`.
pub(crate) fn run(args: &ModelsArgs, context: &Context) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match &args.command {
        ModelsCommand::List { json } => list::run(*json, context, &mut out),
        ModelsCommand::Verify { name, json } => {
            verify::run(name.as_deref(), *json, context, &mut out)
        }
        ModelsCommand::Lock(args) => accept::run(args, context, &mut out),
        ModelsCommand::Alias {
            alias,
            name,
            remove,
        } => alias::run(
            alias.as_deref(),
            name.as_deref(),
            *remove,
            context,
            &mut out,
        ),
        ModelsCommand::Path { name } => {
            let path = context.store.resolve(name)?;
            Ok(writeln!(out, "{}", path.display())?)
        }
        ModelsCommand::Pull { name } => {
            let path = context.store.pull(name, &mut shown(context))?;
            Ok(writeln!(out, "{}", path.display())?)
        }
    }
}

/// The file of the model that was asked for, or of the default model; the first run may fetch that one.
pub(crate) fn locate(model: Option<&str>, context: &Context) -> anyhow::Result<PathBuf> {
    if model.is_none()
        && context.ask_first
        && !context.store.offline
        && let Some(entry) = context.store.missing_default()
        && !agrees(&entry.name, entry.bytes)?
    {
        return Err(Failure::model("no model is here yet")
            .hint("reckon models list shows what can be fetched; --model FILE.gguf uses a file")
            .into());
    }
    Ok(context.store.locate(model, &mut shown(context))?)
}

/// Asks before a gigabyte comes over somebody's line.
fn agrees(name: &str, bytes: u64) -> io::Result<bool> {
    let mut to = io::stderr();
    write!(
        to,
        "No model is here yet. Fetch {name} ({})? [Y/n] ",
        size(bytes)
    )?;
    to.flush()?;
    let mut answer = String::new();
    // The end of the input is no consent.
    let n = io::stdin().read_line(&mut answer)?;
    Ok(n > 0 && matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes"))
}

/// The SHA-256 of a file; remembered while the file stays as it is.
pub(crate) fn sha256(path: &Path, context: &Context) -> io::Result<String> {
    context.store.sha256(path, &mut shown(context))
}

/// The SHA-256 of a file, if it was hashed and has not changed since.
pub(crate) fn known_sha256(path: &Path, context: &Context) -> Option<String> {
    let known = context.store.known_digest(path)?;
    Some(known.sha256)
}
