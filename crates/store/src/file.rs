//! The store's file on disk: made for its owner alone.
//!
//! SQLite gives the two files beside it (`-wal`, `-shm`) the permissions of the file itself, so that has its own before
//! SQLite sees it. A file that is already there is only narrowed once it is known to be a store.
use crate::error::{Error, Result};
use std::fs::{DirBuilder, OpenOptions};
use std::path::Path;

/// Makes the directories and the empty file that are missing; leaves what exists as it is.
pub(crate) fn create(path: &Path) -> Result<()> {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent {
        directories()
            .create(parent)
            .map_err(|source| failed("cannot make the directory", parent, source))?;
    }
    if path.is_dir() {
        let source = std::io::Error::from(std::io::ErrorKind::IsADirectory);
        return Err(failed("cannot open the store", path, source));
    }
    // Appending, so that a file that is already there keeps its bytes.
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .map(drop)
        .map_err(|source| failed("cannot open the store", path, source))
}

fn directories() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Takes from everybody else what an earlier program or a copy allowed them.
#[cfg(unix)]
pub(crate) fn narrow(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let file = Path::new(&name);
        // The two others come and go with the processes that use the store.
        let Ok(metadata) = file.metadata() else {
            continue;
        };
        if metadata.permissions().mode() & 0o077 != 0 {
            std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600))
                .map_err(|source| failed("cannot set the permissions of", file, source))?;
        }
    }
    Ok(())
}

/// Other systems have no such permissions.
#[cfg(not(unix))]
pub(crate) fn narrow(_path: &Path) -> Result<()> {
    Ok(())
}

fn failed(what: &str, path: &Path, source: std::io::Error) -> Error {
    Error::File {
        what: format!("{what} {}", path.display()),
        source,
    }
}
