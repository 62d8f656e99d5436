//! When a pack fires: patterns for the prompt and for the response, and patterns that forbid it.
//!
//! Every list is "any of these"; prompt and response must both be met where both are given. A pattern is anchored: it
//! begins with `^`, `\A` or `\b`, or ends with `$` or `\z`. Case does not matter; `^` and `$` are ends of lines.
use super::{Error, MOST_PATTERNS, visible};
use crate::detect::{Finding, Side};
use regex::{Regex, RegexBuilder, RegexSetBuilder};
use serde::Deserialize;
use std::ops::Range;

/// Longest pattern in bytes.
const LONGEST: usize = 2000;
/// Most memory that a compiled pattern may take, and that matching it may use for its states: `[^\n.]{0,120}` in Unicode
/// fits, `(a{1000}){1000}` does not.
const LARGEST: usize = 1 << 20;
/// The same for all patterns of a pack together.
const LARGEST_PACK: usize = 8 << 20;
/// Deepest nesting of groups and repetitions.
const DEEPEST: u32 = 50;

/// Which part of a text the patterns see; the rest is blank to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Inside {
    /// Everything but thinking, code, JSON and block quotes.
    #[default]
    Prose,
    /// Only code, fenced or between backticks.
    Code,
    /// Everything.
    All,
}

/// The table as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct TriggerTable {
    #[serde(default)]
    prompt: Vec<String>,
    #[serde(default)]
    unless_prompt: Vec<String>,
    #[serde(default)]
    response: Vec<String>,
    #[serde(default)]
    unless_response: Vec<String>,
    #[serde(default)]
    inside: Inside,
}

/// The compiled patterns.
#[derive(Clone, Debug)]
pub struct Trigger {
    prompt: Vec<Regex>,
    unless_prompt: Vec<Regex>,
    response: Vec<Regex>,
    unless_response: Vec<Regex>,
    inside: Inside,
}

impl Trigger {
    pub(super) fn new(source: TriggerTable) -> Result<Self, Error> {
        if source.prompt.is_empty() && source.response.is_empty() {
            return Err(Error::Meaning(
                "`trigger` needs patterns for the prompt or the response".to_owned(),
            ));
        }
        let lists = [
            &source.prompt,
            &source.unless_prompt,
            &source.response,
            &source.unless_response,
        ];
        if lists.iter().map(|list| list.len()).sum::<usize>() > MOST_PATTERNS {
            return Err(Error::Meaning(format!(
                "`trigger` has more than {MOST_PATTERNS} patterns"
            )));
        }
        let trigger = Self {
            prompt: compile("prompt", &source.prompt, true)?,
            unless_prompt: compile("unless-prompt", &source.unless_prompt, false)?,
            response: compile("response", &source.response, true)?,
            unless_response: compile("unless-response", &source.unless_response, false)?,
            inside: source.inside,
        };
        // Compiled as one, which says how much they are together.
        let all = RegexSetBuilder::new(lists.into_iter().flatten())
            .case_insensitive(true)
            .multi_line(true)
            .size_limit(LARGEST_PACK)
            .build();
        match all {
            Ok(_) => Ok(trigger),
            Err(_) => Err(Error::Meaning(
                "the patterns of `trigger` are too large together".to_owned(),
            )),
        }
    }

    /// Whether the response takes part in the decision.
    pub fn reads_response(&self) -> bool {
        !self.response.is_empty()
    }

    /// Whether an answer to this prompt could make it fire.
    pub fn may_fire(&self, prompt: &str) -> bool {
        let barred = self
            .unless_prompt
            .iter()
            .any(|pattern| pattern.is_match(prompt));
        !barred && (self.prompt.is_empty() || first(&self.prompt, prompt).is_some())
    }

    /// The evidence, if all conditions are met.
    pub(super) fn find(&self, prompt: &str, response: &str) -> Option<Finding> {
        if !self.may_fire(prompt) {
            return None;
        }
        let asked = first(&self.prompt, prompt);
        if self.response.is_empty() {
            return asked.map(|span| Finding::new(Side::Prompt, prompt, span, "pack"));
        }
        if self
            .unless_response
            .iter()
            .any(|pattern| pattern.is_match(response))
        {
            return None;
        }
        let span = first(&self.response, &visible(response, self.inside))?;
        Some(Finding::new(Side::Response, response, span, "pack"))
    }
}

/// The first non-empty match of any pattern.
fn first(patterns: &[Regex], text: &str) -> Option<Range<usize>> {
    patterns
        .iter()
        .filter_map(|pattern| pattern.find(text))
        .map(|found| found.range())
        .filter(|span| !span.is_empty())
        .min_by_key(|span| span.start)
}

fn compile(key: &str, sources: &[String], strict: bool) -> Result<Vec<Regex>, Error> {
    sources
        .iter()
        .map(|source| {
            let wrong = |what: &str| {
                Error::Meaning(format!("`trigger.{key}`: the pattern {source:?} {what}"))
            };
            if source.len() > LONGEST {
                return Err(Error::Meaning(format!(
                    "`trigger.{key}`: a pattern is longer than {LONGEST} bytes"
                )));
            }
            if strict && !anchored(source) {
                return Err(wrong(
                    "is not anchored: begin it with ^ or \\b, or end it with $",
                ));
            }
            let pattern = RegexBuilder::new(source)
                .case_insensitive(true)
                .multi_line(true)
                .size_limit(LARGEST)
                .dfa_size_limit(LARGEST)
                .nest_limit(DEEPEST)
                .build()
                .map_err(|error| {
                    wrong(&format!("is no pattern: {}", last_line(&error.to_string())))
                })?;
            if pattern.is_match("") {
                return Err(wrong("matches the empty text"));
            }
            Ok(pattern)
        })
        .collect()
}

fn anchored(source: &str) -> bool {
    ["^", "\\A", "\\b"]
        .iter()
        .any(|start| source.starts_with(start))
        || source.ends_with("\\z")
        || source.ends_with('$') && !source.ends_with("\\$")
}

/// The parser draws the pattern with a mark below; its last line is the message.
fn last_line(message: &str) -> &str {
    message
        .lines()
        .last()
        .unwrap_or("")
        .trim_start_matches("error: ")
}
