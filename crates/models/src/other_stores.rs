//! Models that other programs fetched: the Hugging Face cache, LM Studio's folder and (in `ollama`) Ollama's store.
//!
//! They are used where they are and never written to. All of it is a stranger's: names that could not be a path of plain
//! words are passed over, a link counts only if it leads to a plain file inside the same store, and a store is looked
//! through up to a bound.
use crate::{
    Error, ErrorKind, OnEvent, RepositoryFile, Result, Store, Variant,
    catalogue::{is_sha256, is_word},
    digest_cache::FileDigest,
    disk, hub,
    locate::is_gguf,
    ollama,
    reference::Pick,
    variant,
};
use std::{
    convert::Infallible,
    fs,
    path::{Path, PathBuf},
};

/// Entries of one store that are looked at.
const MOST_ENTRIES: usize = 20_000;

/// Directories between a repository and its files.
const DEPTH: usize = 3;

/// Where other programs keep models; the first directory that has one wins.
#[derive(Clone, Debug, Default)]
pub struct OtherStores {
    /// Directories with `manifests` and `blobs`.
    pub ollama: Vec<PathBuf>,
    /// Directories with `PUBLISHER/REPO/FILE.gguf`.
    pub lm_studio: Vec<PathBuf>,
}

/// A model that is here although nobody put it into the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What `--model` takes.
    pub name: String,
    /// Whose store it lies in.
    pub store: &'static str,
    /// The file, or the first part.
    pub path: PathBuf,
    /// Size of all parts.
    pub bytes: u64,
}

impl Store {
    /// Models of other programs' stores, by name; what the catalogue knows is left out.
    pub fn found(&self) -> Vec<Found> {
        let full = |path: &Path| fs::canonicalize(path).ok();
        let known: Vec<PathBuf> = self
            .catalogue
            .models
            .iter()
            .filter_map(|entry| full(&self.present(entry)?))
            .collect();
        let mut found = hub_models(self);
        found.extend(lm_studio_models(self));
        found.extend(ollama::models(self));
        found.retain(|one| full(&one.path).is_some_and(|path| !known.contains(&path)));
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found.dedup_by(|a, b| a.name == b.name);
        found
    }

    /// The encoders that belong to a model's file, if they are here: those of the catalogue, or those that lie beside the
    /// file in a store. Whether the model can use them is for its loader to say.
    pub fn mmproj_of(&self, path: &Path) -> Option<PathBuf> {
        if let Some(entry) = self.entry_of(path) {
            let own = entry.mmproj()?;
            return hub::present(self, &own.repository, &own.file, &own.sha256);
        }
        let stores = [&self.hub_cache].into_iter().chain(&self.others.lm_studio);
        let store = stores.into_iter().find(|store| path.starts_with(store))?;
        let directory = path.parent()?;
        let files = gguf_files(directory, store);
        let encoders = variant::mmproj(&files)?;
        Some(directory.join(&encoders.path))
    }

    /// The cached file of a repository that is meant, and the snapshot it is in.
    pub(crate) fn cached(&self, pick: &Pick<'_>) -> Option<(PathBuf, Variant)> {
        let snapshots = cached_variants(self, pick.repository);
        snapshots.into_iter().find_map(|(snapshot, variants)| {
            let chosen = variant::choose(&variants, pick.pick, "").ok()?;
            Some((snapshot, chosen.clone()))
        })
    }

    /// The file of LM Studio's that is meant.
    pub(crate) fn lm_studio_file(&self, pick: &Pick<'_>, asked: &str) -> Result<PathBuf> {
        let roots = self.others.lm_studio.iter();
        let here = roots
            .map(|root| (root, root.join(pick.repository)))
            .find(|(_, directory)| directory.is_dir());
        let Some((root, directory)) = here else {
            let what = format!("LM Studio has no {} here", pick.repository);
            let hint = "`reckon models list` shows what is here";
            return Err(Error::new(ErrorKind::NotFound, what).with_hint(hint));
        };
        let variants = variant::variants(gguf_files(&directory, root));
        let name = asked.split(':').next().unwrap_or(asked);
        let chosen = variant::choose(&variants, pick.pick, name)?;
        Ok(directory.join(chosen.path()))
    }

