//! The guards that look at answers, and packs of more of them.
//!
//! ```
//! let guards = reckon::guards::all();
//! assert!(guards.iter().any(|guard| guard.name() == "arithmetic"));
//! ```
pub use reckon_assistant::{
    guards::{
        Arithmetic, Constraints, Correction, Counting, Logic, Persona, Qualifier, all, prepare,
    },
    pack::Pack,
};

use crate::{Error, Result};
use reckon_assistant::{Guard, Pipeline, pack, version::VERSIONS};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

/// More packs than anybody keeps.
const MOST_PACKS: usize = 200;

/// Guards in the order in which they look, ready to be shared by any number of chats. Made of a list of guards; the
/// default is none: then what the model says is what comes out.
#[derive(Clone, Default)]
pub struct Guards {
    pipeline: Arc<Pipeline>,
    versions: BTreeMap<String, String>,
}

impl Guards {
    /// All built-in guards, then these packs.
    pub fn with_packs(packs: impl IntoIterator<Item = (Pack, String)>) -> Self {
        let (packs, versions): (Vec<_>, Vec<_>) = packs
            .into_iter()
            .map(|(pack, version)| {
                let name = pack.class.clone();
                (Box::new(pack) as Box<dyn Guard>, (name, version))
            })
            .unzip();
        let mut guards = Self::from(all().into_iter().chain(packs).collect::<Vec<_>>());
        guards.versions.extend(versions);
        guards
    }

    /// The versions of those guards that have one: a digest of what they are made of.
    pub fn versions(&self) -> &BTreeMap<String, String> {
        &self.versions
    }

    /// What runs them.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pipeline.guards().next().is_none()
    }
}

impl From<Vec<Box<dyn Guard>>> for Guards {
    fn from(guards: Vec<Box<dyn Guard>>) -> Self {
        let own = VERSIONS.iter();
        let own = own.filter(|(name, _)| guards.iter().any(|guard| guard.name() == *name));
        Self {
            versions: own
                .map(|&(name, version)| (name.to_owned(), version.to_owned()))
                .collect(),
            pipeline: Arc::new(Pipeline::new(guards)),
        }
    }
}

impl std::fmt::Debug for Guards {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.pipeline.guards().map(|guard| guard.name());
        f.debug_list().entries(names).finish()
    }
}

/// What a directory of packs has: those that can be used, and why the others cannot.
#[derive(Debug, Default)]
pub struct Packs {
    /// By name, each with its version: the digest of its file.
    pub usable: Vec<(Pack, String)>,
    /// Files that are left out, and why.
    pub broken: Vec<(PathBuf, String)>,
}

/// Reads the TOML files of a directory; one that is not there has none. A broken pack does not stop the others.
pub fn packs(directory: &Path) -> Result<Packs> {
    let mut packs = Packs::default();
    for path in files(directory)? {
        match read(&path) {
            Ok((pack, version)) => {
                let is_new = packs
                    .usable
                    .iter()
                    .all(|(other, _)| other.class != pack.class);
                if !pack.test().passed() {
                    let why = "it fails its examples; `reckon guard test` shows which";
                    packs.broken.push((path, why.into()));
                } else if is_new {
                    packs.usable.push((pack, version));
                } else {
                    let why = format!("a second pack is called {:?}", pack.class);
                    packs.broken.push((path, why));
                }
            }
            Err(why) => packs.broken.push((path, why)),
        }
    }
    packs
        .usable
        .sort_by(|(one, _), (other, _)| one.class.cmp(&other.class));
    Ok(packs)
}

fn read(path: &Path) -> std::result::Result<(Pack, String), String> {
    let shown = path.display();
    let mut text = String::new();
    let most = pack::LONGEST as u64 + 1;
    File::open(path)
        .and_then(|file| file.take(most).read_to_string(&mut text))
        .map_err(|error| format!("cannot read {shown}: {error}"))?;
    let pack = Pack::parse(&text).map_err(|error| format!("{shown}: {error}"))?;
    let digest = Sha256::digest(&text);
    let version = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((pack, version))
}

/// The TOML files of a directory, by name.
fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => {
            let path = directory.to_owned();
            return Err(Error::Packs { path, why });
        }
    };
    let is_toml = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml");
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = paths.filter(is_toml).collect();
    paths.sort();
    paths.truncate(MOST_PACKS);
    Ok(paths)
}
