//! Reads a call in the notation of Qwen 3 Coder and Qwen 3.5, as its text comes, and writes its arguments as JSON.
//!
//! `<function=NAME>`, then `<parameter=KEY>`, the value and `</parameter>` for each argument, each on lines of its own, then
//! `</function>`. Values stand there bare: whether `12` is a text or a number, only the schema of the tool says. What is a
//! text by the schema, or has none, stays one; all else is JSON, or one of Python's words, which templates print.

use super::parser::{Read, Step};
use super::tagged_schema::{Kinds, kinds};
use crate::Tool;
use serde_json::Value;
use std::sync::Arc;

const FUNCTION: &str = "<function=";
const FUNCTION_END: &str = "</function>";
pub(super) const PARAMETER: &str = "<parameter=";
pub(super) const PARAMETER_END: &str = "</parameter>";
/// Longest name of a function or argument.
const MAX_KEY: usize = 256;

/// What comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    #[default]
    Name,
    /// An argument, or the end of the call.
    Key,
    /// A value, whose end is not in the first bytes of it.
    Value { searched: usize },
    /// Nothing; the call is complete.
    End,
}

/// A call under way.
#[derive(Debug)]
pub(super) struct TaggedReader {
    tools: Arc<[Tool]>,
    /// Bytes of the text that were read.
    at: usize,
    next: Next,
    /// The schema of the tool's arguments.
    schema: Value,
    /// The argument whose value is read.
    key: String,
    /// The tool's name, once it has come.
    pub(super) name: Option<String>,
    /// The arguments as far as they have come.
    pub(super) json: String,
}

impl TaggedReader {
    pub(super) fn new(tools: Arc<[Tool]>) -> Self {
        Self {
            tools,
            at: 0,
            next: Next::Name,
            schema: Value::Null,
            key: String::new(),
            name: None,
            json: String::new(),
        }
    }

    /// Goes on in the text, which has grown.
    pub(super) fn read(&mut self, text: &str) -> Read {
        loop {
            let rest = &text[self.at..];
            let rest = match self.next {
                Next::Value { .. } | Next::End => rest,
                _ => rest.trim_start(),
            };
            self.at = text.len() - rest.len();
            let step = match self.next {
                Next::Name => self.name(rest),
                Next::Key => self.key(rest),
                Next::Value { searched } => self.value(rest, searched),
                Next::End => return Read::Done,
            };
            match step {
                Step::Took(n) => self.at += n,
                Step::More => return Read::More,
                Step::Broken => return Read::Broken,
            }
        }
    }

    /// Bytes of the text that belong to the call.
    pub(super) fn end(&self) -> usize {
        self.at
    }

    fn name(&mut self, rest: &str) -> Step {
        let name = match named(rest, FUNCTION) {
            Ok(name) => name,
            Err(step) => return step,
        };
        let tool = self.tools.iter().find(|tool| tool.name == name);
        self.schema = tool.map_or(Value::Null, Tool::schema);
        self.name = Some(name.to_owned());
        self.json.push('{');
        self.next = Next::Key;
        Step::Took(FUNCTION.len() + name.len() + 1)
    }

    fn key(&mut self, rest: &str) -> Step {
        if rest.starts_with(FUNCTION_END) {
            self.json.push('}');
            self.next = Next::End;
            return Step::Took(FUNCTION_END.len());
        }
        if FUNCTION_END.starts_with(rest) {
            return Step::More;
        }
        let key = match named(rest, PARAMETER) {
            Ok(key) => key,
            Err(step) => return step,
        };
        key.clone_into(&mut self.key);
        self.next = Next::Value { searched: 0 };
        Step::Took(PARAMETER.len() + key.len() + 1)
    }

    fn value(&mut self, rest: &str, searched: usize) -> Step {
        let Some(end) = rest[searched..].find(PARAMETER_END) else {
            let mut searched = rest.len().saturating_sub(PARAMETER_END.len() - 1);
            while !rest.is_char_boundary(searched) {
                searched -= 1;
            }
            self.next = Next::Value { searched };
            return Step::More;
        };
        let end = searched + end;
        let bare = rest[..end].strip_prefix('\n').unwrap_or(&rest[..end]);
        let bare = bare.strip_suffix('\n').unwrap_or(bare);
        let value = typed(bare, &kinds(&self.schema, &self.key));
        if self.json.len() > 1 {
            self.json.push(',');
        }
        let key = Value::from(self.key.as_str());
        self.json.push_str(&format!("{key}:{value}"));
        self.next = Next::Key;
        Step::Took(end + PARAMETER_END.len())
    }
}

/// The name behind an opening tag.
fn named<'a>(rest: &'a str, tag: &str) -> Result<&'a str, Step> {
    let Some(name) = rest.strip_prefix(tag) else {
        return Err(Step::more_if(tag.starts_with(rest)));
    };
    let (name, is_whole) = match name.split_once('>') {
        Some((name, _)) => (name, true),
        None => (name, false),
    };
    let may_be = name.len() <= MAX_KEY && !name.contains(['<', '\n']);
    match is_whole && may_be && !name.is_empty() {
        true => Ok(name),
        false => Err(Step::more_if(!is_whole && may_be)),
    }
}

/// The value of which this is the text.
fn typed(bare: &str, kinds: &Kinds) -> Value {
    let json = match bare.trim() {
        "True" => Some(true.into()),
        "False" => Some(false.into()),
        "None" => Some(Value::Null),
        word => serde_json::from_str(word).ok(),
    };
    json.filter(|json| !kinds.text || kinds.words.contains(json))
        .unwrap_or_else(|| bare.into())
}
