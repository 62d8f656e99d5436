//! A query on its way to an answer: waits in the queue, loads the model, asks it on a thread of its own, and reports.
//!
//! Whoever drops a [`Running`] stops it: a client that has gone needs no answer. The page keeps its answers elsewhere
//! (`page::Answers`), so that they go on without it.
use crate::{
    aside::aside,
    attachment::{self, Conversation, Turn},
    error::Problem,
    pool::{Held, Named},
    query::{Answered, End, Guarding, Happening, Likely, Prompt, Query},
    queue::Ticket,
    schema,
    state::App,
    telling::Telling,
    transcript,
};
use reckon::{
    Ask, Asking, Completion, Event, Generation, Guards, Message, Overrides, Role, Session, Stop,
    Token,
    engine::{self, TemplateOptions, TokenLogprobs, ToolCall, ToolChoice, ToolParser},
};
use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// How often somebody who waits for answers looks whether they are still wanted.
const LOOK: Duration = Duration::from_millis(200);

/// More tokens than a chat template puts around a short conversation.
const AROUND: usize = 2048;

/// A query under way.
#[derive(Debug)]
pub(crate) struct Running {
    /// What happens, with the number of the answer.
    pub(crate) events: UnboundedReceiver<(usize, Happening)>,
    pub(crate) stop: Stop,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.set();
    }
}

/// Puts a query into the queue. What is wrong with it is said at once where that can be known: the model is not there,
/// the queue is full, and, for a model that is loaded, the prompt is too long or the form cannot be followed.
pub(crate) async fn start(app: &App, query: Query) -> Result<Running, Problem> {
    start_all(app, vec![query]).await
}

/// The same for several queries; their answers are numbered through.
pub(crate) async fn start_all(app: &App, queries: Vec<Query>) -> Result<Running, Problem> {
    start_telling(app, queries, Told::All).await
}

async fn start_telling(app: &App, queries: Vec<Query>, told: Told) -> Result<Running, Problem> {
    for query in &queries {
        let Named { model, role, .. } = app.pool.resolve(query.model.as_deref())?;
        if let Some(role) = role.as_ref().filter(|_| !query.is_conversation()) {
            let what = format!("{role} is a role of other machines: they answer conversations");
            return Err(Problem::invalid(what).at("model"));
        }
        let loaded = app.pool.running();
        if let Some((held, _)) = loaded.into_iter().find(|(held, _)| held.name == model) {
            let is_elsewhere = role.is_some();
            if is_checked_at_once(&held, query) {
                check(&held, query, is_elsewhere)?;
                continue;
            }
            let query = query.clone();
            let checked = aside(move || check(&held, &query, is_elsewhere));
            checked.await.map_err(|_| broken())??;
        }
    }
    let (to, events) = mpsc::unbounded_channel();
    let stop = Stop::default();
    let mut number = 0;
    for query in queries {
        let read = Arc::new(OnceLock::new());
        for at in 0..query.n.max(1) {
            let ticket = app
                .queue
                .enter(query.background)
                .map_err(|full| Problem::busy("too many are waiting already", full.after));
            let ticket = ticket.inspect_err(|_| {
                app.metrics.refused.inc();
                stop.set();
            })?;
            let job = Job {
                app: app.clone(),
                query: query.clone(),
                at,
                number,
                to: to.clone(),
                told,
                stop: stop.clone(),
                read: Arc::clone(&read),
            };
            job.wait(ticket);
            number += 1;
        }
    }
    Ok(Running { events, stop })
}

/// All answers of a query, when they are done.
pub(crate) async fn collect(app: &App, query: Query) -> Result<Vec<Answered>, Problem> {
    collect_while(app, query, || true).await
}

/// The same, unless `go_on` says that nobody wants them any more.
pub(crate) async fn collect_while(
    app: &App,
    query: Query,
    go_on: impl Fn() -> bool,
) -> Result<Vec<Answered>, Problem> {
    let n = query.n.max(1);
    let mut running = start_telling(app, vec![query], Told::End).await?;
    let mut answers: Vec<Option<Answered>> = vec![None; n];
    loop {
        match tokio::time::timeout(LOOK, running.events.recv()).await {
            Ok(Some((at, Happening::Ended(ended)))) => answers[at] = Some((*ended)?),
            Ok(Some(_)) | Err(_) => {}
            Ok(None) => break,
        }
        if !go_on() {
            return Err(Problem::invalid("stopped"));
        }
    }
    let all: Option<Vec<Answered>> = answers.into_iter().collect();
    all.ok_or_else(broken)
}