    /// Checks that a file has the digest that its name promises; read once, then remembered.
    pub(crate) fn check_named(
        &self,
        path: &Path,
        sha256: &str,
        on_event: &mut OnEvent<'_>,
    ) -> Result<()> {
        let found = self.sha256(path, on_event);
        let found = found.map_err(|error| disk::cannot_read(&error, path))?;
        if found == sha256 {
            return Ok(());
        }
        let what = format!("{}: its sha256 is {found}, not its name", path.display());
        let hint = "it is damaged: fetch it again with the program that it belongs to";
        Err(Error::new(ErrorKind::Mismatch, what).with_hint(hint))
    }

    /// The file was hashed while it came and is what it should be.
    pub(crate) fn note_checked(&self, sha256: &str, path: &Path) {
        let known = || Ok::<_, Infallible>(FileDigest::of_file(sha256));
        let Ok(_) = self.remember_digest(path, known);
    }
}

/// What the cache has of a repository, snapshot by snapshot, the newest first.
pub(crate) fn cached_variants(store: &Store, repository: &str) -> Vec<(PathBuf, Vec<Variant>)> {
    let snapshots = hub::snapshots(store, repository).into_iter();
    snapshots
        .map(|snapshot| {
            let files = gguf_files(&snapshot, &store.hub_cache);
            (snapshot, variant::variants(files))
        })
        .collect()
}

fn hub_models(store: &Store) -> Vec<Found> {
    let mut found = Vec::new();
    for name in names(&store.hub_cache) {
        let repository = name
            .strip_prefix("models--")
            .and_then(|name| name.split_once("--"));
        let Some((owner, repository)) = repository else {
            continue;
        };
        let repository = format!("{owner}/{repository}");
        if !repository.split('/').all(is_word) {
            continue;
        }
        for (snapshot, variants) in cached_variants(store, &repository) {
            let prefix = format!("hf.co/{repository}");
            found.extend(described(&prefix, "Hugging Face", &snapshot, &variants));
        }
    }
    found
}

fn lm_studio_models(store: &Store) -> Vec<Found> {
    let mut found = Vec::new();
    for root in &store.others.lm_studio {
        for owner in names(root) {
            for repository in names(&root.join(&owner)) {
                let directory = root.join(&owner).join(&repository);
                let variants = variant::variants(gguf_files(&directory, root));
                let prefix = format!("lmstudio/{owner}/{repository}");
                found.extend(described(&prefix, "LM Studio", &directory, &variants));
            }
        }
    }
    found
}

fn described(
    prefix: &str,
    store: &'static str,
    directory: &Path,
    variants: &[Variant],
) -> Vec<Found> {
    let one = |variant: &Variant| Found {
        name: format!("{prefix}:{}", variant::pick_of(variant, variants)),
        store,
        path: directory.join(variant.path()),
        bytes: variant.bytes(),
    };
    variants.iter().map(one).collect()
}

/// Names of plain words in a directory, sorted.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| is_word(name))
        .take(MOST_ENTRIES)
        .collect();
    names.sort();
    names
}

/// The GGUF files below a directory; none that a link leads to outside of the store.
pub(crate) fn gguf_files(directory: &Path, store: &Path) -> Vec<RepositoryFile> {
    let mut found = Vec::new();
    if let Ok(store) = fs::canonicalize(store) {
        let mut left = MOST_ENTRIES;
        collect(directory, "", DEPTH, &store, &mut left, &mut found);
    }
    found
}

fn collect(
    directory: &Path,
    prefix: &str,
    depth: usize,
    store: &Path,
    left: &mut usize,
    found: &mut Vec<RepositoryFile>,
) {
    for name in names(directory) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let path = directory.join(&name);
        if !is_gguf(&name) {
            // A directory that is a link could lead around in circles, and out.
            let is_directory = fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir());
            if is_directory && depth > 0 {
                let prefix = format!("{prefix}{name}/");
                collect(&path, &prefix, depth - 1, store, left, found);
            }
            continue;
        }
        if let Some(bytes) = inside(&path, store) {
            let path_in_repository = format!("{prefix}{name}");
            found.push(RepositoryFile {
                path: path_in_repository,
                bytes,
                sha256: link_digest(&path),
            });
        }
    }
}

/// The size of a plain file that lies in the store, with all links followed; `store` has none in it.
pub(crate) fn inside(path: &Path, store: &Path) -> Option<u64> {
    let full = fs::canonicalize(path).ok()?;
    let data = fs::metadata(&full).ok()?;
    (full.starts_with(store) && data.is_file()).then_some(data.len())
}

/// The digest that the target of a link in the hub's cache is named by.
fn link_digest(path: &Path) -> Option<String> {
    let target = fs::read_link(path).ok()?;
    let name = target.file_name()?.to_str()?;
    is_sha256(name).then(|| name.to_owned())
}
