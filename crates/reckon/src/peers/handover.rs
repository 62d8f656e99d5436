//! Asks a peer, and keeps the answer of this machine whatever comes of it.
//!
//! By role, which a person or the router names: the peers of that role are asked first, this machine if none of them answers.
//! In doubt: this machine has answered, and a peer's answer takes its place only if the same guards verify or correct it.
//!
//! A peer's answer goes through the same guards as one of this machine, with that peer writing what they ask for. One that fails
//! is followed by another of the same role, once. Images, sound, tools and schemas stay here: a peer could not be held to them.
use super::{Peer, Peers, TRIES};
use crate::{Endpoint, Guards, Model, Result, endpoint::Meter};
use reckon_assistant::{
    Ask, BatchEvent, CheckLevel, Error, Event, Handover, MarkState, OnBatch, OnEvent, OnReply,
    PeerEntry, PeerOutcome, Reply, Sent, TextModel, Tools,
};
use reckon_engine::{Finish, Generation, Message};
use std::{ops::ControlFlow, slice, sync::Arc, time::Instant};

/// A question, and who answers it on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The model of this machine, for the receipt.
    pub model: &'a Model,
    /// The guards that look at every answer.
    pub guards: &'a Guards,
    /// The question.
    pub ask: &'a Ask,
}

impl Asking<'_> {
    /// The answer of this machine.
    fn here(
        &self,
        session: &mut dyn TextModel,
        tools: &mut dyn Tools,
        on_event: &mut OnReply<'_>,
    ) -> Result<Reply> {
        let pipeline = self.guards.pipeline();
        let mut reply = pipeline.answer(session, tools, self.ask, on_event)?;
        reply.receipt = self.model.sign(reply.receipt, self.ask);
        Ok(reply)
    }

    /// Why it cannot be asked elsewhere.
    pub(super) fn stays(&self) -> Option<&'static str> {
        let ask = self.ask;
        if ask.messages.iter().any(|message| !message.media.is_empty()) {
            return Some("images and sound stay on this machine");
        }
        if ask.shape.is_some() {
            return Some("an answer that is held to a schema is made on this machine");
        }
        let has_tools = !ask.template.tools.is_empty();
        has_tools.then_some("an answer that may call tools is made on this machine")
    }
}

impl Peers {
    /// Answers: by peers of `role` if one is named or the router chooses one; else on this machine, and by a peer if that
    /// answer is doubtful and the settings want it. `session` is one of [`Asking::model`]. The receipt is signed.
    pub fn answer(
        &self,
        role: Option<&str>,
        asking: &Asking<'_>,
        session: &mut dyn TextModel,
        tools: &mut dyn Tools,
        on_event: &mut OnReply<'_>,
    ) -> Result<Reply> {
        let chosen = match role {
            Some(role) => Some((role, format!("the role {role} was asked for"))),
            None => self.route(asking, on_event),
        };
        if let Some((role, why)) = chosen {
            let mut handover = Handover::new(why);
            let said = self.ask(role, asking, tools, on_event, &mut handover);
            let mut reply = match said {
                Some(reply) => {
                    let why = reply.stopped.then(|| "it was stopped".to_owned());
                    settle(&mut handover, PeerOutcome::Used, why);
                    reply
                }
                None => asking.here(session, tools, on_event)?,
            };
            reply.receipt.handover = Some(handover);
            return Ok(reply);
        }
        let reply = asking.here(session, tools, on_event)?;
        match self.for_doubtful() {
            Some(role) => Ok(self.resolve(role, reply, asking, tools, on_event)),
            None => Ok(reply),
        }
    }

    /// Whether a peer's answer may take the place of this machine's after that was shown. A front end that cannot take text
    /// back holds it until it is settled.
    pub fn may_replace(&self, asking: &Asking<'_>) -> bool {
        // Any number may turn out to be doubtful, if anybody looks at it.
        let has_marks = !asking.guards.is_empty() && asking.ask.check != CheckLevel::Off;
        self.for_doubtful().is_some() && has_marks && asking.stays().is_none()
    }

    /// A doubtful answer becomes a peer's, if that one holds; every other stays.
    fn resolve(
        &self,
        role: &str,
        mut local: Reply,
        asking: &Asking<'_>,
        tools: &mut dyn Tools,
        on_event: &mut OnReply<'_>,
    ) -> Reply {
        let mark = local.receipt.mark.as_ref();
        let Some(mark) = mark.filter(|mark| mark.state == MarkState::Doubtful) else {
            return local;
        };
        let by = mark.by.as_deref().unwrap_or("a guard");
        let mut handover = Handover::new(format!("{by} doubts the answer: {}", mark.why));
        // The text of a peer is shown when it is settled, and not before.
        let quiet = &mut |_: Event<'_>| on_event(Event::Checking(HANDOVER));
        let said = self.ask(role, asking, tools, quiet, &mut handover);
        let Some(mut reply) = said else {
            local.receipt.handover = Some(handover);
            return local;
        };
        if let Some(why) = no_better(&reply) {
            settle(&mut handover, PeerOutcome::Kept, Some(why));
            if let Some(entry) = handover.peers.last_mut() {
                entry.text = Some(reply.text);
                entry.mark = reply.receipt.mark;
            }
            local.receipt.handover = Some(handover);
            return local;
        }
        settle(&mut handover, PeerOutcome::Used, None);
        let text = &reply.text;
        // The answer is whole, whether or not anybody wants to hear more.
        let _ = on_event(Event::Revise {
            guard: HANDOVER,
            text,
        });
        handover.replaced = Some(local.text);
        handover.replaced_mark = local.receipt.mark;
        reply.receipt.handover = Some(handover);
        reply
    }

