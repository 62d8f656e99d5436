//! What the assistant needs of a language model: one answer at a time.
//!
//! `reckon` implements it over the engine and over servers elsewhere; tests put a scripted model in its place.

use crate::Result;
use reckon_engine::{Event, Generation, Message, Sampling, Shape};
use std::ops::ControlFlow;

/// One answer asked of a model.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The conversation; the last message is the person's.
    pub messages: Vec<Message>,
    /// How the answer begins; the model goes on from there. Not part of the text that comes back.
    pub prefix: String,
    /// What the answer must look like, if anything is prescribed.
    pub shape: Option<Shape>,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Stop after this many tokens; `None`: until the context is full.
    pub max_tokens: Option<usize>,
}

/// Hears what happens while an answer is made; breaks to stop it.
pub type OnEvent<'a> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'a;

/// Answers conversations.
pub trait TextModel {
    /// Tokens of the prompt that this conversation becomes.
    fn count(&self, messages: &[Message]) -> Result<usize>;

    /// Writes one answer; a stopped one comes back as far as it got.
    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation>;
}
