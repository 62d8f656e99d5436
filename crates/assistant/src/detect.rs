//! What the guards see in a text: pure functions from a prompt and a response to a [`Finding`], or to nothing.
//!
//! One module per class of failure, called by the guards and by `reckon guard scan`. None of them asks a model, keeps
//! state, allocates more than a few times its input or takes more than linear time: patterns are compiled once and
//! have no backtracking.
//!
//! Positive evidence only: a detector that is not sure says nothing. Thinking, code, JSON and quotes are left out by
//! [`Mask`] before anything is looked for. Spans are byte ranges on character boundaries of the text that was given.
//! English only; a text in another language gives no finding.
use serde::{Deserialize, Serialize};
use std::ops::Range;

pub mod arithmetic;
pub mod conclusion;
pub mod correction;
pub mod counting;
pub mod logic;
pub mod mask;
pub mod persona;
pub mod qualifier;
mod sentence;
mod table;

pub use mask::Mask;

/// Which of the two texts a span lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// What was asked.
    Prompt,
    /// What the model answered.
    Response,
}

/// A piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The text the span lies in.
    pub side: Side,
    /// Bytes of that text, on character boundaries.
    pub span: Range<usize>,
    /// The words found, at most [`EVIDENCE`] bytes of them.
    pub evidence: String,
    /// Which rule of the detector it was: one or two words, stable.
    pub kind: &'static str,
}

/// Longest evidence that is kept.
pub const EVIDENCE: usize = 240;

impl Finding {
    /// A finding at `span` of `text`.
    pub(crate) fn new(side: Side, text: &str, span: Range<usize>, kind: &'static str) -> Self {
        let mut end = span.end.min(span.start + EVIDENCE);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Self {
            side,
            evidence: text[span.start..end].trim().to_owned(),
            span,
            kind,
        }
    }
}

/// A pattern that is part of the program: wrong is a bug, found by the first test that touches it. A line break in it
/// and the blanks behind it are nothing, so that long patterns can be read.
fn pattern(source: &str) -> regex::Regex {
    regex::RegexBuilder::new(&reckon_compute::pattern::spelled(source))
        .case_insensitive(true)
        .build()
        .expect("the pattern is part of the program")
}
