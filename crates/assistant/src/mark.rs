//! The mark that a person sees below an answer: whether its number or conclusion was checked, and what came of it.
//!
//! Made by the guards that compute ([`Action::mark`](crate::Action)), else by the pipeline, which says why nobody checked.
//! An answer with nothing to verify has none. "Verified" is said only where an independent computation came to the same:
//! a wrong number with that mark is the worst this program can do.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// What was found out about the number or conclusion of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// In one word.
    pub state: MarkState,
    /// The value that stands, as a person writes it: the computed one, else the answer's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The other value: what a corrected answer said before, what a computation gives where it is doubtful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// How many independent computations came to `value`.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub votes: Option<usize>,
    /// Of how many that came to anything.
    #[serde(default, rename = "of", skip_serializing_if = "Option::is_none")]
    pub cast: Option<usize>,
    /// Why, in words that follow "verified: ".
    pub why: String,
    /// The guard that found it out; none if nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What a mark says, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkState {
    /// An independent computation agrees.
    Verified,
    /// The answer was replaced by what computations agree on.
    Corrected,
    /// Computations disagree with the answer, or with each other.
    Doubtful,
    /// Nobody could compute it, or nobody was asked to.
    Unchecked,
}

impl MarkState {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Corrected => "corrected",
            Self::Doubtful => "doubtful",
            Self::Unchecked => "unchecked",
        }
    }
}

impl Mark {
    /// With this reason and nothing more.
    pub fn new(state: MarkState, why: impl Into<String>) -> Self {
        Self {
            state,
            value: None,
            other: None,
            votes: None,
            cast: None,
            why: why.into(),
            by: None,
        }
    }

    /// Nobody checked, for this reason.
    pub fn unchecked(why: impl Into<String>) -> Self {
        Self::new(MarkState::Unchecked, why)
    }

    /// With the value that stands.
    #[must_use]
    pub fn value(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
        self
    }

    /// With the other value.
    #[must_use]
    pub fn other(mut self, other: impl Into<Option<String>>) -> Self {
        self.other = other.into();
        self
    }

    /// With the count of computations that came to the value.
    #[must_use]
    pub fn votes(mut self, votes: usize, cast: usize) -> Self {
        self.votes = Some(votes);
        self.cast = Some(cast);
        self
    }
}

impl Display for Mark {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.state.name(), self.why)
    }
}
