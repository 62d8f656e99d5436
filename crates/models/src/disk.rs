//! Writing to a disk: whole files at once, the room for large ones, and what a failure means.
use crate::{Error, ErrorKind, Result, size};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
};

/// Left free on purpose, so that a fetch does not choke everything else.
const SPARE: u64 = 64 << 20;

/// Puts these bytes in the place of a file, all or nothing: a kill or a full disk leaves the old one as it was.
/// Directories on the way are made.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Beside it, because only within one file system a rename replaces a file in one step.
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(directory)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".new");
    #[cfg(unix)]
    {
        // Temporary files are their owner's alone; this one becomes a file like any other, as the umask says.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut beside = builder.tempfile_in(directory)?;
    beside.write_all(bytes)?;
    beside.as_file().sync_all()?;
    beside.persist(path)?;
    Ok(())
}

/// Bytes that may be written below this directory (or, if it is not there yet, its nearest parent).
#[cfg(unix)]
pub fn free_space(directory: &Path) -> Option<u64> {
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
pub fn free_space(_directory: &Path) -> Option<u64> {
    None
}

/// Opens a file of the store to read and write, keeping what is in it. A link is refused: in a cache that several people
/// share, one of them could make it lead to a file of another.
pub(crate) fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options
        .open(path)
        .map_err(|error| cannot_write(&error, path))
}

/// Makes a directory and its parents.
pub(crate) fn create_directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| cannot_write(&error, path))
}

/// Refuses when `needed` bytes do not fit into `free`, where that is known.
pub(crate) fn check_room(directory: &Path, needed: u64, free: Option<u64>) -> Result<()> {
    let needed = needed.saturating_add(SPARE);
    match free {
        Some(free) if needed > free => {
            let place = directory.display();
            let (needed, free) = (size(needed), size(free));
            let what = format!("not enough disk space in {place}: {needed} needed, {free} free");
            Err(Error::new(ErrorKind::DiskFull, what).with_hint(
                "free some, or set RECKON_HOME (HF_HOME for hub models) to a larger disk",
            ))
        }
        _ => Ok(()),
    }
}

/// Whether the error means that the disk is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// What a failed write to this path means.
pub(crate) fn cannot_write(error: &io::Error, path: &Path) -> Error {
    let path = path.display();
    if is_full(error) {
        return Error::new(ErrorKind::DiskFull, format!("the disk is full: {path}"))
            .with_hint("free some space and run the same command again: it resumes");
    }
    Error::new(ErrorKind::File, format!("cannot write {path}: {error}"))
}

/// What a failed read of this path means.
pub(crate) fn cannot_read(error: &io::Error, path: &Path) -> Error {
    let what = format!("cannot read {}: {error}", path.display());
    Error::new(ErrorKind::File, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_before_it_begins() {
        let here = Path::new("x");
        assert!(check_room(here, 1000, Some(1000 + SPARE)).is_ok());
        assert!(check_room(here, u64::MAX, None).is_ok());
        for free in [0, 1000 + SPARE - 1] {
            let refused = check_room(here, 1000, Some(free)).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::DiskFull);
        }
    }

    #[test]
    fn a_directory_that_is_not_there_yet_has_room() {
        let here = tempfile::tempdir().unwrap();
        let there = here.path().join("a/b/c");
        assert_eq!(free_space(&there).is_some(), cfg!(unix));
    }

    #[test]
    fn a_full_disk_is_named() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = cannot_write(&full, Path::new("x"));
        assert_eq!(error.kind(), ErrorKind::DiskFull);
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("a/b");
        for text in ["one", "two"] {
            write_atomically(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        // A directory in its place is not replaced, and the file that was to replace it goes away.
        fs::create_dir_all(here.path().join("a/c/d")).unwrap();
        write_atomically(&here.path().join("a/c"), b"x").unwrap_err();
        let left = fs::read_dir(here.path().join("a")).unwrap().count();
        assert_eq!(left, 2);
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_was_written_as_the_umask_says() {
        use std::os::unix::fs::PermissionsExt;
        let here = tempfile::tempdir().unwrap();
        let mode = |name: &str| {
            let data = fs::metadata(here.path().join(name)).unwrap();
            data.permissions().mode() & 0o777
        };
        write_atomically(&here.path().join("ours"), b"x").unwrap();
        fs::write(here.path().join("usual"), b"x").unwrap();
        assert_eq!(mode("ours"), mode("usual"));
    }
}
