//! One process at a time: a lock on a file that goes away with the process that holds it.
use crate::Failure;
use std::{
    fs::{self, File, TryLockError},
    io::Write,
    path::Path,
};

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Takes the lock; says on `announce` that it waits if another process has it.
pub(crate) fn take(path: &Path, announce: &mut dyn Write) -> anyhow::Result<Lock> {
    let cannot = |error: &std::io::Error| super::disk::explain(error, path);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(|error| cannot(&error))?;
    }
    let file = File::create(path).map_err(|error| cannot(&error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            writeln!(
                announce,
                "Another process fetches this model: waiting for it."
            )?;
            file.lock().map_err(|error| cannot(&error))?;
        }
        // Some network file systems have no locks; a fetch there is still better than none.
        Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => {
            return Err(Failure::model(format!("cannot lock {}: {error}", path.display())).into());
        }
    }
    Ok(Lock { _file: file })
}