fn broken() -> Problem {
    Problem::internal("the answer broke off; this is a defect of ours")
}

/// What of an answer's making is told. Each thing that is told wakes a thread, on cores that the model needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    All,
    End,
}

/// One answer to be made.
pub(crate) struct Job {
    app: App,
    pub(crate) query: Query,
    /// Which answer of its query it is.
    at: usize,
    /// Which one of all that are told to the same listener.
    number: usize,
    to: UnboundedSender<(usize, Happening)>,
    told: Told,
    pub(crate) stop: Stop,
    /// The conversation with its files, which all answers of a query share: whoever comes first reads them.
    read: Arc<OnceLock<Result<Conversation, Problem>>>,
}

impl Job {
    /// Waits for its turn, and runs on a thread of its own then.
    fn wait(self, ticket: Ticket) {
        let to = self.to.clone();
        tokio::spawn(async move {
            tokio::select! {
                slot = ticket.turn(|place| { self.say(Happening::Queued(place)); }) => {
                    // The slot is free again when the answer is there, not when somebody has read it.
                    drop(aside(move || { self.run(); drop(slot) }).await);
                }
                () = to.closed() => {}
            }
        });
    }

    fn run(self) {
        let begin = Instant::now();
        let answered = self.answer();
        self.app.metrics.answered(&answered, begin.elapsed());
        self.say(Happening::Ended(Box::new(answered)));
    }

    /// Whether anybody listens.
    pub(crate) fn is_heard(&self) -> bool {
        !self.to.is_closed()
    }

    /// Says it; whether anybody listens.
    pub(crate) fn say(&self, happening: Happening) -> bool {
        if self.told == Told::End && !matches!(happening, Happening::Ended(_)) {
            return self.is_heard();
        }
        self.to.send((self.number, happening)).is_ok()
    }

    fn answer(&self) -> Result<Answered, Problem> {
        let begin = Instant::now();
        let model = self.query.model.as_deref();
        let held = self.app.pool.get(model, self.query.keep_alive)?;
        let load_ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut answered = match &self.query.prompt {
            Prompt::Chat(turns) => {
                let go_on = || !self.stop.is_set() && !self.to.is_closed();
                let read = || attachment::read(&held, turns, go_on);
                self.converse(&held, self.read.get_or_init(read).clone()?)?
            }
            Prompt::Text(text) => self.complete(&held, held.model.prompt_of_text(text)?)?,
            Prompt::Fill { before, after } => {
                let prompt = held.model.prompt_of_gap(before, after)?;
                let prompt = prompt
                    .ok_or_else(|| Problem::absent("this model was not taught to fill a gap"))?;
                self.complete(&held, prompt)?
            }
            Prompt::Speech(speech) => transcript::write(self, &held, speech)?,
        };
        answered.load_ms = load_ms;
        if !self.query.ignored.is_empty() {
            let names = self.query.ignored.join(", ");
            answered
                .notes
                .push(format!("options without a meaning here: {names}"));
        }
        Ok(answered)
    }

    /// Answers a conversation, guarded.
    fn converse(&self, held: &Held, conversation: Conversation) -> Result<Answered, Problem> {
        let query = &self.query;
        let Conversation {
            mut messages,
            mut notes,
        } = conversation;
        if query.trim {
            notes.extend(trim(held, query, &mut messages)?);
        }
        let Guarding { on, check } = query.guards;
        let guards = match on {
            true => self.app.guards.clone(),
            false => Guards::default(),
        };
        let mut ask = Ask {
            messages,
            prefix: query.prefix.clone(),
            shape: query.shape.clone(),
            sampling: self.overrides().apply(held.model.info().sampling.clone()),
            max_tokens: query.max_tokens,
            check,
            template: template(query),
            choice: query.choice.clone(),
            parallel: parallel(query),
            stop: query.stop.clone(),
            logprobs: query.logprobs,
            keep: self.app.options.keep_prompts,
            ..Ask::default()
        };
        let held_back = !query.can_revise && self.may_replace(held, &guards, &ask);
        let mut telling = Telling::new(self, held, held_back);
        telling.parser = parser(held, &ask)?;
        let mut session = self.session(held);
        let role = self.app.pool.resolve(query.model.as_deref())?.role;
        let reply = self.app.toolboxes.with(|tools| {
            loop {
                let on_event = &mut |event: Event<'_>| telling.hear(event);
                let asking = asking(held, &guards, &ask);
                let (peers, session) = (&self.app.peers, session.as_mut());
                match peers.answer(role.as_deref(), &asking, session, tools, on_event) {
                    Err(reckon::Error::Input(engine::Error::Tool { name, .. })) => {
                        notes.push(any_arguments(&mut ask, &name)?);
                    }
                    said => break Ok::<_, Problem>(said?),
                }
            }
        })?;
        let (repeats, again) = (telling.repeats, telling.again);
        let is_replaced = reply.text != reply.generation.text;
        let (text, calls) = telling.close(&reply);
        if repeats {
            notes.push(REPEATS.to_owned());
        }
        let mut answered = Answered {
            text,
            receipt: Some(reply.receipt),
            notes,
            ..whole(held, reply.generation, calls, repeats)
        };
        if let Some(role) = role {
            answered.model = role;
        }
        // What a guard wrote in the place of an answer that was cut has its end; one that begins to make the same calls
        // again has made them all.
        answered.end = match answered.end {
            End::Length if is_replaced => End::Done,
            _ if again => End::Calls,
            end => end,
        };
        Ok(answered)
    }

