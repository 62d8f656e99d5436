//! The text of an answer under way: decodes tokens, separates thinking from text, and reports both as they come.
//!
//! Called by `sequence` once per token. `thinking` splits the text from the model's thinking, `stop` ends it where the
//! request or a template without an end token says so. Whether the answer is over for other reasons is not known here.

use crate::generate::{Event, Finish, Generation};
use crate::stop::StopText;
use crate::{Model, Part, Request, Thinking, Token, Tokenizer};
use std::ops::ControlFlow;

/// Hears what happens; breaks to stop the answer.
pub(crate) type Listener<'a> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'a;

/// What there is of an answer.
#[derive(Debug)]
pub(crate) struct Answer {
    thinking: Thinking,
    shown: Shown,
    /// The text that the last token brought, before any stop.
    fresh: String,
    /// Every token, the end token left out.
    pub(crate) tokens: Vec<Token>,
}

/// What the listener has been told.
#[derive(Debug)]
struct Shown {
    stop: StopText,
    text: String,
    thought: String,
}

impl Answer {
    /// For the answer to this request. If a grammar says when it is over, the template's stop text does not.
    pub(crate) fn new(model: &Model, request: &Request) -> Self {
        let grammar = request.grammar.as_ref();
        let is_held = grammar.is_some_and(|grammar| grammar.is_eager());
        let own = model.template().stop().filter(|_| !is_held);
        let shown = Shown {
            stop: StopText::new(own, request.stop.clone()),
            text: String::new(),
            thought: String::new(),
        };
        Self {
            thinking: Thinking::new(model.tokenizer(), model.template(), &request.prompt),
            shown,
            fresh: String::new(),
            tokens: Vec::new(),
        }
    }

    /// Whether the next token belongs to the thinking.
    pub(crate) fn is_thinking(&self) -> bool {
        self.thinking.is_open()
    }

    /// From here on every token is text and shown as it is; gives whether no text came before.
    pub(crate) fn settle(&mut self) -> bool {
        self.thinking.settle() && self.shown.text.is_empty()
    }

    /// Lets these control tokens through as text, and no others.
    pub(crate) fn show(&mut self, tokens: &[Token]) {
        self.thinking.show(tokens);
    }

    /// Takes a token; breaks when the answer is over, for the given reason.
    pub(crate) fn push(
        &mut self,
        tokenizer: &Tokenizer,
        token: Token,
        listener: &mut Listener<'_>,
    ) -> ControlFlow<Finish> {
        self.tokens.push(token);
        self.fresh.clear();
        let mut flow = ControlFlow::Continue(());
        self.thinking.push(tokenizer, token, &mut |part| {
            if let Part::Text(new) = part {
                self.fresh.push_str(new);
            }
            if flow.is_continue() {
                flow = self.shown.part(part, listener);
            }
        });
        flow
    }

    /// The text that the last token brought.
    pub(crate) fn fresh(&self) -> &str {
        &self.fresh
    }

    /// Shows what was held back; gives the answer, with nothing but its texts, tokens and stop.
    pub(crate) fn finish(mut self, listener: &mut Listener<'_>) -> Generation {
        let mut flow = ControlFlow::Continue(());
        // After a stop text nothing more is shown: what was held back belongs to the other side of it.
        if self.shown.stop.is_open() {
            self.thinking.finish(&mut |part| {
                if flow.is_continue() {
                    flow = self.shown.part(part, listener);
                }
            });
            let rest = self.shown.stop.flush();
            // The answer is over: whether the caller still wants to stop no longer matters.
            let _ = self.shown.text(&rest, listener);
        }
        Generation {
            stopped_by: self.shown.stop.stopped_by(),
            text: self.shown.text,
            thought: self.shown.thought,
            tokens: self.tokens,
            ..Generation::default()
        }
    }
}

impl Shown {
    /// Passes a part on; breaks if the answer ends there.
    fn part(&mut self, part: Part<'_>, listener: &mut Listener<'_>) -> ControlFlow<Finish> {
        match part {
            Part::Thought(new) => {
                self.thought.push_str(new);
                listener(Event::Thought(new)).map_break(|()| Finish::Cancelled)
            }
            Part::Text(new) => {
                let (new, over) = self.stop.push(new);
                self.text(&new, listener)?;
                over.map_break(|()| Finish::Stop)
            }
        }
    }

    fn text(&mut self, new: &str, listener: &mut Listener<'_>) -> ControlFlow<Finish> {
        // After "Assistant:" a transcript goes on with a space that belongs to the colon.
        let new = match self.text.is_empty() && self.stop.is_transcript() {
            true => new.trim_start(),
            false => new,
        };
        if new.is_empty() {
            return ControlFlow::Continue(());
        }
        self.text.push_str(new);
        listener(Event::Text(new)).map_break(|()| Finish::Cancelled)
    }
}
