//! `reckon models`: the store of `reckon-models` on a terminal, and what `reckon.lock` says about it.
//!
//! [`locate`] is what commands call: the text of `--model`, or nothing, becomes the path of a GGUF file; what happens on
//! the way is shown on stderr.
mod accept;
mod alias;
mod fetch;
mod list;
mod progress;
mod remove;
mod search;
mod show;
mod state;
mod verify;

pub(crate) use accept::run as accept;
pub(crate) use state::{Rehash, state};

use crate::{
    Context, Failure,
    cli::models::{ModelsArgs, ModelsCommand},
};
use progress::shown;
use reckon::models::ErrorKind;
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Runs `reckon models`.
pub(crate) fn run(args: &ModelsArgs, context: &Context) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match &args.command {
        ModelsCommand::List { json } => list::run(*json, context, &mut out),
        ModelsCommand::Search { words, limit, json } => {
            search::run(&words.join(" "), *limit, *json, context, &mut out)
        }
        ModelsCommand::Show { name, json } => show::run(name, *json, context, &mut out),
        ModelsCommand::Rm { name } => remove::run(name, context, &mut out),
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
            let path = context.store.resolve_with(name, &mut shown(context))?;
            Ok(writeln!(out, "{}", path.display())?)
        }
        ModelsCommand::Pull { name } => {
            let path = fetch::pull(name, context)?;
            Ok(writeln!(out, "{}", path.display())?)
        }
    }
}

/// The file of the model that was asked for, or of the default model. The first run may fetch that one, and a name of the
/// hub is fetched if it is not here; a person at the terminal is asked first.
pub(crate) fn locate(model: Option<&str>, context: &Context) -> anyhow::Result<PathBuf> {
    let Some(model) = model else {
        fetch::agree_to_default(context)?;
        return Ok(context.store.locate(None, &mut shown(context))?);
    };
    match context.store.resolve_with(model, &mut shown(context)) {
        Err(error) if error.kind() == ErrorKind::NotFetched && context.store.is_of_hub(model) => {
            fetch::pull(model, context)
        }
        done => Ok(done?),
    }
}

/// Asks on the terminal; an empty answer is what the capital letter says.
fn is_agreed(question: &str, usually: bool) -> io::Result<bool> {
    let mut to = io::stderr();
    let letters = if usually { "[Y/n]" } else { "[y/N]" };
    write!(to, "{question} {letters} ")?;
    to.flush()?;
    let mut answer = String::new();
    // The end of the input is no consent.
    let n = io::stdin().read_line(&mut answer)?;
    Ok(match answer.trim().to_lowercase().as_str() {
        "" => n > 0 && usually,
        answer => matches!(answer, "y" | "yes"),
    })
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

/// A person said no.
fn declined(what: &str) -> Failure {
    Failure::model(what)
        .hint("reckon models list shows what can be fetched; --model FILE.gguf uses a file")
}