    /// Whether an answer may be replaced after it was shown: by a guard, or by a peer.
    fn may_replace(&self, held: &Held, guards: &Guards, ask: &Ask) -> bool {
        ask.shape.is_none()
            && (self.app.peers.may_replace(&asking(held, guards, ask))
                || guards.pipeline().may_revise(&ask.messages))
    }

    /// Whom to ask; background work lets others go first.
    pub(crate) fn session(&self, held: &Held) -> Session {
        match self.query.background {
            true => held.model.background().session(),
            false => held.model.session(),
        }
    }

    /// Goes on with a text; no guard looks at that.
    fn complete(&self, held: &Held, prompt: Vec<Token>) -> Result<Answered, Problem> {
        let query = &self.query;
        let mut telling = Telling::new(self, held, false);
        let completion = Completion {
            prompt,
            sampling: self.overrides(),
            max_tokens: query.max_tokens,
            stop: query.stop.clone(),
            shape: query.shape.clone(),
            logprobs: query.logprobs,
        };
        let generation = held
            .model
            .complete(completion, |event| telling.hear(event))?;
        let repeats = telling.repeats;
        let mut answered = whole(held, generation, Vec::new(), repeats);
        if repeats {
            answered.notes.push(REPEATS.to_owned());
        }
        Ok(answered)
    }

    /// Several answers to one query are different ones, and each is the same again with the same seed.
    pub(crate) fn overrides(&self) -> Overrides {
        let mut sampling = self.query.sampling.clone();
        sampling.seed = sampling.seed.map(|seed| seed.wrapping_add(self.at as u64));
        sampling
    }
}

fn asking<'a>(held: &'a Held, guards: &'a Guards, ask: &'a Ask) -> Asking<'a> {
    Asking {
        model: &held.model,
        guards,
        ask,
    }
}

const REPEATS: &str = "the answer repeated itself and was cut; max_tokens allows more";

/// Whether several calls are allowed. Who names a tool wants that one call, and a small model that must call goes on and on,
/// unless the request says that it wants several.
fn parallel(query: &Query) -> bool {
    match query.choice {
        ToolChoice::Named(_) => false,
        ToolChoice::Required => query.parallel == Some(true),
        ToolChoice::Auto | ToolChoice::None => query.parallel != Some(false),
    }
}

/// A tool whose schema no grammar can be made of takes any arguments from now on; says so.
fn any_arguments(ask: &mut Ask, name: &str) -> Result<String, Problem> {
    let any = schema::any_arguments();
    let tool = ask.template.tools.iter_mut();
    let tool = tool
        .into_iter()
        .find(|tool| tool.name == name && tool.parameters != any);
    let tool = tool.ok_or_else(|| Problem::invalid(format!("tool {name} cannot be offered")))?;
    tool.parameters = any;
    Ok(format!(
        "the arguments of tool {name} are not held to its schema"
    ))
}

/// Finds the calls of an answer, where tools are offered.
fn parser(held: &Held, ask: &Ask) -> Result<Option<ToolParser>, Problem> {
    let Some(engine) = held
        .model
        .engine()
        .filter(|_| !ask.template.tools.is_empty())
    else {
        return Ok(None);
    };
    let prompt = engine
        .prompt(&ask.messages, &ask.template)
        .map_err(Problem::from)?;
    Ok(Some(
        engine.tool_parser(&ask.template.tools, &prompt).streaming(),
    ))
}

