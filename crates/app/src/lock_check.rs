//! What is different from what `reckon.lock` says was accepted: told once, in one line, when a model has been loaded.
//!
//! `chat` and `ask` call [`tell`]. It must cost nothing: while the file is unchanged since it was hashed (a stamp: size
//! and time) only the template, the sampler and the guards' versions are compared; otherwise what the header says is
//! digested, too. The weights are never read here.
use crate::{
    Context, exit,
    load::Loaded,
    models::{self, Header, Lockfile, Versions},
};
use reckon_assistant::{
    about::GUARDS,
    pack::{Action, Pack},
    version::VERSIONS,
};
use reckon_lab::{Change, Locked, State};
use std::collections::BTreeSet;

/// Says on stderr what changed; nothing if there is no lock or it still holds.
pub(crate) fn tell(loaded: &Loaded, guards: &Versions, context: &Context) {
    let said = match Lockfile::read(context) {
        Ok(None) => None,
        Ok(Some(file)) if file.lock.models.is_empty() => None,
        Ok(Some(file)) => line(loaded, guards, &file, context),
        Err(error) => Some(format!("{error:#} (hint: reckon models verify)")),
    };
    if let Some(said) = said {
        exit::notice(&said);
    }
}

fn line(loaded: &Loaded, guards: &Versions, file: &Lockfile, context: &Context) -> Option<String> {
    let name = models::name_of(&loaded.path, context);
    let Some(locked) = file.lock.model(&name) else {
        return Some(format!(
            "{name} is not in reckon.lock (hint: reckon lab gate, then reckon models lock)"
        ));
    };
    let (now, is_known) = now(loaded, guards, locked, context);
    let changes = locked.state.changes(&now);
    let what = match (changes.is_empty(), is_known) {
        (true, true) => return None,
        (true, false) => format!("the file of {name} was not hashed since it came or changed"),
        _ => format!("{} of {name} changed since reckon.lock", parts(&changes)),
    };
    Some(format!("{what} (hint: reckon models verify)"))
}

/// The state as far as it can be told without reading weights, and whether that is all of it.
fn now(loaded: &Loaded, guards: &Versions, locked: &Locked, context: &Context) -> (State, bool) {
    let was = &locked.state;
    let known = models::hashed(&loaded.path, context);
    let is_same = known.as_ref().is_some_and(|known| known.sha256 == was.file);
    let mut now = State {
        template: models::sha256_of(loaded.model.template().source()),
        sampler: models::sampler(&loaded.model.sampling()),
        ..was.clone()
    };
    // The raw model has no guards that could have changed.
    if !guards.is_empty() {
        now.guards = guards.clone();
    }
    if is_same {
        return (now, true);
    }
    let header = Header::of(loaded.model.file());
    now.metadata = header.metadata;
    now.tokenizer = header.tokenizer;
    now.quantisation = header.quantisation;
    if let Some(known) = &known {
        now.file = known.sha256.clone();
        now.weights = known.weights.clone().unwrap_or(now.weights);
    } else if loaded.bytes != was.bytes {
        now.file = String::new();
    }
    (now, known.is_some())
}

/// "the template", "the weights and the template".
pub(crate) fn parts(changes: &[Change]) -> String {
    let all: Vec<String> = changes
        .iter()
        .map(|change| format!("the {}", change.part))
        .collect();
    match all.as_slice() {
        [] => "nothing".into(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The versions of all guards: the built-in ones and these packs.
pub(crate) fn versions(packs: &[(Pack, String)]) -> Versions {
    let own = VERSIONS.iter().map(|&(name, version)| (name, version));
    let packs = packs.iter();
    let packs = packs.map(|(pack, version)| (pack.class.as_str(), version.as_str()));
    own.chain(packs)
        .map(|(name, version)| (name.to_owned(), version.to_owned()))
        .collect()
}

/// The guards in which the model has a part.
pub(crate) fn users(packs: &[(Pack, String)]) -> BTreeSet<String> {
    let own = GUARDS.iter().filter(|guard| guard.model);
    let packs = packs
        .iter()
        .filter(|(pack, _)| pack.action != Action::Strip);
    own.map(|guard| guard.name.to_owned())
        .chain(packs.map(|(pack, _)| pack.class.clone()))
        .collect()
}
