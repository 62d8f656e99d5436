//! `reckon.lock`: what a person accepted, as digests, and what is different now.
//!
//! [`State`] is everything that an answer depends on; `app` makes one of a file and the guards. [`Lock`] holds the states
//! that were accepted, with the [`Gate`] that each of them passed, as TOML. [`State::changes`] names what differs and
//! [`affected`] the guards that this may make others. Text in, text out: files are the caller's.
//!
//! A lock may come with somebody else's project, so it is not trusted: its size is bounded, unknown keys are refused, and
//! nothing in it makes a guard act or stay quiet.

use crate::{Error, Gate, Result};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Longest lock that is read.
pub const LONGEST_LOCK: usize = 4 << 20;

/// The form of the file; another number is another form.
const FORM: u32 = 1;

const HEAD: &str = "\
# What answers depend on, as `reckon models lock` accepted it after `reckon lab gate` had passed.
# Written by reckon; `reckon models verify` names what is different now.
";

/// Everything that an answer depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
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
    pub sampler: Defaults,
    /// The version of each guard.
    pub guards: BTreeMap<String, String>,
}

/// The sampler's defaults.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "as in `reckon_engine::Sampling`")]
pub struct Defaults {
    pub temperature: f32,
    pub top_k: usize,
    pub top_p: f32,
    pub min_p: f32,
    pub repetition_penalty: f32,
    pub penalty_window: usize,
}

/// Something that answers depend on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase", tag = "part", content = "guard")]
pub enum Part {
    /// The tensors.
    Weights,
    /// Their formats.
    Quantisation,
    /// Text to tokens and back.
    Tokenizer,
    /// Conversation to prompt.
    Template,
    /// Other metadata of the file.
    Metadata,
    /// Bytes of the file that are none of the above.
    File,
    /// The defaults of the sampler.
    Sampler,
    /// This guard.
    Guard(String),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Weights => write!(f, "weights"),
            Self::Quantisation => write!(f, "quantisation"),
            Self::Tokenizer => write!(f, "tokenizer"),
            Self::Template => write!(f, "template"),
            Self::Metadata => write!(f, "metadata"),
            Self::File => write!(f, "file"),
            Self::Sampler => write!(f, "sampler"),
            Self::Guard(name) => write!(f, "guard {name}"),
        }
    }
}

/// What was, and what is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What differs.
    #[serde(flatten)]
    pub part: Part,
    /// As it was accepted; nothing if it is new.
    pub was: Option<String>,
    /// As it is; nothing if it is gone.
    pub is: Option<String>,
}

impl State {
    /// What differs in `now` from this.
    pub fn changes(&self, now: &Self) -> Vec<Change> {
        let mut found = Vec::new();
        let mut note = |part: Part, was: String, is: String| {
            if was != is {
                found.push(Change {
                    part,
                    was: Some(was),
                    is: Some(is),
                });
            }
        };
        let pairs = [
            (Part::Weights, &self.weights, &now.weights),
            (Part::Tokenizer, &self.tokenizer, &now.tokenizer),
            (Part::Template, &self.template, &now.template),
            (Part::Metadata, &self.metadata, &now.metadata),
        ];
        for (part, was, is) in pairs {
            note(part, was.clone(), is.clone());
        }
        note(Part::Quantisation, formats(self), formats(now));
        if found.is_empty() && self.file != now.file {
            found.push(Change {
                part: Part::File,
                was: Some(self.file.clone()),
                is: Some(now.file.clone()),
            });
        }
        if self.sampler != now.sampler {
            found.push(Change {
                part: Part::Sampler,
                was: Some(self.sampler.to_string()),
                is: Some(now.sampler.to_string()),
            });
        }
        found.extend(self.guard_changes(now));
        found
    }

    fn guard_changes(&self, now: &Self) -> Vec<Change> {
        let names: BTreeSet<&String> = self.guards.keys().chain(now.guards.keys()).collect();
        let change = |name: &String| Change {
            part: Part::Guard(name.clone()),
            was: self.guards.get(name).cloned(),
            is: now.guards.get(name).cloned(),
        };
        let all = names.into_iter().map(change);
        all.filter(|change| change.was != change.is).collect()
    }
}

/// "Q4_K 168, Q6_K 29".
fn formats(state: &State) -> String {
    let all = state.quantisation.iter();
    let all: Vec<String> = all.map(|(name, n)| format!("{name} {n}")).collect();
    all.join(", ")
}

impl fmt::Display for Defaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "temperature {}, top_k {}, top_p {}, min_p {}, repetition_penalty {} over {}",
            self.temperature,
            self.top_k,
            self.top_p,
            self.min_p,
            self.repetition_penalty,
            self.penalty_window
        )
    }
}

/// The guards that these changes may make others: a guard of its own change, and those in which the model has a part
/// (`users`) of everything else.
pub fn affected(changes: &[Change], users: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for change in changes {
        match &change.part {
            Part::Guard(name) => {
                found.insert(name.clone());
            }
            _ => found.extend(users.iter().cloned()),
        }
    }
    found
}

/// One model as it was accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// Catalogue name, or the file's name without its ending.
    pub name: String,
    /// Where the file is, for one that is not in the catalogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Accepted although the gate had not passed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// What its answers depend on.
    pub state: State,
    /// What the gate came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
}

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lock {
    /// By name.
    pub models: Vec<Locked>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    form: u32,
    #[serde(default)]
    model: Vec<Locked>,
}

impl Lock {
    /// Reads a lock. An empty text is a lock that holds nothing yet.
    pub fn parse(text: &str) -> Result<Self> {
        let refuse = |why: String| Error::Lock { why };
        if text.len() > LONGEST_LOCK {
            return Err(refuse(format!("longer than {LONGEST_LOCK} bytes")));
        }
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let source: Source = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = 1 + text.as_bytes()[..at]
                .iter()
                .filter(|&&b| b == b'\n')
                .count();
            refuse(format!(
                "line {line}: {}",
                error.message().replace('\n', " ")
            ))
        })?;
        if source.form != FORM {
            let form = source.form;
            return Err(refuse(format!("form {form} is not known, only {FORM}")));
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = source.model.iter().find(|one| !names.insert(&one.name)) {
            return Err(refuse(format!("{:?} is there twice", twice.name)));
        }
        Ok(Self {
            models: source.model,
        })
    }

    /// As it is written to the file.
    pub fn to_text(&self) -> Result<String> {
        let source = Source {
            form: FORM,
            model: self.models.clone(),
        };
        let body = toml::to_string(&source).map_err(|error| Error::Lock {
            why: error.to_string(),
        })?;
        Ok(format!("{HEAD}{body}"))
    }

    /// The model of this name.
    pub fn model(&self, name: &str) -> Option<&Locked> {
        self.models.iter().find(|one| one.name == name)
    }

    /// The model that has the most in common with `state`: what a file with another name most likely took the place of.
    pub fn nearest(&self, state: &State) -> Option<&Locked> {
        let differing = |one: &&Locked| one.state.changes(state).len();
        self.models.iter().min_by_key(differing)
    }

    /// Adds a model, or replaces the one of its name.
    pub fn accept(&mut self, model: Locked) {
        self.models.retain(|one| one.name != model.name);
        self.models.push(model);
        self.models.sort_by(|one, other| one.name.cmp(&other.name));
    }
}
