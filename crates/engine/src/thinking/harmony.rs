//! gpt-oss's format (harmony): an answer is several messages, and the header of each names its channel.
//!
//! ```text
//! <|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…<|return|>
//! ```
//! What stands in `final` is the text, or in a message without a channel; every other channel is thinking. Markers are
//! control tokens, which no text produces. An answer without any is text, given when it is over.

use super::Part;
use crate::{Decoder, Token, Tokenizer};

/// Takes tokens, gives parts.
#[derive(Debug)]
pub(super) struct Harmony {
    markers: Markers,
    decoder: Decoder,
    place: Place,
    /// What was decoded and not given: a header, or nothing.
    pending: String,
    /// Whether the header has come to its channel.
    is_named: bool,
    /// Whether the answer had a marker yet.
    is_marked: bool,
    /// Whether there was any thinking, and any text.
    said: [bool; 2],
    /// Whether this message said anything.
    begun: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Header,
    Thought,
    Text,
}

#[derive(Clone, Copy, Debug)]
struct Markers {
    start: Token,
    channel: Token,
    message: Token,
    end: Token,
}

impl Markers {
    fn of(tokenizer: &Tokenizer) -> Option<Self> {
        Some(Self {
            start: tokenizer.marker("<|start|>")?,
            channel: tokenizer.marker("<|channel|>")?,
            message: tokenizer.marker("<|message|>")?,
            end: tokenizer.marker("<|end|>")?,
        })
    }
}

impl Harmony {
    /// For the answer to this prompt, which ends inside a message; `None` for vocabularies of other formats.
    pub(super) fn new(tokenizer: &Tokenizer, prompt: &[Token]) -> Option<Self> {
        let markers = Markers::of(tokenizer)?;
        let mut harmony = Self {
            markers,
            decoder: tokenizer.decoder(),
            place: Place::Header,
            pending: String::new(),
            is_named: false,
            is_marked: false,
            said: [false; 2],
            begun: false,
        };
        let last = prompt.iter().rposition(|&token| token == markers.start);
        for &token in &prompt[last.unwrap_or(prompt.len())..] {
            harmony.push(tokenizer, token, &mut |_| ());
        }
        // The role belongs to the prompt, and so does what was begun there.
        if !harmony.is_named {
            harmony.pending.clear();
        }
        harmony.is_marked = harmony.place != Place::Header || harmony.is_named;
        (harmony.said, harmony.begun) = ([false; 2], false);
        Some(harmony)
    }

    /// What makes the answer go on as text.
    pub(super) const fn to_text(&self) -> &'static str {
        match self.place {
            Place::Text => "",
            Place::Header => "<|channel|>final<|message|>",
            Place::Thought => "<|end|><|start|>assistant<|channel|>final<|message|>",
        }
    }

    /// The next token of the answer.
    pub(super) fn push(
        &mut self,
        tokenizer: &Tokenizer,
        token: Token,
        on_part: &mut dyn FnMut(Part<'_>),
    ) {
        let Markers {
            start,
            channel,
            message,
            end,
        } = self.markers;
        if token == message && self.place == Place::Header {
            self.decoder.flush(&mut self.pending);
            let is_final = self.pending.split_whitespace().next() == Some("final");
            self.begin(match is_final || !self.is_named {
                true => Place::Text,
                false => Place::Thought,
            });
        } else if [start, channel, end].contains(&token) {
            self.decoder.flush(&mut self.pending);
            self.emit(on_part);
            self.begin(Place::Header);
            self.is_named = token == channel;
        } else {
            let piece = tokenizer.piece(token);
            self.decoder.push(piece, &mut self.pending);
            self.emit(on_part);
        }
    }

    /// The answer is over: gives what was held back.
    pub(super) fn finish(&mut self, on_part: &mut dyn FnMut(Part<'_>)) {
        self.decoder.flush(&mut self.pending);
        if !self.is_marked {
            self.place = Place::Text;
        }
        self.emit(on_part);
    }

    /// Whether the next token is no text.
    pub(super) fn is_open(&self) -> bool {
        self.place != Place::Text
    }

    fn begin(&mut self, place: Place) {
        self.pending.clear();
        self.place = place;
        self.is_marked = true;
        self.begun = false;
    }

    fn emit(&mut self, on_part: &mut dyn FnMut(Part<'_>)) {
        let part = match self.place {
            Place::Header => return,
            Place::Thought => Part::Thought,
            Place::Text => Part::Text,
        };
        if self.pending.is_empty() {
            return;
        }
        // Messages of one kind are paragraphs.
        let said = &mut self.said[usize::from(self.place == Place::Text)];
        if *said && !self.begun {
            on_part(part("\n\n"));
        }
        (*said, self.begun) = (true, true);
        on_part(part(&self.pending));
        self.pending.clear();
    }
}
