//! Reads a call in Gemma 4's notation, as its text comes, and writes its arguments as JSON.
//!
//! `call:NAME{key:value,…}`: keys are bare, texts stand between `<|"|>` without escapes, numbers, `true`, `false` and `null`
//! are those of JSON, `[…]` and `{…}` nest. Templates print Python's `None`, so that counts as null. Texts in `"…"`, which
//! models write now and then, are passed on.

use super::QUOTE;
use super::parser::{Read, Step};

/// Brackets inside brackets; the JSON parser calls itself for each.
const MAX_DEPTH: usize = 64;
/// Longest key, and longest number or word.
const MAX_KEY: usize = 256;
const MAX_WORD: usize = 64;

/// What comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    #[default]
    Name,
    Key {
        /// Whether the object may end instead.
        or_end: bool,
    },
    Value {
        /// Whether the list may end instead.
        or_end: bool,
    },
    /// More of a text.
    Text,
    /// More of a text in JSON's own quotes.
    JsonText,
    /// A comma, or the end of the object or list.
    Comma,
}

/// A call under way.
#[derive(Debug, Default)]
pub(super) struct GemmaReader {
    /// Bytes of the text that were read.
    at: usize,
    next: Next,
    /// The brackets that are open.
    open: Vec<u8>,
    /// The tool's name, once the first bracket of the arguments has come.
    pub(super) name: Option<String>,
    /// The arguments as far as they have come.
    pub(super) json: String,
}

impl GemmaReader {
    /// Goes on in the text, which has grown.
    pub(super) fn read(&mut self, text: &str) -> Read {
        loop {
            let rest = &text[self.at..];
            let rest = match self.next {
                Next::Text | Next::JsonText => rest,
                _ => rest.trim_start(),
            };
            self.at = text.len() - rest.len();
            let step = match self.next {
                Next::Name => self.name(rest),
                Next::Key { or_end } => self.key(rest, or_end),
                Next::Value { or_end } => self.value(rest, or_end),
                Next::Text => self.text(rest),
                Next::JsonText => self.json_text(rest),
                Next::Comma => self.comma(rest),
            };
            match step {
                Step::Took(n) => self.at += n,
                Step::More => return Read::More,
                Step::Broken => return Read::Broken,
            }
            if self.name.is_some() && self.open.is_empty() {
                return match super::json::arguments(&self.json) {
                    Some(_) => Read::Done,
                    None => Read::Broken,
                };
            }
        }
    }

    /// Bytes of the text that belong to the call.
    pub(super) fn end(&self) -> usize {
        self.at
    }

    fn name(&mut self, rest: &str) -> Step {
        const CALL: &str = "call:";
        let Some(name) = rest.strip_prefix(CALL) else {
            return Step::more_if(CALL.starts_with(rest));
        };
        let Some((name, _)) = name.split_once('{') else {
            return Step::more_if(name.len() <= MAX_KEY);
        };
        self.name = Some(name.trim_end().to_owned());
        self.enter(b'{');
        Step::Took(CALL.len() + name.len() + 1)
    }

    fn key(&mut self, rest: &str, or_end: bool) -> Step {
        if or_end && rest.starts_with('}') {
            return self.leave(rest);
        }
        let Some((key, _)) = rest.split_once(':') else {
            return Step::more_if(rest.len() <= MAX_KEY);
        };
        let inner = |quote: &str| key.trim_end().strip_prefix(quote)?.strip_suffix(quote);
        let bare = inner(QUOTE)
            .or_else(|| inner("\""))
            .unwrap_or(key.trim_end());
        if bare.is_empty() || key.len() > MAX_KEY || bare.contains(['{', '}', '[', ']', ',', '"']) {
            return Step::Broken;
        }
        self.write_string(bare);
        self.json.push(':');
        self.next = Next::Value { or_end: false };
        Step::Took(key.len() + 1)
    }

    fn value(&mut self, rest: &str, or_end: bool) -> Step {
        match rest.as_bytes().first() {
            None => return Step::More,
            Some(b']') if or_end => return self.leave(rest),
            Some(&bracket @ (b'{' | b'[')) => {
                self.enter(bracket);
                return Step::more_or_took(self.open.len() <= MAX_DEPTH, 1);
            }
            Some(b'"') => {
                self.json.push('"');
                self.next = Next::JsonText;
                return Step::Took(1);
            }
            Some(_) => {}
        }
        if rest.starts_with(QUOTE) {
            self.json.push('"');
            self.next = Next::Text;
            return Step::Took(QUOTE.len());
        }
        if QUOTE.starts_with(rest) {
            return Step::More;
        }
        let is_end = |c: char| matches!(c, ',' | '}' | ']') || c.is_whitespace();
        let Some(end) = rest.find(is_end) else {
            return Step::more_if(rest.len() <= MAX_WORD);
        };
        let word = match &rest[..end] {
            "None" => "null",
            word => word,
        };
        // Numbers, `true`, `false` and `null`; serde_json knows them all.
        if serde_json::from_str::<serde_json::Value>(word).is_err() {
            return Step::Broken;
        }
        self.json.push_str(word);
        self.next = Next::Comma;
        Step::Took(end)
    }

    /// More of a text as JSON writes it, which is passed on as it is; an escape is two characters at least.
    fn json_text(&mut self, rest: &str) -> Step {
        let taken = match (rest.find(['"', '\\']), rest.chars().nth(1)) {
            (None, _) => rest.len(),
            (Some(0), _) if rest.starts_with('"') => {
                self.next = Next::Comma;
                1
            }
            (Some(0), Some(escaped)) => 1 + escaped.len_utf8(),
            (Some(0), None) => 0,
            (Some(at), _) => at,
        };
        self.json.push_str(&rest[..taken]);
        match taken {
            0 => Step::More,
            taken => Step::Took(taken),
        }
    }

    fn text(&mut self, rest: &str) -> Step {
        if let Some(tail) = rest.strip_prefix(QUOTE) {
            self.json.push('"');
            self.next = Next::Comma;
            return Step::Took(rest.len() - tail.len());
        }
        let sure = match rest.find(QUOTE) {
            Some(end) => end,
            // What may be the beginning of the closing quote waits.
            None => super::parser::undecided(rest, &[QUOTE]),
        };
        if sure == 0 {
            return Step::More;
        }
        let quoted = serde_json::Value::from(&rest[..sure]).to_string();
        self.json.push_str(&quoted[1..quoted.len() - 1]);
        Step::Took(sure)
    }

    fn comma(&mut self, rest: &str) -> Step {
        match (rest.as_bytes().first(), self.open.last()) {
            (None, _) => Step::More,
            (Some(b','), open) => {
                self.json.push(',');
                self.next = match open {
                    Some(b'[') => Next::Value { or_end: false },
                    _ => Next::Key { or_end: false },
                };
                Step::Took(1)
            }
            _ => self.leave(rest),
        }
    }

    fn enter(&mut self, bracket: u8) {
        self.open.push(bracket);
        self.json.push(char::from(bracket));
        self.next = match bracket {
            b'[' => Next::Value { or_end: true },
            _ => Next::Key { or_end: true },
        };
    }

    fn leave(&mut self, rest: &str) -> Step {
        match (self.open.pop(), rest.chars().next()) {
            (Some(b'{'), Some(c @ '}')) | (Some(b'['), Some(c @ ']')) => self.json.push(c),
            _ => return Step::Broken,
        }
        self.next = Next::Comma;
        Step::Took(1)
    }

    fn write_string(&mut self, text: &str) {
        let quoted = serde_json::Value::from(text).to_string();
        self.json.push_str(&quoted);
    }
}
