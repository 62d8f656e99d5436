//! One process at a time: a lock on a file that goes away with the process that holds it. Nothing to do with `reckon.lock`.
use crate::{Error, ErrorKind, Event, OnEvent, Result, disk};
use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
};

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct FileLock {
    _file: File,
}

impl FileLock {
    /// Takes the lock, or nothing if another process has it.
    pub(crate) fn try_take(path: &Path) -> Result<Option<Self>> {
        if let Some(directory) = path.parent() {
            disk::create_directory(directory)?;
        }
        let file = disk::open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            // Where there are no locks, nobody can hold one.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(Self { _file: file })),
        }
    }

    /// Takes the lock; notes that it waits if another process has it.
    pub(crate) fn take(path: &Path, on_event: &mut OnEvent<'_>) -> Result<Self> {
        let cannot = |error: &io::Error| {
            let what = format!("cannot lock {}: {error}", path.display());
            Error::new(ErrorKind::File, what)
        };
        if let Some(directory) = path.parent() {
            disk::create_directory(directory)?;
        }
        let file = disk::open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                on_event(Event::Note(
                    "Another process fetches this model: waiting for it.",
                ));
                file.lock().map_err(|error| cannot(&error))?;
            }
            // Some network file systems have no locks; a fetch there is still better than none.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(cannot(&error)),
        }
        Ok(Self { _file: file })
    }
}
