//! What the canaries came to, as the lock keeps it: a line of four words a canary, a fifth where the answer has a mark, and
//! how often the marks that promise something were true.
//!
//! A lock that was written before marks has neither; nothing is then held against them.

use reckon::MarkState;
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
    /// How often marks were true; nothing in a file that was written before there were marks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<CanaryMarks>,
    /// What became of each canary, by id.
    pub answers: BTreeMap<String, CanaryResult>,
}

impl CanaryResults {
    /// Of a set with this digest, with the marks counted.
    pub fn new(
        version: &str,
        canary: String,
        answers: impl IntoIterator<Item = (String, CanaryResult)>,
    ) -> Self {
        let answers = answers.into_iter().collect();
        Self {
            version: version.to_owned(),
            canary,
            marks: Some(CanaryMarks::count(&answers)),
            answers,
        }
    }
}

/// How often the two marks that promise something are on a right answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CanaryMarks {
    /// An independent computation agreed.
    pub verified: MarkCount,
    /// The answer was replaced by what computations agree on.
    pub corrected: MarkCount,
}

/// Right ones among the canaries with a mark whose right answer is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkCount {
    /// With a right answer.
    pub right: usize,
    /// All of them.
    pub of: usize,
}

impl CanaryMarks {
    /// Counts.
    pub fn count(answers: &BTreeMap<String, CanaryResult>) -> Self {
        let mut marks = Self::default();
        for CanaryMark { state, right } in answers.values().filter_map(|one| one.mark) {
            let count = match state {
                MarkState::Verified => &mut marks.verified,
                MarkState::Corrected => &mut marks.corrected,
                MarkState::Doubtful | MarkState::Unchecked => continue,
            };
            if let Some(right) = right {
                count.of += 1;
                count.right += usize::from(right);
            }
        }
        marks
    }

    /// Each with its mark.
    pub fn each(self) -> [(MarkState, MarkCount); 2] {
        [
            (MarkState::Verified, self.verified),
            (MarkState::Corrected, self.corrected),
        ]
    }
}

/// The mark of a canary's answer, and whether the answer is right, if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanaryMark {
    /// What the mark says.
    pub state: MarkState,
    /// Whether the number or conclusion that shipped is the right one. For a scripted canary this is not whether the text
    /// ships that must: a guard may have to let a wrong one pass.
    pub right: Option<bool>,
}

impl CanaryMark {
    /// Whether it promises something that is not so.
    pub fn is_false(self) -> bool {
        let promises = matches!(self.state, MarkState::Verified | MarkState::Corrected);
        promises && self.right == Some(false)
    }
}

/// What became of one canary. In a file: `guard:outcome,… raw>shipped digest digest`, and `mark:right` where the answer has
/// a mark.
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
    /// The mark of the text that shipped.
    pub mark: Option<CanaryMark>,
}

/// What is known about a text, and its word in the file.
const RIGHT: [(Option<bool>, &str); 3] = [
    (Some(true), "right"),
    (Some(false), "wrong"),
    (None, "unknown"),
];

fn word(known: Option<bool>) -> &'static str {
    let found = RIGHT.iter().find(|(value, _)| *value == known);
    found.map_or("", |(_, word)| word)
}

fn known(word: &str) -> Option<Option<bool>> {
    let found = RIGHT.iter().find(|(_, known)| *known == word);
    found.map(|(value, _)| *value)
}

const MARKS: [MarkState; 4] = [
    MarkState::Verified,
    MarkState::Corrected,
    MarkState::Doubtful,
    MarkState::Unchecked,
];

impl From<CanaryResult> for String {
    fn from(result: CanaryResult) -> Self {
        let acted = result.acted.iter();
        let acted: Vec<Self> = acted
            .map(|(guard, came)| format!("{guard}:{came}"))
            .collect();
        let acted = match acted.is_empty() {
            true => "quiet".to_owned(),
            false => acted.join(","),
        };
        let (raw_right, right) = (word(result.raw_right), word(result.right));
        let mark = match result.mark {
            None => Self::new(),
            Some(mark) => format!(" {}:{}", mark.state.name(), word(mark.right)),
        };
        let (raw, text) = (result.raw, result.text);
        format!("{acted} {raw_right}>{right} {raw} {text}{mark}")
    }
}

impl TryFrom<String> for CanaryResult {
    type Error = &'static str;

    fn try_from(line: String) -> Result<Self, Self::Error> {
        Self::parse(&line)
            .ok_or("not `guard:outcome,… raw>shipped digest digest`, with `mark:right` or without")
    }
}

impl CanaryResult {
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let [acted, rights, raw, text, mark @ ..] = &words[..] else {
            return None;
        };
        let mark = match mark {
            [] => None,
            [mark] => Some(CanaryMark::parse(mark)?),
            _ => return None,
        };
        let (raw_right, right) = rights.split_once('>')?;
        let acted = acted.split(',').filter(|one| *one != "quiet");
        let pair = |one: &str| {
            let (guard, outcome) = one.split_once(':')?;
            Some((guard.to_owned(), outcome.to_owned()))
        };
        Some(Self {
            acted: acted.map(pair).collect::<Option<_>>()?,
            raw_right: known(raw_right)?,
            right: known(right)?,
            raw: (*raw).to_owned(),
            text: (*text).to_owned(),
            mark,
        })
    }
}

impl CanaryMark {
    fn parse(text: &str) -> Option<Self> {
        let (name, right) = text.split_once(':')?;
        Some(Self {
            state: MARKS.into_iter().find(|state| state.name() == name)?,
            right: known(right)?,
        })
    }
}
