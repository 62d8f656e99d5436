//! Reads a call that is a JSON object, as its text comes: `{"name": "f", "arguments": {…}}`.
//!
//! Used by `parser` for Hermes and Llama 3. Brackets and strings are followed byte by byte, so that tags inside a string end
//! nothing; whether it is JSON at all is asked of the JSON parser once the last bracket has come.

use super::parser::Read;
use serde_json::{Map, Value};

/// Brackets inside brackets; the JSON parser calls itself for each.
const MAX_DEPTH: usize = 64;

/// What the arguments are called.
const ARGUMENTS: [&str; 2] = ["arguments", "parameters"];

/// A call under way.
#[derive(Debug, Default)]
pub(super) struct JsonReader {
    /// Bytes of the text that were looked at.
    at: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Whether the first bracket inside the object has come: that of the arguments, if the name stands before it.
    is_inside: bool,
    arguments_at: Option<usize>,
    /// Whether the arguments are complete.
    arguments_over: bool,
    /// The tool's name, once it and the first bracket of the arguments have come.
    pub(super) name: Option<String>,
    /// The arguments as far as they have come.
    pub(super) json: String,
}

impl JsonReader {
    /// Goes on in the text, which has grown.
    pub(super) fn read(&mut self, text: &str) -> Read {
        while let Some(&byte) = text.as_bytes().get(self.at) {
            self.at += 1;
            match self.step(byte) {
                Read::More => {}
                Read::Broken => return Read::Broken,
                Read::Done => return self.finish(&text[..self.at]),
            }
            if self.depth == 2 && !self.is_inside {
                self.is_inside = true;
                self.name = head(&text[..self.at]);
                self.arguments_at = self.name.as_ref().map(|_| self.at - 1);
            }
            if self.depth == 1 && self.arguments_at.is_some() && !self.arguments_over {
                self.take(text);
                self.arguments_over = true;
            }
        }
        self.take(text);
        Read::More
    }

    fn step(&mut self, byte: u8) -> Read {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return Read::More;
        }
        match byte {
            b'{' | b'[' if self.depth < MAX_DEPTH => self.depth += 1,
            b'}' | b']' if self.depth > 1 => self.depth -= 1,
            b'}' if self.depth == 1 => return Read::Done,
            b'"' if self.depth > 0 => self.in_string = true,
            b' ' | b'\n' | b'\r' | b'\t' => {}
            b'{' | b'[' | b'}' | b']' => return Read::Broken,
            _ if self.depth == 0 => return Read::Broken,
            _ => {}
        }
        Read::More
    }

    /// Takes the arguments as far as they were looked at.
    fn take(&mut self, text: &str) {
        if let Some(begin) = self.arguments_at.filter(|_| !self.arguments_over) {
            let new = text.get(begin + self.json.len()..self.at);
            self.json.push_str(new.unwrap_or_default());
        }
    }

    /// The object is closed: gives its arguments if it is a call.
    fn finish(&mut self, text: &str) -> Read {
        let Ok(Value::Object(mut object)) = serde_json::from_str::<Value>(text) else {
            return Read::Broken;
        };
        let arguments = ARGUMENTS.iter().find_map(|key| object.remove(*key));
        let (Some(Value::String(name)), Some(Value::Object(arguments))) =
            (object.remove("name"), arguments)
        else {
            return Read::Broken;
        };
        // Written in another order: then the arguments come all at once, in our spelling.
        if self.arguments_at.is_none() {
            self.json = Value::Object(arguments).to_string();
        }
        self.name = Some(name);
        Read::Done
    }

    /// Bytes of the text that belong to the call.
    pub(super) fn end(&self) -> usize {
        self.at
    }
}

/// The name, if the text is `{"name": "f", "arguments": {`.
fn head(text: &str) -> Option<String> {
    let mut rest = text;
    for part in ["{", "\"name\"", ":", "\""] {
        rest = rest.trim_start().strip_prefix(part)?;
    }
    // Names of tools need no escapes; who writes one is read when the object is complete.
    let (name, tail) = rest.split_once('"')?;
    let rest = tail.trim_start().strip_prefix(',')?.trim_start();
    let key = |key: &&str| {
        rest.strip_prefix('"')?
            .strip_prefix(*key)?
            .strip_prefix('"')
    };
    let rest = ARGUMENTS.iter().find_map(key)?;
    let rest = rest.trim_start().strip_prefix(':')?;
    (rest.trim_start() == "{" && !name.contains('\\')).then(|| name.to_owned())
}

/// Arguments from their JSON.
pub(super) fn arguments(json: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(json).ok()
}
