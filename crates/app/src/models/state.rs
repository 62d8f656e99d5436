//! The state of a model file, for `lab gate`, `models lock` and `models verify`: digests of all that its answers depend on.
//!
//! The whole file is read for it, unless a stamp says that it is unchanged since it was.
use super::progress::Progress;
use crate::{Context, Failure};
use reckon::gguf::File;
use reckon::models::{FileDigest, sha256_of_file};
use reckon_lab::lock::{self, GuardVersions, ModelState};
use std::path::Path;

/// When a file is read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rehash {
    /// If its size or time has changed since it was hashed.
    IfChanged,
    /// Always.
    Always,
}

/// All that the answers of this file depend on.
pub(crate) fn state(
    path: &Path,
    guards: GuardVersions,
    rehash: Rehash,
    context: &Context,
) -> anyhow::Result<ModelState> {
    let file = File::open(path)?;
    let known = context.store.known_digest(path);
    let known = known.filter(|known| rehash == Rehash::IfChanged && known.weights.is_some());
    let digest = match known {
        Some(known) => known,
        // A file that changes while it is read has no digest worth remembering: the store sees to that.
        None => context
            .store
            .remember_digest(path, || hashed(path, &file, context))?,
    };
    let weights = digest.weights.unwrap_or_default();
    Ok(ModelState::of_file(&file, digest.sha256, weights, guards)?)
}

fn hashed(path: &Path, file: &File, context: &Context) -> anyhow::Result<FileDigest> {
    let mut progress = Progress::brief("hashing", file.len() as u64, context);
    let (sha256, weights) = std::thread::scope(|scope| {
        let weights = scope.spawn(|| lock::weights(file));
        let sha256 = sha256_of_file(path, &mut |bytes| progress.advance(bytes));
        (sha256, weights.join())
    });
    let unread = |why: &str| Failure::model(format!("cannot read {}: {why}", path.display()));
    Ok(FileDigest {
        sha256: sha256.map_err(|error| unread(&error.to_string()))?,
        weights: Some(weights.map_err(|_| unread("hashing failed"))?),
    })
}
