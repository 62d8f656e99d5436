//! Splits an answer, as its text comes, into text and calls of tools.
//!
//! Run over `Event::Text`, or over a whole answer, by whoever offers tools. The parts do not depend on how the text is cut.
//! A call of something that is no tool, and anything else that merely looks like a call, is text; nothing of it is lost.
//! The whitespace around calls belongs to them and is dropped.
//!
//! A call comes out when it is complete, or as it comes ([`ToolParser::streaming`]). Ids are made of the prompt and the
//! call's place, so that the same answer has the same ids everywhere, and the next answer has others.

use super::ToolStyle;
use super::gemma::GemmaReader;
use super::json::{self, JsonReader};
use super::tagged::TaggedReader;
use crate::{Token, Tool, ToolCall};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolPart<'a> {
    /// More of the text.
    Text(&'a str),
    /// A call begins.
    CallBegin {
        /// Its place among the calls of the answer.
        index: usize,
        /// Its id.
        id: &'a str,
        /// The tool.
        name: &'a str,
    },
    /// More of its arguments, as JSON.
    CallArguments {
        /// Its place among the calls of the answer.
        index: usize,
        /// What comes next of the JSON.
        json: &'a str,
    },
    /// A call is complete.
    CallEnd {
        /// Its place among the calls of the answer.
        index: usize,
        /// All of it.
        call: &'a ToolCall,
    },
}

/// Hears the parts.
type OnPart<'a> = dyn FnMut(ToolPart<'_>) + 'a;

/// Takes text, gives parts.
#[derive(Debug)]
pub struct ToolParser {
    style: ToolStyle,
    tools: Arc<[Tool]>,
    /// What ids of calls end with.
    mark: String,
    streaming: bool,
    state: State,
    /// Text that cannot be told apart yet.
    held: String,
    calls: Vec<ToolCall>,
}

#[derive(Debug)]
enum State {
    /// Text, in which a call may begin.
    Text {
        /// Whether nothing came since the beginning or a call.
        fresh: bool,
    },
    Call(Box<Call>),
    /// Behind a call, before its closing tag.
    After,
    /// Text until the end.
    Plain,
}

/// A call under way. Its text is in `held`.
#[derive(Debug)]
struct Call {
    /// What stood before it: whitespace and the opening tag.
    lead: String,
    reader: Reader,
    /// Bytes of the arguments that were given, once the call was announced.
    given: Option<usize>,
}

#[derive(Debug)]
enum Reader {
    Json(JsonReader),
    Gemma(GemmaReader),
    Tagged(TaggedReader),
}

/// What a reader says of the text so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// It may become a call.
    More,
    /// It is a call.
    Done,
    /// It is none.
    Broken,
}

/// What became of a step.
pub(super) enum Step {
    /// So many bytes were read.
    Took(usize),
    /// It cannot be told yet.
    More,
    /// This is no call.
    Broken,
}

impl Step {
    pub(super) fn more_if(may_go_on: bool) -> Self {
        match may_go_on {
            true => Self::More,
            false => Self::Broken,
        }
    }

    pub(super) fn more_or_took(sound: bool, taken: usize) -> Self {
        match sound {
            true => Self::Took(taken),
            false => Self::Broken,
        }
    }
}

impl ToolParser {
    /// For an answer to `prompt` that may call these tools.
    pub fn new(style: ToolStyle, tools: &[Tool], prompt: &[Token]) -> Self {
        let mut digest = Sha256::new();
        prompt
            .iter()
            .for_each(|token| digest.update(token.to_le_bytes()));
        let mark = digest.finalize();
        Self {
            style,
            tools: tools.into(),
            mark: mark[..6].iter().map(|byte| format!("{byte:02x}")).collect(),
            streaming: false,
            state: State::Text { fresh: true },
            held: String::new(),
            calls: Vec::new(),
        }
    }

    /// Gives calls as they come. Only for answers under a grammar for tools: what was given of a call cannot be taken back
    /// if it turns out to be none. A call that `max_tokens` cuts has a begin and no end.
    #[must_use]
    pub fn streaming(self) -> Self {
        Self {
            streaming: true,
            ..self
        }
    }

    /// The next text of the answer.
    pub fn push(&mut self, text: &str, on_part: &mut OnPart<'_>) {
        self.held.push_str(text);
        self.drain(on_part);
    }

