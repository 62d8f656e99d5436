//! Remembers the digests of files, so that a receipt, the gate and `reckon.lock` need not read gigabytes to name a model.
//!
//! One small file in `checked/` per model file, named after its full path, holds the digests and the file's version:
//! its size and the time of its last change. The digests count only while the version is the same. Whoever can forge
//! both can also write to our home, so this is no protection from an attacker; `models verify` reads every byte.
use crate::{
    OnEvent, Store, Work,
    digest::{sha256_of, sha256_of_file},
    event::Progress,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

/// What is known about the bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// Of the whole file.
    pub sha256: String,
    /// Of its tensors, where somebody computed that.
    pub weights: Option<String>,
}

impl FileDigest {
    /// Nothing but the digest of the whole file is known.
    pub fn of_file(sha256: impl Into<String>) -> Self {
        Self {
            sha256: sha256.into(),
            weights: None,
        }
    }
}

impl Store {
    /// What is known about a file, if it is unchanged since it was hashed.
    pub fn known_digest(&self, path: &Path) -> Option<FileDigest> {
        let noted = fs::read_to_string(self.noted(path)?).ok()?;
        let mut words = noted.trim_end().splitn(3, ' ');
        let (sha256, weights, version) = (words.next()?, words.next()?, words.next()?);
        let is_digest = |text: &str| text.len() == 64;
        (is_digest(sha256) && version == file_version(path)?).then(|| FileDigest {
            sha256: sha256.to_owned(),
            weights: Some(weights)
                .filter(|text| is_digest(text))
                .map(str::to_owned),
        })
    }

    /// Hashes a file as `compute` does it, and remembers the result unless the file changed meanwhile.
    pub fn remember_digest<E>(
        &self,
        path: &Path,
        compute: impl FnOnce() -> Result<FileDigest, E>,
    ) -> Result<FileDigest, E> {
        let before = file_version(path);
        let digest = compute()?;
        if let Some(version) = before.filter(|before| file_version(path).as_ref() == Some(before)) {
            self.note(path, &digest, &version);
        }
        Ok(digest)
    }

    /// The SHA-256 of a file: as remembered, else read now.
    pub fn sha256(&self, path: &Path, on_event: &mut OnEvent<'_>) -> io::Result<String> {
        if let Some(known) = self.known_digest(path) {
            return Ok(known.sha256);
        }
        let read = || check(path, on_event).map(FileDigest::of_file);
        Ok(self.remember_digest(path, read)?.sha256)
    }

    /// Best effort: what cannot be noted is read again next time.
    fn note(&self, path: &Path, digest: &FileDigest, version: &str) {
        let Some(place) = self.noted(path) else {
            return;
        };
        // A check of the whole file says nothing new about its tensors.
        let before = self.known_digest(path);
        let before = before.filter(|before| before.sha256 == digest.sha256);
        let before = before.and_then(|before| before.weights);
        let weights = digest.weights.clone().or(before).unwrap_or("-".into());
        let text = format!("{} {weights} {version}\n", digest.sha256);
        let _ = fs::create_dir_all(self.home.join("checked")).and_then(|()| fs::write(place, text));
    }

    /// Where the digest of this file is remembered.
    pub(crate) fn noted(&self, path: &Path) -> Option<PathBuf> {
        let full = fs::canonicalize(path).ok()?;
        let name = sha256_of(full.as_os_str().as_encoded_bytes());
        Some(self.home.join("checked").join(&name[..32]))
    }
}

/// The digest of a file, reported as a check.
pub(crate) fn check(path: &Path, on_event: &mut OnEvent<'_>) -> io::Result<String> {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    let total = fs::metadata(path)?.len();
    let mut progress = Progress::new(Work::Check, &name, total, on_event);
    sha256_of_file(path, &mut |bytes| progress.advance(bytes))
}

/// Size and time of the last change: what is different when a file was written.
fn file_version(path: &Path) -> Option<String> {
    let data = fs::metadata(path).ok()?;
    let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {}", data.len(), changed.as_nanos()))
}
