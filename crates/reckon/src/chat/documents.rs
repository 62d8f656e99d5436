//! Asking about documents in a conversation.
use super::{ANSWER, Chat};
use crate::{
    Documents, Flow, Prepared, Result,
    conversation::{Conversation, Exchange},
    documents::Room,
    stop::flow,
};
use reckon_assistant::{Ask, Event, OnReply, Reply};
use reckon_engine::Finish;
use std::ops::ControlFlow;

/// Tokens of a prompt for a model whose context is not known.
const UNKNOWN: usize = 3_072;

impl Chat {
    /// How to answer a message that came with documents; nothing is asked yet.
    ///
    /// # Errors
    /// As [`Documents::prepare`].
    pub fn prepare(&self, documents: &Documents, question: &str) -> Result<Prepared> {
        documents.prepare(
            question,
            self.room_for_documents(&|text| self.count_alone(text)),
        )
    }

    /// How to answer a later question of this conversation from documents that came before, if it is about them.
    ///
    /// # Errors
    /// As [`Documents::prepare_later`].
    pub fn prepare_later(&self, documents: &Documents, question: &str) -> Result<Option<Prepared>> {
        let said: Vec<String> = self
            .messages("")
            .into_iter()
            .map(|one| one.content)
            .collect();
        let count = |text: &str| self.count_alone(text);
        let room = self.room_for_documents(&count);
        documents.prepare_later(question, &said.join("\n"), room)
    }

    /// Answers such a message. It becomes part of the conversation with what the model was shown.
    ///
    /// # Errors
    /// As [`Chat::ask`].
    pub fn ask_prepared<R: Into<Flow>>(
        &mut self,
        documents: &Documents,
        prepared: &Prepared,
        mut on_event: impl FnMut(Event<'_>) -> R,
    ) -> Result<Reply> {
        if prepared.is_direct() {
            return self.ask(prepared.prompt(), on_event);
        }
        let mut reply =
            self.answer_by_documents(documents, prepared, &mut |event| flow(on_event(event)))?;
        reply.receipt = self.given.name_in(reply.receipt);
        if !reply.text.trim().is_empty() {
            self.conversation.add(Exchange {
                user: prepared.prompt().to_owned(),
                answer: reply.text.clone(),
                stopped: reply.generation.finish == Finish::Cancelled,
                media: Vec::new(),
            });
        }
        Ok(reply)
    }

    fn answer_by_documents(
        &mut self,
        documents: &Documents,
        prepared: &Prepared,
        on_event: &mut OnReply<'_>,
    ) -> Result<Reply> {
        let mut sampling = self.overrides.apply(self.model.info().sampling.clone());
        // Facts are copied, not invented: unless somebody wants otherwise, the most likely word.
        if self.overrides.temperature.is_none() {
            sampling.temperature = 0.0;
        }
        let ask = Ask {
            messages: self.messages(prepared.prompt()),
            sampling,
            max_tokens: self.max_tokens,
            ..Ask::default()
        };
        let stop = &self.stop;
        let on_event = &mut |event: Event<'_>| match on_event(event) {
            ControlFlow::Continue(()) if !stop.is_set() => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        };
        let mut reply = documents.answer(prepared, self.session.as_mut(), &ask, on_event)?;
        reply.receipt = self.model.sign(reply.receipt, &ask);
        Ok(reply)
    }

    fn room_for_documents<'a>(&self, count: &'a dyn Fn(&str) -> Result<usize>) -> Room<'a> {
        let tokens = match self.info().n_ctx {
            Some(n_ctx) => n_ctx - self.max_tokens.unwrap_or(ANSWER).min(n_ctx / 4),
            None => UNKNOWN,
        };
        Room { tokens, count }
    }

    /// Tokens of a prompt without what was said before: that can be dropped to make room.
    fn count_alone(&self, text: &str) -> Result<usize> {
        let alone = Conversation::new(self.conversation.system.clone());
        Ok(self.session.count(&self.given.tell(alone.messages(text)))?)
    }
}
