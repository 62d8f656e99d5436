//! `reckon models show`: what a model is, from its file, from the catalogue or, for one of the hub, from the hub.
//!
//! A file's header is read, never its weights; text of it is a stranger's and cleaned before it is shown.
use super::{progress::shown, search};
use crate::Context;
use reckon::{
    gguf::File,
    models::{Entry, ErrorKind, Repository, hub_repository, parts, plain, quant, size},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// Characters of a licence or an architecture.
const LONGEST: usize = 80;

/// Shows a model.
pub(super) fn run(
    name: &str,
    json: bool,
    context: &Context,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let store = &context.store;
    let meant = store.unaliased(name);
    let about = match store.resolve_with(&meant, &mut shown(context)) {
        Ok(path) => about_file(&meant, &path, context)?,
        Err(error) if error.kind() != ErrorKind::NotFetched => return Err(error.into()),
        Err(error) => match store.catalogue.entry(&meant) {
            Some(entry) => about_entry(entry),
            None if store.is_of_hub(&meant) => {
                let (repository, pick) = hub_repository(&meant)?;
                about_repository(&meant, pick, &store.repository(repository)?)?
            }
            None => return Err(error.into()),
        },
    };
    match json {
        true => writeln!(out, "{about:#}")?,
        false => print(&about, out)?,
    }
    Ok(())
}

fn about_file(name: &str, path: &Path, context: &Context) -> anyhow::Result<Value> {
    let store = &context.store;
    let file = File::open(path)?;
    let metadata = file.metadata();
    let text = |key: &str| {
        let found = metadata.opt_str(key).ok().flatten();
        found.map(|text| plain(text, LONGEST))
    };
    let architecture = text("general.architecture").unwrap_or_default();
    let entry = store.entry_of(path);
    let bytes = parts(path)
        .into_iter()
        .filter_map(|part| Some(fs::metadata(part).ok()?.len()));
    let known = store.known_digest(path).map(|known| known.sha256);
    let licence = entry.map(|entry| entry.licence.clone());
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(json!({
        "name": name,
        "here": true,
        "store": store_of(path, context),
        "path": path,
        "bytes": bytes.sum::<u64>(),
        "architecture": architecture,
        "quantisation": quant(&file_name),
        "formats": formats(&file),
        "n_ctx": metadata.opt_u64(&format!("{architecture}.context_length")).ok().flatten(),
        "licence": licence.or_else(|| text("general.license")),
        "template": metadata.contains("tokenizer.chat_template"),
        "sha256": known.or_else(|| entry.map(|entry| entry.sha256.clone())),
        "mmproj": store.mmproj_of(path),
    }))
}

/// How many hundredths of the weights each format has, the rare ones left out.
fn formats(file: &File) -> BTreeMap<String, u64> {
    let mut weights: BTreeMap<String, u64> = BTreeMap::new();
    for tensor in file.tensors() {
        let format = tensor.format.name().to_owned();
        *weights.entry(format).or_default() += tensor.weights() as u64;
    }
    let all = weights.values().sum::<u64>().max(1);
    let share = |n: u64| (u128::from(n) * 100 / u128::from(all)) as u64;
    let shares = weights.into_iter().map(|(name, n)| (name, share(n)));
    shares.filter(|(_, share)| *share > 0).collect()
}

fn store_of(path: &Path, context: &Context) -> Option<&'static str> {
    let store = &context.store;
    let lies_in = |roots: &[PathBuf]| roots.iter().any(|root| path.starts_with(root));
    if path.starts_with(store.models()) {
        Some("Reckon")
    } else if path.starts_with(&store.hub_cache) {
        Some("Hugging Face")
    } else if lies_in(&store.others.ollama) {
        Some("Ollama")
    } else if lies_in(&store.others.lm_studio) {
        Some("LM Studio")
    } else {
        None
    }
}

fn about_entry(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "here": false,
        "what": entry.what,
        "bytes": entry.bytes,
        "architecture": entry.architecture,
        "licence": entry.licence,
        "sha256": entry.sha256,
        "mmproj": entry.mmproj().map(|one| &one.file),
    })
}

fn about_repository(
    name: &str,
    pick: Option<&str>,
    repository: &Repository,
) -> anyhow::Result<Value> {
    let mut about = search::row(repository);
    // Without a choice all are listed; a choice that is not there is an error.
    let chosen = match pick {
        Some(_) => Some(repository.choose(pick)?),
        None => repository.choose(None).ok(),
    };
    let whole = chosen.filter(|chosen| chosen.files.len() == 1);
    about["name"] = json!(name);
    about["here"] = json!(false);
    about["quantisation"] = json!(chosen.and_then(|chosen| chosen.quant.clone()));
    about["bytes"] = json!(chosen.map(|chosen| chosen.bytes()));
    about["sha256"] = json!(whole.and_then(|whole| whole.files[0].sha256.clone()));
    Ok(about)
}

/// The same as lines.
fn print(about: &Value, out: &mut dyn Write) -> anyhow::Result<()> {
    let yes = |value: &Value| match value.as_bool() {
        Some(true) => "yes".to_owned(),
        _ => "no".to_owned(),
    };
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let bytes = |value: &Value| size(value.as_u64().unwrap_or_default());
    let tokens = |value: &Value| format!("{value} tokens");
    type Say<'a> = &'a dyn Fn(&Value) -> String;
    let rows: [(&str, &str, Say<'_>); 17] = [
        ("name", "name", &text),
        ("here", "here", &yes),
        ("store", "store of", &text),
        ("path", "path", &text),
        ("what", "what", &text),
        ("bytes", "size", &bytes),
        ("architecture", "architecture", &text),
        ("quantisation", "quantisation", &text),
        ("formats", "formats", &shares),
        ("parameters", "weights", &text),
        ("n_ctx", "context", &tokens),
        ("licence", "licence", &text),
        ("gated", "to be accepted", &yes),
        ("template", "template", &yes),
        ("sha256", "sha256", &text),
        ("mmproj", "eyes and ears", &text),
        ("variants", "variants", &variants),
    ];
    for (key, label, say) in rows {
        if let Some(value) = about.get(key).filter(|value| !value.is_null()) {
            writeln!(out, "{label:14}  {}", say(value))?;
        }
    }
    Ok(())
}

fn shares(formats: &Value) -> String {
    let formats = formats.as_object().into_iter().flatten();
    let shares: Vec<String> = formats
        .map(|(name, share)| format!("{name} {share} %"))
        .collect();
    shares.join(", ")
}

fn variants(all: &Value) -> String {
    let name = |one: &Value| {
        let quant = one["quantisation"].as_str();
        let file = one["files"][0].as_str().unwrap_or_default();
        let bytes = size(one["bytes"].as_u64().unwrap_or_default());
        format!("{} ({bytes})", quant.unwrap_or(file))
    };
    let all = all.as_array().into_iter().flatten();
    all.map(name).collect::<Vec<_>>().join(", ")
}
