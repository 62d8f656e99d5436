//! Conversations of the terminal, in the same store as the page's: kept as they go, found again, gone on with.
use crate::{Context, serve};
use reckon::{Conversation, Exchange, Finish, Reply};
use reckon_store::{
    ConversationId, Filter, Finished, Message, MessageId, NewConversation, Owner, Question, Role,
    State, Store,
};
use serde_json::json;

/// Where a conversation is kept.
#[derive(Debug)]
pub(crate) struct History {
    store: Store,
    owner: Owner,
    conversation: Option<ConversationId>,
    /// The answers so far; the next question follows the last.
    answers: Vec<MessageId>,
}

impl History {
    /// The store of this machine.
    pub(crate) fn open(context: &Context) -> anyhow::Result<Self> {
        Ok(Self {
            store: Store::open(serve::database(context))?,
            owner: Owner::local(),
            conversation: None,
            answers: Vec::new(),
        })
    }

    /// Keeps an exchange.
    pub(crate) fn keep(
        &mut self,
        question: &str,
        system: Option<&str>,
        reply: &Reply,
    ) -> anyhow::Result<()> {
        let id = match &self.conversation {
            Some(id) => id.clone(),
            None => {
                let new = NewConversation {
                    system: system.map(str::to_owned),
                    ..NewConversation::default()
                };
                self.store.create_conversation(&self.owner, &new)?.id
            }
        };
        self.conversation = Some(id.clone());
        let question = Question {
            parent: self.answers.last().cloned(),
            content: question.to_owned(),
            model: Some(reply.receipt.model.name.clone()),
            request: None,
        };
        let (_, answer) = self.store.ask(&self.owner, &id, &question)?;
        self.store
            .finish(&self.owner, &answer.id, &finished(reply)?)?;
        self.answers.push(answer.id);
        Ok(())
    }

    /// The last exchange was taken back: the next question is a branch beside it.
    pub(crate) fn undo(&mut self) {
        self.answers.pop();
    }

    /// Everything was: the next question begins another conversation.
    pub(crate) fn clear(&mut self) {
        self.conversation = None;
        self.answers.clear();
    }

    /// Goes on with the newest conversation that has these words; its title, and what was said in it.
    pub(crate) fn load(
        &mut self,
        words: Option<&str>,
    ) -> anyhow::Result<Option<(String, Conversation)>> {
        let filter = Filter {
            query: words.map(str::to_owned),
            limit: 1,
            ..Filter::default()
        };
        let Some(found) = self.store.list(&self.owner, &filter)?.into_iter().next() else {
            return Ok(None);
        };
        let thread = self.store.conversation(&self.owner, &found.id)?;
        let is_answer =
            |message: &&Message| message.role == Role::Assistant && !message.state.is_unfinished();
        let last = thread.messages.iter().rev().find(is_answer);
        let path = match last {
            Some(last) => self.store.path(&self.owner, &last.id)?,
            None => Vec::new(),
        };
        let mut said = Conversation::new(thread.conversation.system.clone());
        self.clear();
        for pair in path.chunks_exact(2) {
            said.add(Exchange {
                user: pair[0].content.clone(),
                answer: pair[1].content.clone(),
                stopped: pair[1].state == State::Stopped,
                media: Vec::new(),
            });
            self.answers.push(pair[1].id.clone());
        }
        self.conversation = Some(found.id);
        Ok(Some((found.title, said)))
    }
}

fn finished(reply: &Reply) -> anyhow::Result<Finished> {
    let generation = &reply.generation;
    let rate = |tokens: usize, seconds: f64| match seconds > 0.0 {
        true => tokens as f64 / seconds,
        false => 0.0,
    };
    let (prefill, decode) = (generation.timing.prefill, generation.timing.decode);
    let read = generation.usage.prompt - generation.usage.reused;
    let mark = reply.receipt.mark.as_ref().map(|mark| {
        let mut value = serde_json::to_value(mark)?;
        value["text"] = mark.to_string().into();
        Ok::<_, serde_json::Error>(value)
    });
    let mut receipt = reply.receipt.clone();
    receipt.model.path = None;
    Ok(Finished {
        state: match generation.finish {
            Finish::Stop => State::Done,
            Finish::Cancelled => State::Stopped,
            Finish::Length | Finish::Context | Finish::Grammar => State::Cut,
        },
        content: reply.text.clone(),
        thought: generation.thought.clone(),
        error: None,
        mark: mark.transpose()?,
        receipt: Some(serde_json::to_value(receipt)?),
        stats: Some(json!({
            "prompt": generation.usage.prompt,
            "completion": generation.usage.completion,
            "prefill_tps": rate(read, prefill.as_secs_f64()),
            "decode_tps": rate(generation.usage.completion, decode.as_secs_f64()),
            "seconds": (prefill + decode).as_secs_f64(),
        })),
    })
}
