//! What the canaries came to, as the lock keeps it: one line of four words a canary.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a replay of a canary set came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CanaryResults {
    /// The version of Reckon.
    pub version: String,
    /// Digest of the set.
    pub canary: String,
    /// What became of each canary, by id.
    pub answers: BTreeMap<String, CanaryResult>,
}

/// What became of one canary. In a file: `guard:outcome,… raw>shipped digest digest`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CanaryResult {
    /// The guards that had evidence, and the outcome of each.
    pub acted: BTreeMap<String, String>,
    /// Whether the model's own text is right, if that is known.
    pub raw_right: Option<bool>,
    /// Whether the text that shipped is.
    pub right: Option<bool>,
    /// Digest of the model's own text.
    pub raw: String,
    /// Digest of the text that shipped.
    pub text: String,
}

/// What is known about a text, and its word in the file.
const RIGHT: [(Option<bool>, &str); 3] = [
    (Some(true), "right"),
    (Some(false), "wrong"),
    (None, "unknown"),
];

impl From<CanaryResult> for String {
    fn from(result: CanaryResult) -> Self {
        let word = |known| RIGHT.iter().find(|(value, _)| *value == known);
        let word = |known| word(known).map_or("", |(_, word)| word);
        let acted = result.acted.iter();
        let acted: Vec<Self> = acted
            .map(|(guard, came)| format!("{guard}:{came}"))
            .collect();
        let acted = match acted.is_empty() {
            true => "quiet".to_owned(),
            false => acted.join(","),
        };
        let (raw_right, right) = (word(result.raw_right), word(result.right));
        format!("{acted} {raw_right}>{right} {} {}", result.raw, result.text)
    }
}

impl TryFrom<String> for CanaryResult {
    type Error = &'static str;

    fn try_from(line: String) -> Result<Self, Self::Error> {
        Self::parse(&line).ok_or("not `guard:outcome,… raw>shipped digest digest`")
    }
}

impl CanaryResult {
    fn parse(line: &str) -> Option<Self> {
        let [acted, rights, raw, text] = line.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        let known = |word| RIGHT.iter().find(|(_, known)| *known == word);
        let (raw_right, right) = rights.split_once('>')?;
        let acted = acted.split(',').filter(|one| *one != "quiet");
        let pair = |one: &str| {
            let (guard, outcome) = one.split_once(':')?;
            Some((guard.to_owned(), outcome.to_owned()))
        };
        Some(Self {
            acted: acted.map(pair).collect::<Option<_>>()?,
            raw_right: known(raw_right)?.0,
            right: known(right)?.0,
            raw: raw.to_owned(),
            text: text.to_owned(),
        })
    }
}
