//! Splits an answer, as its tokens come, into the model's thinking and the text for the person.
//!
//! Called by `generate` once per token; uses the tokenizer's `Decoder`, so a character spread over tokens is held back.
//!
//! Two styles, chosen by the markers in the vocabulary or the template: `<think>…</think>` (Qwen 3, DeepSeek) and Gemma 4's
//! `<|channel>thought\n…<channel|>`. Markers may come as one token or letter by letter. Only a block at the beginning of
//! the answer is thinking; `<think>` later on is text, as in an answer about templates. A Gemma channel marker that comes
//! as its own token counts anywhere, since no text produces it. An unclosed block at the end is thinking.
//! What lies between the parts is dropped: the markers, and the whitespace next to them. Everything else comes out once.
//!
//! gpt-oss has a third style, messages with headers: `harmony`.
mod harmony;

use crate::{Decoder, Prompt, Template, Token, Tokenizer};
use harmony::Harmony;

/// A piece of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// More of the thinking.
    Thought(&'a str),
    /// More of the text.
    Text(&'a str),
}

/// How a model family marks its thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Style {
    open: &'static str,
    /// Follows `open` and belongs to it.
    name: &'static str,
    close: &'static str,
}

const THINK: Style = Style {
    open: "<think>",
    name: "",
    close: "</think>",
};

const CHANNEL: Style = Style {
    open: "<|channel>",
    name: "thought",
    close: "<channel|>",
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing but whitespace so far, or since a block was closed.
    Begin,
    /// After an opening marker, before its name.
    Opened,
    Thought,
    Text,
}

/// Takes tokens, gives parts.
#[derive(Debug)]
pub struct Thinking {
    /// Does all of it where the vocabulary is gpt-oss's.
    harmony: Option<Harmony>,
    decoder: Decoder,
    style: Option<Style>,
    /// The tokens of the opening and the closing marker.
    markers: [Option<Token>; 2],
    state: State,
    /// Whether a marker was seen, so that whitespace around is no part of the answer.
    marked: bool,
    /// Whether this thinking or text already has something other than whitespace.
    begun: bool,
    /// Text that cannot be told apart yet.
    pending: String,
    /// Control tokens that are text all the same.
    shown: Vec<Token>,
}

impl Thinking {
    /// For the answer to this prompt. A prompt may end inside an open block: then the answer begins with thinking.
    pub fn new(tokenizer: &Tokenizer, template: &Template, prompt: &[Token]) -> Self {
        let style = style(tokenizer, template);
        let marker =
            |text: fn(Style) -> &'static str| style.and_then(|s| tokenizer.marker(text(s)));
        let opened = style.is_some_and(|style| ends_open(tokenizer, prompt, style));
        Self {
            harmony: Harmony::new(tokenizer, prompt),
            decoder: tokenizer.decoder(),
            style,
            markers: [marker(|s| s.open), marker(|s| s.close)],
            state: match (style, opened) {
                (None, _) => State::Text,
                (_, true) => State::Thought,
                (_, false) => State::Begin,
            },
            marked: opened,
            begun: false,
            pending: String::new(),
            shown: Vec::new(),
        }
    }

    /// Lets these control tokens through as text, and no others.
    pub(crate) fn show(&mut self, tokens: &[Token]) {
        self.shown.clear();
        self.shown.extend_from_slice(tokens);
    }

