//! A model file in, digests of all that its answers depend on out: what `reckon.lock` holds.
//!
//! `lab gate`, `models lock` and `models verify` ask for the whole state; that reads the whole file, unless a stamp
//! says that it is unchanged since it was read. What only needs the header is in [`Header`]; a start of `chat` asks for
//! that, and only if the stamp does not hold.
use super::progress::Progress;
use crate::{Context, Failure};
use reckon_engine::{Sampling, Template, Tokenizer};
use reckon_gguf::{File, Value};
use reckon_lab::{Defaults, State};
use reckon_models::{FileDigest, Hasher, sha256_of, sha256_of_file};
use std::{collections::BTreeMap, path::Path};

/// The versions of guards, by name.
pub(crate) type Versions = BTreeMap<String, String>;

/// What the header of a file says besides its template, which is at hand where a model is loaded.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) metadata: String,
    pub(crate) tokenizer: String,
    pub(crate) quantisation: BTreeMap<String, usize>,
}

/// Whether a stamp is as good as reading the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Yes.
    Stamp,
    /// No: read it again.
    Nothing,
}

/// All that the answers of this file depend on.
pub(crate) fn state(
    path: &Path,
    guards: Versions,
    trust: Trust,
    context: &Context,
) -> anyhow::Result<State> {
    let file = File::open(path)?;
    let hashed = hashed(path, &file, trust, context)?;
    let header = Header::of(&file);
    Ok(State {
        file: hashed.sha256,
        bytes: file.len() as u64,
        weights: hashed.weights.unwrap_or_default(),
        metadata: header.metadata,
        tokenizer: header.tokenizer,
        template: sha256_of(&template(&file)?),
        quantisation: header.quantisation,
        sampler: sampler(&Sampling::from_gguf(&file)),
        guards,
    })
}

impl Header {
    /// Digests of what the header says.
    pub(crate) fn of(file: &File) -> Self {
        Self {
            metadata: entries(file, |key| !key.starts_with("tokenizer.")),
            tokenizer: entries(file, |key| {
                key.starts_with("tokenizer.") && !key.starts_with("tokenizer.chat_template")
            }),
            quantisation: quantisation(file),
        }
    }
}

/// The sampler's defaults as the lock has them: a seed is no default.
pub(crate) fn sampler(sampling: &Sampling) -> Defaults {
    Defaults {
        temperature: sampling.temperature,
        top_k: sampling.top_k,
        top_p: sampling.top_p,
        min_p: sampling.min_p,
        repetition_penalty: sampling.repetition_penalty,
        penalty_window: sampling.penalty_window,
    }
}

fn hashed(path: &Path, file: &File, trust: Trust, context: &Context) -> anyhow::Result<FileDigest> {
    if trust == Trust::Stamp
        && let Some(known) = context.store.known_digest(path)
        && known.weights.is_some()
    {
        return Ok(known);
    }
    context.store.remember_digest(path, || {
        let mut progress = Progress::brief("hashing", file.len() as u64, context);
        let (sha256, weights) = std::thread::scope(|scope| {
            let weights = scope.spawn(|| weights(file));
            let sha256 = sha256_of_file(path, &mut |bytes| progress.advance(bytes));
            (sha256, weights.join())
        });
        let unread = |why: &str| Failure::model(format!("cannot read {}: {why}", path.display()));
        Ok(FileDigest {
            sha256: sha256.map_err(|error| unread(&error.to_string()))?,
            weights: Some(weights.map_err(|_| unread("hashing failed"))?),
        })
    })
}

/// All tensors, in the order of the file.
fn weights(file: &File) -> String {
    let mut hasher = Hasher::default();
    for info in file.tensors() {
        feed(&mut hasher, info.name.as_bytes());
        feed(&mut hasher, info.format.name().as_bytes());
        for &size in &info.dims {
            hasher.feed(&(size as u64).to_le_bytes());
        }
        if let Some(tensor) = file.opt_tensor(&info.name) {
            feed(&mut hasher, tensor.data);
        }
    }
    hasher.finish()
}

fn quantisation(file: &File) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for info in file.tensors() {
        *counts.entry(info.format.name().to_owned()).or_default() += 1;
    }
    counts
}

/// The metadata of these keys, whatever their order in the file.
fn entries(file: &File, wanted: impl Fn(&str) -> bool) -> String {
    let mut all: Vec<(&str, Value<'_>)> = file
        .metadata()
        .iter()
        .filter(|(key, _)| wanted(key))
        .collect();
    all.sort_by_key(|(key, _)| *key);
    let mut hasher = Hasher::default();
    for (key, value) in all {
        feed(&mut hasher, key.as_bytes());
        match value {
            Value::String(text) => feed(&mut hasher, text),
            Value::Array(array) => {
                feed(&mut hasher, array.kind().to_string().as_bytes());
                feed(&mut hasher, array.bytes());
            }
            scalar => feed(&mut hasher, format!("{scalar:?}").as_bytes()),
        }
    }
    hasher.finish()
}

/// The template in use: the file's own, or ours for its vocabulary.
fn template(file: &File) -> anyhow::Result<String> {
    if let Some(own) = file.metadata().opt_str("tokenizer.chat_template")? {
        return Ok(own.to_owned());
    }
    let tokenizer = Tokenizer::from_gguf(file)?;
    Ok(Template::from_gguf(file, &tokenizer)?.source().to_owned())
}

/// A length and bytes: no two lists of fields give the same stream.
fn feed(hasher: &mut Hasher, bytes: &[u8]) {
    hasher.feed(&(bytes.len() as u64).to_le_bytes());
    hasher.feed(bytes);
}
