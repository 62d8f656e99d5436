//! `reckon models verify`: hashes what is here again, compares it with the catalogue and with `reckon.lock`, and names
//! what is different and which guards that may make others.
use super::{Lockfile, Trust, Versions, progress::Progress, state};
use crate::{Context, Failure, drift, guard};
use reckon_lab::{Change, Lock, Locked, affected};
use reckon_models::{Entry, FileDigest, sha256_of_file};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// Verifies one model, or all that are here or locked. What is wrong is named and left in place.
pub(crate) fn run(
    name: Option<&str>,
    json: bool,
    context: &Context,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let lockfile = Lockfile::read(context)?;
    let packs = guard::versioned(context)?;
    let judge = Judge {
        lock: lockfile.as_ref().map(|file| &file.lock),
        versions: drift::versions(&packs),
        users: drift::users(&packs),
        context,
    };
    let mut found = Vec::new();
    for target in targets(name, lockfile.as_ref(), context)? {
        let one = judge.verify(target)?;
        if !json {
            one.print(out)?;
        }
        found.push(one);
    }
    if json {
        let rows: Vec<Value> = found.iter().map(Verified::row).collect();
        let lock = lockfile.as_ref().map(|file| &file.path);
        writeln!(out, "{:#}", json!({ "models": rows, "lock": lock }))?;
    } else if found.is_empty() {
        writeln!(out, "no models are here")?;
    }
    verdict(&found)
}

/// A model to verify; without a file, it is locked and not here.
struct Target<'a> {
    name: String,
    path: Option<PathBuf>,
    entry: Option<&'a Entry>,
    /// Whether it is held against the lock.
    locked: bool,
}

/// What is asked for: a model by name or path, or everything of the store and of the lock.
fn targets<'a>(
    name: Option<&str>,
    lockfile: Option<&Lockfile>,
    context: &'a Context,
) -> anyhow::Result<Vec<Target<'a>>> {
    if let Some(name) = name {
        let locked = lockfile.and_then(|file| file.lock.model(name)?.path.as_ref());
        let path = match (locked, lockfile) {
            (Some(path), Some(file)) if !Path::new(name).is_file() => file.file(path),
            _ => context.store.resolve(name)?,
        };
        let name = context.store.name_of(&path);
        return Ok(vec![Target {
            entry: context.store.entry_of(&path),
            path: Some(path),
            name,
            locked: true,
        }]);
    }
    // A locked model without a path is the store's; one with a path may have the name of another one there.
    let locked: Vec<(&Lockfile, &Locked)> = lockfile
        .iter()
        .flat_map(|file| file.lock.models.iter().map(move |one| (*file, one)))
        .collect();
    let mut all = Vec::new();
    for entry in &context.store.catalogue.models {
        let is_it = |(_, one): &&(_, &Locked)| one.name == entry.name && one.path.is_none();
        let locked = locked.iter().any(|one| is_it(&one));
        let path = context.store.present(entry);
        if locked || path.is_some() {
            all.push(Target {
                name: entry.name.clone(),
                path,
                entry: Some(entry),
                locked,
            });
        }
    }
    for (file, model) in locked {
        let path = match &model.path {
            Some(path) => Some(file.file(path)).filter(|path| path.is_file()),
            None if context.store.catalogue.entry(&model.name).is_some() => continue,
            None => None,
        };
        all.push(Target {
            name: model.name.clone(),
            path,
            entry: None,
            locked: true,
        });
    }
    Ok(all)
}

/// What files are held against.
struct Judge<'a> {
    lock: Option<&'a Lock>,
    versions: Versions,
    users: BTreeSet<String>,
    context: &'a Context,
}

/// What was found out about a model.
struct Verified {
    name: String,
    path: Option<PathBuf>,
    sha256: Option<String>,
    /// The catalogue says otherwise.
    wrong: bool,
    /// The name in the lock that it was compared with.
    locked: Option<String>,
    changes: Vec<Change>,
    affected: BTreeSet<String>,
    /// Nothing is locked under its name, although there is a lock and it was asked for.
    unlisted: bool,
}

