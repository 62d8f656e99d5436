//! A folder that is looked at again and again: each file that is finished comes once.
//!
//! A file is finished when its size and time are the same in two looks. What was answered is remembered in the folder of
//! the results, with size and time, so a restart skips it and a new version of a file comes again. Hidden files, links
//! and folders are left out. Nothing here waits: the caller decides how often to look.
use crate::{
    error::{Error, Result},
    source::folder,
};
use reckon::models::write_atomically;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

/// What was answered, in the folder of the results.
const DONE: &str = ".reckon-done.jsonl";
/// Most bytes of that.
const MOST_DONE: u64 = 64 << 20;

/// A watched folder.
#[derive(Debug)]
pub struct Watch {
    folder: PathBuf,
    results: PathBuf,
    /// As each file was at the last look.
    seen: HashMap<PathBuf, Version>,
    done: HashMap<String, Version>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Version {
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: u64,
}

#[derive(Serialize, Deserialize)]
struct Done {
    file: String,
    #[serde(flatten)]
    version: Version,
}

impl Watch {
    /// Watches a folder; results go to another one, `results` in it if none is named.
    ///
    /// # Errors
    /// [`Error::Input`] if it is no folder.
    pub fn new(folder: &Path, results: Option<&Path>) -> Result<Self> {
        if !folder.is_dir() {
            let shown = folder.display();
            return Err(Error::Input(format!(
                "{shown} is no folder that can be watched"
            )));
        }
        let results = results.map_or_else(|| folder.join("results"), Path::to_owned);
        fs::create_dir_all(&results).map_err(Error::file(&results))?;
        if fs::canonicalize(&results).ok() == fs::canonicalize(folder).ok() {
            let why = "results must be in another folder than what is watched: they would be answered, too";
            return Err(Error::Input(why.into()));
        }
        Ok(Self {
            folder: folder.to_owned(),
            done: read(&results.join(DONE))?,
            results,
            seen: HashMap::new(),
        })
    }

    /// Where the results are.
    pub fn results(&self) -> &Path {
        &self.results
    }

    /// Looks, and gives the files that are finished and were not answered yet.
    ///
    /// # Errors
    /// [`Error::File`] if the folder cannot be read.
    pub fn look(&mut self) -> Result<Vec<PathBuf>> {
        let files = folder(&self.folder)?;
        let now = files
            .into_iter()
            .filter_map(|path| Some((version(&path)?, path)));
        let now: Vec<(Version, PathBuf)> = now.collect();
        let finished = now.iter().filter(|(version, path)| {
            let is_same = self.seen.get(path) == Some(version);
            is_same && self.done.get(&name(path)) != Some(version)
        });
        let finished = finished.map(|(_, path)| path.clone()).collect();
        self.seen = now
            .into_iter()
            .map(|(version, path)| (path, version))
            .collect();
        Ok(finished)
    }

    /// Writes a result and remembers its file. `ending` is put behind the file's name: `report.pdf.md`.
    ///
    /// # Errors
    /// [`Error::File`] if the disk refuses.
    pub fn finish(&mut self, path: &Path, ending: &str, text: &str) -> Result<PathBuf> {
        let file = name(path);
        let result = self.results.join(format!("{file}.{ending}"));
        write_atomically(&result, text.as_bytes()).map_err(Error::file(&result))?;
        // As it was when it was read: what was written since comes again.
        if let Some(&version) = self.seen.get(path) {
            self.remember(&Done { file, version })?;
        }
        Ok(result)
    }

    fn remember(&mut self, done: &Done) -> Result<()> {
        let path = self.results.join(DONE);
        let failed = Error::file(&path);
        let options = &mut OpenOptions::new();
        let mut journal = options
            .append(true)
            .create(true)
            .open(&path)
            .map_err(&failed)?;
        // A blank line first ends one that a crash cut.
        let line = format!("\n{}\n", serde_json::json!(done));
        journal.write_all(line.as_bytes()).map_err(&failed)?;
        journal.sync_data().map_err(&failed)?;
        self.done.insert(done.file.clone(), done.version);
        Ok(())
    }
}

fn read(path: &Path) -> Result<HashMap<String, Version>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(why) => return Err(Error::file(path)(why)),
    };
    let mut done = HashMap::new();
    for line in BufReader::new(file.take(MOST_DONE)).split(b'\n') {
        let line = line.map_err(Error::file(path))?;
        if let Ok(one) = serde_json::from_slice::<Done>(&line) {
            done.insert(one.file, one.version);
        }
    }
    Ok(done)
}

fn version(path: &Path) -> Option<Version> {
    let metadata = fs::metadata(path).ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Version {
        bytes: metadata.len(),
        modified: u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX),
    })
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
