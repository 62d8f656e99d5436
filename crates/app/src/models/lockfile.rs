//! Where `reckon.lock` is, and how it is read and written.
//!
//! A lock in the working directory goes with the work that lies there, as `Cargo.lock` does; without one, the lock of
//! the machine is in `RECKON_HOME`. It is written beside itself and renamed, so a kill leaves the old one whole.
use crate::{Context, Failure, input};
use reckon_lab::{LONGEST_LOCK, Lock};
use reckon_models::write_atomically;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The name of the file.
const NAME: &str = "reckon.lock";

/// A lock and its place.
#[derive(Clone, Debug)]
pub(crate) struct Lockfile {
    pub(crate) path: PathBuf,
    pub(crate) lock: Lock,
}

impl Lockfile {
    /// The lock that holds here; nothing if there is none.
    pub(crate) fn read(context: &Context) -> anyhow::Result<Option<Self>> {
        let here = PathBuf::from(NAME);
        for path in [here, context.store.home.join(NAME)] {
            if path.is_file() {
                let text = input::text(&path, LONGEST_LOCK)?;
                let lock = Lock::parse(&text)?;
                return Ok(Some(Self { path, lock }));
            }
        }
        Ok(None)
    }

    /// The lock that holds here, or an empty one: in the working directory if that is wanted.
    pub(crate) fn open(here: bool, context: &Context) -> anyhow::Result<Self> {
        let found = Self::read(context)?;
        let wanted = match here {
            true => PathBuf::from(NAME),
            false => context.store.home.join(NAME),
        };
        match found {
            Some(found) if !here || found.path == wanted => Ok(found),
            _ => Ok(Self {
                path: wanted,
                lock: Lock::default(),
            }),
        }
    }

    /// Writes it.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        let text = self.lock.to_text()?;
        write_atomically(&self.path, text.as_bytes()).map_err(|error| {
            Failure::model(format!("cannot write {}: {error}", self.path.display())).into()
        })
    }

    /// The file of a model that the lock names by a path; beside the lock, if the path is relative.
    pub(crate) fn file(&self, path: &str) -> PathBuf {
        match self.path.parent() {
            Some(beside) => beside.join(path),
            None => PathBuf::from(path),
        }
    }

    /// How the lock names this file: relative if it lies beside the lock or below, so that both can move together.
    pub(crate) fn name_of(&self, file: &Path) -> Result<String, Failure> {
        let cannot =
            |error: io::Error| Failure::model(format!("cannot find {}: {error}", file.display()));
        let full = fs::canonicalize(file).map_err(cannot)?;
        let beside = match self.path.parent() {
            Some(beside) if !beside.as_os_str().is_empty() => fs::canonicalize(beside).ok(),
            _ => fs::canonicalize(".").ok(),
        };
        let below = beside.and_then(|beside| full.strip_prefix(beside).ok().map(Path::to_owned));
        let name = below.unwrap_or(full);
        match name.to_str() {
            Some(name) => Ok(name.to_owned()),
            None => Err(Failure::input(format!("{} is not UTF-8", name.display()))),
        }
    }
}
