//! Remembers the hashes of files, so that a receipt, the gate and the lock need not read a model again to name it.
//!
//! A stamp holds the hashes, the size and the time of the last change of a file, under the file's full path. It counts
//! only while size and time are still so: a file that was changed since has no known hash.
use super::hash::Hasher;
use crate::Context;
use std::{
    fs,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

/// What is known about the bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hashed {
    /// Of the whole file.
    pub(crate) sha256: String,
    /// Of its tensors, where that was asked for.
    pub(crate) weights: Option<String>,
}

/// Notes that the file was hashed just now. What was known about its tensors stays if the hash is the same. Best effort:
/// without a stamp the hash is unknown.
pub(crate) fn set(path: &Path, hashed: &Hashed, context: &Context) {
    let (Some(place), Some(mark)) = (place(path, context), mark(path)) else {
        return;
    };
    let before = known(path, context).filter(|before| before.sha256 == hashed.sha256);
    let before = before.and_then(|before| before.weights);
    let weights = hashed.weights.clone().or(before).unwrap_or("-".into());
    let text = format!("{} {weights} {mark}\n", hashed.sha256);
    let _ = fs::create_dir_all(context.home.join("checked")).and_then(|()| fs::write(place, text));
}

/// What is known about the file, if it is unchanged since it was hashed.
pub(crate) fn known(path: &Path, context: &Context) -> Option<Hashed> {
    let noted = fs::read_to_string(place(path, context)?).ok()?;
    let mut words = noted.trim_end().splitn(3, ' ');
    let (sha256, weights, noted) = (words.next()?, words.next()?, words.next()?);
    let is_hash = |text: &str| text.len() == 64;
    (is_hash(sha256) && noted == mark(path)?).then(|| Hashed {
        sha256: sha256.to_owned(),
        weights: Some(weights)
            .filter(|text| is_hash(text))
            .map(str::to_owned),
    })
}

/// Size and time of the last change: what is different when a file was written.
pub(crate) fn mark(path: &Path) -> Option<String> {
    let data = fs::metadata(path).ok()?;
    let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {}", data.len(), changed.as_nanos()))
}

fn place(path: &Path, context: &Context) -> Option<PathBuf> {
    let full = fs::canonicalize(path).ok()?;
    let mut hasher = Hasher::default();
    hasher.feed(full.as_os_str().as_encoded_bytes());
    Some(context.home.join("checked").join(&hasher.finish()[..32]))
}
