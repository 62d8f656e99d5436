//! Removes models that Reckon fetched, and nothing else.
//!
//! What came through pip lies in our home and is ours. A file of the hub's cache is ours if the note of its fetch is there
//! (`hub`); other programs share that cache, and what they fetched stays. Files of Ollama, of LM Studio and of people are
//! theirs. Nothing is removed while another process fetches it.
use crate::{
    Entry, Error, ErrorKind, Result, Source, Store, Variant, disk,
    file_lock::FileLock,
    hub,
    other_stores::{cached_variants, gguf_files},
    reference::{Pick, Reference},
    variant::is_mmproj,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What would be removed.
#[derive(Clone, Debug)]
pub struct Removal {
    /// What the person called the model.
    pub name: String,
    /// Bytes that it frees.
    pub bytes: u64,
    targets: Vec<Target>,
}

#[derive(Clone, Debug)]
enum Target {
    /// A model of wheels, whole or under way.
    Assembled { name: String },
    /// A blob of the hub's cache and all links to it.
    Blob { repository: String, sha256: String },
}

impl Store {
    /// What removing a model would remove; an error if it is not here or not ours.
    pub fn plan_removal(&self, name: &str) -> Result<Removal> {
        let targets = self.targets(name)?;
        let bytes = targets.iter().map(|target| self.bytes_of(target));
        Ok(Removal {
            name: name.to_owned(),
            bytes: bytes.fold(0, u64::saturating_add),
            targets,
        })
    }

    /// Removes it.
    pub fn remove(&self, removal: &Removal) -> Result<()> {
        // All locks first: a model is removed whole or not at all.
        let mut locks = Vec::new();
        for target in &removal.targets {
            let path = match target {
                Target::Assembled { name } => self.home.join("locks").join(name),
                Target::Blob { repository, sha256 } => hub::lock(self, repository, sha256),
            };
            locks.push(FileLock::try_take(&path)?.ok_or_else(|| busy(&removal.name))?);
        }
        for target in &removal.targets {
            match target {
                Target::Assembled { name } => self.remove_assembled(name)?,
                Target::Blob { repository, sha256 } => self.remove_blob(repository, sha256)?,
            }
        }
        Ok(())
    }

    fn targets(&self, name: &str) -> Result<Vec<Target>> {
        if let Some(entry) = self.catalogue.entry(name) {
            return self.targets_of(entry);
        }
        let meant = self.unaliased(name);
        if meant != name {
            let what = format!("{name} is an alias of {meant}");
            let hint =
                format!("`reckon models alias {name} --remove` forgets it; or remove {meant}");
            return Err(Error::new(ErrorKind::NotFound, what).with_hint(hint));
        }
        match Reference::parse(name) {
            Some(Ok(Reference::Hub(pick))) => self.targets_of_hub(&pick, name),
            Some(Ok(Reference::Ollama { .. })) => {
                let own = name.trim_start_matches("ollama/");
                Err(theirs(
                    name,
                    "Ollama",
                    &format!("`ollama rm {own}` removes it"),
                ))
            }
            Some(Ok(Reference::LmStudio(_))) => Err(theirs(name, "LM Studio", "remove it there")),
            Some(Err(error)) => Err(error),
            None if crate::is_path(name) => Err(theirs(name, "you", "delete the file itself")),
            None => Err(self.unknown(name)),
        }
    }

    fn targets_of(&self, entry: &Entry) -> Result<Vec<Target>> {
        let name = &entry.name;
        let targets = match &entry.source {
            Source::Wheels(_) => vec![Target::Assembled { name: name.clone() }],
            Source::Hub(file) => {
                let model = (file.repository.as_str(), entry.sha256.as_str());
                let encoders = entry.mmproj();
                let encoders = encoders.map(|one| (one.repository.as_str(), one.sha256.as_str()));
                let present = self.present(entry);
                if present.is_some() && !self.is_fetched(model.0, model.1) {
                    return Err(shared(name));
                }
                let all = [Some(model), encoders].into_iter().flatten();
                all.filter(|(repository, sha256)| self.is_fetched(repository, sha256))
                    .map(|(repository, sha256)| blob(repository, sha256))
                    .collect()
            }
        };
        match targets.iter().any(|target| self.bytes_of(target) > 0) {
            true => Ok(targets),
            false => Err(absent(name)),
        }
    }

    fn targets_of_hub(&self, pick: &Pick<'_>, name: &str) -> Result<Vec<Target>> {
        let (snapshot, chosen) = self.cached(pick).ok_or_else(|| absent(name))?;
        let variants = cached_variants(self, pick.repository);
        let others = |variant: &Variant| *variant != chosen;
        let is_last = !variants.iter().flat_map(|(_, all)| all).any(others);
        let mut files = chosen.files.clone();
        if is_last {
            // Encoders stay as long as a model is there to use them.
            let all = gguf_files(&snapshot, &self.hub_cache).into_iter();
            files.extend(all.filter(|file| is_mmproj(&file.path)));
        }
        let mut targets = Vec::new();
        for file in files {
            let sha256 = file.sha256.as_deref();
            let sha256 = sha256.filter(|sha256| self.is_fetched(pick.repository, sha256));
            match sha256 {
                Some(sha256) => targets.push(blob(pick.repository, sha256)),
                None if is_mmproj(&file.path) => {}
                None => return Err(shared(name)),
            }
        }
        Ok(targets)
    }

    fn is_fetched(&self, repository: &str, sha256: &str) -> bool {
        hub::fetched_note(self, repository, sha256).is_file()
    }

    fn bytes_of(&self, target: &Target) -> u64 {
        let bytes = |path: &Path| fs::symlink_metadata(path).map_or(0, |data| data.len());
        match target {
            Target::Assembled { name } => {
                let partial = self.home.join("partial").join(name).join("model.gguf");
                bytes(&self.assembled(name)).saturating_add(bytes(&partial))
            }
            Target::Blob { repository, sha256 } => {
                let blob = hub::directory(self, repository).join("blobs").join(sha256);
                let partial = blob.with_added_extension("incomplete");
                bytes(&blob).saturating_add(bytes(&partial))
            }
        }
    }

    fn assembled(&self, name: &str) -> PathBuf {
        self.models().join(format!("{name}.gguf"))
    }

    fn remove_assembled(&self, name: &str) -> Result<()> {
        let path = self.assembled(name);
        self.forget_digest(&path);
        remove_file(&path)?;
        let _ = fs::remove_dir_all(self.home.join("partial").join(name));
        Ok(())
    }

    fn remove_blob(&self, repository: &str, sha256: &str) -> Result<()> {
        let directory = hub::directory(self, repository);
        let blob = directory.join("blobs").join(sha256);
        self.forget_digest(&blob);
        for snapshot in hub::snapshots(self, repository) {
            remove_links(&snapshot, sha256, 4);
        }
        remove_file(&blob)?;
        remove_file(&blob.with_added_extension("incomplete"))?;
        remove_file(&hub::fetched_note(self, repository, sha256))
    }

    fn forget_digest(&self, path: &Path) {
        if let Some(note) = self.noted(path) {
            let _ = fs::remove_file(note);
        }
    }
}

/// Removes links to a blob, and directories that have nothing else in them.
fn remove_links(directory: &Path, sha256: &str, depth: usize) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => remove_links(&path, sha256, depth - 1),
            Ok(kind) if kind.is_symlink() => {
                let target = fs::read_link(&path);
                if target.is_ok_and(|target| target.file_name().is_some_and(|name| name == sha256))
                {
                    let _ = fs::remove_file(&path);
                }
            }
            _ => {}
        }
    }
    // Fails, as it should, if something is left.
    let _ = fs::remove_dir(directory);
}

fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(disk::cannot_write(&error, path))
        }
        _ => Ok(()),
    }
}

fn blob(repository: &str, sha256: &str) -> Target {
    Target::Blob {
        repository: repository.to_owned(),
        sha256: sha256.to_owned(),
    }
}

fn absent(name: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("{name} is not here"))
}

fn shared(name: &str) -> Error {
    let hint = "`hf cache rm` removes files of that cache";
    let what = format!("another program has put {name} into the Hugging Face cache");
    Error::new(ErrorKind::NotOurs, what).with_hint(hint)
}

fn theirs(name: &str, owner: &str, hint: &str) -> Error {
    let what = format!("{name} belongs to {owner}, not to reckon");
    Error::new(ErrorKind::NotOurs, what).with_hint(hint)
}

fn busy(name: &str) -> Error {
    let what = format!("another process is fetching {name}");
    Error::new(ErrorKind::Busy, what).with_hint("wait for it, or end it, and try again")
}
