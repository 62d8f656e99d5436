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
};
use crate::text_model::{Facts, TextModel};
use crate::{cli::SamplingArgs, load, size::size};
use anyhow::Context as _;
use reckon_engine::{Error, Finish, Generation, Message, Request, Token};
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
type Load<'a> = Box<dyn Fn(&Path, &str) -> anyhow::Result<Box<dyn TextModel>> + 'a>;

/// How to get another model: find its file, then load it.
pub(crate) struct Shelf<'a> {
    pub(crate) find: Find<'a>,
    pub(crate) load: Load<'a>,
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
    pub(crate) model: Option<Box<dyn TextModel>>,
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
        Ok(self.loaded()?.facts())
    }

    fn loaded(&self) -> anyhow::Result<&dyn TextModel> {
        self.model.as_deref().context("no model is loaded")
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
        let prompt = match fitted {
            Ok(prompt) => prompt,
            Err(error) if interactive => return Ok(self.say(&refusal(&error), out)?),
            Err(error) => return Err(error),
        };
        let facts = self.facts()?;
        let room = facts.n_ctx.saturating_sub(prompt.len());
        let request = Request {
            sampling: load::sampling(facts.sampling, &self.wishes.sampling),
            max_tokens: self.wishes.max_tokens.map(|n| n.min(room)),
            grammar: None,
            prompt,
        };
        match self.generate(&request, out) {
            Ok(generation) => self.keep(text, &generation, facts.n_ctx, out, interactive),
            Err(error) if interactive && error.is::<Error>() => {
                Ok(self.say(&refusal(&error), out)?)
            }
            Err(error) => Err(error),
        }
    }

    /// The prompt for the next message. What has to go for it is named first, then dropped.
    fn fit(&mut self, text: &str, notes: &mut dyn Write) -> anyhow::Result<Vec<Token>> {
        let model = self.loaded()?;
        let n_ctx = model.facts().n_ctx;
        let allowed = n_ctx - self.wishes.max_tokens.unwrap_or(ANSWER).min(n_ctx / 4);
        let count = |messages: &[Message]| model.prompt(messages).map(|tokens| tokens.len());
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
        Ok(self
            .loaded()?
            .prompt(&self.repl.conversation.messages(text))?)
    }

    fn generate(&mut self, request: &Request, out: &mut dyn Write) -> anyhow::Result<Generation> {
        let mut screen = Screen::new(out, self.output, self.repl.thinking);
        let mut broken = None;
        let model = self.model.as_mut().context("no model is loaded")?;
        self.stop.begin();
        let generation = model.generate(request, &mut |event| {
            if let Err(error) = screen.show(event) {
                broken = Some(error);
            }
            if broken.is_some() || self.stop.is_asked() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        self.stop.end();
        screen.end()?;
        match broken {
            Some(error) => Err(error.into()),
            None => Ok(generation?),
        }
    }

    fn keep(
        &mut self,
        text: String,
        generation: &Generation,
        n_ctx: usize,
        out: &mut dyn Write,
        interactive: bool,
    ) -> anyhow::Result<()> {
        self.stats.add(generation);
        let stopped = generation.finish == Finish::Cancelled;
        self.repl.answered(text, &generation.text, stopped);
        let empty = generation.text.trim().is_empty();
        let note = match generation.finish {
            Finish::Cancelled if empty => Some("stopped; the message is not kept".to_owned()),
            Finish::Cancelled => Some("stopped; the part above is kept".to_owned()),
            Finish::Context => Some(format!(
                "cut: the context of {n_ctx} tokens is full; {WAYS_OUT}"
            )),
            Finish::Length => Some("cut: --max-tokens reached".to_owned()),
            Finish::Stop if empty => {
                Some("the model said nothing; the message is not kept".to_owned())
            }
            Finish::Stop => None,
        };
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
        self.model = None;
        match (self.shelf.load)(&path, name) {
            Ok(model) => {
                self.model = Some(model);
                self.say(&banner(&self.facts()?), out)?;
            }
            Err(error) => {
                self.say(&refusal(&error), out)?;
                self.model = Some((self.shelf.load)(&old.path, &old.name)?);
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
