//! The models: which ones we know, which ones are here, and how to fetch them.
use crate::{Context, Failure, cli::ModelsArgs};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// The models we know by name.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {}

impl Catalogue {
    /// The catalogue that is part of the program.
    pub fn built_in() -> Self {
        Self {}
    }
}

/// Runs `reckon models`.
pub(crate) fn run(_args: &ModelsArgs, _context: &Context) -> anyhow::Result<()> {
    Err(Failure::failed("models is not part of this build yet").into())
}

/// The file of the model that was asked for, or of the default model; the first run may fetch that one, which is
/// said on `announce` before it begins.
pub fn locate(
    model: Option<&str>,
    context: &Context,
    announce: &mut dyn Write,
) -> anyhow::Result<PathBuf> {
    match model {
        Some(model) => resolve(model, context),
        None => default_model(context, announce),
    }
}

/// The file that `--model` means: a path is used in place, a catalogue name must be in the store.
pub fn resolve(model: &str, _context: &Context) -> anyhow::Result<PathBuf> {
    let path = Path::new(model);
    if path.exists() {
        return Ok(path.into());
    }
    Err(Failure::model(format!("no model `{model}`")).into())
}

/// The default model, fetched on the first run.
pub fn default_model(_context: &Context, _announce: &mut dyn Write) -> anyhow::Result<PathBuf> {
    Err(Failure::model("no model is here yet").into())
}