    /// The next token of the answer.
    pub fn push(&mut self, tokenizer: &Tokenizer, token: Token, on_part: &mut dyn FnMut(Part<'_>)) {
        if let Some(harmony) = &mut self.harmony {
            return harmony.push(tokenizer, token, on_part);
        }
        let is_marker = self.markers.contains(&Some(token));
        if is_marker && self.style == Some(CHANNEL) && self.state == State::Text {
            self.decoder.flush(&mut self.pending);
            self.emit_pending(on_part);
            if self.markers[1] == Some(token) {
                return;
            }
            self.state = State::Begin;
        }
        let bytes = match is_marker || self.shown.contains(&token) {
            true => tokenizer.piece_with_control(token),
            false => tokenizer.piece(token),
        };
        self.decoder.push(bytes, &mut self.pending);
        self.drain(on_part);
    }

    /// Whether the next token belongs to the thinking.
    pub(crate) fn is_open(&self) -> bool {
        match &self.harmony {
            Some(harmony) => harmony.is_open(),
            None => matches!(self.state, State::Opened | State::Thought),
        }
    }

    /// From here on every token is text and nothing of it is dropped; gives whether nothing but whitespace was held back.
    pub(crate) fn settle(&mut self) -> bool {
        let blank = self.pending.trim().is_empty();
        self.harmony = None;
        self.decoder = Decoder::default();
        self.style = None;
        self.markers = [None; 2];
        self.marked = false;
        self.state = State::Text;
        self.pending.clear();
        blank
    }

    /// The answer is over: gives what was held back.
    pub fn finish(&mut self, on_part: &mut dyn FnMut(Part<'_>)) {
        if let Some(harmony) = &mut self.harmony {
            return harmony.finish(on_part);
        }
        self.decoder.flush(&mut self.pending);
        self.drain(on_part);
        match self.state {
            State::Begin => self.start(State::Text),
            State::Opened => self.start(State::Thought),
            State::Thought | State::Text => {}
        }
        self.skip_space();
        if self.state == State::Thought {
            self.pending.truncate(self.pending.trim_end().len());
        }
        self.emit_pending(on_part);
    }

    /// Gives all that can be told, in as many steps as there are parts in it.
    fn drain(&mut self, on_part: &mut dyn FnMut(Part<'_>)) {
        let Some(style) = self.style else {
            return self.emit_pending(on_part);
        };
        loop {
            let before = (self.state, self.pending.len());
            match self.state {
                State::Begin => self.begin(style),
                State::Opened => self.opened(style),
                State::Thought => self.thought(style, on_part),
                State::Text => self.text(on_part),
            }
            if before == (self.state, self.pending.len()) {
                return;
            }
        }
    }

    fn begin(&mut self, style: Style) {
        let rest = self.pending.trim_start();
        if rest.is_empty() {
            return;
        }
        if let Some(tail) = rest.strip_prefix(style.open) {
            self.pending = tail.to_owned();
            self.marked = true;
            self.state = State::Opened;
        } else if !style.open.starts_with(rest) {
            self.start(State::Text);
        }
    }

    fn opened(&mut self, style: Style) {
        let rest = self.pending.as_str();
        let tail = rest.strip_prefix(style.name);
        let again = [style.open, style.close]
            .into_iter()
            .find(|marker| !style.name.is_empty() && rest.starts_with(marker));
        if let Some(tail) = tail {
            self.pending = tail.to_owned();
            self.start(State::Thought);
        } else if let Some(marker) = again {
            // A stray opening: nothing in it, or another one right behind.
            self.pending = rest[marker.len()..].to_owned();
            if marker == style.close {
                self.state = State::Begin;
            }
        } else if ![style.name, style.open, style.close]
            .iter()
            .any(|t| t.starts_with(rest))
        {
            self.start(State::Text);
        }
    }

    fn thought(&mut self, style: Style, on_part: &mut dyn FnMut(Part<'_>)) {
        self.skip_space();
        if let Some(end) = self.pending.find(style.close) {
            let thought = self.pending[..end].trim_end();
            if !thought.is_empty() {
                on_part(Part::Thought(thought));
            }
            self.pending.drain(..end + style.close.len());
            self.marked = true;
            self.begun = false;
            self.state = State::Begin;
            return;
        }
        // What may be the beginning of the closing marker waits, and the whitespace before it.
        let keep = (1..style.close.len())
            .rev()
            .find(|&n| self.pending.ends_with(&style.close[..n]))
            .unwrap_or(0);
        let sure = self.pending[..self.pending.len() - keep].trim_end().len();
        if sure > 0 {
            on_part(Part::Thought(&self.pending[..sure]));
            self.pending.drain(..sure);
            self.begun = true;
        }
    }

    fn text(&mut self, on_part: &mut dyn FnMut(Part<'_>)) {
        self.skip_space();
        self.emit_pending(on_part);
    }

    fn start(&mut self, state: State) {
        self.begun = false;
        self.state = state;
    }

    /// Drops whitespace between a marker and what follows it.
    fn skip_space(&mut self) {
        if self.marked && !self.begun {
            let space = self.pending.len() - self.pending.trim_start().len();
            self.pending.drain(..space);
        }
    }

    fn emit_pending(&mut self, on_part: &mut dyn FnMut(Part<'_>)) {
        if self.pending.is_empty() {
            return;
        }
        on_part(match self.state {
            State::Thought => Part::Thought(&self.pending),
            _ => Part::Text(&self.pending),
        });
        self.begun = true;
        self.pending.clear();
    }
}

/// The tokens that mark thinking, in any style.
pub(crate) fn markers(tokenizer: &Tokenizer) -> Vec<Token> {
    let texts = [THINK.open, THINK.close, CHANNEL.open, CHANNEL.close];
    texts
        .iter()
        .filter_map(|text| tokenizer.marker(text))
        .collect()
}

/// Ends the block of thinking that a prompt leaves open, if it does.
pub(crate) fn close(tokenizer: &Tokenizer, template: &Template, prompt: &mut Prompt) {
    if let Some(harmony) = Harmony::new(tokenizer, prompt) {
        return prompt.extend_tokens(tokenizer.encode_template(harmony.to_text()));
    }
    let open = style(tokenizer, template).filter(|style| ends_open(tokenizer, prompt, *style));
    if let Some(style) = open {
        let text = format!("\n{}\n\n", style.close);
        prompt.extend_tokens(tokenizer.encode_template(&text));
    }
}

/// How this model marks its thinking, if it does.
fn style(tokenizer: &Tokenizer, template: &Template) -> Option<Style> {
    let has = |text: &str| tokenizer.marker(text).is_some() || template.source().contains(text);
    if has(CHANNEL.open) {
        Some(CHANNEL)
    } else if has(THINK.open) {
        Some(THINK)
    } else {
        None
    }
}

/// Whether a prompt ends behind an opening marker.
fn ends_open(tokenizer: &Tokenizer, prompt: &[Token], style: Style) -> bool {
    let tail = &prompt[prompt.len().saturating_sub(16)..];
    let bytes: Vec<u8> = tail
        .iter()
        .flat_map(|&token| tokenizer.piece_with_control(token))
        .copied()
        .collect();
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_end();
    text.strip_suffix(style.name)
        .is_some_and(|text| text.ends_with(style.open))
}
