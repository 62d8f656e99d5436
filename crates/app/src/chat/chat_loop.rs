//! A conversation between a person and a model: carries out what `repl` decides.
//!
//! Driven by `chat::run` with one input after the other; the model, the way to load another one and the output are
//! given, so that tests talk to a scripted model. Our own notes go to `out` at a terminal and to `notes` otherwise,
//! where stdout holds answers only.
//!
//! Invariants: a message enters the conversation only with an answer; nothing is dropped from it before the person
//! was told what; a failed switch leaves the old model in place.
use super::{
    command::COMMANDS,
    repl::{Action, Repl},
    stats::Stats,
    why,
};
use crate::{
    assistant, attach, echo, fleet,
    history::History,
    interrupt::Interrupt,
    mark,
    memory::{self, Memory},
    printable,
    screen::{Output, Screen},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use reckon::models::size;
use reckon::{
    AttachedFile, Chat, Documents, Error, Finish, Given, Model, ModelInfo, Plan, Prepared, Receipt,
    Reply, Tools, engine,
};
use std::{
    fs,
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

/// A name or path becomes a file.
type Find<'a> = Box<dyn Fn(&str) -> anyhow::Result<PathBuf> + 'a>;
/// A file, and what it was called, becomes a model.
type Load<'a> = Box<dyn Fn(&Path, &str) -> anyhow::Result<Model> + 'a>;

/// How to get another model: find its file, then load it.
pub(crate) struct ModelLoader<'a> {
    pub(crate) find: Find<'a>,
    pub(crate) load: Load<'a>,
}

/// A running chat.
pub(crate) struct ChatLoop<'a> {
    pub(crate) chat: Chat,
    pub(crate) repl: Repl,
    /// Longest answer that the command line allows.
    pub(crate) max_tokens: Option<usize>,
    /// What was done for the last answer.
    pub(crate) last: Option<Receipt>,
    pub(crate) loader: ModelLoader<'a>,
    pub(crate) output: Output,
    pub(crate) interrupt: Interrupt,
    pub(crate) stats: Stats,
    /// Where the conversation is kept, if it is.
    pub(crate) history: Option<History>,
    /// Runs programs.
    pub(crate) tools: Box<dyn Tools>,
    /// Files for the next message.
    pub(crate) attached: Vec<AttachedFile>,
    /// Those of this conversation so far, for later questions about them.
    pub(crate) documents: Option<Documents>,
    /// The last message, if it was about them.
    pub(crate) asked: Option<Prepared>,
    /// What the person had remembered; none if they want none of it.
    pub(crate) memory: Option<Memory>,
    /// What the model is told about itself, made anew for another model.
    pub(crate) about_self: bool,
    /// Whether questions about documents are answered with quotations.
    pub(crate) quotes: bool,
    /// What the next prompt begins with.
    pub(crate) draft: Option<String>,
}

