//! A conversation with a model: history, KV cache, guards and their tools in one place.
mod documents;

use crate::{
    Flow, Given, Model, ModelInfo, Overrides, Result, Session, Stop,
    conversation::{Conversation, Exchange, Plan},
    guards::Guards,
    model::hex,
    peers::{Asking, Peers},
    stop::flow,
    tools::tools,
};
use reckon_assistant::{Ask, CheckLevel, Digest, Event, OnEvent, OnReply, Reply, TextModel, Tools};
use reckon_engine::{Finish, Generation, Media, Message, Shape};
use sha2::Digest as _;
use std::ops::ControlFlow;

/// Room that is kept free for an answer when no length is asked for, in tokens.
const ANSWER: usize = 256;

/// A conversation. Made by [`Model::chat`], set up by the methods that take and return it, then asked.
///
/// ```no_run
/// # fn main() -> reckon::Result<()> {
/// let model = reckon::Model::open("model.gguf")?;
/// let mut chat = model.chat().system("Answer in one sentence.").max_tokens(200);
/// let first = chat.ask("Why is the sky blue?", |_| ())?;
/// let second = chat.ask("And in the evening?", |_| ())?;
/// # Ok(()) }
/// ```
pub struct Chat {
    model: Model,
    session: Session,
    guards: Guards,
    tools: Box<dyn Tools + Send>,
    conversation: Conversation,
    overrides: Overrides,
    max_tokens: Option<usize>,
    check: CheckLevel,
    schema: Option<Schema>,
    stop: Stop,
    peers: Peers,
    /// Whose peers are asked instead of this machine.
    role: Option<String>,
    given: Given,
}

/// A JSON schema that can be followed.
///
/// ```
/// let schema = reckon::Schema::new(r#"{"type": "object"}"#).unwrap();
/// assert!(reckon::Schema::new("{").is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Schema {
    text: String,
    digest: Digest,
}

impl Schema {
    /// Checks it, without a model. What cannot be followed is an [`Error::Input`](crate::Error::Input).
    pub fn new(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        Shape::Schema(text.clone()).check()?;
        let digest = Digest {
            path: None,
            sha256: hex(&sha2::Sha256::digest(&text)),
        };
        Ok(Self { text, digest })
    }

    /// With the file that it came from, for the receipt.
    #[must_use]
    pub fn at(mut self, path: impl Into<std::path::PathBuf>) -> Self {
        self.digest.path = Some(path.into());
        self
    }

    /// The form that answers are held to.
    pub fn shape(&self) -> Shape {
        Shape::Schema(self.text.clone())
    }
}

/// Setting up.
impl Chat {
    pub(crate) fn new(model: Model) -> Self {
        Self {
            session: model.session(),
            model,
            guards: Guards::default(),
            tools: Box::new(tools()),
            conversation: Conversation::default(),
            overrides: Overrides::default(),
            max_tokens: None,
            check: CheckLevel::default(),
            schema: None,
            stop: Stop::default(),
            peers: Peers::default(),
            role: None,
            given: Given::default(),
        }
    }

    /// Standing instructions.
    #[must_use]
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.conversation.system = Some(text.into());
        self
    }

    /// Guards that look at every answer, in this order; without this there are none.
    #[must_use]
    pub fn guards(mut self, guards: impl Into<Guards>) -> Self {
        self.guards = guards.into();
        self
    }

    /// Other tools for the guards than the sandbox and solver of [`tools`].
    #[must_use]
    pub fn tools(mut self, tools: impl Tools + Send + 'static) -> Self {
        self.tools = Box::new(tools);
        self
    }

    /// Other sampling than the model's own.
    #[must_use]
    pub fn sampling(mut self, overrides: Overrides) -> Self {
        self.overrides = overrides;
        self
    }

    /// Longest answer in tokens; without, until the context is full.
    #[must_use]
    pub fn max_tokens(mut self, tokens: impl Into<Option<usize>>) -> Self {
        self.max_tokens = tokens.into();
        self
    }

    /// How far numbers and conclusions are checked; without this, by a few programs beside the answer.
    #[must_use]
    pub fn check(mut self, level: CheckLevel) -> Self {
        self.check = level;
        self
    }

    /// Answers are JSON that this schema allows. The model is not told of it, and guards do not look.
    #[must_use]
    pub fn schema(mut self, schema: impl Into<Option<Schema>>) -> Self {
        self.schema = schema.into();
        self
    }

    /// Stops answers when that is set; see also what [`Chat::ask`] says about its closure.
    #[must_use]
    pub fn stop(mut self, stop: &Stop) -> Self {
        self.stop = stop.clone();
        self
    }

    /// Other machines that may answer; without this there are none. See [`Peers`] for when they do.
    #[must_use]
    pub fn with_peers(mut self, peers: Peers) -> Self {
        self.peers = peers;
        self
    }

    /// Peers of this role answer, this machine only if none of them does.
    #[must_use]
    pub fn role(mut self, role: impl Into<Option<String>>) -> Self {
        self.role = role.into();
        self
    }

    /// The other machines that may answer.
    pub fn peers(&self) -> &Peers {
        &self.peers
    }

    /// Whether peers are asked instead of this machine.
    pub fn is_elsewhere(&self) -> bool {
        self.role.is_some()
    }

    /// Lets peers of this role answer from now on, or this machine; what it was before.
    pub fn set_role(&mut self, role: Option<String>) -> Option<String> {
        std::mem::replace(&mut self.role, role)
    }

    /// Goes on with another model. What was said stays; what was seen and heard does not, since every model has its own
    /// soft tokens.
    pub fn switch(&mut self, model: Model) {
        self.conversation.forget_media();
        self.session = model.session();
        self.model = model;
    }

    /// Lets the model go, so that another one has room to be loaded. Until [`Chat::switch`] asking is an error.
    pub fn unload(&mut self) {
        self.switch(Model::custom(self.info().clone(), || Absent));
    }

    /// What the model is told from here on besides the standing instructions.
    pub fn set_given(&mut self, given: Given) {
        self.given = given;
    }

    /// Limits the next answers.
    pub fn set_max_tokens(&mut self, tokens: Option<usize>) {
        self.max_tokens = tokens;
    }
}

