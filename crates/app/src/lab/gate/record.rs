//! What the gate came to, kept in `RECKON_HOME`: the last run, which `reckon models lock` may accept, and the one that a
//! run is compared with while there is no lock.
use crate::{Context, Failure};
use reckon_lab::{Gate, State};
use reckon_models::{sha256_of, write_atomically};
use serde::{Deserialize, Serialize};
use std::{fs, io, path::PathBuf};

/// Far more than a record takes.
const LONGEST: u64 = 16 << 20;

/// The runs of one model.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The first one, or the one that was locked.
    pub(crate) accepted: Option<Run>,
    /// The last whole one.
    pub(crate) last: Option<Run>,
}

/// A run of the gate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    /// What it was run for.
    pub(crate) state: State,
    /// What it came to.
    pub(crate) gate: Gate,
    /// Whether nothing was wrong with that.
    pub(crate) passed: bool,
}

impl Record {
    /// The record of a model; an empty one if there is none.
    pub(crate) fn read(name: &str, context: &Context) -> anyhow::Result<Self> {
        let path = place(name, context);
        let refuse = |why: &dyn std::fmt::Display| {
            Failure::failed(format!("cannot read {}: {why}", path.display()))
                .hint("delete it to begin anew")
        };
        match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(refuse(&error).into()),
            Ok(data) if data.len() > LONGEST => return Err(refuse(&"it is too long").into()),
            Ok(_) => {}
        }
        let bytes = fs::read(&path).map_err(|error| refuse(&error))?;
        Ok(serde_json::from_slice(&bytes).map_err(|error| refuse(&error))?)
    }

    /// Keeps it.
    pub(crate) fn write(&self, name: &str, context: &Context) -> anyhow::Result<()> {
        let path = place(name, context);
        let cannot = |error| Failure::failed(format!("cannot write {}: {error}", path.display()));
        Ok(write_atomically(&path, &serde_json::to_vec(self)?).map_err(cannot)?)
    }
}

/// A name may be any file's, so the file is called after its digest.
fn place(name: &str, context: &Context) -> PathBuf {
    let key = &sha256_of(name)[..32];
    context.store.home.join("gates").join(format!("{key}.json"))
}
