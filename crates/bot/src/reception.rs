//! Handles stored updates, each once: a message becomes a task, a command a reply.
use crate::api::LARGEST_FILE;
use crate::command;
use crate::desk::{Desk, delivery, now};
use crate::incoming::{self, Incoming};
use crate::outgoing::{Outgoing, parts, plain_parts};
use reckon_store::bot::{Act, NewTask, Person};
use reckon_store::{Error, Result};
use std::time::Duration;

/// Updates that are read at a time.
const AT_ONCE: u32 = 100;
/// How old a message may be that is first heard of by an edit, in seconds.
const FRESH: i64 = 3_600;
/// Files of a message; albums have ten.
const MOST_FILES: usize = 10;

/// Handles updates until the bot ends.
pub(crate) fn receive(desk: &Desk) {
    while !desk.ends() {
        let heard = desk.bell.rings();
        match handle_all(desk) {
            Ok(0) => desk.bell.wait(heard, Duration::from_secs(1)),
            Ok(_) => desk.bell.ring(),
            Err(error) => {
                desk.log(&format!("cannot handle updates: {error}"));
                desk.pause(Duration::from_secs(1));
            }
        }
    }
}

/// Handles what waits; how much that was.
fn handle_all(desk: &Desk) -> Result<usize> {
    let updates = desk.store.unhandled(AT_ONCE)?;
    for (id, body) in &updates {
        let acts = match serde_json::from_str::<Incoming>(body) {
            Ok(incoming) => acts(desk, &incoming)?,
            Err(_) => Vec::new(),
        };
        match desk.store.handle(*id, &acts) {
            Ok(_) => {}
            // Something in it is more than the store takes, or its author is no longer answered: no reason to stop.
            Err(error @ (Error::TooLarge { .. } | Error::Invalid(_) | Error::NotFound(_))) => {
                desk.log(&format!("update {id} was dropped: {error}"));
                desk.store.handle(*id, &[])?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(updates.len())
}

/// What a message leads to.
fn acts(desk: &Desk, incoming: &Incoming) -> Result<Vec<Act>> {
    let Some(person) = desk.store.person(incoming.account)? else {
        return connect(desk, incoming);
    };
    let to_role = command::to_role(desk.answerer.as_ref(), &incoming.text);
    let is_new = incoming.edited == 0;
    if let Some((role, "")) = to_role.filter(|_| is_new && incoming.files.is_empty()) {
        let how = format!("Write your question behind /{role}.");
        return Ok(reply(incoming, &how));
    }
    if let Some((name, arguments)) = incoming::command(&incoming.text)
        && to_role.is_none()
    {
        // A command that was edited has been carried out already.
        return match incoming.edited {
            0 => command::acts(desk, incoming, &person, name, arguments),
            _ => Ok(Vec::new()),
        };
    }
    match refusal(desk, incoming, &person)? {
        Some(why) if incoming.edited == 0 => Ok(reply(incoming, &why)),
        Some(_) => Ok(Vec::new()),
        None => Ok(vec![ask(incoming, &person)]),
    }
}

/// Shows a stranger their code.
fn connect(desk: &Desk, incoming: &Incoming) -> Result<Vec<Act>> {
    let code = desk
        .store
        .pair(incoming.account, incoming.chat, &incoming.name)?;
    let text = |code: String| {
        format!(
            "This bot is private. To be let in, show this code to whoever runs it:\n\n`{code}`\n\n\
             They approve it with `reckon bot approve {code}`. It is good for an hour."
        )
    };
    Ok(code
        .map(|code| reply(incoming, &text(code)))
        .unwrap_or_default())
}

/// Why a message is not going to be answered.
fn refusal(desk: &Desk, incoming: &Incoming, person: &Person) -> Result<Option<String>> {
    if incoming.text.is_empty() && incoming.files.is_empty() {
        let why = "I can read text, voice messages, photos and documents, and nothing else.";
        return Ok(Some(why.into()));
    }
    let large = |size: Option<u64>| size.is_some_and(|size| size > LARGEST_FILE);
    if let Some(file) = incoming.files.iter().find(|file| large(file.size)) {
        let megabytes = file.size.unwrap_or_default() >> 20;
        return Ok(Some(format!(
            "{} has {megabytes} MB. Telegram lets bots fetch up to 20 MB.",
            file.name
        )));
    }
    let (answers, tokens) = desk.store.spent(&person.id)?;
    let budget = desk.config.budget;
    if budget.answers.is_some_and(|most| answers >= most)
        || budget.tokens.is_some_and(|most| tokens >= most)
    {
        return Ok(Some(
            "That was all for today. The next day begins at midnight UTC.".into(),
        ));
    }
    let open = desk.store.open_tasks()?;
    let waiting = open.iter().filter(|task| task.person == person.id).count();
    Ok((waiting >= desk.config.most_waiting).then(|| {
        format!("{waiting} of your messages wait already. Please send this one again later.")
    }))
}

fn ask(incoming: &Incoming, person: &Person) -> Act {
    let files = incoming.files.iter().take(MOST_FILES);
    let task = NewTask {
        person: person.id.clone(),
        chat: incoming.chat,
        thread: incoming.thread,
        message: incoming.message,
        revision: incoming.edited,
        album: incoming.album.clone(),
        text: incoming.text.clone(),
        files: files
            .filter_map(|file| serde_json::to_value(file).ok())
            .collect(),
    };
    let fresh = now() / 1_000 - incoming.date < FRESH;
    match incoming.edited {
        0 => Act::Ask(task),
        _ => Act::Edit { task, fresh },
    }
}

/// Messages with this Markdown, in answer to one.
pub(crate) fn reply(incoming: &Incoming, text: &str) -> Vec<Act> {
    let parts = parts(text).into_iter();
    parts.map(|part| send(incoming, part)).collect()
}

/// Messages with this text, in which nothing is markup.
pub(crate) fn say(incoming: &Incoming, text: &str) -> Vec<Act> {
    let parts = plain_parts(text).into_iter();
    parts.map(|part| send(incoming, part)).collect()
}

pub(crate) fn send(incoming: &Incoming, mut outgoing: Outgoing) -> Act {
    outgoing.thread = incoming.thread;
    outgoing.reply_to = (!incoming.private).then_some(incoming.message);
    Act::Send(delivery(incoming.chat, &outgoing))
}