impl ChatLoop<'_> {
    /// Takes one input; breaks when the person wants to leave.
    pub(crate) fn take(
        &mut self,
        input: &str,
        out: &mut dyn Write,
        notes: &mut dyn Write,
    ) -> anyhow::Result<ControlFlow<()>> {
        if let Some((role, text)) = self.addressed(input) {
            // This once; alone it is the last message that goes there.
            let before = self.chat.set_role(Some(role));
            let done = self.take(text.as_deref().unwrap_or("/retry"), out, notes);
            self.chat.set_role(before);
            return done;
        }
        match self.repl.handle(input, self.chat.conversation_mut()) {
            Action::Nothing => {}
            Action::Quit => return Ok(ControlFlow::Break(())),
            Action::Say(text) => self.say(&text, out)?,
            Action::ShowModel => self.say(&banner(self.chat.info()), out)?,
            Action::Why => self.say(&why::explain(self.last.as_ref()), out)?,
            Action::Stats => self.say(&self.stats.show(self.n_ctx()), out)?,
            Action::Save {
                file,
                code,
                replace,
            } => {
                let text = save(&file, &code, replace);
                self.say(&text, out)?;
            }
            Action::Switch(name) => self.switch(&name, out)?,
            Action::Run(code) => {
                let text = run(self.tools.as_mut(), &code);
                self.say(&text, out)?;
            }
            Action::Attach(file) => self.attach(&file, out)?,
            Action::Copy(text) => self.copy(&text, out)?,
            Action::Edit(text) => {
                self.history.as_mut().map(History::undo);
                // The person wrote the question, not the passages before it.
                let asked = self.asked.take().filter(|asked| asked.prompt() == text);
                self.draft = Some(asked.map_or(text, |asked| asked.question().to_owned()));
            }
            Action::Undone(text) => {
                self.history.as_mut().map(History::undo);
                self.say(&text, out)?;
            }
            Action::Remember(text) => self.with_memory(|memory| memory.remember(&text), out)?,
            Action::Forget(what) => self.with_memory(|memory| memory.forget(&what), out)?,
            Action::Cleared(text) => {
                (self.documents, self.asked) = (None, None);
                self.history.as_mut().map(History::clear);
                self.say(&text, out)?;
            }
            Action::Retry(text) => {
                self.history.as_mut().map(History::undo);
                self.answer(text, out, notes)?;
            }
            Action::Load(words) => self.load(words.as_deref(), out)?,
            Action::Answer(text) => self.answer(text, out, notes)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The role and the message of `/premium MESSAGE`, if a peer has that role and no command that name.
    fn addressed(&self, input: &str) -> Option<(String, Option<String>)> {
        let line = input.trim().strip_prefix('/')?;
        let (role, text) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let text = text.trim();
        let is_command = COMMANDS.iter().any(|(name, ..)| *name == role);
        if is_command || text.starts_with('/') || !self.chat.peers().has_role(role) {
            return None;
        }
        Some((role.to_owned(), (!text.is_empty()).then(|| text.to_owned())))
    }

    /// Goes on with an earlier conversation.
    pub(crate) fn load(&mut self, words: Option<&str>, out: &mut dyn Write) -> anyhow::Result<()> {
        let Some(history) = &mut self.history else {
            return Ok(self.say("this conversation is not kept, and no other is loaded", out)?);
        };
        let Some((title, said)) = history.load(words)? else {
            return Ok(self.say("no conversation is kept that fits", out)?);
        };
        let n = said.len();
        *self.chat.conversation_mut() = said;
        let title = printable::one_line(&title);
        Ok(self.say(&format!("going on with \"{title}\" ({n} exchanges)"), out)?)
    }

    fn attach(&mut self, file: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
        let path = at_home(file);
        let read = attach::read(&path).and_then(|file| {
            file.check(self.chat.model())?;
            Ok(file)
        });
        let file = match read {
            Ok(file) => file,
            Err(error) => return Ok(self.say(&refusal(&error), out)?),
        };
        let (name, what) = (printable::one_line(file.name()), file.summary());
        self.attached.push(file);
        Ok(self.say(
            &format!("{name} goes before your next message ({what})"),
            out,
        )?)
    }

    /// Does something with the memory, and tells the model of what came of it.
    fn with_memory(
        &mut self,
        act: impl FnOnce(&Memory) -> anyhow::Result<String>,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let Some(memory) = &self.memory else {
            return Ok(self.say("this chat has no memory (--no-memory)", out)?);
        };
        let text = act(memory).unwrap_or_else(|error| refusal(&error));
        self.tell_given()?;
        Ok(self.say(&text, out)?)
    }

    /// Tells the model what is remembered, and what it is.
    pub(crate) fn tell_given(&mut self) -> anyhow::Result<()> {
        let memory = self.memory.as_ref().map(Memory::texts).transpose()?;
        let about_self = self
            .about_self
            .then(|| memory::about(self.chat.model(), None, self.chat.peers()));
        self.chat.set_given(Given {
            memory: memory.unwrap_or_default(),
            about_self,
        });
        Ok(())
    }

    /// Asks the terminal to put a text on the clipboard, wherever that is: it works over ssh, too.
    fn copy(&self, text: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        if self.output == Output::Plain {
            return Ok(self.say("only a terminal has a clipboard", out)?);
        }
        if text.len() > MOST_COPIED {
            return Ok(self.say("too long for the clipboard; /save writes a file", out)?);
        }
        let text = printable::clean(text);
        write!(out, "\x1b]52;c;{}\x07", BASE64_STANDARD.encode(&text))?;
        let n = text.chars().count();
        Ok(self.say(&format!("copied, {n} characters"), out)?)
    }

    /// Keeps an exchange; a store that fails costs a note, not the answer.
    fn record(
        &mut self,
        question: &str,
        reply: &Reply,
        notes: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let system = self.chat.conversation().system.clone();
        let Some(history) = self
            .history
            .as_mut()
            .filter(|_| !reply.text.trim().is_empty())
        else {
            return Ok(());
        };
        if let Err(error) = history.keep(question, system.as_deref(), reply) {
            self.history = None;
            self.say(&format!("not kept from here on: {error}"), notes)?;
        }
        Ok(())
    }

    /// Tokens of the context; of a model of this machine it is known.
    fn n_ctx(&self) -> usize {
        self.chat.info().n_ctx.unwrap_or_default()
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
        let ready = match interactive {
            true => self.fitted(&text, out),
            false => self.fitted(&text, notes),
        };
        let (text, prepared) = match ready {
            Ok(ready) => ready,
            Err(error) if interactive => return Ok(self.say(&refusal(&error), out)?),
            Err(error) => return Err(error),
        };
        self.asked.clone_from(&prepared);
        let _quiet = interactive.then(echo::Quiet::begin);
        let screen = Some(Screen::new(out, self.output, self.repl.thinking));
        let (chat, interrupt) = (&mut self.chat, &self.interrupt);
        let reply = match (&self.documents, &prepared) {
            (Some(documents), Some(prepared)) => {
                assistant::reply_about(chat, documents, prepared, screen, interrupt)
            }
            _ => assistant::reply(chat, &text, screen, interrupt),
        };
        let kept = prepared.as_ref().map_or(text.as_str(), Prepared::kept);
        match reply {
            Ok(reply) if interactive => {
                self.record(kept, &reply, out)?;
                self.keep(reply, out)
            }
            Ok(reply) => self.keep_piped(reply, notes),
            Err(error) if interactive && error.is::<Error>() => {
                Ok(self.say(&refusal(&error), out)?)
            }
            Err(error) => Err(error),
        }
    }

    /// What [`Self::ready`] gives, with room for it and its answer.
    fn fitted(
        &mut self,
        text: &str,
        notes: &mut dyn Write,
    ) -> anyhow::Result<(String, Option<Prepared>)> {
        let (text, prepared) = self.ready(text, notes)?;
        self.fit(&text, notes)?;
        Ok((text, prepared))
    }

    /// What the model is given for a message: with the files before it, or about those that came earlier.
    fn ready(
        &mut self,
        text: &str,
        notes: &mut dyn Write,
    ) -> anyhow::Result<(String, Option<Prepared>)> {
        // A peer is asked as it is: quotations are this machine's way.
        let quotes = self.quotes && !self.chat.is_elsewhere();
        // Once more: as it was asked before.
        let last = self.asked.take().filter(|last| last.prompt() == text);
        if let Some(last) = last.filter(|_| quotes) {
            return Ok((text.to_owned(), Some(last)));
        }
        if self.attached.is_empty() {
            let documents = self.documents.as_ref().filter(|_| quotes);
            let later = documents.map(|documents| self.chat.prepare_later(documents, text));
            let later = later.transpose()?.flatten();
            let prompt = later.as_ref().map_or(text, Prepared::prompt).to_owned();
            return Ok((prompt, later));
        }
        let read = Documents::read(&self.attached, self.chat.model())?;
        for note in &read.notes {
            self.say(note, notes)?;
        }
        let whole = read.documents.before(text);
        let documents = self.documents.insert(read.documents);
        let prepared = match quotes && !documents.is_empty() {
            true => Some(self.chat.prepare(documents, text)?),
            false => None,
        };
        self.chat.attach(read.media);
        self.attached.clear();
        let prompt = prepared
            .as_ref()
            .map_or(whole.as_str(), Prepared::prompt)
            .to_owned();
        Ok((prompt, prepared))
    }

    /// Makes room for the next message and its answer. What has to go for it is named first, then dropped.
    fn fit(&mut self, text: &str, notes: &mut dyn Write) -> anyhow::Result<()> {
        self.chat.set_max_tokens(self.max_tokens);
        if let Plan::Drop {
            exchanges,
            messages,
            tokens,
        } = self.chat.plan(text)?
        {
            let n_ctx = self.n_ctx();
            let note = format!(
                "the conversation no longer fits into {n_ctx} tokens: \
                 the oldest {messages} messages ({tokens} tokens) are dropped"
            );
            self.say(&note, notes)?;
            self.chat.conversation_mut().drop_oldest(exchanges);
        }
        if let (Some(most), Some(room)) = (self.max_tokens, self.chat.room(text)?) {
            self.chat.set_max_tokens(Some(most.min(room)));
        }
        Ok(())
    }

    /// On a pipe the answers are all that goes out; marks go where notes go.
    fn keep_piped(&mut self, reply: Reply, notes: &mut dyn Write) -> anyhow::Result<()> {
        self.stats.add(&reply.generation);
        if let Some(mark) = &reply.receipt.mark {
            writeln!(notes, "{}", mark::line(mark, self.output))?;
        }
        if let Some(line) = fleet::told(&reply.receipt) {
            writeln!(notes, "{line}")?;
        }
        self.last = Some(reply.receipt);
        Ok(())
    }

    fn keep(&mut self, reply: Reply, out: &mut dyn Write) -> anyhow::Result<()> {
        let generation = &reply.generation;
        self.stats.add(generation);
        let empty = reply.text.trim().is_empty();
        let note = match generation.finish {
            Finish::Cancelled if empty => Some("stopped; the message is not kept".to_owned()),
            Finish::Cancelled => Some("stopped; the part above is kept".to_owned()),
            Finish::Context => Some(format!(
                "cut: the context of {} tokens is full; {WAYS_OUT}",
                self.n_ctx()
            )),
            Finish::Grammar => Some("cut: the form it must have cannot be met".to_owned()),
            Finish::Length => Some("cut: --max-tokens reached".to_owned()),
            Finish::Stop if empty => {
                Some("the model said nothing; the message is not kept".to_owned())
            }
            Finish::Stop => None,
        };
        let lines = why::notes(&reply.receipt, self.output);
        self.last = Some(reply.receipt);
        if let Some(note) = note {
            self.say(&format!("[{note}]"), out)?;
        }
        for line in lines {
            writeln!(out, "{line}")?;
        }
        Ok(out.flush()?)
    }

    /// Goes on with another model. The old one leaves memory first, since both may not fit; it comes back if the
    /// new one cannot be loaded.
    fn switch(&mut self, name: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        let path = match (self.loader.find)(name) {
            Ok(path) => path,
            Err(error) => return Ok(self.say(&refusal(&error), out)?),
        };
        let old = self.chat.info().clone();
        let n_media = self.chat.conversation_mut().forget_media();
        self.chat.unload();
        match (self.loader.load)(&path, name) {
            Ok(model) => {
                self.chat.switch(model);
                self.tell_given()?;
                self.say(&banner(self.chat.info()), out)?;
            }
            Err(error) => {
                self.say(&refusal(&error), out)?;
                let path = old.path.unwrap_or_default();
                self.chat.switch((self.loader.load)(&path, &old.name)?);
                self.say(&format!("still with {}", old.name), out)?;
            }
        }
        if n_media > 0 {
            self.say("pictures and sound have to be attached again", out)?;
        }
        Ok(())
    }
}

/// Terminals drop what is longer.
const MOST_COPIED: usize = 70_000;

const WAYS_OUT: &str = "/undo or /clear make room, --ctx N allows more";

/// An error as a note: one line, with the way out that it has.
fn refusal(error: &anyhow::Error) -> String {
    let hint = error.chain().find_map(|cause| {
        if let Some(Error::Input(engine::Error::ContextFull { .. })) = cause.downcast_ref() {
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
pub(crate) fn banner(info: &ModelInfo) -> String {
    let (name, threads) = (&info.name, info.threads);
    let n_ctx = info.n_ctx.unwrap_or_default();
    let size = size(info.bytes);
    let plural = if threads == 1 { "" } else { "s" };
    format!("{name} · {size} · context {n_ctx} · {threads} thread{plural}")
}

/// Runs a program in the sandbox; what it printed, or why it did not.
fn run(tools: &mut dyn Tools, code: &str) -> String {
    let outcome = tools.python(code);
    let mut text = printable::clean(outcome.stdout.trim_end());
    let value = outcome
        .value
        .filter(|value| value != "None" && !text.ends_with(value.as_str()));
    for more in value.into_iter().chain(outcome.error) {
        if !text.is_empty() {
            text.push('\n');
        }
        text += &printable::clean(&more);
    }
    match text.is_empty() {
        true => format!("ran without a word, {:.0} ms", outcome.ms),
        false => format!("{text}\n({:.0} ms)", outcome.ms),
    }
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
