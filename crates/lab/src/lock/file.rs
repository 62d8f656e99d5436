//! Where `reckon.lock` and the runs of the gate are on disk, and how they are read and written: whole, or not at all.

use super::{CanaryResults, Lock, LockError, ModelState};
use reckon::models::{sha256_of, write_atomically};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Longest lock that is read.
pub const LONGEST_LOCK: usize = 4 << 20;

/// Longest history of a gate that is read: far more than one takes.
const LONGEST_HISTORY: usize = 16 << 20;

const NAME: &str = "reckon.lock";

/// A lock and its place: in the working directory it goes with the work that lies there, as `Cargo.lock` does; without
/// one, the lock of the machine is in `RECKON_HOME`.
#[derive(Clone, Debug)]
pub struct LockFile {
    /// Where it is, or will be.
    pub path: PathBuf,
    /// What is in it.
    pub lock: Lock,
}

impl LockFile {
    /// The lock that holds here; nothing if there is none.
    pub fn find(home: &Path) -> Result<Option<Self>, LockError> {
        let mut places = [PathBuf::from(NAME), home.join(NAME)].into_iter();
        let Some(path) = places.find(|path| path.is_file()) else {
            return Ok(None);
        };
        let bytes = read(&path, LONGEST_LOCK)?;
        let text =
            String::from_utf8(bytes).map_err(|_| LockError::Invalid("not UTF-8 text".into()))?;
        let lock = Lock::parse(text.trim_start_matches('\u{feff}'))?;
        Ok(Some(Self { path, lock }))
    }

    /// The lock that holds here, or an empty one. `here` wants it in the working directory.
    pub fn find_or_new(here: bool, home: &Path) -> Result<Self, LockError> {
        let wanted = if here { Path::new("") } else { home }.join(NAME);
        let found = Self::find(home)?.filter(|found| !here || found.path == wanted);
        Ok(found.unwrap_or(Self {
            path: wanted,
            lock: Lock::default(),
        }))
    }

    /// Writes it.
    pub fn write(&self) -> io::Result<()> {
        let text = self.lock.to_text().map_err(io::Error::other)?;
        write_atomically(&self.path, text.as_bytes())
    }

    /// The file of a model that the lock names by a path: relative ones are relative to the lock.
    pub fn model_file(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    /// How the lock names this file: relative if it lies beside the lock or below, so that both can move together.
    pub fn relative(&self, file: &Path) -> Result<String, LockError> {
        let full = fs::canonicalize(file).map_err(|why| LockError::Read {
            path: file.to_owned(),
            why,
        })?;
        let beside = self
            .path
            .parent()
            .filter(|beside| !beside.as_os_str().is_empty());
        let beside = fs::canonicalize(beside.unwrap_or(Path::new("."))).ok();
        let below = beside.and_then(|beside| full.strip_prefix(beside).ok());
        let name = below.unwrap_or(&full);
        let refuse = || LockError::Invalid(format!("the name {} is not UTF-8", name.display()));
        name.to_str().map(str::to_owned).ok_or_else(refuse)
    }
}

/// The runs of the gate for one model, kept in `RECKON_HOME`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GateHistory {
    /// The first that passed, or the one that was locked: what a run is compared with while there is no lock.
    pub accepted: Option<GateRun>,
    /// The last whole one, which `reckon models lock` may accept.
    pub last: Option<GateRun>,
}

/// One run of the gate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GateRun {
    /// What it was run for.
    pub state: ModelState,
    /// What the canaries came to.
    pub gate: CanaryResults,
    /// Whether nothing was wrong with that.
    pub passed: bool,
}

impl GateHistory {
    /// The history of a model; an empty one if there is none.
    pub fn read(name: &str, home: &Path) -> Result<Self, LockError> {
        let path = Self::path(name, home);
        match read(&path, LONGEST_HISTORY) {
            Err(LockError::Read { why, .. }) if why.kind() == io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            Err(error) => Err(error),
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| LockError::Read {
                path,
                why: io::Error::other(format!("{error}; delete it to begin anew")),
            }),
        }
    }

    /// Keeps it.
    pub fn write(&self, name: &str, home: &Path) -> io::Result<()> {
        let path = Self::path(name, home);
        write_atomically(&path, &serde_json::to_vec(self)?).map_err(|why| {
            let what = format!("cannot write {}: {why}", path.display());
            io::Error::new(why.kind(), what)
        })
    }

    /// A name may be any file's, so the file is called after its digest.
    fn path(name: &str, home: &Path) -> PathBuf {
        let key = &sha256_of(name)[..32];
        home.join("gates").join(format!("{key}.json"))
    }
}

fn read(path: &Path, longest: usize) -> Result<Vec<u8>, LockError> {
    let failed = |why| LockError::Read {
        path: path.to_owned(),
        why,
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(longest as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    let too_long = || failed(io::Error::other(format!("longer than {longest} bytes")));
    (bytes.len() <= longest)
        .then_some(bytes)
        .ok_or_else(too_long)
}
