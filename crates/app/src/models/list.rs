//! `reckon models list`: the catalogue and what of it is here, and what other programs fetched, as a table or as JSON.
use crate::Context;
use reckon::models::{Entry, Found, Source, size};
use serde_json::json;
use std::io::Write;

/// Prints the list.
pub(crate) fn run(json: bool, context: &Context, out: &mut dyn Write) -> anyhow::Result<()> {
    let models = &context.store.catalogue.models;
    let found = context.store.found();
    if json {
        let rows: Vec<_> = models.iter().map(|entry| row(entry, context)).collect();
        let found: Vec<_> = found.iter().map(found_row).collect();
        let list = json!({ "home": context.store.home, "models": rows, "found": found });
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
        let here = context.store.present(entry).map_or("-", |_| "yes");
        writeln!(
            out,
            "{:name$}  {:what$}  {:>7}  {:licence$}  {here}",
            entry.name,
            entry.what,
            size(entry.bytes),
            entry.licence
        )?;
    }
    print_found(&found, out)
}

/// Models that are here without the catalogue.
fn print_found(found: &[Found], out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(name) = found.iter().map(|one| one.name.len()).max() else {
        return Ok(());
    };
    let name = name.max(9);
    writeln!(
        out,
        "\n{:name$}  {:>7}  {:12}  FILE",
        "ALSO HERE", "SIZE", "STORE OF"
    )?;
    for one in found {
        let (bytes, path) = (size(one.bytes), one.path.display());
        writeln!(
            out,
            "{:name$}  {bytes:>7}  {:12}  {path}",
            one.name, one.store
        )?;
    }
    Ok(())
}

fn found_row(one: &Found) -> serde_json::Value {
    json!({ "name": one.name, "store": one.store, "path": one.path, "bytes": one.bytes })
}

fn row(entry: &Entry, context: &Context) -> serde_json::Value {
    let path = context.store.present(entry);
    let source = match &entry.source {
        Source::Hub(file) => json!({ "hub": file.repository, "file": file.file }),
        Source::Wheels(parts) => json!({ "registry": parts.len() }),
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
