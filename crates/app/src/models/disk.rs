//! Room on a disk: asked before a fetch, explained when it ends in the middle of one.
use crate::{Failure, size::size};
use std::{io, path::Path};

/// Left free on purpose, so that a fetch does not choke everything else.
const SPARE: u64 = 64 << 20;

/// Bytes that we may write below this directory (or, if it is not there yet, its nearest parent).
#[cfg(unix)]
pub(crate) fn free(directory: &Path) -> Option<u64> {
    let there = directory.ancestors().find(|path| path.exists())?;
    // The parent of a bare relative name is the empty path.
    let there = if there.as_os_str().is_empty() {
        Path::new(".")
    } else {
        there
    };
    let room = rustix::fs::statvfs(there).ok()?;
    Some(room.f_bavail.saturating_mul(room.f_frsize))
}

/// Not known on this platform: writing tells.
#[cfg(not(unix))]
pub(crate) fn free(_directory: &Path) -> Option<u64> {
    None
}

/// Refuses when `needed` bytes do not fit into `free`, where that is known.
pub(crate) fn check(directory: &Path, needed: u64, free: Option<u64>) -> Result<(), Failure> {
    match free {
        Some(free) if needed.saturating_add(SPARE) > free => Err(Failure::model(format!(
            "not enough disk space in {}: {} needed, {} free",
            directory.display(),
            size(needed.saturating_add(SPARE)),
            size(free)
        ))
        .hint("free some, or set RECKON_HOME (HF_HOME for hub models) to a larger disk")),
        _ => Ok(()),
    }
}

/// Says what a failed write to this path means.
pub(crate) fn explain(error: &io::Error, path: &Path) -> Failure {
    if matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    ) {
        return Failure::model(format!("the disk is full: {}", path.display()))
            .hint("free some space and run the same command again: it goes on where it stopped");
    }
    Failure::model(format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn what_does_not_fit_is_refused_before_it_begins() {
        let here = Path::new("x");
        assert!(check(here, 1000, Some(1000 + SPARE)).is_ok());
        assert!(check(here, u64::MAX, None).is_ok());
        for free in [0, 1000 + SPARE - 1] {
            let refused = check(here, 1000, Some(free)).unwrap_err();
            assert_eq!(refused.kind, Kind::Model);
            assert!(refused.what.contains("not enough disk space"));
        }
    }

    #[test]
    fn a_directory_that_is_not_there_yet_has_room() {
        let here = tempfile::tempdir().unwrap();
        let there = here.path().join("a/b/c");
        assert_eq!(free(&there).is_some(), cfg!(unix));
    }

    #[test]
    fn a_full_disk_is_named() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert!(explain(&full, Path::new("x")).what.contains("disk is full"));
    }
}
