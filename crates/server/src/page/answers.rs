//! Answers that the page asked for: they are written whether or not anybody listens, and kept.
//!
//! Each has a journal of numbered events in memory while it is written, so that whoever comes back gets what they
//! missed and nothing twice, and its text in the store every second. After a restart what was not finished is begun
//! again: the same seed gives the same text.
use super::{attachments, off};
use crate::{
    aside::aside,
    attachment::Turn,
    error::Problem,
    job,
    openai::timings,
    query::{Answered, End, Guarding, Happening, Prompt, Query},
    state::App,
};
use reckon::{CheckLevel, Overrides, Stop};
use reckon_store::{Finished, Message, MessageId, Owner, Role, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::Notify;
#[cfg(test)]
use utoipa::ToSchema;

/// How often text under way is written to the store.
const SAVE_EVERY: Duration = Duration::from_secs(1);
/// How long the journal of a finished answer is kept for those who were away.
const KEEP: Duration = Duration::from_secs(120);

/// More events than one answer has.
const FAR: usize = 1 << 24;

/// All answers under way.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    journals: Mutex<HashMap<MessageId, Arc<Journal>>>,
    speed: Mutex<(Option<f64>, Option<f64>)>,
}

/// What has happened to one answer so far.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    /// Events that earlier journals of the same answer had: numbers go on when it is continued.
    base: usize,
    events: Mutex<Vec<(&'static str, Value)>>,
    added: Notify,
    stop: Stop,
    over: std::sync::atomic::AtomicBool,
}

/// What an answer is made with; kept with it, so that it can be made again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = PageSettings))]
pub(crate) struct Settings {
    /// How far to check the answer; `quick` where nothing is said.
    #[cfg_attr(test, schema(schema_with = crate::body::levels))]
    check: Option<CheckLevel>,
    /// Without guards.
    raw: Option<bool>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 100))]
    temperature: Option<f32>,
    pub(crate) seed: Option<u64>,
    max_tokens: Option<usize>,
}

