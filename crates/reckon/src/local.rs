//! A conversation with a model of this machine: the engine's session, which owns the KV cache, as a `TextModel`.
use reckon_assistant::{Ask, OnEvent, Result, TextModel};
use reckon_engine::{Generation, Message, Model, Request, Session, TemplateOptions};
use std::sync::Arc;

/// One asker with a KV cache of its own.
#[derive(Debug)]
pub(crate) struct Local(Session);

impl Local {
    pub(crate) fn new(model: &Arc<Model>) -> Self {
        Self(Session::new(model.clone()))
    }

    /// Writes one answer to this request.
    pub(crate) fn request(
        &mut self,
        request: &Request,
        on_event: &mut OnEvent<'_>,
    ) -> Result<Generation> {
        Ok(self.0.generate(request, on_event)?)
    }
}

impl TextModel for Local {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        count(self.0.model(), messages)
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        let request = request(self.0.model(), ask)?;
        self.request(&request, on_event)
    }
}

/// Tokens of the prompt that a conversation becomes.
pub(crate) fn count(model: &Model, messages: &[Message]) -> Result<usize> {
    let prompt = model.prompt(messages, &TemplateOptions::default())?;
    Ok(prompt.len())
}

/// What the engine is asked for.
pub(crate) fn request(model: &Model, ask: &Ask) -> Result<Request> {
    let options = TemplateOptions::default();
    let grammar = ask.shape.as_ref().map(|shape| model.grammar(shape));
    Ok(Request {
        prompt: model.prompt_with_prefix(&ask.messages, &options, &ask.prefix)?,
        sampling: ask.sampling.clone(),
        max_tokens: ask.max_tokens,
        grammar: grammar.transpose()?,
    })
}
