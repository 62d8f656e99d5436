//! `reckon models verify`: hashes what is here again and names what is wrong.
use super::{Entry, hash, known, present, progress::Progress, stamp};
use crate::{Context, Failure};
use serde_json::json;
use std::{fs, io::Write, path::Path};

/// Hashes one model, or all that are here. A wrong one is named, left in place, and the exit code is 3.
pub(crate) fn run(
    name: Option<&str>,
    json: bool,
    context: &Context,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let entries: Vec<&Entry> = match name {
        Some(name) => vec![known(name, context)?],
        None => context.catalogue.models.iter().collect(),
    };
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for entry in entries {
        let Some(path) = present(entry, context) else {
            if name.is_some() {
                return Err(super::resolve_name(&entry.name, context)
                    .err()
                    .unwrap_or_else(|| Failure::model("it came while we looked").into()));
            }
            continue;
        };
        let found = rehash(entry, &path, context)?;
        let ok = found == entry.sha256;
        if ok {
            stamp::set(entry, &path, context);
        } else {
            stamp::clear(entry, context);
        }
        if !json {
            let verdict = if ok { "ok" } else { "WRONG SHA256" };
            writeln!(out, "{}  {verdict}  {}", entry.name, path.display())?;
        }
        if !ok {
            wrong.push(entry.name.clone());
        }
        rows.push(json!({ "name": entry.name, "path": path, "ok": ok, "sha256": found }));
    }
    if json {
        writeln!(out, "{:#}", json!({ "models": rows }))?;
    } else if rows.is_empty() {
        writeln!(out, "no models are here")?;
    }
    match wrong.first() {
        None => Ok(()),
        Some(first) => Err(
            Failure::model(format!("wrong sha256: {}", wrong.join(", ")))
                .hint(format!("`reckon models pull {first}` replaces it"))
                .into(),
        ),
    }
}

fn rehash(entry: &Entry, path: &Path, context: &Context) -> anyhow::Result<String> {
    let bytes = fs::metadata(path).map_or(entry.bytes, |data| data.len());
    let mut progress = Progress::brief(&entry.name, bytes, context);
    hash::file(path, &mut progress)
        .map_err(|error| Failure::model(format!("cannot read {}: {error}", path.display())).into())
}
