//! A conversation between a person and a model: carries out what `repl` decides.
//!
//! Driven by `chat::run` with one input after the other; the model, the way to load another one and the output are
//! given, so that tests talk to a scripted model. Our own notes go to `out` at a terminal and to `notes` otherwise,
//! where stdout holds answers only.
//!
//! Invariants: a message enters the conversation only with an answer; nothing is dropped from it before the person
//! was told what; a failed switch leaves the old model in place.
use super::{
    conversation::Plan,
    repl::{Action, Repl},
    screen::{Output, Screen},
    stats::Stats,
    stop::Stop,
    why,
};
use crate::{
    assistant::Assistant,
    cli::SamplingArgs,
    facts::Facts,
    load::{self, Loaded},
};
use anyhow::Context as _;
use reckon_assistant::{Ask, Receipt, Reply, TextModel};
use reckon_engine::{Error, Finish, Message};
use reckon_models::size;
use std::{
    fs,
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

/// Room that is kept free for an answer when no length is asked for, in tokens.
const ANSWER: usize = 256;

/// A name or path becomes a file.
type Find<'a> = Box<dyn Fn(&str) -> anyhow::Result<PathBuf> + 'a>;
/// A file, and what it was called, becomes a model.
type Load<'a> = Box<dyn Fn(&Path, &str) -> anyhow::Result<Speaker> + 'a>;

/// How to get another model: find its file, then load it.
pub(crate) struct Shelf<'a> {
    pub(crate) find: Find<'a>,
    pub(crate) load: Load<'a>,
}

/// A model and what there is to know about it.
pub(crate) struct Speaker {
    pub(crate) facts: Facts,
    pub(crate) model: Box<dyn TextModel>,
}

impl Speaker {
    pub(crate) fn new(loaded: Loaded) -> Self {
        Self {
            facts: loaded.facts(),
            model: Box::new(loaded),
        }
    }
}

/// What the command line asks of every answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) sampling: SamplingArgs,
    pub(crate) max_tokens: Option<usize>,
}

/// A running chat.
pub(crate) struct Talk<'a> {
    pub(crate) repl: Repl,
    /// `None` only while one model has left and the next is being loaded.
    pub(crate) speaker: Option<Speaker>,
    pub(crate) assistant: Assistant,
    /// What was done for the last answer.
    pub(crate) last: Option<Receipt>,
    pub(crate) shelf: Shelf<'a>,
    pub(crate) wishes: Wishes,
    pub(crate) output: Output,
    pub(crate) stop: Stop,
    pub(crate) stats: Stats,
}

