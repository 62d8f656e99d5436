//! Remembers which files were hashed and right, so that a receipt can name a model's hash without reading it again.
//!
//! A stamp holds the hash, the size and the time of the last change of the file that was hashed. It counts only while
//! all three are still so: a file that was changed since has no known hash, and a receipt says so.
use super::Entry;
use crate::Context;
use std::{fs, path::Path, time::UNIX_EPOCH};

/// Notes that the file was hashed just now and is what the entry says. Best effort: without a stamp the hash is unknown.
pub(crate) fn set(entry: &Entry, path: &Path, context: &Context) {
    let Some(text) = text(entry, path) else {
        return;
    };
    let place = context.home.join("checked");
    let _ = fs::create_dir_all(&place).and_then(|()| fs::write(place.join(&entry.name), text));
}

/// Takes the note back: the file is not what the entry says.
pub(crate) fn clear(entry: &Entry, context: &Context) {
    let _ = fs::remove_file(context.home.join("checked").join(&entry.name));
}

/// Whether the file is unchanged since it was hashed and right.
pub(crate) fn holds(entry: &Entry, path: &Path, context: &Context) -> bool {
    let noted = fs::read_to_string(context.home.join("checked").join(&entry.name)).ok();
    noted.is_some() && noted == text(entry, path)
}

fn text(entry: &Entry, path: &Path) -> Option<String> {
    let data = fs::metadata(path).ok()?;
    let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!(
        "{} {} {}\n",
        entry.sha256,
        data.len(),
        changed.as_nanos()
    ))
}
