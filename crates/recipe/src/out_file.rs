//! A file of results that grows row by row, and what of it is done.
//!
//! Beside `OUT` stands `OUT.done`: before a row is written a line says where it will begin, afterwards another that it is
//! whole. A row that a crash cut is taken away again at the next start and made anew, so each item has exactly one row.
use crate::error::{Error, Result};
use std::{
    collections::HashSet,
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// Most bytes of what is done: some two million rows.
const MOST_DONE: u64 = 128 << 20;

/// Results in a file.
#[derive(Debug)]
pub struct OutFile {
    path: PathBuf,
    /// Locked while this lives: two runs would write into each other's rows.
    journal: File,
    journal_path: PathBuf,
    done: HashSet<String>,
}

impl OutFile {
    /// Begins or resumes a file.
    ///
    /// # Errors
    /// [`Error::Exists`] for a file that no recipe wrote, or that another run is writing.
    pub fn open(path: &Path) -> Result<Self> {
        let mut name = path.as_os_str().to_owned();
        name.push(OsString::from(".done"));
        let journal_path = PathBuf::from(name);
        if path.exists() && !journal_path.exists() {
            return Err(Error::Exists {
                path: path.to_owned(),
                why: "no recipe wrote it: choose another file",
            });
        }
        let failed = Error::file(&journal_path);
        let mut options = OpenOptions::new();
        let options = options.read(true).append(true).create(true);
        let journal = options.open(&journal_path).map_err(&failed)?;
        match journal.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Exists {
                    path: path.to_owned(),
                    why: "another run is writing it",
                });
            }
            Err(TryLockError::Error(why)) => return Err(failed(why)),
        }
        let mut text = String::new();
        (&journal)
            .take(MOST_DONE)
            .read_to_string(&mut text)
            .map_err(&failed)?;
        let (done, cut) = read(&text);
        let mut out = Self {
            path: path.to_owned(),
            journal,
            journal_path,
            done,
        };
        if let Some(length) = cut {
            out.cut(length)?;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            out.note("")?;
        }
        Ok(out)
    }

    /// Whether an item has its row.
    pub fn is_done(&self, key: &str) -> bool {
        self.done.contains(key)
    }

    /// Items that have their rows.
    pub fn done(&self) -> usize {
        self.done.len()
    }

    /// Writes a row, below `head` if it is the first.
    ///
    /// # Errors
    /// [`Error::File`] if the disk refuses; then the row is not there.
    pub fn append(&mut self, key: &str, head: &str, row: &str) -> Result<()> {
        let length = match fs::metadata(&self.path) {
            Ok(metadata) => metadata.len(),
            Err(why) if why.kind() == io::ErrorKind::NotFound => 0,
            Err(why) => return Err(Error::file(&self.path)(why)),
        };
        self.note(&format!("+ {length} {key}"))?;
        let head = if length == 0 { head } else { "" };
        let written = write(&self.path, format!("{head}{row}").as_bytes());
        if let Err(why) = written {
            // What a full disk took of a row.
            self.cut(length)?;
            return Err(Error::file(&self.path)(why));
        }
        self.note(&format!("= {key}"))?;
        self.done.insert(key.to_owned());
        Ok(())
    }

    fn note(&mut self, line: &str) -> Result<()> {
        let failed = Error::file(&self.journal_path);
        self.journal
            .write_all(format!("{line}\n").as_bytes())
            .map_err(&failed)?;
        self.journal.sync_data().map_err(failed)
    }

    /// Takes away what was written behind `length`.
    fn cut(&self, length: u64) -> Result<()> {
        let failed = Error::file(&self.path);
        let file = match OpenOptions::new().write(true).open(&self.path) {
            Ok(file) => file,
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(why) => return Err(failed(why)),
        };
        let now = file.metadata().map_err(&failed)?.len();
        match now > length {
            true => file.set_len(length).map_err(failed),
            false => Ok(()),
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_data()
}

/// The keys that are done, and where a row begins that is not whole.
fn read(text: &str) -> (HashSet<String>, Option<u64>) {
    let (mut done, mut cut) = (HashSet::new(), None);
    for line in text.lines() {
        if let Some(key) = line.strip_prefix("= ") {
            done.insert(key.to_owned());
            cut = None;
        } else if let Some((length, _)) = line
            .strip_prefix("+ ")
            .and_then(|rest| rest.split_once(' '))
        {
            cut = length.parse().ok();
        }
    }
    (done, cut)
}
