//! What a line typed into the chat leads to, without a model, a terminal or a file.
//!
//! `chat_loop` feeds complete inputs to `handle` and carries out the `Action` that comes back, so that the whole behaviour
//! can be tested as a table of lines and actions.
use super::command::{self, COMMANDS, Command};
use crate::markdown::code_blocks;
use reckon::Conversation;
use std::path::PathBuf;

/// What `chat` has to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Nothing,
    /// Show this to the person.
    Say(String),
    /// Let the model answer this.
    Answer(String),
    /// Write `code` to `file`; an existing file only if `replace`.
    Save {
        file: PathBuf,
        code: String,
        replace: bool,
    },
    /// Run this program.
    Run(String),
    /// Put this file before the next message.
    Attach(PathBuf),
    /// Put this on the clipboard.
    Copy(String),
    /// The last exchange was taken back.
    Undone(String),
    /// The last exchange was taken back; its message goes into the prompt.
    Edit(String),
    /// All of them were.
    Cleared(String),
    /// The last exchange was taken back: let the model answer this again.
    Retry(String),
    /// Keep this for every conversation.
    Remember(String),
    /// Forget this, by number or words; nothing shows all.
    Forget(String),
    /// Go on with an earlier conversation.
    Load(Option<String>),
    ShowModel,
    /// Go on with this model.
    Switch(String),
    Stats,
    /// Say what was done for the last answer.
    Why,
    Quit,
}

/// The state of a chat.
#[derive(Debug)]
pub(crate) struct Repl {
    /// Whether thinking is shown.
    pub(crate) thinking: bool,
}

impl Repl {
    /// What one complete input leads to.
    pub(crate) fn handle(&mut self, input: &str, conversation: &mut Conversation) -> Action {
        if input.trim().is_empty() {
            return Action::Nothing;
        }
        match command::parse(input) {
            None => Action::Answer(input.to_owned()),
            Some(command) => self.obey(command, conversation),
        }
    }

    fn obey(&mut self, command: Command, conversation: &mut Conversation) -> Action {
        match command {
            Command::Help => Action::Say(help()),
            Command::Save { file, n, replace } => save(conversation, file, n, replace),
            Command::Run(n) => match code(conversation, n, "run") {
                Ok(code) => Action::Run(code),
                Err(why) => Action::Say(why),
            },
            Command::Attach(file) => Action::Attach(file),
            Command::Copy(None) => match conversation.last() {
                Some(last) => Action::Copy(last.answer.clone()),
                None => Action::Say("no answer yet, so nothing to copy".into()),
            },
            Command::Copy(n) => match code(conversation, n, "copy") {
                Ok(code) => Action::Copy(code),
                Err(why) => Action::Say(why),
            },
            Command::Undo => undo(conversation),
            Command::Edit(text) => match conversation.retake() {
                Some(before) => match text {
                    Some(text) => Action::Retry(text),
                    None => Action::Edit(before),
                },
                None => Action::Say("no message yet, so nothing to change".into()),
            },
            Command::Retry => match conversation.retake() {
                Some(message) => Action::Retry(message),
                None => Action::Say("no message yet, so nothing to answer again".into()),
            },
            Command::Remember(text) => Action::Remember(text),
            Command::Forget(what) => Action::Forget(what),
            Command::Load(words) => Action::Load(words),
            Command::Clear => {
                let n = conversation.len();
                conversation.clear();
                Action::Cleared(format!("{} forgotten", exchanges(n)))
            }
            Command::System(text) => system(conversation, text),
            Command::Model(None) => Action::ShowModel,
            Command::Model(Some(name)) => Action::Switch(name),
            Command::Think(on) => {
                self.thinking = on.unwrap_or(self.thinking);
                Action::Say(format!(
                    "thinking is {}",
                    if self.thinking { "shown" } else { "hidden" }
                ))
            }
            Command::Stats => Action::Stats,
            Command::Why => Action::Why,
            Command::Quit => Action::Quit,
            Command::Misused(name) => Action::Say(format!("write {}", command::usage(name))),
            Command::Unknown {
                name,
                nearest: Some(nearest),
            } => Action::Say(format!("no command /{name}; did you mean /{nearest}?")),
            Command::Unknown {
                name,
                nearest: None,
            } => Action::Say(format!("no command /{name}; /help lists them")),
        }
    }
}

fn save(conversation: &Conversation, file: PathBuf, n: Option<usize>, replace: bool) -> Action {
    match code(conversation, n, "save") {
        Ok(code) => Action::Save {
            file,
            code,
            replace,
        },
        Err(why) => Action::Say(why),
    }
}

/// Code block `n` of the last answer, or the last block; else why there is none to `act` on.
fn code(conversation: &Conversation, n: Option<usize>, act: &str) -> Result<String, String> {
    let last = conversation.last();
    let last = last.ok_or_else(|| format!("no answer yet, so nothing to {act}"))?;
    let mut blocks = code_blocks(&last.answer);
    let n_blocks = blocks.len();
    match n.unwrap_or(n_blocks) {
        _ if n_blocks == 0 => Err("the last answer has no code block".into()),
        n if (1..=n_blocks).contains(&n) => Ok(blocks.swap_remove(n - 1).code),
        n => Err(format!("no code block {n}; the last answer has {n_blocks}")),
    }
}

fn undo(conversation: &mut Conversation) -> Action {
    let Some(exchange) = conversation.undo() else {
        return Action::Say("nothing to take back".into());
    };
    let mark = if exchange.stopped { " (stopped)" } else { "" };
    Action::Undone(format!("taken back{mark}: {}", shortened(&exchange.user)))
}

fn system(conversation: &mut Conversation, text: Option<String>) -> Action {
    match text {
        None => Action::Say(match &conversation.system {
            Some(text) => text.clone(),
            None => "no system message; /system TEXT sets one".into(),
        }),
        Some(text) if text == "-" => {
            conversation.system = None;
            Action::Say("system message removed".into())
        }
        Some(text) => {
            conversation.system = Some(text);
            Action::Say("system message set; it holds from the next answer on".into())
        }
    }
}

fn help() -> String {
    let mut text = String::new();
    for (name, arguments, meaning) in COMMANDS {
        text += &format!("{:<20} {meaning}\n", format!("/{name} {arguments}"));
    }
    text + "\nA line that ends in \\ goes on below; \"\"\" begins and ends a block of lines;\n\
            Alt-Enter makes a new line. Ctrl-C stops an answer, Ctrl-D leaves."
}

fn exchanges(n: usize) -> String {
    format!("{n} {}", if n == 1 { "exchange" } else { "exchanges" })
}

fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let short: String = line.chars().take(50).collect();
    if short.len() < text.len() {
        short + "…"
    } else {
        short
    }
}
