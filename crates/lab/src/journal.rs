//! A file that only grows: one JSON row a line, each appended in one write as soon as it is there.
//!
//! Tapes, judgments and grades are kept this way. A process that is killed leaves whole rows and at most one half; the
//! half is cut off when the file is opened again, so no row is lost and none is there twice. One writer at a time.

use crate::{Error, Line, Result, jsonl};
use serde::Serialize;
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// An open file of rows.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens or begins a file, and gives the rows that are in it.
    pub fn open(path: &Path) -> Result<(Self, Vec<Line>)> {
        let failed = Error::file(path);
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(failed)?;
        lock(&file).map_err(failed)?;
        let mut bytes = Vec::new();
        let largest = jsonl::LARGEST;
        let read = (&mut file).take(largest + 1).read_to_end(&mut bytes);
        if read.map_err(failed)? as u64 > largest {
            return Err(failed(jsonl::too_large()));
        }
        let whole = bytes.iter().rposition(|&byte| byte == b'\n');
        bytes.truncate(whole.map_or(0, |at| at + 1));
        let lines = jsonl::lines(&bytes, path)?;
        file.set_len(bytes.len() as u64).map_err(failed)?;
        let path = path.to_owned();
        Ok((Self { path, file }, lines))
    }

    /// Appends a row, in one write.
    pub fn add(&mut self, row: &impl Serialize) -> Result<()> {
        let failed = Error::file(&self.path);
        let line = serde_json::to_vec(row).map_err(|error| failed(error.into()))?;
        self.add_line(line)
    }

    /// Appends a row that is written already and has no end of a line in it, in one write.
    pub fn add_line(&mut self, mut line: Vec<u8>) -> Result<()> {
        line.push(b'\n');
        self.file.write_all(&line).map_err(Error::file(&self.path))
    }
}

/// Keeps a second process from writing the same rows; where a file system has no locks, nothing does.
fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other("another process writes to it")),
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => Err(error),
        _ => Ok(()),
    }
}
