//! `reckon.lock`: digests of everything an answer depends on, as a person accepted them, and what differs now.
//!
//! Needs nothing else of this crate, so that what answers questions can use it without the lab. [`ModelState`] is a model
//! with its sampler and guards (`lock/digest.rs` makes one of a GGUF file); [`ModelState::changes`] is the only comparison
//! there is, and [`LockDiff`] says it in words. [`Lock`] holds the states that were accepted, each with what the canaries
//! came to (`lock/result.rs`); [`LockFile`] is a lock and its place on disk (`lock/file.rs`).
//!
//! A lock may come with somebody else's project, so it is not trusted: its size is bounded, unknown keys are refused, and
//! nothing in it makes a guard act or stay quiet.

mod digest;
mod file;
mod result;

pub use digest::{HeaderDigests, weights};
pub use file::{GateHistory, GateRun, LONGEST_LOCK, LockFile};
pub use result::{CanaryMark, CanaryMarks, CanaryResult, CanaryResults, MarkCount};

use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    path::PathBuf,
};

/// The versions of guards, by name.
pub type GuardVersions = BTreeMap<String, String>;

/// Why there is no lock where one was wanted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// The text is not a lock.
    #[error("reckon.lock: {0}")]
    Invalid(String),
    /// A file cannot be found or read.
    #[error("cannot read {}: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
}

/// Everything that an answer depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelState {
    /// SHA-256 of the whole file.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of all tensors: names, shapes, formats, data.
    pub weights: String,
    /// SHA-256 of the metadata that is neither tokenizer nor template.
    pub metadata: String,
    /// SHA-256 of vocabulary, merges, scores, token types and special ids.
    pub tokenizer: String,
    /// SHA-256 of the chat template, the file's own or ours.
    pub template: String,
    /// How many tensors have which format.
    pub quantisation: BTreeMap<String, usize>,
    /// How tokens are chosen if nobody says otherwise.
    pub sampler: SamplerDefaults,
    /// The version of each guard.
    pub guards: GuardVersions,
}

/// The sampler's defaults: those of `reckon::engine::Sampling` but for the seed, which is none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "as in `reckon::engine::Sampling`")]
pub struct SamplerDefaults {
    pub temperature: f32,
    pub top_k: usize,
    pub top_p: f32,
    pub min_p: f32,
    pub repetition_penalty: f32,
    pub penalty_window: usize,
}

impl fmt::Display for SamplerDefaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            temperature,
            top_k,
            top_p,
            min_p,
            repetition_penalty,
            penalty_window,
        } = self;
        write!(
            f,
            "temperature {temperature}, top_k {top_k}, top_p {top_p}, min_p {min_p}, \
             repetition_penalty {repetition_penalty} over {penalty_window}"
        )
    }
}

/// One part of a state that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// `weights`, `tokenizer`, `template`, `metadata`, `quantisation`, `file`, `sampler` or `guard`.
    pub part: &'static str,
    /// Which guard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<String>,
    /// As it was accepted; nothing if it is new.
    pub was: Option<String>,
    /// As it is; nothing if it is gone.
    pub is: Option<String>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.guard {
            Some(guard) => write!(f, "guard {guard}"),
            None => write!(f, "{}", self.part),
        }
    }
}

impl ModelState {
    /// What differs in `now` from this.
    pub fn changes(&self, now: &Self) -> Vec<Change> {
        let mut found = Vec::new();
        let mut hold = |part, guard: Option<&String>, was: Option<String>, is: Option<String>| {
            let guard = guard.cloned();
            let change = Change {
                part,
                guard,
                was,
                is,
            };
            found.extend((change.was != change.is).then_some(change));
        };
        for ((part, was), (_, is)) in self.parts().into_iter().zip(now.parts()) {
            hold(part, None, Some(was), Some(is));
        }
        let guards: BTreeSet<&String> = self.guards.keys().chain(now.guards.keys()).collect();
        for name in guards {
            let version = |state: &Self| state.guards.get(name).cloned();
            hold("guard", Some(name), version(self), version(now));
        }
        // Some byte of the file that belongs to none of its parts, such as padding.
        let outside = |one: &Change| matches!(one.part, "sampler" | "guard");
        if self.file != now.file && found.iter().all(outside) {
            let (was, is) = (Some(self.file.clone()), Some(now.file.clone()));
            found.insert(
                0,
                Change {
                    part: "file",
                    guard: None,
                    was,
                    is,
                },
            );
        }
        found
    }

