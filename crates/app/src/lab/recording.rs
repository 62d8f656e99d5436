//! Tapes as the commands of the lab take them in: named after their files, scored again where questions are given.
use super::run;
use crate::{Context, Failure, assistant};
use reckon::models::write_atomically;
use reckon_lab::{Question, fastchat::file_name, read_tape, report::Recording, rescore};
use std::path::{Path, PathBuf};

/// The questions of a file or of a set that is here; none if none was named.
pub(super) fn questions(
    path: Option<&PathBuf>,
    context: &Context,
) -> anyhow::Result<Vec<Question>> {
    path.map_or_else(|| Ok(Vec::new()), |path| run::questions(path, context))
}

/// A tape that has rows.
pub(super) fn read(
    path: &Path,
    questions: &[Question],
    context: &Context,
) -> anyhow::Result<Recording> {
    let mut rows = read_tape(path)?;
    if rows.is_empty() {
        return Err(
            Failure::input(format!("{}: no answer on it", path.display()))
                .hint("`reckon lab run` writes tapes")
                .into(),
        );
    }
    if !questions.is_empty() {
        rescore(&mut rows, questions, &mut assistant::tools(context)?);
    }
    let name = file_name(path);
    Ok(Recording { name, rows })
}

/// Writes a whole file, or leaves the one that was there.
pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let failed = |error: std::io::Error| Failure::failed(format!("{}: {error}", path.display()));
    Ok(write_atomically(path, text.as_bytes()).map_err(failed)?)
}