impl Settings {
    pub(crate) fn query(&self, model: Option<String>) -> Result<Query, Problem> {
        Ok(Query {
            model,
            sampling: crate::openai::chat::checked(Overrides {
                temperature: self.temperature,
                seed: self.seed,
                ..Overrides::default()
            })?,
            max_tokens: self.max_tokens.filter(|most| *most > 0),
            guards: Guarding {
                on: !self.raw.unwrap_or(false),
                check: self.check.unwrap_or_default(),
            },
            n: 1,
            can_revise: true,
            ..Query::default()
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Answers {
    pub(crate) fn journal(&self, message: &MessageId) -> Option<Arc<Journal>> {
        lock(&self.journals).get(message).cloned()
    }

    /// Stops an answer; whether it was under way.
    pub(crate) fn stop(&self, message: &MessageId) -> bool {
        let journal = self.journal(message);
        journal.inspect(|journal| journal.stop.set()).is_some()
    }

    /// Tokens a second of the last answer: reading and writing.
    pub(crate) fn speed(&self) -> (Option<f64>, Option<f64>) {
        *lock(&self.speed)
    }

    fn note_speed(&self, answered: &Answered) {
        let timings = timings(answered);
        let rate = |name: &str| timings[name].as_f64().filter(|rate| *rate > 0.0);
        *lock(&self.speed) = (rate("prompt_per_second"), rate("predicted_per_second"));
    }
}

impl Journal {
    fn add(&self, kind: &'static str, value: Value) {
        lock(&self.events).push((kind, value));
        self.added.notify_waiters();
    }

    /// The events after the first `seen`, as frames; waits for one. None when there will be no more.
    pub(crate) async fn after(&self, seen: usize) -> Option<(usize, String)> {
        loop {
            let added = self.added.notified();
            if let Some(frames) = self.frames(seen) {
                return Some(frames);
            }
            if self.over.load(std::sync::atomic::Ordering::SeqCst) {
                return self.frames(seen);
            }
            added.await;
        }
    }

    fn frames(&self, seen: usize) -> Option<(usize, String)> {
        let events = lock(&self.events);
        let begin = seen.saturating_sub(self.base);
        let new = events.get(begin..).filter(|new| !new.is_empty())?;
        let first = self.base + begin + 1;
        let frames = new.iter().enumerate().map(|(at, (kind, value))| {
            format!("id: {}\nevent: {kind}\ndata: {value}\n\n", first + at)
        });
        Some((self.base + events.len(), frames.collect()))
    }

    /// The journal that follows this one.
    fn next(&self) -> Self {
        Self {
            base: self.base + lock(&self.events).len(),
            ..Self::default()
        }
    }

    fn end(&self) {
        self.over.store(true, std::sync::atomic::Ordering::SeqCst);
        self.added.notify_waiters();
    }
}

/// Begins to write an answer that waits in the store.
pub(crate) fn begin(app: &App, owner: Owner, message: Message) -> Result<(), Problem> {
    let settings = settings(&message);
    let query = settings.query(message.model.clone())?;
    let earlier = app.answers.journal(&message.id);
    let journal = Arc::new(match earlier {
        Some(earlier) => earlier.next(),
        // Whoever listened before a restart has seen fewer than that.
        None if !message.content.is_empty() => Journal {
            base: FAR,
            ..Journal::default()
        },
        None => Journal::default(),
    });
    lock(&app.answers.journals).insert(message.id.clone(), Arc::clone(&journal));
    let app = app.clone();
    tokio::spawn(async move {
        let id = message.id.clone();
        let writing = Writing {
            app: app.clone(),
            owner,
            before: message.content.clone(),
            text: message.content.clone(),
            thought: message.thought.clone(),
            message,
            journal: Arc::clone(&journal),
            saved: Instant::now(),
        };
        writing.run(query).await;
        journal.end();
        tokio::time::sleep(KEEP).await;
        let mut journals = lock(&app.answers.journals);
        // It may have been continued meanwhile, with another journal.
        if journals
            .get(&id)
            .is_some_and(|now| Arc::ptr_eq(now, &journal))
        {
            journals.remove(&id);
        }
    });
    Ok(())
}

/// What an answer was asked for with.
pub(crate) fn settings(message: &Message) -> Settings {
    let request = message.request.clone().unwrap_or_default();
    serde_json::from_value(request).unwrap_or_default()
}

/// Goes on with what was not finished when the server stopped. What was half written is written anew.
pub(crate) fn resume(app: &App) {
    let Ok(unfinished) = app.store.unfinished() else {
        return;
    };
    for (owner, mut message) in unfinished {
        if settings(&message).seed.is_some() && message.state == State::Writing {
            message.content.clear();
            message.thought.clear();
        }
        // One that cannot be begun stays where it is, and the page can try it again.
        drop(begin(app, owner, message));
    }
}

/// The conversation that an answer belongs to, as the model is given it.
pub(crate) fn conversation(
    app: &App,
    owner: &Owner,
    message: &Message,
) -> Result<Vec<Turn>, Problem> {
    let thread = app.store.conversation(owner, &message.conversation)?;
    let mut path = app.store.path(owner, &message.id)?;
    path.pop();
    let system = thread.conversation.system.filter(|text| !text.is_empty());
    let said = path.into_iter().map(|one| match one.role {
        Role::User => attachments::turn(app, owner, &one.content),
        Role::Assistant => reckon::Message::assistant(one.content).into(),
    });
    let system = system.map(|text| reckon::Message::system(text).into());
    Ok(system.into_iter().chain(said).collect())
}

/// An answer being written.
struct Writing {
    app: App,
    owner: Owner,
    message: Message,
    journal: Arc<Journal>,
    /// What was there before it was continued.
    before: String,
    text: String,
    thought: String,
    saved: Instant,
}

impl Writing {
    async fn run(mut self, query: Query) {
        let finished = match self.write(query).await {
            Ok(answered) => self.finished(&answered),
            Err(problem) => Finished {
                state: State::Failed,
                content: self.text.clone(),
                thought: self.thought.clone(),
                error: Some(problem.message),
                ..Finished::default()
            },
        };
        let (app, owner, id) = (
            self.app.clone(),
            self.owner.clone(),
            self.message.id.clone(),
        );
        let failed = finished.error.clone();
        let kept = aside(move || {
            app.store.finish(&owner, &id, &finished)?;
            app.store.message(&owner, &id)
        });
        let kept = kept.await;
        match (failed, kept) {
            (Some(error), _) => self.journal.add("failed", json!({ "error": error })),
            (None, Ok(Ok(message))) => self.journal.add("done", json!({ "message": message })),
            _ => self.journal.add(
                "failed",
                json!({ "error": "the answer could not be stored" }),
            ),
        }
    }

    async fn write(&mut self, mut query: Query) -> Result<Answered, Problem> {
        let (owner, message) = (self.owner.clone(), self.message.clone());
        let turns = off(&self.app, move |app| conversation(app, &owner, &message)).await?;
        query.prompt = Prompt::Chat(turns);
        query.prefix.clone_from(&self.before);
        if !self.before.is_empty() {
            // Half of an answer is nothing that a guard could judge or replace.
            query.guards.on = false;
            let before = json!({ "text": self.before, "was": null, "guard": null });
            self.journal.add("revise", before);
        }
        let mut running = self.queued(query).await?;
        // The page's stop is heard even while the answer waits in the queue.
        let stop = self.journal.stop.clone();
        loop {
            let heard =
                tokio::time::timeout(Duration::from_millis(200), running.events.recv()).await;
            if stop.is_set() {
                running.stop.set();
            }
            match heard {
                Err(_) => {}
                Ok(None) => return Err(Problem::internal("the answer broke off")),
                Ok(Some((_, Happening::Ended(ended)))) => return *ended,
                Ok(Some((_, happening))) => self.hear(happening).await,
            }
        }
    }

    /// A place in the queue; a stored answer waits until there is one.
    async fn queued(&self, query: Query) -> Result<job::Running, Problem> {
        loop {
            match job::start(&self.app, query.clone()).await {
                Err(problem) if problem.kind == crate::error::ProblemKind::Busy => {
                    if self.journal.stop.is_set() {
                        return Err(Problem::invalid("stopped before its turn"));
                    }
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
                started => return started,
            }
        }
    }

    async fn hear(&mut self, happening: Happening) {
        match happening {
            Happening::Queued(place) => {
                let eta = place.eta.as_secs();
                self.journal
                    .add("queued", json!({ "place": place.place, "eta": eta }));
            }
            Happening::Prefill { done, total } => {
                self.journal
                    .add("prefill", json!({ "done": done, "total": total }));
            }
            Happening::Thought(text) => {
                self.thought.push_str(&text);
                self.journal.add("thought", json!({ "text": text }));
            }
            Happening::Text(text) => {
                self.text.push_str(&text);
                self.journal.add("text", json!({ "text": text }));
            }
            Happening::Checking(guard) => self.journal.add("checking", json!({ "guard": guard })),
            Happening::Revise { guard, text } => {
                self.text = format!("{}{text}", self.before);
                let value = json!({ "guard": guard, "text": self.text, "was": null });
                self.journal.add("revise", value);
            }
            Happening::Likely(_) | Happening::Call(_) | Happening::Ended(_) => {}
        }
        if self.saved.elapsed() >= SAVE_EVERY {
            self.save().await;
        }
    }

    /// Writes the text so far into the store. One who deleted the conversation stops its answer.
    async fn save(&mut self) {
        self.saved = Instant::now();
        let (app, owner, id) = (
            self.app.clone(),
            self.owner.clone(),
            self.message.id.clone(),
        );
        let (text, thought) = (self.text.clone(), self.thought.clone());
        let saved = aside(move || app.store.progress(&owner, &id, &text, &thought));
        if let Ok(Ok(false)) = saved.await {
            self.journal.stop.set();
        }
    }

    fn finished(&self, answered: &Answered) -> Finished {
        self.app.answers.note_speed(answered);
        let timings = timings(answered);
        let seconds = answered.timing.prefill + answered.timing.decode;
        let mut extra = answered.extra();
        let mark = extra["mark"].take();
        let mark = answered
            .receipt
            .as_ref()
            .and_then(|receipt| receipt.mark.as_ref())
            .map(|said| {
                let mut mark = mark;
                mark["text"] = said.to_string().into();
                mark
            });
        let mut receipt = extra["receipt"].take();
        if let Some(notes) = extra.get("notes") {
            receipt["notes"] = notes.clone();
        }
        Finished {
            state: match answered.end {
                End::Done | End::Calls => State::Done,
                End::Length | End::Repeats => State::Cut,
                End::Stopped => State::Stopped,
            },
            content: format!("{}{}", self.before, answered.text),
            thought: self.thought.clone(),
            error: None,
            mark,
            receipt: Some(receipt),
            stats: Some(json!({
                "prompt": answered.usage.prompt,
                "completion": answered.usage.completion,
                "prefill_tps": timings["prompt_per_second"],
                "decode_tps": timings["predicted_per_second"],
                "seconds": seconds.as_secs_f64(),
            })),
        }
    }
}