    /// The answer is over: gives what was held back.
    pub fn finish(&mut self, on_part: &mut OnPart<'_>) {
        while let State::Call(call) = &mut self.state {
            // A call that was announced and cut stays as it is: its text is no text.
            if call.given.is_some() {
                self.held.clear();
                self.state = State::After;
                break;
            }
            self.give_up(on_part);
            self.drain(on_part);
        }
        let rest = match self.state {
            State::After | State::Text { fresh: true } if !self.calls.is_empty() => {
                self.held.trim_start()
            }
            _ => &self.held,
        };
        // The beginning of a closing tag behind a call belongs to the call.
        let is_tag = matches!(self.state, State::After) && self.style.tags().1.starts_with(rest);
        if !rest.is_empty() && !is_tag {
            on_part(ToolPart::Text(rest));
        }
        self.held.clear();
    }

    /// The calls that are complete.
    pub fn calls(&self) -> &[ToolCall] {
        &self.calls
    }

    /// The calls that are complete, taken out.
    pub fn into_calls(self) -> Vec<ToolCall> {
        self.calls
    }

    /// Gives all that can be told, in as many steps as there are parts in it.
    fn drain(&mut self, on_part: &mut OnPart<'_>) {
        loop {
            let went_on = match &mut self.state {
                State::Text { fresh } => {
                    let fresh = *fresh;
                    self.text(fresh, on_part)
                }
                State::Call(_) => self.call(on_part),
                State::After => self.after(),
                State::Plain => {
                    self.give(self.held.len(), on_part);
                    false
                }
            };
            if !went_on {
                return;
            }
        }
    }

    /// Looks for the beginning of a call; gives whether there is more to tell.
    fn text(&mut self, fresh: bool, on_part: &mut OnPart<'_>) -> bool {
        // Whitespace behind a call belongs to it.
        if fresh && !self.calls.is_empty() {
            let space = self.held.len() - self.held.trim_start().len();
            self.held.drain(..space);
        }
        let found = match self.style {
            ToolStyle::Llama3 => self.whole_answer(fresh),
            _ => self.tag(),
        };
        match found {
            Found::Call { text, lead } => {
                self.give(text, on_part);
                let tail = self.held.split_off(lead);
                let lead = std::mem::replace(&mut self.held, tail);
                self.state = State::Call(Box::new(Call {
                    lead,
                    reader: Reader::new(self.style, &self.tools),
                    given: None,
                }));
                true
            }
            Found::Text { sure } => {
                self.give(sure, on_part);
                false
            }
            Found::Never => {
                self.state = State::Plain;
                true
            }
        }
    }

    /// Where an opening tag stands.
    fn tag(&self) -> Found {
        let open = self.style.tags().0;
        match self.held.find(open) {
            Some(at) => {
                let text = self.held[..at].trim_end().len();
                Found::Call {
                    text,
                    lead: at + open.len() - text,
                }
            }
            None => {
                let sure = undecided(&self.held, &[open]);
                Found::Text {
                    sure: self.held[..sure].trim_end().len(),
                }
            }
        }
    }

    /// Whether an object begins the answer, or follows a call.
    fn whole_answer(&self, fresh: bool) -> Found {
        /// Begins calls of some tools; seldom shown, because it is a control token.
        const TAG: &str = "<|python_tag|>";
        let rest = self.held.trim_start();
        let rest = match self.calls.is_empty() {
            true => rest.strip_prefix(TAG).unwrap_or(rest).trim_start(),
            false => rest.strip_prefix(';').unwrap_or(rest).trim_start(),
        };
        match rest {
            _ if !fresh => Found::Never,
            "" => Found::Text { sure: 0 },
            _ if rest.starts_with('{') => Found::Call {
                text: 0,
                lead: self.held.len() - rest.len(),
            },
            _ if TAG.starts_with(rest) && self.calls.is_empty() => Found::Text { sure: 0 },
            _ => Found::Never,
        }
    }

