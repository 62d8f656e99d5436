//! Commands: what a person types with a slash, and what the bot replies.
//!
//! What shows words of other chats (`/history`, `/export`, memory) is done in the chat with the bot alone.
//!
//! `/ROLE question` is a question, not a command: it is stored as it was typed and asked elsewhere when its turn comes, so it
//! can be edited and survives a restart like any other.
use crate::answerer::Answerer;
use crate::desk::Desk;
use crate::incoming::{self, Incoming};
use crate::outgoing::Outgoing;
use crate::queue::{about, ordinal};
use crate::reception::{reply, say, send};
use reckon_store::bot::{Act, Person, Settings};
use reckon_store::{Error, Filter, Message, Result, Role, State};
use std::fmt::Write;

/// Conversations that `/history` shows.
const LISTED: u32 = 10;
/// Bytes of an export that is still sent.
const LARGEST_EXPORT: usize = 4 << 20;

/// The commands with what they do, as Telegram's menu and `/help` show them.
const COMMANDS: &[(&str, &str)] = &[
    ("why", "how the last answer was made and checked"),
    ("raw", "switch checking off or on: the bare model"),
    ("reset", "begin a new conversation"),
    ("stop", "stop what is being written"),
    ("history", "your conversations; with words: find them"),
    (
        "status",
        "where you are in the queue, and what you used today",
    ),
    ("system", "tell the model how to behave; off: nothing"),
    ("model", "choose a model"),
    ("export", "this conversation as a file"),
    ("remember", "keep something in mind, for you alone"),
    (
        "forget",
        "what is kept in mind; a number or words forget it",
    ),
    ("help", "this list"),
];

/// The commands that this answerer can serve, with what they do.
pub(crate) fn commands(answerer: &dyn Answerer) -> Vec<(String, String)> {
    let has_memory = answerer.has_memory();
    let needs_memory = |name: &str| matches!(name, "remember" | "forget");
    let own = COMMANDS.iter().copied();
    let own = own.filter(|(name, _)| has_memory || !needs_memory(name));
    let own = own.map(|(name, what)| (name.to_owned(), what.to_owned()));
    let roles = answerer.roles().into_iter();
    let roles = roles.filter(|role| !is_own(role)).map(|role| {
        let what = format!("ask another machine ({role}), this once");
        (role, what)
    });
    own.chain(roles).collect()
}

/// The role and the question of `/ROLE question`, if there is such a role. A command of ours goes first.
pub(crate) fn to_role<'a>(answerer: &dyn Answerer, text: &'a str) -> Option<(&'a str, &'a str)> {
    let (name, question) = incoming::command(text)?;
    let is_role = !is_own(name) && answerer.roles().iter().any(|role| role == name);
    is_role.then_some((name, question))
}

fn is_own(name: &str) -> bool {
    matches!(name, "start" | "connect") || COMMANDS.iter().any(|(own, _)| *own == name)
}

/// What a command leads to.
pub(crate) fn acts(
    desk: &Desk,
    incoming: &Incoming,
    person: &Person,
    name: &str,
    arguments: &str,
) -> Result<Vec<Act>> {
    let alone = matches!(
        name,
        "history" | "export" | "remember" | "forget" | "system"
    );
    if alone && !incoming.private {
        return Ok(reply(incoming, "Please ask me that in a chat of our own."));
    }
    let (id, chat, thread) = (person.id.clone(), incoming.chat, incoming.thread);
    match name {
        "start" | "connect" | "help" => Ok(reply(incoming, &help(desk))),
        "why" => why(desk, incoming, person),
        "raw" => Ok(raw(incoming, person)),
        "reset" => Ok(with_reply(
            incoming,
            vec![
                Act::Stop {
                    person: id.clone(),
                    chat,
                    thread,
                },
                Act::Reset {
                    person: id,
                    chat,
                    thread,
                },
            ],
            "A new conversation begins.",
        )),
        "stop" => stop(desk, incoming, person),
        "history" => history(desk, incoming, person, arguments),
        "status" => Ok(reply(incoming, &status(desk, person)?)),
        "system" => Ok(system(incoming, person, arguments)),
        "model" => Ok(model(desk, incoming, person, arguments)),
        "export" => export(desk, incoming, person),
        "remember" | "forget" => Ok(memory(desk, incoming, person, name, arguments)),
        other => {
            let other = other.chars().take(30).collect::<String>();
            Ok(reply(
                incoming,
                &format!("I do not know /{other}. /help lists what I know."),
            ))
        }
    }
}

