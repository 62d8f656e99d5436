//! One task from its turn to its deliveries: files fetched, the answerer asked, the answer shown, stored and owed.
//!
//! If the bot dies on the way the task is answered again from its beginning: nothing of it was delivered. Answer and
//! deliveries are stored together, so that it is either all to be done again or only to be delivered.
use crate::answerer::{Answer, Ask, Attachment, Progress, Turn};
use crate::api::Failure;
use crate::command;
use crate::desk::{Desk, delivery};
use crate::incoming::FileRef;
use crate::live::{self, Live};
use crate::outgoing::{Content, Outgoing, parts, plain_parts};
use reckon_store::bot::{Begun, NewDelivery, Task};
use reckon_store::{Error, Finished, Message, Result, Role, State};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Files that are fetched for one answer, those of earlier questions included.
const MOST_FILES: usize = 10;
/// Bytes of all of these.
const MOST_BYTES: usize = 60 << 20;
/// How often a file is tried to be fetched.
const TRIES: u32 = 4;

/// Answers a task; whatever fails is told to the person, or done again after the next start.
pub(crate) fn answer(desk: &Desk, task: &Task) {
    match try_answer(desk, task) {
        Ok(()) => {}
        // The conversation is full, for example.
        Err(error @ (Error::TooLarge { .. } | Error::WrongState(_) | Error::NotFound(_))) => {
            let why = format!("I could not answer: {error}. /reset begins a new conversation.");
            if let Err(error) = finish(desk, task, &failed(&why), 0, false) {
                desk.log(&format!("task {} cannot be ended: {error}", task.number));
            }
        }
        Err(error) => {
            desk.log(&format!("task {} has to wait: {error}", task.number));
            desk.pause(Duration::from_secs(2));
        }
    }
}

fn try_answer(desk: &Desk, task: &Task) -> Result<()> {
    let Some(begun) = desk.store.begin(task.number)? else {
        return Ok(());
    };
    let private = task.chat == begun.person.account;
    let live = Live::default();
    let started = Instant::now();
    let (answered, edited) = std::thread::scope(|scope| {
        let shown = scope.spawn(|| live::show(desk, task, private, &live));
        let answered = ask(desk, begun, &live);
        live.end();
        (answered, shown.join().unwrap_or_default())
    });
    let answer = match answered {
        // Not the person but the bot has had enough: the task waits for the next start.
        _ if desk.ends() => return Ok(()),
        Ok(answer) => answer,
        Err(why) => {
            return finish(
                desk,
                task,
                &failed(&format!("I could not answer: {why}")),
                0,
                edited,
            );
        }
    };
    desk.durations.add(started.elapsed());
    let finished = Finished {
        state: answer.state,
        content: answer.text,
        thought: answer.thought,
        error: None,
        mark: answer.mark,
        receipt: answer.receipt,
        stats: answer.stats,
    };
    let tokens = answer.tokens;
    let footer = answer.footer;
    deliver(
        desk,
        task,
        &finished,
        footer.as_deref(),
        tokens,
        !private || edited,
    )
}

/// Has the conversation answered.
fn ask(desk: &Desk, begun: Begun, live: &Live) -> std::result::Result<Answer, String> {
    let mut turns = turns(desk, &begun.path)?;
    let role = without_roles(desk, &mut turns);
    let ask = Ask {
        owner: Some(begun.person.owner()),
        system: begun.system,
        turns,
        model: begun.person.model,
        raw: begun.person.raw,
        role,
    };
    let mut on_progress = |progress: Progress<'_>| {
        match progress {
            Progress::Text(text) => live.write(text),
            Progress::Note(note) => live.write(&format!("_{}_", note.replace('_', " "))),
        }
        match live.is_unwanted() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    // Somebody else's code: its panic is one answer less, not one bot less.
    let asked = catch_unwind(AssertUnwindSafe(|| {
        desk.answerer.answer(&ask, &mut on_progress)
    }));
    asked.unwrap_or_else(|_| Err("something broke inside".into()))
}

/// Takes `/ROLE` from the questions that went elsewhere; the role of the last one.
fn without_roles(desk: &Desk, turns: &mut [Turn]) -> Option<String> {
    let mut last = None;
    for turn in turns.iter_mut().filter(|turn| turn.from_person) {
        let found = command::to_role(desk.answerer.as_ref(), &turn.text);
        let found = found.map(|(role, question)| (role.to_owned(), question.to_owned()));
        last = found.map(|(role, question)| {
            turn.text = question;
            role
        });
    }
    last
}