    /// Goes on in a call; gives whether there is more to tell.
    fn call(&mut self, on_part: &mut OnPart<'_>) -> bool {
        let State::Call(call) = &mut self.state else {
            return false;
        };
        let read = call.reader.read(&self.held);
        let (name, json) = call.reader.so_far();
        let is_known = name.is_some_and(|name| self.tools.iter().any(|tool| tool.name == name));
        if read == Read::Broken || name.is_some() && !is_known {
            self.give_up(on_part);
            return true;
        }
        let index = self.calls.len();
        if let Some(name) = name.filter(|_| self.streaming || read == Read::Done) {
            let given = call.given.unwrap_or_else(|| {
                let id = id(index, &self.mark);
                on_part(ToolPart::CallBegin {
                    index,
                    id: &id,
                    name,
                });
                0
            });
            if given < json.len() {
                let json = &json[given..];
                on_part(ToolPart::CallArguments { index, json });
            }
            call.given = Some(json.len());
        }
        if read == Read::More {
            return false;
        }
        let done = ToolCall {
            id: id(index, &self.mark),
            name: name.unwrap_or_default().to_owned(),
            arguments: json::arguments(json).unwrap_or_default(),
        };
        on_part(ToolPart::CallEnd { index, call: &done });
        self.calls.push(done);
        self.held.drain(..call.reader.end());
        self.state = State::After;
        true
    }

    /// What looked like a call is none: its first part is text, and in the rest a call may begin.
    fn give_up(&mut self, on_part: &mut OnPart<'_>) {
        let state = std::mem::replace(&mut self.state, State::Text { fresh: false });
        let State::Call(call) = state else {
            return;
        };
        match call.given {
            // What was given as a call is not given again.
            Some(_) => drop(self.held.drain(..call.reader.end())),
            None if call.lead.is_empty() => {}
            None => on_part(ToolPart::Text(&call.lead)),
        }
    }

    /// Drops the closing tag; gives whether there is more to tell.
    fn after(&mut self) -> bool {
        let close = self.style.tags().1;
        let rest = self.held.trim_start();
        let tail = rest.strip_prefix(close);
        if tail.is_none() && close.starts_with(rest) {
            return false;
        }
        let tail = tail.unwrap_or(rest).len();
        self.held.drain(..self.held.len() - tail);
        self.state = State::Text { fresh: true };
        true
    }

    /// Gives the first bytes as text.
    fn give(&mut self, bytes: usize, on_part: &mut OnPart<'_>) {
        if bytes > 0 {
            on_part(ToolPart::Text(&self.held[..bytes]));
            self.held.drain(..bytes);
            if let State::Text { fresh } = &mut self.state {
                *fresh = false;
            }
        }
    }
}

/// What was found in a text.
enum Found {
    /// So many bytes are text, then so many lead to a call.
    Call { text: usize, lead: usize },
    /// So many bytes are text; the rest cannot be told yet.
    Text { sure: usize },
    /// There will be no call.
    Never,
}

impl Reader {
    fn new(style: ToolStyle, tools: &Arc<[Tool]>) -> Self {
        match style {
            ToolStyle::Gemma4 => Self::Gemma(GemmaReader::default()),
            ToolStyle::Tagged => Self::Tagged(TaggedReader::new(tools.clone())),
            ToolStyle::Hermes | ToolStyle::Llama3 => Self::Json(JsonReader::default()),
        }
    }

    fn read(&mut self, text: &str) -> Read {
        match self {
            Self::Json(reader) => reader.read(text),
            Self::Gemma(reader) => reader.read(text),
            Self::Tagged(reader) => reader.read(text),
        }
    }

    /// The name, once it is known, and the arguments as far as they have come.
    fn so_far(&self) -> (Option<&str>, &str) {
        match self {
            Self::Json(reader) => (reader.name.as_deref(), &reader.json),
            Self::Gemma(reader) => (reader.name.as_deref(), &reader.json),
            Self::Tagged(reader) => (reader.name.as_deref(), &reader.json),
        }
    }

    fn end(&self) -> usize {
        match self {
            Self::Json(reader) => reader.end(),
            Self::Gemma(reader) => reader.end(),
            Self::Tagged(reader) => reader.end(),
        }
    }
}

fn id(index: usize, mark: &str) -> String {
    format!("call_{index}_{mark}")
}

/// Bytes of a text before what may be the beginning of one of these tags.
pub(super) fn undecided(text: &str, tags: &[&str]) -> usize {
    let longest = tags.iter().map(|tag| tag.len()).max().unwrap_or(0);
    let mut from = text.len().saturating_sub(longest.saturating_sub(1));
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let starts = text[from..].char_indices().map(|(i, _)| from + i);
    let is_begun = |&i: &usize| tags.iter().any(|tag| tag.starts_with(&text[i..]));
    starts.into_iter().find(is_begun).unwrap_or(text.len())
}
