//! The file with the results: `OUT.partial` while it grows, `OUT` when all is done.
//!
//! Rows stand in the order of the input, not of completion. So the same input gives the same bytes whatever happened on
//! the way, an output can be laid beside its input, and how far the file is follows from the file alone. The price is
//! that one slow row holds back those behind it until it ends; they are in the queue, and in no danger.
//!
//! The queue is the truth and the file a copy. Whatever was left behind by a kill, by an earlier batch or by rows that
//! were retried since: what agrees with the queue from the beginning stays, the rest is cut off and written anew.
use crate::error::{Error, Result};
use crate::queue::Queue;
use crate::results::Outcome;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Rows that are read from the queue at a time.
const PAGE: usize = 50;

/// An output under way, which no other process writes to.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    partial: PathBuf,
    file: File,
    /// The input line of the last row in the file; none before the file was compared with the queue.
    line: Option<u64>,
}

impl Output {
    /// Begins or continues an output. Another process that has it makes this [`Error::Taken`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let partial = beside(&path, ".partial");
        let file = open_locked(&partial)?;
        Ok(Self {
            path,
            partial,
            file,
            line: None,
        })
    }

    /// Whether the finished file is there.
    pub fn is_finished(&self) -> bool {
        self.path.exists()
    }

    /// Appends what has ended since the last call, up to the first row that has not.
    pub fn append(&mut self, queue: &Queue, batch: &str) -> Result<()> {
        let mut line = match self.line.take() {
            // Until this has ended well, nobody knows what is at the end of the file.
            Some(line) => line,
            None => self.agree(queue, batch)?,
        };
        let failed = Error::file(&self.partial);
        loop {
            let page = queue.results(batch, line, PAGE)?;
            let ready: Vec<_> = page.iter().map_while(with_output).collect();
            let mut writer = BufWriter::with_capacity(1 << 16, &self.file);
            for (_, text) in &ready {
                writer.write_all(text.as_bytes()).map_err(failed)?;
            }
            writer.flush().map_err(failed)?;
            drop(writer);
            line = ready.last().map_or(line, |(number, _)| *number);
            if ready.len() < PAGE {
                self.line = Some(line);
                return Ok(());
            }
        }
    }

    /// Completes the file and gives it its name, if every row has ended.
    pub fn finish(&mut self, queue: &Queue, batch: &str) -> Result<()> {
        // Anew: rows may have been retried since they were written.
        self.line = None;
        self.append(queue, batch)?;
        let rest = queue.results(batch, self.line.unwrap_or(0), 1)?;
        if !rest.is_empty() {
            return Err(Error::WrongState(format!(
                "{batch} has rows that have not ended"
            )));
        }
        self.file.sync_all().map_err(Error::file(&self.partial))?;
        std::fs::rename(&self.partial, &self.path).map_err(Error::file(&self.path))?;
        sync_directory(&self.path)
    }

    /// Removes a partial file that has nothing in it, for a run that could not begin.
    pub(crate) fn discard_empty(&self) {
        if self
            .file
            .metadata()
            .is_ok_and(|metadata| metadata.len() == 0)
        {
            // If it cannot be removed it does no harm.
            drop(std::fs::remove_file(&self.partial));
        }
    }

    /// Cuts off what the queue does not say; the input line of the last row that stays.
    fn agree(&mut self, queue: &Queue, batch: &str) -> Result<u64> {
        let failed = Error::file(&self.partial);
        let mut line = 0;
        let mut length = 0;
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let mut reader = BufReader::with_capacity(1 << 16, &self.file);
        'pages: loop {
            let page = queue.results(batch, line, PAGE)?;
            if page.is_empty() {
                break;
            }
            for outcome in &page {
                let Some((number, text)) = with_output(outcome) else {
                    break 'pages;
                };
                if !begins_with(&mut reader, text.as_bytes()).map_err(failed)? {
                    break 'pages;
                }
                line = number;
                length += text.len() as u64;
            }
        }
        drop(reader);
        self.file.set_len(length).map_err(failed)?;
        Ok(line)
    }
}

/// The line of a row and its text in the output, if it has ended.
fn with_output(outcome: &Outcome) -> Option<(u64, String)> {
    let mut text = outcome.to_output()?;
    text.push('\n');
    Some((outcome.line, text))
}

/// Whether the next bytes are these.
fn begins_with(reader: &mut impl Read, expected: &[u8]) -> io::Result<bool> {
    let mut found = vec![0; expected.len()];
    match reader.read_exact(&mut found) {
        Ok(()) => Ok(found == expected),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// `OUT` with something behind its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

fn open_locked(path: &Path) -> Result<File> {
    let failed = Error::file(path);
    loop {
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Taken(format!(
                    "another process writes to {}",
                    path.display()
                )));
            }
            // Where a file system has no locks, nothing keeps a second process away.
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                return Err(failed(error));
            }
            _ => {}
        }
        // Whoever had it may have finished, and renamed it, in between: then this is the finished file.
        if is_at(&file, path) {
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    let there = path.metadata().map(identity).ok();
    there.is_some() && file.metadata().map(identity).ok() == there
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Makes a new name survive a power cut.
fn sync_directory(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let directory = parent.unwrap_or_else(|| Path::new("."));
        File::open(directory)
            .and_then(|directory| directory.sync_all())
            .map_err(Error::file(directory))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
