//! Asks a server about itself: whether it answers as such a server does, its models, what it is.
//!
//! Before a question goes to a peer, its list of models is asked for: what is down, slow or no such server at all is found out
//! without a word of the conversation. What it said counts for a minute. [`Peer::survey`] asks more, for people.
use super::Peer;
use crate::Endpoint;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::PoisonError,
    time::{Duration, Instant},
};

/// How long such a question may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long an answer to it counts.
const FRESH: Duration = Duration::from_secs(60);
/// Models and characters of a name that are shown: a server may say anything.
const MOST_MODELS: usize = 200;
const LONGEST_NAME: usize = 120;

/// Why a peer cannot be asked now; nothing if it can.
pub(super) type Health = Option<String>;

/// What a peer says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// Why it cannot be asked; nothing if it can.
    pub down: Option<String>,
    /// Milliseconds until it answered.
    pub ms: Option<f64>,
    /// The models that it has.
    pub models: Vec<String>,
    /// What it is and which version, where it tells.
    pub server: Option<String>,
    /// Sha256 of models' files, where it is a Reckon that knows them.
    pub digests: BTreeMap<String, String>,
}

impl Peer {
    /// Why it cannot be asked now; asks it, unless that is known.
    pub(super) fn health(&self) -> Health {
        let endpoint = match &self.endpoint {
            Ok(endpoint) => endpoint,
            Err(why) => return Some(why.clone()),
        };
        let mut kept = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, health)) = &*kept
            && when.elapsed() < FRESH
        {
            return health.clone();
        }
        let health = models(endpoint, self.timeout.min(PATIENCE)).err();
        *kept = Some((Instant::now(), health.clone()));
        health
    }

    /// It did not answer a question: for a while it need not be asked another one.
    pub(super) fn note_failure(&self, why: &str) {
        let mut kept = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some((Instant::now(), Some(format!("a moment ago: {why}"))));
    }

    /// Asks it about itself; nothing of anybody's is sent.
    pub fn survey(&self) -> Survey {
        let endpoint = match &self.endpoint {
            Ok(endpoint) => endpoint,
            Err(why) => {
                return Survey {
                    down: Some(why.clone()),
                    ..Survey::default()
                };
            }
        };
        let time = self.timeout.min(PATIENCE);
        let begin = Instant::now();
        let models = match models(endpoint, time) {
            Ok(models) => models,
            Err(why) => {
                return Survey {
                    down: Some(why),
                    ..Survey::default()
                };
            }
        };
        let ms = begin.elapsed().as_secs_f64() * 1e3;
        let (server, is_reckon) = kind(endpoint, time);
        Survey {
            down: None,
            ms: Some(ms),
            models,
            server,
            digests: match is_reckon {
                true => digests(endpoint, time),
                false => BTreeMap::new(),
            },
        }
    }
}

/// The models that it lists, or why it cannot be asked. A server without such a list may be one all the same.
fn models(endpoint: &Endpoint, time: Duration) -> Result<Vec<String>, String> {
    let (base, _) = endpoint.bases();
    match endpoint.fact(&format!("{base}/models"), time)? {
        (200..=299, value) => {
            let list = value.get("data").and_then(Value::as_array);
            let list = list.ok_or("its list of models is none")?;
            let names = list.iter().filter_map(|one| name(one.get("id")?));
            Ok(names.take(MOST_MODELS).collect())
        }
        (404 | 405 | 501, _) => Ok(Vec::new()),
        (401 | 403, _) => Err("it does not take the key".into()),
        (status, _) => Err(format!("it answered {status}")),
    }
}

/// What it is, where it tells; whether it is one of ours.
fn kind(endpoint: &Endpoint, time: Duration) -> (Option<String>, bool) {
    let (_, root) = endpoint.bases();
    let fact = |path: &str| match endpoint.fact(&format!("{root}{path}"), time) {
        Ok((200..=299, value)) => value,
        _ => Value::Null,
    };
    let version = fact("/api/version");
    if let Some(ours) = version.get("reckon").and_then(name) {
        return (Some(format!("reckon {ours}")), true);
    }
    if let Some(version) = version.get("version").and_then(name) {
        return (Some(format!("ollama {version}")), false);
    }
    let build = fact("/props").get("build_info").and_then(name);
    (build.map(|build| format!("llama-server {build}")), false)
}

/// The digests of the files that it knows.
fn digests(endpoint: &Endpoint, time: Duration) -> BTreeMap<String, String> {
    let (_, root) = endpoint.bases();
    let Ok((200..=299, tags)) = endpoint.fact(&format!("{root}/api/tags"), time) else {
        return BTreeMap::new();
    };
    let models = tags.get("models").and_then(Value::as_array);
    let known = models.into_iter().flatten().filter_map(|one| {
        let digest = name(one.get("digest")?)?;
        // All zeros: it does not know.
        let is_known = digest.len() == 64 && digest.bytes().any(|digit| digit != b'0');
        is_known.then_some((name(one.get("name")?)?, digest))
    });
    known.take(MOST_MODELS).collect()
}

/// A short text without anything that could steer a terminal.
fn name(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let clean = text.chars().filter(|c| !c.is_control());
    Some(clean.take(LONGEST_NAME).collect())
}