/// Log-probabilities of a token, with the bytes of all tokens in them.
pub(crate) fn likely(engine: &engine::Model, one: &TokenLogprobs) -> Likely {
    let bytes = |token| engine.tokenizer().piece(token).to_vec();
    let top = one
        .top
        .iter()
        .map(|(token, logprob)| (bytes(*token), *logprob));
    Likely {
        bytes: bytes(one.token),
        logprob: one.logprob,
        top: top.collect(),
    }
}

pub(crate) fn whole(
    held: &Held,
    generation: Generation,
    calls: Vec<ToolCall>,
    repeats: bool,
) -> Answered {
    let end = match End::of(generation.finish) {
        _ if repeats => End::Repeats,
        End::Done if !calls.is_empty() => End::Calls,
        end => end,
    };
    Answered {
        model: held.name.clone(),
        text: generation.text,
        thought: generation.thought,
        calls,
        end,
        stopped_by: generation.stopped_by,
        usage: generation.usage,
        timing: generation.timing,
        load_ms: 0,
        logprobs: held.model.engine().map_or_else(Vec::new, |engine| {
            let tokens = generation.logprobs.iter();
            tokens.map(|one| likely(engine, one)).collect()
        }),
        receipt: None,
        segments: Vec::new(),
        notes: Vec::new(),
    }
}

pub(crate) fn template(query: &Query) -> TemplateOptions {
    TemplateOptions {
        thinking: query.thinking.unwrap_or(false),
        tools: match query.choice {
            ToolChoice::None => Vec::new(),
            _ => query.tools.clone(),
        },
        kwargs: query.template.clone(),
        ..TemplateOptions::default()
    }
}

/// Whether [`check`] takes next to no time. Anything else is for a thread that may be kept busy.
fn is_checked_at_once(held: &Held, query: &Query) -> bool {
    let is_plain = query.shape.is_none() && query.tools.is_empty();
    let Prompt::Chat(turns) = &query.prompt else {
        return is_plain;
    };
    is_plain && is_short(held, turns) && turns.iter().all(|turn| turn.files.is_empty())
}

/// A token has at least one byte: short prompts need not be rendered to know that they fit.
fn is_short(held: &Held, turns: &[Turn]) -> bool {
    let bytes: usize = turns.iter().map(|turn| turn.message.content.len()).sum();
    let allowed = held.model.info().n_ctx.unwrap_or(usize::MAX);
    bytes.saturating_add(AROUND) < allowed
}

/// Whether a loaded model can take this query; how long one may be that goes elsewhere is not known here.
fn check(held: &Arc<Held>, query: &Query, is_elsewhere: bool) -> Result<(), Problem> {
    if let Some(shape) = &query.shape {
        shape.check()?;
    }
    let turns = match &query.prompt {
        Prompt::Chat(turns) => turns,
        Prompt::Speech(speech) => return speech.file.check(&held.model),
        Prompt::Text(_) | Prompt::Fill { .. } => return Ok(()),
    };
    attachment::check(&held.model, turns)?;
    if turns.iter().any(|turn| !turn.files.is_empty()) {
        // How long it is shows when the files are read.
        return Ok(());
    }
    let allowed = held.model.info().n_ctx.unwrap_or(usize::MAX);
    let is_short = query.tools.is_empty() && is_short(held, turns);
    if query.trim || is_short || is_elsewhere {
        return Ok(());
    }
    let messages: Vec<Message> = turns.iter().map(|turn| turn.message.clone()).collect();
    let asked = held.model.count_with(&messages, &template(query))?;
    if asked >= allowed {
        return Err(engine::Error::ContextFull { asked, allowed }.into());
    }
    Ok(())
}

/// Drops the oldest messages until a quarter of the context is free for the answer; says how many.
fn trim(
    held: &Held,
    query: &Query,
    messages: &mut Vec<Message>,
) -> Result<Option<String>, Problem> {
    let Some(n_ctx) = held.model.info().n_ctx else {
        return Ok(None);
    };
    let room = query.max_tokens.unwrap_or(256).min(n_ctx / 4);
    let mut dropped = 0;
    while held.model.count_with(messages, &template(query))? + room > n_ctx {
        let first = messages
            .iter()
            .position(|message| message.role != Role::System);
        // The last message is what is asked; without it there is nothing to answer.
        match first.filter(|first| first + 1 < messages.len()) {
            Some(first) => drop(messages.remove(first)),
            None => break,
        }
        dropped += 1;
    }
    let line = format!("{dropped} of the oldest messages did not fit and were left out");
    Ok((dropped > 0).then_some(line))
}
