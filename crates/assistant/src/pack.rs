//! Guard packs: a guardrail that a person describes in a TOML file, without writing Rust.
//!
//! A pack names its class, the patterns that trigger it, what to do and the examples that prove it: texts on which it
//! must fire and texts on which it must not. [`Pack::parse`] is strict (unknown keys, patterns that are not anchored or
//! match nothing at all, missing examples are errors with their line) and bounded; [`Pack::test`] runs the examples.
//! Patterns have no backtracking, and their number, length, depth and compiled size are limited, so that a stranger's
//! pack costs some megabytes and some milliseconds at most. Called by `reckon guard` and by the pipeline; reads no files itself.
use crate::detect::{Finding, Mask};
use serde::Deserialize;

mod examine;
mod trigger;

pub use examine::{PackReport, Wrong};
pub use trigger::Trigger;

/// Longest pack in bytes.
pub const LONGEST: usize = 256 << 10;
/// Most examples of each kind.
pub const MOST: usize = 256;
/// Most patterns of a pack, all lists together: what one may cost to compile, times this, is what a pack may cost.
pub const MOST_PATTERNS: usize = 64;

/// Why a pack was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not TOML, or not the keys and types of a pack.
    #[error("line {line}: {what}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// The parser's words, one line.
        what: String,
    },
    /// The keys are right and make no sense together.
    #[error("{0}")]
    Meaning(String),
}

/// What a guardrail does when its trigger is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PackAction {
    /// Cut what the response patterns matched. Needs no model.
    Strip,
    /// Generate once more with `anchor` added to the instructions.
    Regenerate,
    /// Ask the model the yes/no `question` about its answer; on "no", regenerate once with `anchor`.
    Check,
    /// Let the model write a program first, as the arithmetic guard does.
    Compute,
}

impl PackAction {
    /// As it is written in a pack.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strip => "strip",
            Self::Regenerate => "regenerate",
            Self::Check => "check",
            Self::Compute => "compute",
        }
    }
}

/// A prompt and a response, and for `strip` what must remain.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What was asked.
    #[serde(default)]
    pub prompt: String,
    /// What was answered; not needed where only the prompt triggers.
    #[serde(default)]
    pub response: String,
    /// The response after `strip`.
    pub text: Option<String>,
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackFile {
    class: String,
    summary: String,
    action: PackAction,
    #[serde(default)]
    anchor: Option<String>,
    #[serde(default)]
    question: Option<String>,
    trigger: trigger::TriggerTable,
    #[serde(default)]
    triggered: Vec<Example>,
    #[serde(default)]
    control: Vec<Example>,
}

/// A guardrail that a person added.
#[derive(Clone, Debug)]
pub struct Pack {
    /// Its name: lowercase words joined by hyphens.
    pub class: String,
    /// What it is for, in a sentence.
    pub summary: String,
    /// What it does.
    pub action: PackAction,
    /// What is added to the instructions when the answer is generated again.
    pub anchor: Option<String>,
    /// The yes/no question of `check`.
    pub question: Option<String>,
    /// When it fires.
    pub trigger: Trigger,
    /// Texts on which it must fire.
    pub triggered: Vec<Example>,
    /// Texts on which it must not.
    pub control: Vec<Example>,
}

impl Pack {
    /// Reads a pack.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.len() > LONGEST {
            return Err(Error::Meaning(format!("longer than {LONGEST} bytes")));
        }
        let source: PackFile = toml::from_str(text).map_err(|error| Error::Syntax {
            line: line_of(text, error.span().map_or(0, |span| span.start)),
            what: error.message().replace('\n', " "),
        })?;
        let pack = Self {
            trigger: Trigger::new(source.trigger)?,
            class: source.class,
            summary: source.summary,
            action: source.action,
            anchor: source.anchor,
            question: source.question,
            triggered: source.triggered,
            control: source.control,
        };
        pack.sound()?;
        Ok(pack)
    }

    /// Where it fires: the evidence in the response, or in the prompt if only the prompt triggers.
    pub fn look(&self, prompt: &str, response: &str) -> Option<Finding> {
        self.trigger.find(prompt, response)
    }

    /// The response without what was matched; nothing if nothing matched, or if nothing would be left.
    pub fn strip(&self, prompt: &str, response: &str) -> Option<String> {
        if self.action != PackAction::Strip {
            return None;
        }
        let mut text = response.to_owned();
        // A second sign-off may come to light when the first is gone; a few rounds, never a loop.
        for _ in 0..8 {
            let Some(found) = self.look(prompt, &text) else {
                break;
            };
            let before = text[..found.span.start].trim_end();
            let after = text[found.span.end..].trim_start();
            text = match (before.is_empty(), after.is_empty()) {
                (_, true) => before.to_owned(),
                (true, false) => after.to_owned(),
                (false, false) => format!("{before}\n\n{after}"),
            };
        }
        (text != response && !text.trim().is_empty() && self.look(prompt, &text).is_none())
            .then_some(text)
    }

    /// What serde cannot see.
    fn sound(&self) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::Meaning(what.to_owned()));
        let name = !self.class.is_empty()
            && self.class.len() <= 40
            && self
                .class
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !name {
            return wrong("`class` is made of lowercase letters, digits and hyphens, at most 40");
        }
        if crate::about::GUARDS
            .iter()
            .any(|guard| guard.name == self.class)
        {
            return wrong("`class` is the name of a built-in guard");
        }
        if self.summary.trim().is_empty() || self.summary.len() > 400 {
            return wrong("`summary` is one sentence of at most 400 bytes");
        }
        match self.action {
            PackAction::Strip if !self.trigger.reads_response() => {
                return wrong("`strip` needs patterns in `trigger.response`: they are what is cut");
            }
            PackAction::Regenerate | PackAction::Check
                if self.anchor.as_deref().is_none_or(blank) =>
            {
                return wrong(
                    "`regenerate` and `check` need an `anchor`, the words added to the instructions",
                );
            }
            PackAction::Check if self.question.as_deref().is_none_or(blank) => {
                return wrong("`check` needs a `question` that yes or no answers");
            }
            PackAction::Compute if self.trigger.reads_response() => {
                return wrong(
                    "`compute` comes before the answer: it can only be triggered by the prompt",
                );
            }
            _ => {}
        }
        let counts = [self.triggered.len(), self.control.len()];
        if counts.iter().any(|count| *count < 2 || *count > MOST) {
            return wrong(
                "2 to 256 `[[triggered]]` and 2 to 256 `[[control]]` examples are needed",
            );
        }
        Ok(())
    }
}

fn blank(text: &str) -> bool {
    text.trim().is_empty() || text.len() > 4000
}

/// The line of a byte, counted from 1.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// The part of a text that a pattern may see.
fn visible(text: &str, place: trigger::Inside) -> String {
    match place {
        trigger::Inside::All => text.to_owned(),
        trigger::Inside::Prose => Mask::new(text).blank(text),
        trigger::Inside::Code => Mask::new(text).code(text),
    }
}