impl Talk<'_> {
    /// Takes one input; breaks when the person wants to leave.
    pub(crate) fn take(
        &mut self,
        input: &str,
        out: &mut dyn Write,
        notes: &mut dyn Write,
    ) -> anyhow::Result<ControlFlow<()>> {
        match self.repl.handle(input) {
            Action::Nothing => {}
            Action::Quit => return Ok(ControlFlow::Break(())),
            Action::Say(text) => self.say(&text, out)?,
            Action::ShowModel => self.say(&banner(&self.facts()?), out)?,
            Action::Why => self.say(&why::explain(self.last.as_ref()), out)?,
            Action::Stats => self.say(&self.stats.show(self.facts()?.n_ctx), out)?,
            Action::Save {
                file,
                code,
                replace,
            } => {
                let text = save(&file, &code, replace);
                self.say(&text, out)?;
            }
            Action::Switch(name) => self.switch(&name, out)?,
            Action::Answer(text) => self.answer(text, out, notes)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn facts(&self) -> anyhow::Result<Facts> {
        Ok(self.speaker()?.facts.clone())
    }

    fn speaker(&self) -> anyhow::Result<&Speaker> {
        self.speaker.as_ref().context("no model is loaded")
    }

    fn say(&self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.output.note(text))?;
        out.flush()
    }

    fn answer(
        &mut self,
        text: String,
        out: &mut dyn Write,
        notes: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let interactive = self.output != Output::Plain;
        let fitted = if interactive {
            self.fit(&text, out)
        } else {
            self.fit(&text, notes)
        };
        let (messages, prompt) = match fitted {
            Ok(fitted) => fitted,
            Err(error) if interactive => return Ok(self.say(&refusal(&error), out)?),
            Err(error) => return Err(error),
        };
        let facts = self.facts()?;
        let room = facts.n_ctx.saturating_sub(prompt);
        let ask = Ask {
            messages,
            prefix: String::new(),
            shape: None,
            sampling: load::sampling(facts.sampling, &self.wishes.sampling),
            max_tokens: self.wishes.max_tokens.map(|n| n.min(room)),
        };
        match self.reply(&ask, out) {
            Ok(reply) => self.keep(text, reply, facts.n_ctx, out, interactive),
            Err(error) if interactive && error.is::<Error>() => {
                Ok(self.say(&refusal(&error), out)?)
            }
            Err(error) => Err(error),
        }
    }

    /// The conversation with the next message, and the tokens of its prompt. What has to go for it is named first, then
    /// dropped.
    fn fit(&mut self, text: &str, notes: &mut dyn Write) -> anyhow::Result<(Vec<Message>, usize)> {
        let Speaker { facts, model } = self.speaker()?;
        let n_ctx = facts.n_ctx;
        let allowed = n_ctx - self.wishes.max_tokens.unwrap_or(ANSWER).min(n_ctx / 4);
        let count = |messages: &[Message]| model.count(messages);
        match self.repl.conversation.plan(text, allowed, count)? {
            Plan::Fits => {}
            Plan::TooLong { asked } => return Err(Error::ContextFull { asked, allowed }.into()),
            Plan::Drop {
                exchanges,
                messages,
                tokens,
            } => {
                let note = format!(
                    "the conversation no longer fits into {n_ctx} tokens: \
                     the oldest {messages} messages ({tokens} tokens) are dropped"
                );
                self.say(&note, notes)?;
                self.repl.conversation.drop_oldest(exchanges);
            }
        }
        let messages = self.repl.conversation.messages(text);
        let prompt = self.speaker()?.model.count(&messages)?;
        Ok((messages, prompt))
    }

    fn reply(&mut self, ask: &Ask, out: &mut dyn Write) -> anyhow::Result<Reply> {
        let screen = Screen::new(out, self.output, self.repl.thinking);
        let speaker = self.speaker.as_mut().context("no model is loaded")?;
        self.assistant
            .reply(speaker.model.as_mut(), ask, Some(screen), &self.stop)
    }

    fn keep(
        &mut self,
        text: String,
        reply: Reply,
        n_ctx: usize,
        out: &mut dyn Write,
        interactive: bool,
    ) -> anyhow::Result<()> {
        let generation = &reply.generation;
        self.stats.add(generation);
        let stopped = generation.finish == Finish::Cancelled;
        self.repl.answered(text, &reply.text, stopped);
        let empty = reply.text.trim().is_empty();
        let note = match generation.finish {
            Finish::Cancelled if empty => Some("stopped; the message is not kept".to_owned()),
            Finish::Cancelled => Some("stopped; the part above is kept".to_owned()),
            Finish::Context => Some(format!(
                "cut: the context of {n_ctx} tokens is full; {WAYS_OUT}"
            )),
            Finish::Grammar => Some("cut: the form it must have cannot be met".to_owned()),
            Finish::Length => Some("cut: --max-tokens reached".to_owned()),
            Finish::Stop if empty => {
                Some("the model said nothing; the message is not kept".to_owned())
            }
            Finish::Stop => why::mark(&reply.receipt),
        };
        self.last = Some(reply.receipt);
        match note {
            Some(note) if interactive => Ok(self.say(&format!("[{note}]"), out)?),
            _ => Ok(()),
        }
    }

    /// Goes on with another model. The old one leaves memory first, since both may not fit; it comes back if the
    /// new one cannot be loaded.
    fn switch(&mut self, name: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        let path = match (self.shelf.find)(name) {
            Ok(path) => path,
            Err(error) => return Ok(self.say(&refusal(&error), out)?),
        };
        let old = self.facts()?;
        self.speaker = None;
        match (self.shelf.load)(&path, name) {
            Ok(speaker) => {
                self.speaker = Some(speaker);
                self.say(&banner(&self.facts()?), out)?;
            }
            Err(error) => {
                self.say(&refusal(&error), out)?;
                self.speaker = Some((self.shelf.load)(&old.path, &old.name)?);
                self.say(&format!("still with {}", old.name), out)?;
            }
        }
        Ok(())
    }
}

const WAYS_OUT: &str = "/undo or /clear make room, --ctx N allows more";

/// An error as a note: one line, with the way out that it has.
fn refusal(error: &anyhow::Error) -> String {
    let hint = error.chain().find_map(|cause| {
        if let Some(Error::ContextFull { .. }) = cause.downcast_ref() {
            return Some(WAYS_OUT);
        }
        cause.downcast_ref::<crate::Failure>()?.hint.as_deref()
    });
    let line = format!("{error:#}").replace('\n', " ");
    match hint {
        Some(hint) => format!("{line}; {hint}"),
        None => line,
    }
}

/// One line about a model.
pub(crate) fn banner(facts: &Facts) -> String {
    let Facts {
        name,
        n_ctx,
        threads,
        ..
    } = facts;
    let size = size(facts.bytes);
    let plural = if *threads == 1 { "" } else { "s" };
    format!("{name} · {size} · context {n_ctx} · {threads} thread{plural}")
}

/// Writes a code block; says what happened.
fn save(file: &Path, code: &str, replace: bool) -> String {
    let file = at_home(file);
    let shown = file.display();
    let mut options = fs::OpenOptions::new();
    options.write(true);
    if replace {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    match options
        .open(&file)
        .and_then(|mut to| to.write_all(code.as_bytes()))
    {
        Ok(()) => format!("wrote {shown} ({} bytes)", code.len()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            format!("{shown} exists; /save! {shown} replaces it")
        }
        Err(error) => format!("cannot write {shown}: {error}"),
    }
}

/// `~/x` as shells understand it.
fn at_home(file: &Path) -> PathBuf {
    match (file.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => file.to_owned(),
    }
}
