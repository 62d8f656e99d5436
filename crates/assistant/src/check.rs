//! Finds requirements in a prompt's own words and holds an answer against each of them.
//!
//! [`find`] reads the prompt, [`Requirement::verify`] an answer; both are plain functions of text. The guard for
//! per-unit constraints calls them around a generation, `reckon check` for a file.
//!
//! Instruction names follow IFEval (`length_constraints:number_words`) where it has one, and its strict checkers decide
//! what passes; names of our own have the same form. "Less than" is `<`. What is seen but cannot be counted or parsed
//! is a requirement with the verdict [`Compliance::Unknown`], never a silent pass. A requirement that is doubtful is
//! rather left out: a wrong `Fail` costs a generation, a missed one nothing.
//!
//! Data: spans are byte ranges of the prompt on character boundaries. Quoted text and code in a prompt ask for nothing.
//! Time is linear in the texts for each requirement; at most [`MOST_REQUIREMENTS`] are reported.
mod describe;
mod grammar;
mod language;
mod list;
mod pattern;
mod prompt;
mod quantity;
mod rule;
mod sentence;
mod table;
mod token;
mod verify;

pub use grammar::grammar;
pub use language::Language;
pub use rule::{Bound, Case, Each, Relation, Rule, Shape, Unit, What};
pub use table::examples;

use crate::detect::{self, Side};
use prompt::Prompt;
use std::ops::Range;

/// More requirements than this in one prompt are not reported.
pub const MOST_REQUIREMENTS: usize = 64;

/// What an answer is worth under one requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compliance {
    /// It holds.
    Pass,
    /// It does not hold.
    Fail,
    /// It cannot be decided mechanically.
    Unknown,
}

impl Compliance {
    /// `pass`, `fail` or `unknown`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unknown => "unknown",
        }
    }

    fn of(holds: bool) -> Self {
        if holds { Self::Pass } else { Self::Fail }
    }
}

/// A verdict and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// What was decided.
    pub verdict: Compliance,
    /// What the answer has instead, as a fragment: "sentences 3 and 5 do not"; empty when there is nothing to say.
    pub evidence: String,
}

/// One requirement that a prompt states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// IFEval's instruction id where there is one, else our own in the same style.
    pub id: String,
    /// Where in the prompt it is stated, in bytes, on character boundaries.
    pub span: Range<usize>,
    /// What is asked.
    pub rule: Rule,
}

impl Requirement {
    /// Holds an answer against the requirement. An empty answer fulfils nothing.
    pub fn verify(&self, response: &str) -> Compliance {
        self.examine(response).verdict
    }

    /// Like [`Self::verify`], with what the verdict rests on.
    pub fn examine(&self, response: &str) -> Examined {
        verify::examine(&self.rule, response)
    }

    /// Where `prompt` states it.
    pub(crate) fn finding(&self, prompt: &str) -> detect::Finding {
        detect::Finding::new(Side::Prompt, prompt, self.span.clone(), "requirement")
    }

    /// The requirement as a plain sentence fragment for a model: "every sentence has exactly 4 words".
    pub fn describe(&self) -> String {
        describe::describe(&self.rule)
    }
}

/// The requirements that `prompt` states in its own words, by position.
pub fn find(prompt: &str) -> Vec<Requirement> {
    let mut found = table::find(&Prompt::new(prompt));
    found.sort_by_key(|requirement| requirement.span.start);
    let mut kept: Vec<Requirement> = Vec::new();
    for requirement in found {
        let again = |one: &Requirement| one.id == requirement.id && one.rule == requirement.rule;
        if kept.len() < MOST_REQUIREMENTS && !kept.iter().any(again) {
            kept.push(requirement);
        }
    }
    kept
}
