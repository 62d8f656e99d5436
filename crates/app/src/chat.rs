//! `reckon chat`: a person and a model talk in the terminal.
//!
//! `run` finds and loads the model, then hands one input after the other to `talk`. At a terminal inputs come from a
//! line editor; otherwise stdin is read line by line, answers go to stdout as they are, and an error ends the program
//! with its exit code.
//!
//! Parts: `input` (keys to messages), `command` (slash lines), `repl` (what a line leads to), `conversation` (what was
//! said), `talk` (does it), `screen` (shows an answer), `stop` (Ctrl-C), `stats`, `why`.
mod command;
mod conversation;
mod input;
mod repl;
mod screen;
mod stats;
mod stop;
mod talk;
#[cfg(test)]
mod tests;
mod why;

pub(crate) use screen::{Output, Screen};
pub(crate) use stats::speeds;
pub(crate) use stop::Stop;

use crate::{Context, assistant::Assistant, cli::ChatArgs, load, lock_check};
use input::{Input, Prompt, read_piped};
use repl::Repl;
use stats::Stats;
use std::{
    io::{self, IsTerminal, Write},
    path::Path,
    time::{Duration, Instant},
};
use talk::{Shelf, Speaker, Talk, Wishes, banner};

/// A Ctrl-C throws the line away; a second one this soon after it leaves.
const TWICE: Duration = Duration::from_secs(2);

/// Runs `reckon chat`.
pub(crate) fn run(args: &ChatArgs, context: &Context) -> anyhow::Result<()> {
    let stop = Stop::install()?;
    let asked = args.model.as_deref();
    let assistant = Assistant::new(args.raw, context)?;
    let path = load::find(asked, context)?;
    let loaded =
        load::load(&path, asked, &args.machine, context)?.with_drafter(args.draft.as_deref())?;
    lock_check::tell(&loaded, &assistant.versions, context);
    let versions = assistant.versions.clone();
    let interactive = io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut talk = Talk {
        repl: Repl::new(args.system.clone()),
        speaker: Some(Speaker::new(loaded)),
        assistant,
        last: None,
        shelf: Shelf {
            find: Box::new(|name: &str| load::find(Some(name), context)),
            // A drafter is made for one model: the next goes without.
            load: Box::new(move |path: &Path, name: &str| {
                let loaded = load::load(path, Some(name), &args.machine, context)?;
                lock_check::tell(&loaded, &versions, context);
                Ok(Speaker::new(loaded))
            }),
        },
        wishes: Wishes {
            sampling: args.sampling.clone(),
            max_tokens: args.max_tokens,
        },
        output: if interactive {
            Output::of_stdout()
        } else {
            Output::Plain
        },
        stop,
        stats: Stats::default(),
    };
    if interactive {
        at_terminal(&mut talk, &context.home)
    } else {
        piped(&mut talk)
    }
}

fn at_terminal(talk: &mut Talk<'_>, home: &Path) -> anyhow::Result<()> {
    let mut out = io::stdout();
    if let Some(speaker) = &talk.speaker {
        let lines = format!(
            "{}\n/help shows the commands, Ctrl-D leaves",
            banner(&speaker.facts)
        );
        writeln!(out, "{}", talk.output.note(&lines))?;
    }
    let mut prompt = Prompt::new(home)?;
    let mut interrupted: Option<Instant> = None;
    loop {
        match prompt.read()? {
            Input::End => return Ok(()),
            Input::Interrupted if interrupted.is_some_and(|at| at.elapsed() < TWICE) => {
                return Ok(());
            }
            Input::Interrupted => {
                interrupted = Some(Instant::now());
                let note = "Ctrl-C once more, Ctrl-D or /quit leaves";
                writeln!(out, "{}", talk.output.note(note))?;
            }
            Input::Text(text) => {
                // The window may have changed its size.
                talk.output = Output::of_stdout();
                if talk.take(&text, &mut out, &mut io::stderr())?.is_break() {
                    return Ok(());
                }
                writeln!(out)?;
            }
        }
    }
}

fn piped(talk: &mut Talk<'_>) -> anyhow::Result<()> {
    let mut from = io::stdin().lock();
    let mut out = io::stdout();
    loop {
        match read_piped(&mut from)? {
            Input::Text(text) => {
                if talk.take(&text, &mut out, &mut io::stderr())?.is_break() {
                    return Ok(());
                }
            }
            Input::Interrupted | Input::End => return Ok(()),
        }
    }
}