impl Judge<'_> {
    fn verify(&self, target: Target<'_>) -> anyhow::Result<Verified> {
        let Target {
            name,
            path,
            entry,
            locked,
        } = target;
        let mut found = Verified {
            sha256: None,
            wrong: false,
            locked: None,
            changes: Vec::new(),
            affected: BTreeSet::new(),
            unlisted: false,
            path,
            name,
        };
        let Some(path) = found.path.as_deref() else {
            found.locked = Some(found.name.clone());
            return Ok(found);
        };
        let listed = self.lock.and_then(|lock| lock.model(&found.name));
        let lock = self.lock.filter(|lock| !lock.models.is_empty());
        if let Some(lock) = lock.filter(|_| locked) {
            let state = state(path, self.versions.clone(), Trust::Nothing, self.context)?;
            found.sha256 = Some(state.file.clone());
            found.unlisted = listed.is_none();
            if let Some(locked) = listed.or_else(|| lock.nearest(&state)) {
                found.locked = Some(locked.name.clone());
                found.changes = locked.state.changes(&state);
                found.affected = affected(&found.changes, &self.users);
            }
        } else {
            let read = || rehash(&found.name, path, self.context).map(FileDigest::of_file);
            let digest = self.context.store.remember_digest(path, read)?;
            found.sha256 = Some(digest.sha256);
        }
        found.wrong = entry.is_some_and(|entry| Some(&entry.sha256) != found.sha256.as_ref());
        Ok(found)
    }
}

impl Verified {
    fn is_ok(&self) -> bool {
        !self.wrong && !self.unlisted && self.changes.is_empty() && self.path.is_some()
    }

    fn print(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let Some(path) = &self.path else {
            writeln!(out, "{}  LOCKED AND NOT HERE", self.name)?;
            return Ok(());
        };
        let verdict = match self {
            Self { wrong: true, .. } => "WRONG SHA256".to_owned(),
            Self {
                unlisted: true,
                locked: Some(nearest),
                ..
            } => {
                format!("NOT IN reckon.lock, nearest is {nearest}")
            }
            _ if !self.changes.is_empty() => "CHANGED since reckon.lock".to_owned(),
            _ => "ok".to_owned(),
        };
        writeln!(out, "{}  {verdict}  {}", self.name, path.display())?;
        for change in &self.changes {
            let short = |text: &Option<String>| match text.as_deref() {
                None => "none".to_owned(),
                Some(text) if text.len() == 64 => format!("{}…", &text[..12]),
                Some(text) => text.to_owned(),
            };
            let part = change.part.to_string();
            writeln!(
                out,
                "  {part:20} {} -> {}",
                short(&change.was),
                short(&change.is)
            )?;
        }
        if !self.affected.is_empty() {
            let names: Vec<&str> = self.affected.iter().map(String::as_str).collect();
            writeln!(out, "  affected: {}", names.join(", "))?;
        }
        Ok(())
    }

    fn row(&self) -> Value {
        json!({
            "name": self.name, "path": self.path, "ok": self.is_ok(), "sha256": self.sha256,
            "here": self.path.is_some(), "locked": self.locked.is_some() && !self.unlisted,
            "compared_with": self.locked, "changes": self.changes, "affected": self.affected,
        })
    }
}

fn verdict(found: &[Verified]) -> anyhow::Result<()> {
    let names = |is: fn(&Verified) -> bool| -> Vec<&str> {
        let those = found.iter().filter(|one| is(one));
        those.map(|one| one.name.as_str()).collect()
    };
    let wrong = names(|one| one.wrong);
    if let Some(first) = wrong.first() {
        let what = format!("wrong sha256: {}", wrong.join(", "));
        let hint = format!("`reckon models pull {first}` replaces it");
        return Err(Failure::model(what).hint(hint).into());
    }
    let gone = names(|one| one.path.is_none());
    if !gone.is_empty() {
        let what = format!("in reckon.lock and not here: {}", gone.join(", "));
        return Err(Failure::failed(what).into());
    }
    let Some(one) = found.iter().find(|one| !one.is_ok()) else {
        return Ok(());
    };
    let name = &one.name;
    let what = match (one.unlisted, &one.locked) {
        (true, Some(nearest)) => format!(
            "{name} is not in reckon.lock; of {nearest} differ {}",
            drift::parts(&one.changes)
        ),
        _ => format!(
            "{} of {name} changed since reckon.lock",
            drift::parts(&one.changes)
        ),
    };
    let hint = "`reckon lab gate` tries it, `reckon models lock` accepts it";
    Err(Failure::failed(what).hint(hint).into())
}

fn rehash(name: &str, path: &Path, context: &Context) -> anyhow::Result<String> {
    let bytes = fs::metadata(path).map_or(0, |data| data.len());
    let mut progress = Progress::brief(name, bytes, context);
    sha256_of_file(path, &mut |bytes| progress.advance(bytes))
        .map_err(|error| Failure::model(format!("cannot read {}: {error}", path.display())).into())
}