    /// The answer of the first peer of this role that gives one. Every peer that was turned to is in `handover`.
    fn ask(
        &self,
        role: &str,
        asking: &Asking<'_>,
        tools: &mut dyn Tools,
        on_event: &mut OnReply<'_>,
        handover: &mut Handover,
    ) -> Option<Reply> {
        let mut tries = 0;
        for peer in self.iter().filter(|peer| peer.role == role) {
            let begin = Instant::now();
            let mut entry = entry(peer);
            let endpoint = match (asking.stays(), &peer.endpoint) {
                (Some(why), _) => Err(why.to_owned()),
                (None, Err(why)) => Err(why.clone()),
                (None, Ok(_)) if tries >= TRIES => Err("two were asked already".to_owned()),
                (None, Ok(endpoint)) => Ok(endpoint),
            };
            let said = match endpoint {
                Err(why) => Err((PeerOutcome::Skipped, why)),
                Ok(endpoint) => {
                    tries += 1;
                    match peer.health() {
                        Some(why) => Err((PeerOutcome::Failed, why)),
                        None => peer
                            .ask(endpoint, asking, tools, on_event, &mut entry)
                            .map_err(|why| (PeerOutcome::Failed, why)),
                    }
                }
            };
            entry.ms = begin.elapsed().as_secs_f64() * 1e3;
            if let Err((outcome, why)) = &said {
                entry.outcome = *outcome;
                entry.reason = Some(why.clone());
            }
            handover.peers.push(entry);
            if let Ok(reply) = said {
                return Some(reply);
            }
        }
        None
    }
}

impl Peer {
    /// Its answer, guarded and signed; or why there is none.
    fn ask(
        &self,
        endpoint: &Endpoint,
        asking: &Asking<'_>,
        tools: &mut dyn Tools,
        on_event: &mut OnReply<'_>,
        entry: &mut PeerEntry,
    ) -> std::result::Result<Reply, String> {
        let meter = Arc::new(Meter::new(self.timeout));
        let mut session = Whole(endpoint.metered(&meter));
        let pipeline = asking.guards.pipeline();
        let said = pipeline.answer(&mut session, tools, asking.ask, on_event);
        let (requests, bytes) = meter.close();
        if requests > 0 {
            let messages = asking.ask.messages.len();
            entry.sent = Sent {
                requests,
                messages,
                bytes,
            };
        }
        let mut reply = said.map_err(|error| {
            let why = match error {
                Error::Remote { why, .. } => why,
                error => error.to_string(),
            };
            self.note_failure(&why);
            why
        })?;
        let model = Model::remote(endpoint.clone());
        reply.receipt = model.sign(reply.receipt, asking.ask);
        Ok(reply)
    }
}

/// What a hand-over is called where guards are named.
const HANDOVER: &str = "hand-over";

/// Why a peer's answer does not take the place of a doubtful one.
fn no_better(reply: &Reply) -> Option<String> {
    if reply.stopped {
        return Some("it was stopped".into());
    }
    let Some(mark) = &reply.receipt.mark else {
        return Some("its answer has nothing to verify".into());
    };
    match mark.state {
        MarkState::Verified | MarkState::Corrected => None,
        MarkState::Doubtful | MarkState::Unchecked => Some(format!("its answer is {mark}")),
    }
}

/// What became of the peer that was asked last.
fn settle(handover: &mut Handover, outcome: PeerOutcome, why: Option<String>) {
    if let Some(last) = handover.peers.last_mut() {
        last.outcome = outcome;
        last.reason = why;
    }
}

fn entry(peer: &Peer) -> PeerEntry {
    PeerEntry {
        peer: peer.name.clone(),
        role: peer.role.clone(),
        url: peer.url.clone(),
        model: peer.model().to_owned(),
        outcome: PeerOutcome::Skipped,
        reason: None,
        sent: Sent::default(),
        ms: 0.0,
        text: None,
        mark: None,
    }
}

/// A server whose empty answer is a failure, and that can be stopped while it is waited for.
struct Whole(Endpoint);

impl TextModel for Whole {
    fn count(&self, messages: &[Message]) -> reckon_assistant::Result<usize> {
        self.0.count(messages)
    }

    fn generate(
        &mut self,
        ask: &Ask,
        on_event: &mut OnEvent<'_>,
    ) -> reckon_assistant::Result<Generation> {
        let mut said = Err(Error::Ended);
        self.batch(slice::from_ref(ask), &mut |_, event| match event {
            BatchEvent::Begin => ControlFlow::Continue(()),
            BatchEvent::Writing(event) => on_event(event),
            BatchEvent::Ended(ended) => {
                said = ended;
                ControlFlow::Break(())
            }
        });
        said
    }

    fn batch(&mut self, asks: &[Ask], on_event: &mut OnBatch<'_>) {
        use reckon_engine::Event;
        let empty = self.0.clone();
        self.0.batch(asks, &mut |at, event| match event {
            BatchEvent::Writing(Event::Text(text)) if text.trim().is_empty() => {
                ControlFlow::Continue(())
            }
            BatchEvent::Ended(Ok(said)) if is_empty(&said) => on_event(
                at,
                BatchEvent::Ended(Err(empty.failed("its answer is empty"))),
            ),
            event => on_event(at, event),
        });
    }
}

fn is_empty(said: &Generation) -> bool {
    said.text.trim().is_empty() && said.finish != Finish::Cancelled
}