    /// What is compared as text, in the order in which differences are named.
    fn parts(&self) -> [(&'static str, String); 6] {
        let formats = self.quantisation.iter();
        let formats = formats.map(|(name, n)| format!("{name} {n}"));
        [
            ("weights", self.weights.clone()),
            ("tokenizer", self.tokenizer.clone()),
            ("template", self.template.clone()),
            ("metadata", self.metadata.clone()),
            ("quantisation", formats.collect::<Vec<_>>().join(", ")),
            ("sampler", self.sampler.to_string()),
        ]
    }
}

/// The parts that changed, as people say it: "the template", "the weights and the template".
pub fn name_changes(changes: &[Change]) -> String {
    let all: Vec<String> = changes.iter().map(|one| format!("the {one}")).collect();
    match all.as_slice() {
        [] => "nothing".into(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Guards affected by these changes: a changed guard affects itself; anything else affects every guard that calls the
/// model (`callers`).
pub fn affected_guards(changes: &[Change], callers: &BTreeSet<String>) -> BTreeSet<String> {
    let affected = |change: &Change| match &change.guard {
        Some(guard) => BTreeSet::from([guard.clone()]),
        None => callers.clone(),
    };
    changes.iter().flat_map(affected).collect()
}

/// A state held against what was accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockDiff {
    /// The entry that it was compared with; nothing if there is none at all.
    pub entry: Option<String>,
    /// Whether that entry is only the nearest one: nothing was accepted under the model's own name.
    pub unlisted: bool,
    /// What is different now.
    pub changes: Vec<Change>,
}

impl LockDiff {
    /// What is different about the model of this name since `since`, as a fragment; nothing if nothing is.
    pub fn sentence(&self, name: &str, since: &str) -> Option<String> {
        let parts = name_changes(&self.changes);
        match (&self.entry, self.unlisted, self.changes.is_empty()) {
            (Some(entry), true, true) => Some(format!(
                "{name} is not in {since}; it is {entry} under another name"
            )),
            (Some(entry), true, false) => Some(format!(
                "{name} is not in {since}; of {entry} differ {parts}"
            )),
            (_, _, true) => None,
            (_, _, false) => Some(format!("{parts} of {name} changed since {since}")),
        }
    }
}

/// One model as it was accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedModel {
    /// Catalogue name, or the file's name without its ending.
    pub name: String,
    /// Where the file is, for one that is not in the catalogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Accepted although the gate had not passed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// What its answers depend on.
    pub state: ModelState,
    /// What the canaries came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<CanaryResults>,
}

/// The models that were accepted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lock {
    /// By name.
    pub models: Vec<LockedModel>,
}

/// The number that a lock begins with; another number is another form of the file.
const FORM: u32 = 1;

const HEAD: &str = "\
# What answers depend on, as `reckon models lock` accepted it after `reckon lab gate` had passed.
# Written by reckon; `reckon models verify` names what is different now.
";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LockText {
    form: u32,
    #[serde(default)]
    model: Vec<LockedModel>,
}

impl Lock {
    /// Reads a lock. An empty text is a lock that holds nothing yet.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let refuse = |why: String| Err(LockError::Invalid(why));
        if text.len() > LONGEST_LOCK {
            return refuse(format!("longer than {LONGEST_LOCK} bytes"));
        }
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let LockText {
            form,
            model: models,
        } = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = 1 + text.bytes().take(at).filter(|&byte| byte == b'\n').count();
            let why = error.message().replace('\n', " ");
            LockError::Invalid(format!("line {line}: {why}"))
        })?;
        if form != FORM {
            return refuse(format!("form {form} is not known, only {FORM}"));
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = models.iter().find(|one| !names.insert(&one.name)) {
            return refuse(format!("{:?} is there twice", twice.name));
        }
        Ok(Self { models })
    }

    /// As it is written to the file.
    pub fn to_text(&self) -> Result<String, LockError> {
        let model = self.models.clone();
        let body = toml::to_string(&LockText { form: FORM, model });
        let body = body.map_err(|error| LockError::Invalid(error.to_string()))?;
        Ok(format!("{HEAD}{body}"))
    }

    /// The model of this name.
    pub fn model(&self, name: &str) -> Option<&LockedModel> {
        self.models.iter().find(|one| one.name == name)
    }

    /// Holds a state against the entry of its name or, where there is none, against the one with the most in common:
    /// what a file with another name most likely took the place of.
    pub fn diff(&self, name: &str, now: &ModelState) -> LockDiff {
        let own = self.model(name);
        let distance = |one: &&LockedModel| one.state.changes(now).len();
        let nearest = || self.models.iter().min_by_key(distance);
        let Some(entry) = own.or_else(nearest) else {
            return LockDiff::default();
        };
        LockDiff {
            entry: Some(entry.name.clone()),
            unlisted: own.is_none(),
            changes: entry.state.changes(now),
        }
    }

    /// Adds a model, or replaces the one of its name.
    pub fn accept(&mut self, model: LockedModel) {
        self.models.retain(|one| one.name != model.name);
        self.models.push(model);
        self.models.sort_by(|one, other| one.name.cmp(&other.name));
    }
}
