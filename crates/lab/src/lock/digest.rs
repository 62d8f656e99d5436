//! Digests of all that the answers of a GGUF file depend on.
//!
//! A whole state takes the file's own digests, which are the caller's to make or to remember: reading gigabytes again is
//! only worth it when somebody asks. What the header says is in [`HeaderDigests`]; a start of `chat` asks for that alone.

use super::{GuardVersions, ModelState, SamplerDefaults};
use reckon::engine::{Sampling, Template, Tokenizer};
use reckon::gguf::{File, Value};
use reckon::models::{Hasher, sha256_of};
use std::collections::BTreeMap;

impl ModelState {
    /// The state of a file whose digests, as a whole and of its tensors, are known.
    pub fn of_file(
        file: &File,
        sha256: String,
        weights: String,
        guards: GuardVersions,
    ) -> Result<Self, reckon::engine::Error> {
        let HeaderDigests {
            metadata,
            tokenizer,
            quantisation,
        } = HeaderDigests::of(file);
        let template = match file.metadata().opt_str("tokenizer.chat_template")? {
            Some(own) => own.to_owned(),
            // One of ours, chosen by the vocabulary.
            None => Template::from_gguf(file, &Tokenizer::from_gguf(file)?)?
                .source()
                .to_owned(),
        };
        Ok(Self {
            file: sha256,
            bytes: file.len() as u64,
            weights,
            metadata,
            tokenizer,
            template: sha256_of(template),
            quantisation,
            sampler: (&Sampling::from_gguf(file)).into(),
            guards,
        })
    }
}

/// What the header of a file says besides its template.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "as in `ModelState`")]
pub struct HeaderDigests {
    pub metadata: String,
    pub tokenizer: String,
    pub quantisation: BTreeMap<String, usize>,
}

impl HeaderDigests {
    /// Digests what the header says.
    pub fn of(file: &File) -> Self {
        let mut quantisation = BTreeMap::new();
        for info in file.tensors() {
            let format = info.format.name().to_owned();
            *quantisation.entry(format).or_default() += 1;
        }
        Self {
            metadata: entries(file, |key| !key.starts_with("tokenizer.")),
            tokenizer: entries(file, |key| {
                key.starts_with("tokenizer.") && !key.starts_with("tokenizer.chat_template")
            }),
            quantisation,
        }
    }
}

impl From<&Sampling> for SamplerDefaults {
    fn from(sampling: &Sampling) -> Self {
        Self {
            temperature: sampling.temperature,
            top_k: sampling.top_k,
            top_p: sampling.top_p,
            min_p: sampling.min_p,
            repetition_penalty: sampling.repetition_penalty,
            penalty_window: sampling.penalty_window,
        }
    }
}

/// The digest of all tensors, in the order of the file.
pub fn weights(file: &File) -> String {
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

/// The metadata of these keys, whatever their order in the file.
fn entries(file: &File, wanted: impl Fn(&str) -> bool) -> String {
    let wanted = file.metadata().iter().filter(|(key, _)| wanted(key));
    let mut all: Vec<(&str, Value<'_>)> = wanted.collect();
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

/// A length and bytes: no two lists of fields give the same stream.
fn feed(hasher: &mut Hasher, bytes: &[u8]) {
    hasher.feed(&(bytes.len() as u64).to_le_bytes());
    hasher.feed(bytes);
}
