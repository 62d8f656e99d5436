//! `reckon models search`: repositories of the hub that have GGUF files, as a table or as JSON.
use crate::{Context, exit};
use reckon::models::{Repository, Variant, size};
use serde_json::{Value, json};
use std::io::Write;

/// Prints what was found.
pub(super) fn run(
    words: &str,
    limit: usize,
    json: bool,
    context: &Context,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let found = context.store.search(words, limit)?;
    if json {
        let rows: Vec<Value> = found.iter().map(row).collect();
        return Ok(writeln!(out, "{:#}", json!({ "models": rows }))?);
    }
    if found.is_empty() {
        exit::notice("no repository with GGUF files fits these words");
        return Ok(());
    }
    let width = found.iter().map(|one| one.name.len() + 6).max();
    let width = width.unwrap_or(0).max(4);
    writeln!(
        out,
        "{:width$}  {:>7}  {:8}  {:>9}  LICENCE",
        "NAME", "SIZE", "QUANT", "DOWNLOADS"
    )?;
    for one in &found {
        let usual = one.choose(None).ok();
        let bytes = usual.map_or("-".into(), |usual| size(usual.bytes()));
        let quant = usual.and_then(|usual| usual.quant.as_deref());
        let quant = quant.unwrap_or(if one.variants.is_empty() {
            "-"
        } else {
            "several"
        });
        let downloads = one.downloads.map_or("-".into(), |count| count.to_string());
        let licence = one.licence.as_deref().unwrap_or("not stated");
        let gated = if one.is_gated {
            " (to be accepted)"
        } else {
            ""
        };
        let name = format!("hf.co/{}", one.name);
        writeln!(
            out,
            "{name:width$}  {bytes:>7}  {quant:8}  {downloads:>9}  {licence}{gated}"
        )?;
    }
    Ok(())
}

/// A repository as JSON; `show` prints the same and more.
pub(super) fn row(one: &Repository) -> Value {
    let file = |variant: &Variant| {
        let paths: Vec<&str> = variant
            .files
            .iter()
            .map(|file| file.path.as_str())
            .collect();
        json!({ "quantisation": variant.quant, "bytes": variant.bytes(), "files": paths })
    };
    let usual = one.choose(None).ok();
    json!({
        "name": format!("hf.co/{}", one.name),
        "licence": one.licence,
        "gated": one.is_gated,
        "downloads": one.downloads,
        "architecture": one.architecture,
        "parameters": one.parameters,
        "n_ctx": one.n_ctx,
        "template": one.has_template,
        "bytes": usual.map(Variant::bytes),
        "quantisation": usual.and_then(|usual| usual.quant.clone()),
        "variants": one.variants.iter().map(file).collect::<Vec<_>>(),
        "mmproj": one.mmproj.as_ref().map(|file| &file.path),
    })
}