/// The conversation as turns, with the files of its newest questions.
fn turns(desk: &Desk, path: &[Message]) -> std::result::Result<Vec<Turn>, String> {
    let mut turns = Vec::new();
    let (mut files, mut bytes) = (0, 0);
    // Backwards: the newest files are those that are asked about.
    for (at, message) in path.iter().enumerate().rev().skip(1) {
        let from_person = message.role == Role::User;
        let mut turn = Turn {
            from_person,
            text: message.content.clone(),
            ..Turn::default()
        };
        let newest = at + 2 == path.len();
        for file in from_person
            .then(|| files_of(path.get(at + 1)))
            .into_iter()
            .flatten()
        {
            let room = files < MOST_FILES && bytes < MOST_BYTES;
            let fetched = match room {
                true => fetch(desk, &file),
                false => Err(String::new()),
            };
            match fetched {
                Ok(content) => {
                    files += 1;
                    bytes += content.len();
                    turn.attachments.push(Attachment {
                        name: file.name,
                        kind: file.kind,
                        bytes: content,
                    });
                }
                Err(why) if newest && room => {
                    return Err(format!("{} cannot be fetched: {why}", file.name));
                }
                Err(_) => turn.missing.push(file.name),
            }
        }
        turns.push(turn);
    }
    turns.reverse();
    Ok(turns)
}

/// The files of the question that this is the answer to.
fn files_of(answer: Option<&Message>) -> Vec<FileRef> {
    let request = answer.and_then(|answer| answer.request.as_ref());
    let files = request.and_then(|request| request.get("files")).cloned();
    files
        .and_then(|files| serde_json::from_value(files).ok())
        .unwrap_or_default()
}

fn fetch(desk: &Desk, file: &FileRef) -> std::result::Result<Vec<u8>, String> {
    let mut tries = 0;
    loop {
        let failure = match desk.api.file(&file.id) {
            Ok(bytes) => return Ok(bytes),
            Err(failure) => failure,
        };
        tries += 1;
        let pause = match failure {
            Failure::FloodWait(seconds) => Duration::from_secs(seconds),
            Failure::NotSent(_) | Failure::Unknown(_) => Duration::from_millis(500 << tries),
            Failure::Refused { .. } => return Err(failure.to_string()),
        };
        if tries >= TRIES || desk.ends() {
            return Err(failure.to_string());
        }
        desk.pause(pause);
    }
}

fn failed(why: &str) -> Finished {
    let error: String = why.chars().take(1_000).collect();
    Finished {
        state: State::Failed,
        error: Some(error),
        ..Finished::default()
    }
}

/// Ends a task that could not be answered.
fn finish(desk: &Desk, task: &Task, finished: &Finished, tokens: u64, edited: bool) -> Result<()> {
    deliver(desk, task, finished, None, tokens, edited)
}

/// Stores the answer and the messages that deliver it. With `in_place` the first takes the place of the notice.
fn deliver(
    desk: &Desk,
    task: &Task,
    finished: &Finished,
    footer: Option<&str>,
    tokens: u64,
    in_place: bool,
) -> Result<()> {
    // The notice may be newer than the task: it is asked for again.
    let open = desk.store.open_tasks()?;
    let notice = open
        .iter()
        .find(|open| open.number == task.number)
        .and_then(|open| open.notice);
    let mut messages = messages(finished, footer);
    if let Some(first) = messages.first_mut() {
        // In a chat with one person an answer needs a pointer only if others came in between.
        first.reply_to = (in_place || notice.is_some()).then_some(task.message);
    }
    let mut deliveries = Vec::new();
    for outgoing in &mut messages {
        outgoing.thread = task.thread;
        deliveries.push(delivery(task.chat, outgoing));
    }
    if let Some(notice) = notice {
        let text = matches!(messages.first(), Some(first) if matches!(first.content, Content::Text { .. }));
        match deliveries.first_mut() {
            Some(first) if in_place && text => first.replaces = Some(notice),
            _ => deliveries.push(NewDelivery {
                replaces: Some(notice),
                ..delivery(task.chat, &Outgoing::delete())
            }),
        }
    }
    match desk
        .store
        .finish(task.number, finished, tokens, &deliveries)
    {
        // An answer of a size that nobody can store is worth a word all the same.
        Err(Error::TooLarge { what, .. }) if finished.state != State::Failed => {
            let why = failed(&format!("I could not answer: {what} is too large."));
            finish(desk, task, &why, tokens, in_place)?;
        }
        other => drop(other?),
    }
    desk.bell.ring();
    Ok(())
}

/// The messages that say how a task ended.
fn messages(finished: &Finished, footer: Option<&str>) -> Vec<Outgoing> {
    if let Some(error) = &finished.error {
        return plain_parts(error);
    }
    let mut text = finished.content.clone();
    let note = match finished.state {
        // The command has been replied to.
        State::Stopped if text.trim().is_empty() => return Vec::new(),
        State::Stopped => Some("_stopped_"),
        State::Cut => Some("_cut: it would have been longer_"),
        _ if text.trim().is_empty() => Some("_the model had nothing to say_"),
        _ => None,
    };
    for line in [note, footer].into_iter().flatten() {
        text.push_str("\n\n");
        text.push_str(line);
    }
    parts(&text)
}
