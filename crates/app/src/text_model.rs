//! What the front ends need of a model, so that tests can put a scripted one in its place.
use reckon_engine::{Event, Generation, Message, Request, Sampling, Token};
use std::{ops::ControlFlow, path::PathBuf};

/// What a chat needs of a model.
pub(crate) trait TextModel {
    fn facts(&self) -> Facts;
    /// The tokens of a conversation, ready for an answer.
    fn prompt(&self, messages: &[Message]) -> reckon_engine::Result<Vec<Token>>;
    /// As `Session::generate`.
    fn generate(
        &mut self,
        request: &Request,
        on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> reckon_engine::Result<Generation>;
}

/// What there is to know about a loaded model.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) n_ctx: usize,
    pub(crate) threads: usize,
    pub(crate) sampling: Sampling,
}
