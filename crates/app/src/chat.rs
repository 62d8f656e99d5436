//! `reckon chat`: a person and a model talk in the terminal.
//!
//! `run` finds and loads the model, then hands one input after the other to `chat_loop`. At a terminal inputs come from a
//! line editor; otherwise stdin is read line by line, answers go to stdout as they are, and an error ends the program
//! with its exit code.
//!
//! Parts: `input` (keys to messages), `command` (slash lines), `repl` (what a line leads to), `chat_loop` (does it),
//! `stats`, `why`.
mod chat_loop;
mod command;
mod input;
mod repl;
mod stats;
#[cfg(test)]
mod tests;
mod why;

use crate::{
    Context, assistant, cli::ChatArgs, fleet, history::History, interrupt::Interrupt, load,
    lock_check, memory::Memory, screen::Output,
};
use chat_loop::{ChatLoop, ModelLoader, banner};
use input::{Input, Prompt, read_piped};
use repl::Repl;
use stats::Stats;
use std::{
    io::{self, IsTerminal, Write},
    path::Path,
    thread,
};

/// Runs `reckon chat`.
pub(crate) fn run(args: &ChatArgs, context: &Context) -> anyhow::Result<()> {
    let interactive = io::stdin().is_terminal() && io::stdout().is_terminal();
    // The line editor puts a handler of its own in place of ours, for as long as it lives, although at its prompt Ctrl-C is
    // a key and no signal. So ours comes second, for the time in which an answer is made.
    let prompt = interactive
        .then(|| Prompt::new(&context.store.home))
        .transpose()?;
    let interrupt = Interrupt::install()?;
    let guards = assistant::guards(args.raw, context)?;
    let peers = fleet::peers(args.role.as_deref(), &args.machine, context)?;
    let model = load::open(&args.model, true, &args.machine, context)?;
    lock_check::tell(&model, guards.versions(), context);
    let versions = guards.versions().clone();
    let mut chat = model
        .chat()
        .guards(guards)
        .tools(assistant::tools(context)?)
        .check(args.check.into())
        .sampling(load::overrides(&args.sampling))
        .with_peers(peers)
        .role(args.role.clone())
        .stop(interrupt.stop());
    // An empty system message is none.
    let system = args.system.clone();
    chat.conversation_mut().system = system.filter(|text| !text.trim().is_empty());
    // The chat has a handle; when it goes on with another model, this one leaves memory.
    drop(model);
    let mut chat_loop = ChatLoop {
        chat,
        repl: Repl { thinking: true },
        max_tokens: args.max_tokens,
        last: None,
        loader: ModelLoader {
            find: Box::new(|name: &str| load::find(Some(name), context)),
            // A drafter is made for one model: the next goes without.
            load: Box::new(move |path: &Path, name: &str| {
                let machine = &args.machine;
                let model = load::load_with_senses(path, Some(name), None, machine, context)?;
                lock_check::tell(&model, &versions, context);
                Ok(model)
            }),
        },
        output: if interactive {
            Output::of_stdout()
        } else {
            Output::Plain
        },
        interrupt,
        stats: Stats::default(),
        // What goes through a pipe is a program's, and it keeps what it wants itself.
        history: (interactive && !args.forget)
            .then(|| History::open(context))
            .transpose()?,
        tools: Box::new(assistant::tools(context)?),
        attached: Vec::new(),
        documents: None,
        asked: None,
        memory: (!args.no_memory).then(|| Memory::local(context)),
        about_self: args.about_self,
        quotes: !args.raw,
        draft: None,
    };
    chat_loop.tell_given()?;
    if args.resume {
        if chat_loop.history.is_none() {
            chat_loop.history = Some(History::open(context)?);
        }
        chat_loop.load(None, &mut io::stderr())?;
    }
    match prompt {
        Some(prompt) => at_terminal(&mut chat_loop, prompt),
        None => piped(&mut chat_loop),
    }
}

fn at_terminal(chat_loop: &mut ChatLoop<'_>, mut prompt: Prompt) -> anyhow::Result<()> {
    let mut out = io::stdout();
    let banner = banner(chat_loop.chat.info());
    let lines = format!("{banner}\n/help shows the commands, Ctrl-D leaves");
    writeln!(out, "{}", chat_loop.output.note(&lines))?;
    // While the first question is being written.
    let model = chat_loop.chat.model().clone();
    thread::spawn(move || model.prepare_grammars());
    loop {
        chat_loop.interrupt.at_prompt();
        let draft = chat_loop.draft.take().unwrap_or_default();
        match prompt.read(&draft)? {
            Input::End => return Ok(()),
            Input::Interrupted if chat_loop.interrupt.warn() => return Ok(()),
            Input::Interrupted => {
                let note = "Ctrl-C once more, Ctrl-D or /quit leaves";
                writeln!(out, "{}", chat_loop.output.note(note))?;
            }
            Input::Text(text) => {
                // The window may have changed its size.
                chat_loop.output = Output::of_stdout();
                if chat_loop
                    .take(&text, &mut out, &mut io::stderr())?
                    .is_break()
                {
                    return Ok(());
                }
                writeln!(out)?;
            }
        }
    }
}

fn piped(chat_loop: &mut ChatLoop<'_>) -> anyhow::Result<()> {
    let mut from = io::stdin().lock();
    let mut out = io::stdout();
    loop {
        match read_piped(&mut from)? {
            Input::Text(text) => {
                if chat_loop
                    .take(&text, &mut out, &mut io::stderr())?
                    .is_break()
                {
                    return Ok(());
                }
            }
            Input::Interrupted | Input::End => return Ok(()),
        }
    }
}
