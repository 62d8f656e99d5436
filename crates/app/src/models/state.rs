//! The state of a model file, for `lab gate`, `models lock` and `models verify`: digests of all that its answers depend on.
//!
//! The whole file is read for it, unless a stamp says that it is unchanged since it was.
use super::{
    hash,
    progress::Progress,
    stamp::{self, Hashed},
};
use crate::{Context, Failure};
use reckon_gguf::File;
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
    let known = stamp::known(path, context).filter(|_| rehash == Rehash::IfChanged);
    let (sha256, weights) = match known {
        Some(Hashed {
            sha256,
            weights: Some(weights),
        }) => (sha256, weights),
        _ => hashed(path, &file, context)?,
    };
    Ok(ModelState::of_file(&file, sha256, weights, guards)?)
}

fn hashed(path: &Path, file: &File, context: &Context) -> anyhow::Result<(String, String)> {
    let before = stamp::mark(path);
    let mut progress = Progress::brief("hashing", file.len() as u64, context);
    let (sha256, weights) = std::thread::scope(|scope| {
        let weights = scope.spawn(|| lock::weights(file));
        let sha256 = hash::file(path, &mut progress);
        (sha256, weights.join())
    });
    let unread = |why: &str| Failure::model(format!("cannot read {}: {why}", path.display()));
    let sha256 = sha256.map_err(|error| unread(&error.to_string()))?;
    let weights = weights.map_err(|_| unread("hashing failed"))?;
    // A file that changed while it was read has no hash worth remembering.
    if before == stamp::mark(path) {
        let hashed = Hashed {
            sha256: sha256.clone(),
            weights: Some(weights.clone()),
        };
        stamp::set(path, &hashed, context);
    }
    Ok((sha256, weights))
}
