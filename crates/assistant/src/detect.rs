//! What the guards see in a text: pure functions from a prompt and a response to a [`Finding`], or to nothing.
//!
//! One module per class of failure, called by the guards and by `reckon guard scan`. None of them asks a model, keeps
//! state, allocates more than a few times its input or takes more than linear time: patterns are compiled once and
//! have no backtracking.
//!
//! Positive evidence only: a detector that is not sure says nothing. Thinking, code, JSON and quotes are left out by
//! [`Mask`] before anything is looked for. Spans are byte ranges on character boundaries of the text that was given.
//! English only; a text in another language gives no finding.
use std::ops::Range;

pub mod arithmetic;
pub mod correction;
pub mod counting;
pub mod logic;
pub mod mask;
pub mod persona;
pub mod qualifier;
mod sentence;

pub use mask::Mask;

/// Which of the two texts a span lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What was asked.
    Prompt,
    /// What the model answered.
    Response,
}

impl Side {
    /// `prompt` or `response`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Response => "response",
        }
    }
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

/// A pattern that is part of the program: wrong is a bug, found by the first test that touches it.
fn pattern(source: &str) -> regex::Regex {
    regex::RegexBuilder::new(source)
        .case_insensitive(true)
        .build()
        .expect("the pattern is part of the program")
}

/// A built-in guard as people meet it: `reckon guard list` and `reckon guard explain`.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// Its name, in receipts and on the command line.
    pub name: &'static str,
    /// Its number in the list of failure classes.
    pub class: u8,
    /// The failure, in a few words.
    pub failure: &'static str,
    /// What must be seen before it does anything.
    pub trigger: &'static str,
    /// What it then does.
    pub action: &'static str,
    /// When its result ships instead of the raw answer.
    pub accepts: &'static str,
    /// What it costs.
    pub costs: &'static str,
}

/// The seven built-in guards, in the order of their classes.
pub const GUARDS: [Guard; 7] = [
    Guard {
        name: "arithmetic",
        class: 1,
        failure: "arithmetic drift",
        trigger: "the prompt gives quantities and asks for a number",
        action: "the model writes a short program, the sandbox runs it, the answer is generated knowing the result",
        accepts: "the program ran and gave one finite value, and the answer states it",
        costs: "one extra generation (the program) and milliseconds in the sandbox, only when triggered",
    },
    Guard {
        name: "logic",
        class: 2,
        failure: "logic variance",
        trigger: "the prompt is a puzzle of people, objects or positions with relations and a question",
        action: "the model writes the puzzle as constraints, a solver decides",
        accepts: "there is a solution and it is the only one",
        costs: "one extra generation and the solver's time, only when triggered",
    },
    Guard {
        name: "constraints",
        class: 3,
        failure: "per-unit constraints",
        trigger: "the prompt holds requirements that can be checked mechanically",
        action: "the draft is checked; what failed is named in one more generation",
        accepts: "strictly more requirements hold and none is lost",
        costs: "a check of the text; one extra generation only when a requirement fails",
    },
    Guard {
        name: "persona",
        class: 4,
        failure: "persona break",
        trigger: "the prompt asks for a persona that is no machine, and the answer says in the first person that it is one",
        action: "the answer is generated once more with a stronger anchor",
        accepts: "the leak is gone and the answer is not gutted",
        costs: "a look at the text; one extra generation only when it leaks",
    },
    Guard {
        name: "self-correction",
        class: 5,
        failure: "visible self-correction",
        trigger: "a correction marker between an answer and a different, complete answer, outside code, JSON and thinking",
        action: "the superseded draft is cut, the derivation that the answer needs is kept",
        accepts: "what remains derives its answer, refers to nothing that was cut and is finished",
        costs: "a look at the text; no generation",
    },
    Guard {
        name: "qualifier",
        class: 6,
        failure: "qualifier drift",
        trigger: "the request excludes something: not, without, except, instead of, only",
        action: "a mechanical check where there is one, else one yes/no question; on a violation one more generation",
        accepts: "the check passes afterwards",
        costs: "a look at the text; where looking does not do, a question of a few tokens; one extra generation on a violation",
    },
    Guard {
        name: "counting",
        class: 7,
        failure: "counting misidentification",
        trigger: "the prompt asks for a combinatorial count",
        action: "the answer is flagged for checking by hand; claims about small cases are compared with a brute-force program",
        accepts: "it never rewrites",
        costs: "a look at the text; the comparison when a program is at hand",
    },
];