fn with_reply(incoming: &Incoming, mut acts: Vec<Act>, text: &str) -> Vec<Act> {
    acts.extend(reply(incoming, text));
    acts
}

fn help(desk: &Desk) -> String {
    let mut text = String::from(
        "Send me text, a voice message, a photo or a document. In groups, mention me or reply to me.\n\n",
    );
    for (name, what) in commands(desk.answerer.as_ref()) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "/{name}: {what}");
    }
    text
}

fn why(desk: &Desk, incoming: &Incoming, person: &Person) -> Result<Vec<Act>> {
    let text = match last_answer(desk, incoming, person)? {
        Some(answer) => desk.answerer.explain(&answer),
        None => "There is no answer yet.".into(),
    };
    Ok(reply(incoming, &text))
}

fn last_answer(desk: &Desk, incoming: &Incoming, person: &Person) -> Result<Option<Message>> {
    let id = desk
        .store
        .conversation(&person.id, incoming.chat, incoming.thread)?;
    let Some(id) = id else {
        return Ok(None);
    };
    let thread = desk.store.store().conversation(&person.owner(), &id)?;
    let ended =
        |message: &Message| message.role == Role::Assistant && !message.state.is_unfinished();
    Ok(thread
        .messages
        .into_iter()
        .rev()
        .find(|message| ended(message) && message.state != State::Failed))
}

fn raw(incoming: &Incoming, person: &Person) -> Vec<Act> {
    let settings = Settings {
        raw: Some(!person.raw),
        ..Settings::default()
    };
    let text = match person.raw {
        true => "Answers are checked again.",
        false => "From now on you get the bare model: nothing is checked. /raw switches back.",
    };
    let person = person.id.clone();
    with_reply(incoming, vec![Act::Set { person, settings }], text)
}

fn stop(desk: &Desk, incoming: &Incoming, person: &Person) -> Result<Vec<Act>> {
    let (chat, thread) = (incoming.chat, incoming.thread);
    let open = desk.store.open_tasks()?;
    let mine = open
        .iter()
        .any(|task| task.person == person.id && (task.chat, task.thread) == (chat, thread));
    let text = match mine {
        true => "Stopped.",
        false => "There is nothing to stop.",
    };
    let person = person.id.clone();
    Ok(with_reply(
        incoming,
        vec![Act::Stop {
            person,
            chat,
            thread,
        }],
        text,
    ))
}

fn history(desk: &Desk, incoming: &Incoming, person: &Person, words: &str) -> Result<Vec<Act>> {
    let filter = Filter {
        query: (!words.is_empty()).then(|| words.to_owned()),
        limit: LISTED,
        ..Filter::default()
    };
    let found = desk.store.store().list(&person.owner(), &filter)?;
    let mut text = String::new();
    for summary in &found {
        let _ = writeln!(text, "• {}", summary.title);
        if let Some(snippet) = &summary.snippet {
            let snippet = snippet.replace(['\u{1}', '\u{2}'], "").replace('\n', " ");
            let _ = writeln!(text, "   {snippet}");
        }
    }
    if found.is_empty() {
        text.push_str("There is nothing.");
    }
    // Titles are words of people and models: no markup of theirs has a meaning here.
    Ok(say(incoming, text.trim_end()))
}

fn status(desk: &Desk, person: &Person) -> Result<String> {
    let open = desk.store.open_tasks()?;
    let mut text = String::new();
    let mine = open
        .iter()
        .enumerate()
        .filter(|(_, task)| task.person == person.id);
    for (ahead, task) in mine {
        let _ = match task.running {
            true => writeln!(text, "An answer is being written."),
            false => writeln!(
                text,
                "Waiting: {}, {}.",
                ordinal(ahead + 1),
                about(desk, ahead)
            ),
        };
    }
    if text.is_empty() {
        text.push_str("Nothing waits.\n");
    }
    let (answers, tokens) = desk.store.spent(&person.id)?;
    let of = |most: Option<u64>| most.map(|most| format!(" of {most}")).unwrap_or_default();
    let budget = desk.config.budget;
    let _ = writeln!(
        text,
        "Today: {answers}{} answers, {tokens}{} tokens.",
        of(budget.answers),
        of(budget.tokens)
    );
    let models = desk.answerer.models();
    if let Some(model) = person.model.as_ref().or(models.first()) {
        let _ = writeln!(text, "Model: {model}.");
    }
    text.push_str(if person.raw {
        "Answers are not checked (/raw)."
    } else {
        "Answers are checked."
    });
    let _ = write!(text, "\nUp for {}.", span(desk.started.elapsed().as_secs()));
    Ok(text)
}

fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn system(incoming: &Incoming, person: &Person, arguments: &str) -> Vec<Act> {
    if arguments.is_empty() {
        let text = match &person.system {
            Some(system) => format!("{system}\n\n/system off removes it."),
            None => "Nothing. /system and a text tells the model how to behave.".into(),
        };
        return say(incoming, &text);
    }
    let off = arguments.eq_ignore_ascii_case("off");
    let settings = Settings {
        system: Some((!off).then(|| arguments.to_owned())),
        ..Settings::default()
    };
    let person = person.id.clone();
    with_reply(
        incoming,
        vec![Act::Set { person, settings }],
        "It holds from the next answer on.",
    )
}

fn model(desk: &Desk, incoming: &Incoming, person: &Person, name: &str) -> Vec<Act> {
    let models = desk.answerer.models();
    if models.iter().any(|model| model == name) {
        let settings = Settings {
            model: Some(Some(name.to_owned())),
            ..Settings::default()
        };
        let person = person.id.clone();
        let text = format!("From now on {name} answers.");
        let mut acts = vec![Act::Set { person, settings }];
        acts.extend(say(incoming, &text));
        return acts;
    }
    let mut text = match (name.is_empty(), models.is_empty()) {
        (_, true) => "There is one model, and nothing to choose from.".to_owned(),
        (true, false) => "/model and one of these names chooses it:\n".to_owned(),
        (false, false) => "There is no such model. There are:\n".to_owned(),
    };
    for model in &models {
        let current = person.model.as_ref().or(models.first()) == Some(model);
        let _ = writeln!(text, "{} {model}", if current { "✓" } else { "•" });
    }
    say(incoming, text.trim_end())
}

fn export(desk: &Desk, incoming: &Incoming, person: &Person) -> Result<Vec<Act>> {
    let id = desk
        .store
        .conversation(&person.id, incoming.chat, incoming.thread)?;
    let Some(id) = id else {
        return Ok(reply(incoming, "There is nothing to export."));
    };
    let exported = match desk.store.store().export(&person.owner(), &id) {
        Ok(exported) => exported.to_string(),
        Err(Error::NotFound(_)) => return Ok(reply(incoming, "There is nothing to export.")),
        Err(error) => return Err(error),
    };
    if exported.len() > LARGEST_EXPORT {
        return Ok(reply(incoming, "It is too large to be sent here."));
    }
    let file = Outgoing::file("conversation.json", &exported, "This conversation");
    Ok(vec![send(incoming, file)])
}

fn memory(
    desk: &Desk,
    incoming: &Incoming,
    person: &Person,
    name: &str,
    arguments: &str,
) -> Vec<Act> {
    let owner = person.owner();
    let said = match (name, arguments) {
        ("remember", "") => Some(Ok("/remember and a text keeps it in mind.".into())),
        ("remember", text) => desk.answerer.remember(&owner, text),
        (_, text) => desk.answerer.forget(&owner, text),
    };
    let text = match said {
        Some(Ok(text) | Err(text)) => text,
        None => "This bot has no memory beyond its conversations.".into(),
    };
    say(incoming, &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answerer::{Answer, Ask, Progress};
    use std::ops::ControlFlow;

    struct Minded(bool);

    impl Answerer for Minded {
        fn answer(
            &self,
            _: &Ask,
            _: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
        ) -> std::result::Result<Answer, String> {
            Ok(Answer::default())
        }

        fn has_memory(&self) -> bool {
            self.0
        }
    }

    #[test]
    fn memory_is_offered_by_an_answerer_that_has_one() {
        let offers = |minded| {
            commands(&Minded(minded))
                .iter()
                .any(|(name, _)| name == "remember")
        };
        assert!(offers(true) && !offers(false));
        assert_eq!(
            commands(&Minded(true)).len(),
            commands(&Minded(false)).len() + 2
        );
    }
}
