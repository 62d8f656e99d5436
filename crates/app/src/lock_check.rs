//! Says in one line, when a model has been loaded, what changed since `reckon.lock`; and which guards there are to change.
//!
//! `chat` and `ask` call [`tell`]. It must cost nothing: while the file is unchanged since it was hashed (a stamp: size
//! and time) only the template, the sampler and the guards' versions are compared; otherwise what the header says is
//! digested, too. The weights are never read here.
use crate::{Context, exit, guard};
use reckon::Model;
use reckon::assistant::{
    about::GUARDS,
    pack::{Pack, PackAction},
    version::VERSIONS,
};
use reckon_lab::lock::{GuardVersions, HeaderDigests, LockFile, ModelState};
use std::collections::BTreeSet;

/// Says on stderr what changed; nothing if there is no lock or it still holds.
pub(crate) fn tell(model: &Model, guards: &GuardVersions, context: &Context) {
    let said = match LockFile::find(&context.store.home) {
        Ok(None) => None,
        Ok(Some(file)) if file.lock.models.is_empty() => None,
        Ok(Some(file)) => line(model, guards, &file, context),
        Err(error) => Some(format!("{error} (hint: reckon models verify)")),
    };
    if let Some(said) = said {
        exit::notice(&said);
    }
}

fn line(
    model: &Model,
    guards: &GuardVersions,
    file: &LockFile,
    context: &Context,
) -> Option<String> {
    // Only a model of this machine has a file that can change.
    let name = context.store.name_of(model.info().path.as_ref()?);
    let Some(locked) = file.lock.model(&name) else {
        return Some(format!(
            "{name} is not in reckon.lock (hint: reckon lab gate, then reckon models lock)"
        ));
    };
    let (now, is_known) = now(model, guards, &locked.state, context)?;
    let changed = file.lock.diff(&name, &now).sentence(&name, "reckon.lock");
    let unknown = || format!("the file of {name} was not hashed since it came or changed");
    let what = changed.or_else(|| (!is_known).then(unknown))?;
    Some(format!("{what} (hint: reckon models verify)"))
}

/// The state as far as it can be told without reading weights, and whether that is all of it.
fn now(
    model: &Model,
    guards: &GuardVersions,
    was: &ModelState,
    context: &Context,
) -> Option<(ModelState, bool)> {
    let (engine, info) = (model.engine()?, model.info());
    let known = context.store.known_digest(info.path.as_deref()?);
    let mut now = ModelState {
        template: reckon::models::sha256_of(engine.template().source()),
        sampler: (&engine.sampling()).into(),
        ..was.clone()
    };
    // The raw model has no guards that could have changed.
    if !guards.is_empty() {
        now.guards = guards.clone();
    }
    if known.as_ref().is_some_and(|known| known.sha256 == was.file) {
        return Some((now, true));
    }
    let header = HeaderDigests::of(engine.file());
    now.metadata = header.metadata;
    now.tokenizer = header.tokenizer;
    now.quantisation = header.quantisation;
    if let Some(known) = &known {
        now.file = known.sha256.clone();
        now.weights = known.weights.clone().unwrap_or(now.weights);
    } else if info.bytes != was.bytes {
        now.file = String::new();
    }
    Some((now, known.is_some()))
}

/// The guards of this machine: their versions, and which of them call the model.
pub(crate) struct KnownGuards {
    pub(crate) versions: GuardVersions,
    pub(crate) callers: BTreeSet<String>,
}

impl KnownGuards {
    /// The built-in ones and the packs that are installed.
    pub(crate) fn installed(context: &Context) -> anyhow::Result<Self> {
        Ok(Self::of(&guard::versioned(context)?))
    }

    /// The built-in ones and these packs.
    pub(crate) fn of(packs: &[(Pack, String)]) -> Self {
        let mut versions: GuardVersions = VERSIONS
            .iter()
            .map(|&(name, version)| (name.to_owned(), version.to_owned()))
            .collect();
        let own = GUARDS.iter().filter(|guard| guard.model);
        let mut callers: BTreeSet<String> = own.map(|guard| guard.name.to_owned()).collect();
        for (pack, version) in packs {
            versions.insert(pack.class.clone(), version.clone());
            if pack.action != PackAction::Strip {
                callers.insert(pack.class.clone());
            }
        }
        Self { versions, callers }
    }
}
