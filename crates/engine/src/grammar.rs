//! What an answer must look like in, a grammar compiled for a model's vocabulary out.
//!
//! A [`Shape`] is what a person or a guard wrote: a JSON schema, a regular expression, a Lark grammar, or a list of choices.
//! `Model::grammar` makes a [`Grammar`] of it, which a [`crate::Request`] carries; `sequence` walks through it with each
//! answer (`walk`), and the sampler chooses among the tokens that it allows. The vocabulary's trie is made once per model,
//! when the first grammar is asked for (`vocabulary`).
//!
//! Shapes come from outside: length, nesting, counts, states and work per token are bounded, and everything that
//! is refused is refused here, in one line. What JSON schema says and we cannot promise is refused as well (`schema`).
//!
//! A grammar for calls of tools may be lazy: the answer is free until a call begins (`lazy`), and perhaps after it.
//!
//! Whitespace in JSON is bounded (`SPACE`): a model that is free to indent may indent until the context is full.
//! Source: the `llguidance` crate, which does the parsing and the masks.
mod lazy;
mod references;
mod schema;
mod vocabulary;
mod walk;

use crate::tool_call::{ToolGrammar, Trigger};
use crate::{Error, Result, Token};
use llguidance::TokenParser;
use llguidance::api::TopLevelGrammar;
use std::fmt;
use std::sync::Arc;

pub(crate) use vocabulary::Vocabulary;
pub(crate) use walk::{Next, Walk};

/// Longest schema or Lark grammar, in bytes.
const MAX_TEXT: usize = 1 << 18;
/// Longest regular expression, and all choices together, in bytes.
const MAX_PATTERN: usize = 1 << 16;
/// Most choices.
const MAX_CHOICES: usize = 1000;
/// Brackets inside brackets; what parses them calls itself for each.
const MAX_NESTING: usize = 64;
/// Longest reason of a refusal that is passed on, in characters.
const MAX_REASON: usize = 300;

/// What an answer must look like, as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A JSON value that a JSON schema (the text of one) allows.
    Schema(String),
    /// A text that this regular expression (syntax of the `regex` crate, no lookaround) matches as a whole.
    Regex(String),
    /// A text that a Lark grammar allows, in the dialect of the `llguidance` crate; its first rule is called `start`.
    Lark(String),
    /// One of these texts.
    Choices(Vec<String>),
}

impl Shape {
    /// Whether a grammar can be made of it, before there is a model to make it for.
    pub fn check(&self) -> Result<()> {
        Vocabulary::of_bytes()?.compile(self).map(|_| ())
    }

    /// Whether this text is one that the shape asks for.
    pub fn allows(&self, text: &str) -> Result<bool> {
        let parser = Vocabulary::of_bytes()?.compile(self)?;
        Ok(walk::accepts(parser, text))
    }

    /// The same in the words of `llguidance`, with everything checked that it does not check itself.
    fn parse(&self) -> Result<TopLevelGrammar> {
        match self {
            Self::Schema(text) => {
                within("a schema", text.len(), MAX_TEXT)?;
                schema::parse(text).map(TopLevelGrammar::from_json_schema)
            }
            Self::Regex(text) => {
                within("a regular expression", text.len(), MAX_PATTERN)?;
                flat(text)?;
                Ok(TopLevelGrammar::from_regex(text))
            }
            Self::Lark(text) => {
                within("a Lark grammar", text.len(), MAX_TEXT)?;
                flat(text)?;
                Ok(TopLevelGrammar::from_lark(text.clone()))
            }
            Self::Choices(choices) => lark_of(choices).map(TopLevelGrammar::from_lark),
        }
    }
}

/// What an answer must look like, compiled for one model's vocabulary; read-only and shared by the answers that follow it.
pub struct Grammar {
    vocabulary: Arc<Vocabulary>,
    /// As it is before the first token.
    parser: TokenParser,
    /// If the answer is free at first: what is waited for, and whether it is free again afterwards.
    lazy: Option<(Trigger, bool)>,
    /// Tokens that are shown as text even if they are control tokens, because they mark calls: while the answer is free,
    /// those that begin one, and while the grammar holds, all.
    shown: [Vec<Token>; 2],
}

impl Grammar {
    pub(crate) fn new(vocabulary: &Arc<Vocabulary>, shape: &Shape) -> Result<Self> {
        Ok(Self {
            parser: vocabulary.compile(shape)?,
            vocabulary: Arc::clone(vocabulary),
            lazy: None,
            shown: Default::default(),
        })
    }

    /// Of calls of tools; `shown` are the tokens that begin calls, and all that mark them.
    pub(crate) fn of_tools(
        vocabulary: &Arc<Vocabulary>,
        tools: ToolGrammar,
        shown: [Vec<Token>; 2],
    ) -> Result<Self> {
        Ok(Self {
            parser: vocabulary.compile_checked(TopLevelGrammar::from_lark(tools.lark))?,
            vocabulary: Arc::clone(vocabulary),
            lazy: tools.trigger.map(|trigger| (trigger, tools.again)),
            shown,
        })
    }

    /// Whether it holds from the first token of the answer.
    pub(crate) fn is_eager(&self) -> bool {
        self.lazy.is_none()
    }

    /// Whether no control token is any part of it.
    fn is_text_only(&self) -> bool {
        self.shown.iter().all(Vec::is_empty) && self.lazy.is_none()
    }

    /// Whether it was made for this vocabulary.
    pub(crate) fn is_for(&self, vocabulary: Option<&Arc<Vocabulary>>) -> bool {
        vocabulary.is_some_and(|vocabulary| Arc::ptr_eq(vocabulary, &self.vocabulary))
    }
}

impl fmt::Debug for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grammar").finish_non_exhaustive()
    }
}

/// A schema in the dialect of `llguidance`, if it can be followed.
pub(crate) fn checked_schema(schema: &serde_json::Value) -> Result<serde_json::Value> {
    let text = schema.to_string();
    within("a schema", text.len(), MAX_TEXT)?;
    schema::parse(&text)
}

/// A Lark grammar of one rule; a JSON string is a Lark string.
fn lark_of(choices: &[String]) -> Result<String> {
    if choices.is_empty() || choices.len() > MAX_CHOICES {
        let n = choices.len();
        return Err(refuse(format!("{n} choices, 1 to {MAX_CHOICES} allowed")));
    }
    if choices.iter().any(String::is_empty) {
        return Err(refuse("a choice is empty"));
    }
    let total = choices.iter().map(String::len).sum();
    within("a list of choices", total, MAX_PATTERN)?;
    let quoted = choices
        .iter()
        .map(|choice| serde_json::Value::from(choice.as_str()).to_string());
    Ok(format!("start: {}", quoted.collect::<Vec<_>>().join(" | ")))
}

fn within(what: &str, len: usize, most: usize) -> Result<()> {
    if len > most {
        return Err(refuse(format!("{what} of {len} bytes, {most} allowed")));
    }
    Ok(())
}

/// Whether brackets are not nested too deep. Those in quotes count as well: nobody needs so many.
fn flat(text: &str) -> Result<()> {
    let mut depth = 0usize;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err(refuse(format!("more than {MAX_NESTING} brackets nested")));
        }
    }
    Ok(())
}

/// A refusal in one line, whatever the reason quotes.
fn refuse(why: impl fmt::Display) -> Error {
    let why = why.to_string();
    let line = why.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or("no reason given").chars();
    Error::Grammar(line.take(MAX_REASON).collect())
}