/// Asking.
impl Chat {
    /// Answers. The closure hears what happens; if it returns a [`ControlFlow`], it can break to stop.
    ///
    /// The question and its answer become part of the conversation. One that was stopped is kept as far as it got; one
    /// without a word is not kept, and an error leaves everything as it was.
    pub fn ask<R: Into<Flow>>(
        &mut self,
        text: &str,
        mut on_event: impl FnMut(Event<'_>) -> R,
    ) -> Result<Reply> {
        let messages = self.messages(text);
        let mut reply = self.reply(messages, &mut |event| flow(on_event(event)))?;
        reply.receipt = self.given.name_in(reply.receipt);
        let media = self.conversation.take_media();
        if !reply.text.trim().is_empty() {
            self.conversation.add(Exchange {
                user: text.to_owned(),
                answer: reply.text.clone(),
                stopped: reply.generation.finish == Finish::Cancelled,
                media,
            });
        }
        Ok(reply)
    }

    /// Puts images and sound before the next question; an error keeps them for the one after it.
    pub fn attach(&mut self, media: Vec<Media>) {
        self.conversation.attach(media);
    }

    /// What the model is given for the next question.
    fn messages(&self, text: &str) -> Vec<Message> {
        self.given.tell(self.conversation.messages(text))
    }

    /// Answers a conversation that the caller keeps, such as the messages of a request; the own one stays as it is.
    pub fn answer<R: Into<Flow>>(
        &mut self,
        messages: Vec<Message>,
        mut on_event: impl FnMut(Event<'_>) -> R,
    ) -> Result<Reply> {
        self.reply(messages, &mut |event| flow(on_event(event)))
    }

    fn reply(&mut self, messages: Vec<Message>, on_event: &mut OnReply<'_>) -> Result<Reply> {
        let ask = self.question(messages);
        let stop = &self.stop;
        let on_event = &mut |event: Event<'_>| match on_event(event) {
            ControlFlow::Continue(()) if !stop.is_set() => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        };
        let (session, tools) = (self.session.as_mut(), self.tools.as_mut());
        let asking = Asking {
            model: &self.model,
            guards: &self.guards,
            ask: &ask,
        };
        let role = self.role.as_deref();
        let mut reply = self.peers.answer(role, &asking, session, tools, on_event)?;
        reply.receipt.schema = self.schema.as_ref().map(|schema| schema.digest.clone());
        Ok(reply)
    }

    fn question(&self, messages: Vec<Message>) -> Ask {
        let own = self.model.info().sampling.clone();
        Ask {
            messages,
            shape: self.schema.as_ref().map(Schema::shape),
            sampling: self.overrides.apply(own),
            max_tokens: self.max_tokens,
            check: self.check,
            ..Ask::default()
        }
    }

    /// Whether an answer to this question might be replaced after it was shown. A front end that cannot take text back
    /// holds it until it is settled.
    pub fn may_revise(&self, text: &str) -> bool {
        let ask = self.question(self.messages(text));
        let asking = Asking {
            model: &self.model,
            guards: &self.guards,
            ask: &ask,
        };
        let may_revise = || self.guards.pipeline().may_revise(&ask.messages);
        self.schema.is_none() && (self.peers.may_replace(&asking) || may_revise())
    }
}

/// Looking at what was said, and making room.
impl Chat {
    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What is known about the model.
    pub fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    /// What was said so far.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The same, to take something back or to change the system text.
    pub fn conversation_mut(&mut self) -> &mut Conversation {
        &mut self.conversation
    }

    /// What must be dropped from the conversation so that this question and an answer fit; nothing is dropped yet.
    /// An answer gets what [`Chat::max_tokens`] says, else 256 tokens, and never more than a quarter of the context.
    pub fn plan(&self, text: &str) -> Result<Plan> {
        let Some(n_ctx) = self.info().n_ctx else {
            return Ok(Plan::Fits);
        };
        let allowed = n_ctx - self.max_tokens.unwrap_or(ANSWER).min(n_ctx / 4);
        let plan = self.conversation.plan(text, allowed, |messages| {
            self.session.count(&self.given.tell(messages.to_vec()))
        })?;
        match plan {
            Plan::TooLong { asked } => {
                Err(reckon_engine::Error::ContextFull { asked, allowed }.into())
            }
            plan => Ok(plan),
        }
    }

    /// Tokens that are left for an answer to this question; none if that is not known.
    pub fn room(&self, text: &str) -> Result<Option<usize>> {
        let Some(n_ctx) = self.info().n_ctx else {
            return Ok(None);
        };
        let prompt = self.session.count(&self.messages(text))?;
        Ok(Some(n_ctx.saturating_sub(prompt)))
    }
}

/// In place of a model that was let go.
struct Absent;

impl TextModel for Absent {
    fn count(&self, _: &[Message]) -> reckon_assistant::Result<usize> {
        Err(absent())
    }

    fn generate(&mut self, _: &Ask, _: &mut OnEvent<'_>) -> reckon_assistant::Result<Generation> {
        Err(absent())
    }
}

fn absent() -> reckon_assistant::Error {
    reckon_engine::Error::Model("it was unloaded".into()).into()
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chat")
            .field("model", &self.info().name)
            .field("guards", &self.guards)
            .field("conversation", &self.conversation)
            .finish_non_exhaustive()
    }
}
