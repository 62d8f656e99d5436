//! `reckon models list`: the catalogue and what of it is here, as a table or as JSON.
use super::{Entry, Source, present};
use crate::Context;
use serde_json::json;
use std::io::Write;

/// Prints the list.
pub(crate) fn run(json: bool, context: &Context, out: &mut dyn Write) -> anyhow::Result<()> {
    let models = &context.catalogue.models;
    if json {
        let rows: Vec<_> = models.iter().map(|entry| row(entry, context)).collect();
        let list = json!({ "home": context.home, "models": rows });
        writeln!(out, "{list:#}")?;
        return Ok(());
    }
    let width = |cell: fn(&Entry) -> usize| models.iter().map(cell).max().unwrap_or(0);
    let name = width(|entry| entry.name.len()).max(4);
    let what = width(|entry| entry.what.len()).max(4);
    let licence = width(|entry| entry.licence.len()).max(7);
    writeln!(
        out,
        "{:name$}  {:what$}  {:>7}  {:licence$}  HERE",
        "NAME", "WHAT", "SIZE", "LICENCE"
    )?;
    for entry in models {
        let here = present(entry, context).map_or("-", |_| "yes");
        writeln!(
            out,
            "{:name$}  {:what$}  {:>7}  {:licence$}  {here}",
            entry.name,
            entry.what,
            crate::size::size(entry.bytes),
            entry.licence
        )?;
    }
    Ok(())
}

fn row(entry: &Entry, context: &Context) -> serde_json::Value {
    let path = present(entry, context);
    let source = match &entry.source {
        Source::Hub(file) => json!({ "hub": file.repository, "file": file.file }),
        Source::Registry(parts) => json!({ "registry": parts.len() }),
    };
    json!({
        "name": entry.name,
        "what": entry.what,
        "architecture": entry.architecture,
        "licence": entry.licence,
        "bytes": entry.bytes,
        "exact": entry.exact,
        "sha256": entry.sha256,
        "source": source,
        "here": path.is_some(),
        "path": path,
    })
}
