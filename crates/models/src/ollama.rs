//! Models of Ollama's store, used in place: a manifest names layers, a layer is a blob that is named by its sha256.
//!
//! A manifest is small JSON at `manifests/HOST/NAMESPACE/NAME/TAG`. It may be anybody's: of what it says only the digest of
//! the one layer that is a model becomes part of a path, and only if it is a digest. The blob is hashed before its first
//! use. A model with an adapter is refused, because without it the answers would be another model's.
use crate::{
    Error, ErrorKind, Found, OnEvent, Result, Store,
    catalogue::is_sha256,
    other_stores::{inside, names},
    reference::ollama_name,
};
use serde::Deserialize;
use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// Far more than a manifest needs.
const LARGEST_MANIFEST: u64 = 1 << 20;

/// Manifests that a list looks at.
const MOST_MANIFESTS: usize = 2_000;

const MODEL: &str = "application/vnd.ollama.image.model";
const ADAPTER: &str = "application/vnd.ollama.image.adapter";

#[derive(Deserialize)]
struct Manifest {
    layers: Vec<Layer>,
}

#[derive(Deserialize)]
struct Layer {
    #[serde(rename = "mediaType")]
    kind: String,
    digest: String,
    size: u64,
}

/// A model's blob.
struct Blob {
    path: PathBuf,
    sha256: String,
    bytes: u64,
}

/// The file of a model, its digest checked.
pub(crate) fn resolve(
    store: &Store,
    directory: &str,
    tag: &str,
    on_event: &mut OnEvent<'_>,
) -> Result<PathBuf> {
    let name = ollama_name(directory, tag);
    let mut roots = store.others.ollama.iter();
    let root = roots.find(|root| manifest_path(root, directory, tag).is_file());
    let Some(root) = root else {
        let what = format!("Ollama has no {} here", name.trim_start_matches("ollama/"));
        let hint = "`ollama pull` fetches it; `reckon models list` shows what is here";
        return Err(Error::new(ErrorKind::NotFound, what).with_hint(hint));
    };
    let refuse = |why: &str| Error::new(ErrorKind::NotFound, format!("{name}: {why}"));
    let blob = blob(root, directory, tag).map_err(refuse)?;
    store.check_named(&blob.path, &blob.sha256, on_event)?;
    Ok(blob.path)
}

/// All models whose blobs are here.
pub(crate) fn models(store: &Store) -> Vec<Found> {
    let mut found = Vec::new();
    for root in &store.others.ollama {
        for (directory, tag) in manifests(&root.join("manifests")) {
            if let Ok(blob) = blob(root, &directory, &tag) {
                found.push(Found {
                    name: ollama_name(&directory, &tag),
                    store: "Ollama",
                    path: blob.path,
                    bytes: blob.bytes,
                });
            }
        }
    }
    found
}

/// Directories and tags of all manifests: HOST/NAMESPACE/NAME, TAG.
fn manifests(root: &Path) -> Vec<(String, String)> {
    let mut paths = vec![String::new()];
    for _ in 0..4 {
        let below = |path: &String| {
            let names = names(&root.join(path)).into_iter();
            let path = path.clone();
            names.map(move |name| match path.is_empty() {
                true => name,
                false => format!("{path}/{name}"),
            })
        };
        paths = paths.iter().flat_map(below).take(MOST_MANIFESTS).collect();
    }
    let split = |path: String| {
        let (directory, tag) = path.rsplit_once('/')?;
        Some((directory.to_owned(), tag.to_owned()))
    };
    paths.into_iter().filter_map(split).collect()
}

fn manifest_path(root: &Path, directory: &str, tag: &str) -> PathBuf {
    root.join("manifests").join(directory).join(tag)
}

fn blob(root: &Path, directory: &str, tag: &str) -> std::result::Result<Blob, &'static str> {
    let own = fs::canonicalize(root).map_err(|_| "its store cannot be read")?;
    let path = manifest_path(root, directory, tag);
    inside(&path, &own).ok_or("its manifest leads out of the store")?;
    let mut text = String::new();
    let file = File::open(&path).map_err(|_| "its manifest cannot be read")?;
    file.take(LARGEST_MANIFEST)
        .read_to_string(&mut text)
        .map_err(|_| "its manifest cannot be read")?;
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|_| "its manifest is not understood")?;
    let layer = model_layer(&manifest)?;
    let sha256 = layer.digest.strip_prefix("sha256:").unwrap_or_default();
    if !is_sha256(sha256) {
        return Err("its manifest has a digest that is none");
    }
    let path = root.join("blobs").join(format!("sha256-{sha256}"));
    let bytes = inside(&path, &own).ok_or("its file is not here")?;
    if bytes != layer.size {
        return Err("its file is not whole");
    }
    Ok(Blob {
        path,
        sha256: sha256.to_owned(),
        bytes,
    })
}

fn model_layer(manifest: &Manifest) -> std::result::Result<&Layer, &'static str> {
    let of = |kind: &'static str| {
        manifest
            .layers
            .iter()
            .filter(move |layer| layer.kind == kind)
    };
    if of(ADAPTER).next().is_some() {
        return Err("it has an adapter, which is not applied here");
    }
    let mut models = of(MODEL);
    match (models.next(), models.next()) {
        (Some(layer), None) => Ok(layer),
        _ => Err("it is not one GGUF file"),
    }
}
