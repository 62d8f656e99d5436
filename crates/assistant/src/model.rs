//! What the assistant needs of a language model: one answer at a time.
//!
//! `reckon` implements it over the engine and over servers elsewhere; tests put a scripted model in its place.

use crate::Result;
use reckon_engine::{Event, Generation, Message, Sampling, Shape, TemplateOptions, ToolChoice};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// One answer asked of a model.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// The conversation; the last message is the person's.
    pub messages: Vec<Message>,
    /// How many messages at the beginning are the same for every question and hold nobody's words, such as a guard's
    /// examples. What a model made of them may be kept on the disk.
    pub fixed: usize,
    /// What a model made of the whole prompt may be kept on the disk: whoever asks keeps the conversation itself there.
    pub keep: bool,
    /// How the answer begins; the model goes on from there. Not part of the text that comes back.
    pub prefix: String,
    /// What the answer must look like, if anything is prescribed.
    pub shape: Option<Shape>,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Stop after this many tokens; `None`: until the context is full.
    pub max_tokens: Option<usize>,
    /// How far numbers and conclusions of the answer are checked.
    pub check: CheckLevel,
    /// What the chat template is given besides the messages: tools, thinking.
    pub template: TemplateOptions,
    /// Whether and which of those tools may be called.
    pub choice: ToolChoice,
    /// Whether an answer may call several.
    pub parallel: bool,
    /// Texts at which the answer is over.
    pub stop: Vec<String>,
    /// Report how likely each token was, and so many others beside it.
    pub logprobs: Option<usize>,
}

/// How far numbers and conclusions are checked: each level does what the one before it does, and more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckLevel {
    /// Not at all.
    Off,
    /// What can be computed without the model: the question's own closed form, the answer's equations and programs.
    Direct,
    /// A few programs, written beside the answer.
    #[default]
    Quick,
    /// Further answers and more programs, as a jury; a second answer may be as long as what was asked for needs.
    Full,
}

/// Hears what happens while an answer is made; breaks to stop it.
pub type OnEvent<'a> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'a;

/// Hears what happens to each answer of a batch, and when it ended; breaks to stop that one.
pub type OnBatch<'a> = dyn FnMut(usize, BatchEvent<'_>) -> ControlFlow<()> + 'a;

/// What happens to one answer of a batch.
#[derive(Debug)]
pub enum BatchEvent<'a> {
    /// There is room for it. Broken here it waits, and is asked about again when more of the others has been heard.
    Begin,
    /// It is being written.
    Writing(Event<'a>),
    /// It has ended, or failed. Nothing more is heard of it.
    Ended(Result<Generation>),
}

/// Answers conversations.
pub trait TextModel {
    /// Tokens of the prompt that this conversation becomes.
    fn count(&self, messages: &[Message]) -> Result<usize>;

    /// Writes one answer; a stopped one comes back as far as it got.
    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation>;

    /// Writes several answers, together where the model can: then they cost little more than the longest of them. The
    /// first is the one that a person waits for; the others are samples that nobody goes on from. They begin in their
    /// order; one that is not to begin yet ([`BatchEvent::Begin`]) holds up those behind it, and none begins any more
    /// once all others have ended.
    fn batch(&mut self, asks: &[Ask], on_event: &mut OnBatch<'_>) {
        for (at, ask) in asks.iter().enumerate() {
            // All before it have ended, so nothing more will be heard.
            if on_event(at, BatchEvent::Begin).is_break() {
                return;
            }
            let said = self.generate(ask, &mut |event| on_event(at, BatchEvent::Writing(event)));
            // Broken here means: enough was heard, the rest is not needed.
            if on_event(at, BatchEvent::Ended(said)).is_break() {
                return;
            }
        }
    }
}
