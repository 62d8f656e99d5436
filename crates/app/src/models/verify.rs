//! `reckon models verify`: hashes what is here again, compares it with the catalogue and with `reckon.lock`, and names
//! what is different and which guards that affects.
use super::{Rehash, progress::Progress, state};
use crate::{Context, Failure, lock_check::KnownGuards};
use reckon::models::{Entry, FileDigest, is_path, sha256_of_file};
use reckon_lab::lock::{LockDiff, LockFile, affected_guards};
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
    let file = LockFile::find(&context.store.home)?;
    let guards = KnownGuards::installed(context)?;
    let mut found = Vec::new();
    for target in targets(name, file.as_ref(), context)? {
        let one = target.verify(file.as_ref(), &guards, context)?;
        if !json {
            one.print(out)?;
        }
        found.push(one);
    }
    if json {
        let rows: Vec<Value> = found.iter().map(Verified::row).collect();
        let lock = file.as_ref().map(|file| &file.path);
        writeln!(out, "{:#}", json!({ "models": rows, "lock": lock }))?;
    } else if found.is_empty() {
        writeln!(out, "no models are here")?;
    }
    match failure(&found) {
        Some(failure) => Err(failure.into()),
        None => Ok(()),
    }
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
    file: Option<&LockFile>,
    context: &'a Context,
) -> anyhow::Result<Vec<Target<'a>>> {
    if let Some(name) = name {
        let by_lock = || {
            // A name of the catalogue is the catalogue's, whatever a lock or the working directory calls so.
            let is_ours = context.store.catalogue.entry(name).is_some();
            let file = file.filter(|_| !is_ours && !is_path(name))?;
            Some(file.model_file(file.lock.model(name)?.path.as_ref()?))
        };
        let path = match by_lock() {
            Some(path) => path,
            None => context.store.resolve(name)?,
        };
        return Ok(vec![Target {
            name: context.store.name_of(&path),
            entry: context.store.entry_of(&path),
            path: Some(path),
            locked: true,
        }]);
    }
    // A locked model without a path is the store's; one with a path may have the name of another one there.
    let locked = file.map_or(&[][..], |file| file.lock.models.as_slice());
    let mut all = Vec::new();
    for entry in &context.store.catalogue.models {
        let locked = locked
            .iter()
            .any(|one| one.name == entry.name && one.path.is_none());
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
    for model in locked {
        if model.path.is_none() && context.store.catalogue.entry(&model.name).is_some() {
            continue;
        }
        let path = file
            .zip(model.path.as_ref())
            .map(|(file, path)| file.model_file(path));
        all.push(Target {
            name: model.name.clone(),
            path: path.filter(|path| path.is_file()),
            entry: None,
            locked: true,
        });
    }
    Ok(all)
}

/// What was found out about a model.
struct Verified {
    name: String,
    path: Option<PathBuf>,
    sha256: Option<String>,
    /// The catalogue says otherwise.
    wrong: bool,
    /// How it differs from the lock.
    diff: LockDiff,
    affected: BTreeSet<String>,
}

impl Target<'_> {
    fn verify(
        self,
        file: Option<&LockFile>,
        guards: &KnownGuards,
        context: &Context,
    ) -> anyhow::Result<Verified> {
        let mut diff = LockDiff::default();
        let mut sha256 = None;
        let lock = file
            .map(|file| &file.lock)
            .filter(|lock| self.locked && !lock.models.is_empty());
        match (&self.path, lock) {
            (None, _) => diff.entry = Some(self.name.clone()),
            (Some(path), Some(lock)) => {
                let state = state(path, guards.versions.clone(), Rehash::Always, context)?;
                diff = lock.diff(&self.name, &state);
                sha256 = Some(state.file);
            }
            (Some(path), None) => sha256 = Some(rehash(&self.name, path, context)?),
        }
        Ok(Verified {
            wrong: self.entry.is_some_and(|entry| {
                sha256
                    .as_ref()
                    .is_some_and(|sha256| *sha256 != entry.sha256)
            }),
            affected: affected_guards(&diff.changes, &guards.callers),
            name: self.name,
            path: self.path,
            sha256,
            diff,
        })
    }
}

fn rehash(name: &str, path: &Path, context: &Context) -> anyhow::Result<String> {
    let read = || -> anyhow::Result<FileDigest> {
        let bytes = fs::metadata(path).map_or(0, |data| data.len());
        let mut progress = Progress::brief(name, bytes, context);
        let sha256 = sha256_of_file(path, &mut |bytes| progress.advance(bytes));
        let unread = |error| Failure::model(format!("cannot read {}: {error}", path.display()));
        Ok(FileDigest::of_file(sha256.map_err(unread)?))
    };
    Ok(context.store.remember_digest(path, read)?.sha256)
}

impl Verified {
    fn is_ok(&self) -> bool {
        !self.wrong && !self.diff.unlisted && self.diff.changes.is_empty() && self.path.is_some()
    }

    fn print(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let Some(path) = &self.path else {
            return Ok(writeln!(out, "{}  LOCKED AND NOT HERE", self.name)?);
        };
        let verdict = match &self.diff.entry {
            _ if self.wrong => "WRONG SHA256".to_owned(),
            Some(nearest) if self.diff.unlisted => {
                format!("NOT IN reckon.lock, nearest is {nearest}")
            }
            _ if !self.diff.changes.is_empty() => "CHANGED since reckon.lock".to_owned(),
            _ => "ok".to_owned(),
        };
        writeln!(out, "{}  {verdict}  {}", self.name, path.display())?;
        let short = |text: &Option<String>| match text.as_deref() {
            None => "none".to_owned(),
            Some(text) if text.len() == 64 => format!("{}…", &text[..12]),
            Some(text) => text.to_owned(),
        };
        for change in &self.diff.changes {
            let (part, was, is) = (change.to_string(), short(&change.was), short(&change.is));
            writeln!(out, "  {part:20} {was} -> {is}")?;
        }
        if !self.affected.is_empty() {
            let names: Vec<&str> = self.affected.iter().map(String::as_str).collect();
            writeln!(out, "  affected: {}", names.join(", "))?;
        }
        Ok(())
    }

    fn row(&self) -> Value {
        let LockDiff {
            entry,
            unlisted,
            changes,
        } = &self.diff;
        json!({
            "name": self.name, "path": self.path, "ok": self.is_ok(), "sha256": self.sha256,
            "here": self.path.is_some(), "locked": entry.is_some() && !unlisted,
            "compared_with": entry, "changes": changes, "affected": self.affected,
        })
    }
}

/// What is worst, in one line: a wrong file, one that is gone, a change.
fn failure(found: &[Verified]) -> Option<Failure> {
    let names = |is: fn(&Verified) -> bool| -> Vec<&str> {
        let those = found.iter().filter(|one| is(one));
        those.map(|one| one.name.as_str()).collect()
    };
    let wrong = names(|one| one.wrong);
    if let Some(first) = wrong.first() {
        let what = format!("wrong sha256: {}", wrong.join(", "));
        return Some(
            Failure::model(what).hint(format!("`reckon models pull {first}` replaces it")),
        );
    }
    let gone = names(|one| one.path.is_none());
    if !gone.is_empty() {
        return Some(Failure::failed(format!(
            "in reckon.lock and not here: {}",
            gone.join(", ")
        )));
    }
    let what = found
        .iter()
        .find_map(|one| one.diff.sentence(&one.name, "reckon.lock"))?;
    Some(Failure::failed(what).hint("`reckon lab gate` tries it, `reckon models lock` accepts it"))
}
