//! What a person sent to the bot in, an answer with its mark out.
use crate::{fleet, mark, memory::Memory, screen::Output};
use reckon::{
    Ask, Asking, AttachedFile, Attachment, CheckLevel, Documents, Event, Finish, Given, Guards,
    Media, Message, Model, Peers, Prepared, ReadFiles, Receipt, Recent, Reply, Role, Room,
    Toolboxes,
};
use reckon_bot::{Answer, Answerer, Attachment as Sent, Progress, Turn};
use reckon_store::{Message as Stored, Owner, State, Store};
use serde_json::json;
use std::{ops::ControlFlow, sync::Arc};

/// Bytes of files that are kept ready for the next question about them.
const MOST_KEPT: usize = 128 << 20;
/// Bytes of a document of an earlier turn that stand before it again; of a longer one passages are shown.
const SHORT: usize = 6_000;
/// Tokens of a prompt for a model whose context is not known.
const UNKNOWN: usize = 3_072;

/// What is the same for everybody.
pub(super) struct Settings {
    pub(super) system: Option<String>,
    pub(super) max_tokens: usize,
    pub(super) check: CheckLevel,
    /// Where people have things remembered, if they may.
    pub(super) memory: Option<Store>,
    /// What the model is told about itself.
    pub(super) about_self: Option<String>,
}

/// Answers with the model of this machine.
pub(super) struct BotAnswerer {
    model: Model,
    guards: Guards,
    toolboxes: Toolboxes,
    peers: Peers,
    settings: Settings,
    /// Files of conversations, which bring them again with every question.
    files: Recent<(AttachedFile, Attachment)>,
}

/// A question, and the documents that it is about.
struct Question {
    ask: Ask,
    given: Given,
    about: Option<(Documents, Prepared)>,
}

impl BotAnswerer {
    pub(super) fn new(
        model: &Model,
        guards: Guards,
        toolboxes: Toolboxes,
        peers: Peers,
        settings: Settings,
    ) -> Self {
        Self {
            model: model.clone(),
            guards,
            toolboxes,
            peers,
            settings,
            files: Recent::new(MOST_KEPT),
        }
    }

    fn question(&self, asked: &reckon_bot::Ask) -> Result<Question, String> {
        let given = self.given(asked)?;
        let system = asked.system.as_ref().or(self.settings.system.as_ref());
        let system = system.map(|text| Message::new(Role::System, text));
        let mut messages = given.tell(system.into_iter().collect());
        let head = messages.clone();
        let (last, earlier) = asked
            .turns
            .split_last()
            .ok_or("there is nothing to answer")?;
        let mut documents = None;
        for turn in earlier {
            let read = self.read(turn)?;
            messages.push(message(
                turn,
                &notes(turn, &read),
                &again(turn, &read.documents),
                read.media,
            ));
            documents = Some(read.documents)
                .filter(|one| !one.is_empty())
                .or(documents);
        }
        let read = self.read(last)?;
        let count = |text: &str| {
            let mut messages = head.clone();
            messages.push(Message::new(Role::User, text));
            self.model.count(&messages)
        };
        let tokens = self.model.info().n_ctx.map_or(UNKNOWN, |n_ctx| {
            n_ctx - self.settings.max_tokens.min(n_ctx / 4)
        });
        let room = Room {
            tokens,
            count: &count,
        };
        let (text, lines) = (last.text.as_str(), notes(last, &read));
        let whole = read.documents.before(text);
        let about = match documents {
            // The bare model and peers are asked as it is.
            _ if asked.raw || asked.role.is_some() => None,
            _ if !read.documents.is_empty() => {
                let prepared = read.documents.prepare(text, room).map_err(line)?;
                Some((read.documents, prepared))
            }
            Some(documents) => {
                let said: Vec<&str> = messages.iter().map(|one| one.content.as_str()).collect();
                let prepared = documents.prepare_later(text, &said.join("\n"), room);
                prepared
                    .map_err(line)?
                    .map(|prepared| (documents, prepared))
            }
            None => None,
        };
        let content = match &about {
            Some((_, prepared)) => prepared.prompt().to_owned(),
            None => whole,
        };
        messages.push(message(last, &lines, &content, read.media));
        let ask = self.asked(
            messages,
            asked.raw,
            about.as_ref().is_some_and(|(_, one)| !one.is_direct()),
        );
        Ok(Question { ask, given, about })
    }

    fn asked(&self, messages: Vec<Message>, raw: bool, from_documents: bool) -> Ask {
        let mut sampling = self.model.info().sampling.clone();
        // Facts are copied, not invented.
        if from_documents {
            sampling.temperature = 0.0;
        }
        Ask {
            messages,
            sampling,
            max_tokens: Some(self.settings.max_tokens),
            check: if raw {
                CheckLevel::Off
            } else {
                self.settings.check
            },
            ..Ask::default()
        }
    }

    /// The files of a turn as the model is given them.
    fn read(&self, turn: &Turn) -> Result<ReadFiles, String> {
        let files = turn.attachments.iter().map(|file| self.file(file));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        Documents::of(files.iter().map(|one| (&one.0, &one.1))).map_err(line)
    }

    /// A file, parsed and encoded unless it was lately.
    fn file(&self, sent: &Sent) -> Result<Arc<(AttachedFile, Attachment)>, String> {
        let digest = AttachedFile::digest(&sent.name, &sent.bytes);
        let bytes = |one: &(AttachedFile, Attachment)| sent.bytes.len() + 2 * one.1.bytes();
        self.files.get(digest, bytes, || {
            let file = AttachedFile::read(&sent.name, sent.bytes.clone(), None).map_err(line)?;
            let read = file.for_model(&self.model).map_err(line)?;
            Ok((file, read))
        })
    }

    /// What the model is told besides its instructions.
    fn given(&self, asked: &reckon_bot::Ask) -> Result<Given, String> {
        let memory = asked.owner.as_ref().and_then(|owner| self.memory(owner));
        let texts = memory.map(|memory| memory.texts()).transpose();
        Ok(Given {
            memory: texts
                .map_err(|error| error.to_string())?
                .unwrap_or_default(),
            about_self: self.settings.about_self.clone(),
        })
    }

    fn memory(&self, owner: &Owner) -> Option<Memory> {
        let store = self.settings.memory.clone()?;
        Some(Memory::of(store, owner.clone()))
    }
}

impl Answerer for BotAnswerer {
    fn answer(
        &self,
        asked: &reckon_bot::Ask,
        on_progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Answer, String> {
        let Question { ask, given, about } = self.question(asked)?;
        let guards = if asked.raw {
            Guards::default()
        } else {
            self.guards.clone()
        };
        let mut session = self.model.session();
        let mut text = String::new();
        let on_event = &mut |event: Event<'_>| match event {
            Event::Text(more) => {
                text.push_str(more);
                on_progress(Progress::Text(&text))
            }
            Event::Revise { text: whole, .. } => {
                whole.clone_into(&mut text);
                on_progress(Progress::Text(&text))
            }
            Event::Prefill { done, total } if total > 512 => {
                on_progress(Progress::Note(&format!("reading {done} of {total} tokens")))
            }
            Event::Part { part, parts } => {
                on_progress(Progress::Note(&format!("reading part {part} of {parts}")))
            }
            Event::Checking(guard) => on_progress(Progress::Note(&format!("checking: {guard}"))),
            _ => ControlFlow::Continue(()),
        };
        let about = about.filter(|(_, prepared)| !prepared.is_direct());
        let session = session.as_mut();
        let reply = match &about {
            Some((documents, prepared)) => {
                let reply = documents.answer(prepared, session, &ask, on_event);
                reply.map(|reply| Reply {
                    receipt: self.model.sign(reply.receipt, &ask),
                    ..reply
                })
            }
            None => self.toolboxes.with(|tools| {
                let asking = Asking {
                    model: &self.model,
                    guards: &guards,
                    ask: &ask,
                };
                let role = asked.role.as_deref();
                self.peers.answer(role, &asking, session, tools, on_event)
            }),
        };
        let reply = reply.map_err(line)?;
        let receipt = given.name_in(reply.receipt);
        let (usage, timing) = (&reply.generation.usage, &reply.generation.timing);
        Ok(Answer {
            state: match reply.generation.finish {
                _ if reply.stopped => State::Stopped,
                Finish::Stop => State::Done,
                Finish::Cancelled => State::Stopped,
                Finish::Length | Finish::Context | Finish::Grammar => State::Cut,
            },
            footer: footer(&receipt),
            tokens: (usage.prompt + usage.completion) as u64,
            mark: receipt.mark.as_ref().map(|one| json!(one)),
            receipt: Some(json!({ "text": receipt.to_string(), "receipt": receipt })),
            stats: Some(
                json!({ "prompt": usage.prompt, "completion": usage.completion, "decode_ms": timing.decode.as_millis() as u64 }),
            ),
            thought: reply.generation.thought,
            text: reply.text,
        })
    }

    fn has_memory(&self) -> bool {
        self.settings.memory.is_some()
    }

    fn remember(&self, owner: &Owner, text: &str) -> Option<Result<String, String>> {
        let told = self.memory(owner)?.remember(text);
        Some(told.map_err(|error| error.to_string()))
    }

    fn forget(&self, owner: &Owner, text: &str) -> Option<Result<String, String>> {
        let told = self.memory(owner)?.forget(text);
        Some(told.map_err(|error| error.to_string()))
    }

    fn models(&self) -> Vec<String> {
        vec![self.model.info().name.clone()]
    }

    fn roles(&self) -> Vec<String> {
        // What Telegram takes for a command.
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let roles = self.peers.roles().into_iter();
        let roles = roles.filter(|role| role.chars().all(fits));
        roles.map(str::to_owned).collect()
    }

    fn explain(&self, answer: &Stored) -> String {
        let receipt = answer.receipt.as_ref();
        match receipt.and_then(|receipt| receipt["text"].as_str()) {
            Some(text) => format!("```\n{}\n```", text.trim_end()),
            None => "This answer has no receipt.".to_owned(),
        }
    }
}

/// The mark, and what left this machine.
fn footer(receipt: &Receipt) -> Option<String> {
    let mark = receipt.mark.as_ref();
    let mark = mark.map(|one| mark::line(one, Output::Plain));
    // As code: names and addresses are no markup.
    let left = fleet::told(receipt).map(|line| format!("`{}`", line.replace('`', "'")));
    let lines: Vec<String> = mark.into_iter().chain(left).collect();
    (!lines.is_empty()).then(|| lines.join("\n\n"))
}

/// A turn as the model is given it.
fn message(turn: &Turn, notes: &[String], content: &str, media: Vec<Media>) -> Message {
    let role = match turn.from_person {
        true => Role::User,
        false => Role::Assistant,
    };
    let mut parts: Vec<&str> = notes.iter().map(String::as_str).collect();
    parts.push(content);
    parts.retain(|part| !part.trim().is_empty());
    Message::new(role, parts.join("\n\n")).with_media(media)
}

/// What there is to say about the files of a turn.
fn notes(turn: &Turn, read: &ReadFiles) -> Vec<String> {
    let missing = turn.missing.iter();
    let missing = missing.map(|name| format!("[{name} is no longer here]"));
    let notes = read.notes.iter().map(|note| format!("[{note}]"));
    notes.chain(missing).collect()
}

/// An earlier turn: with its documents, if they are short.
fn again(turn: &Turn, documents: &Documents) -> String {
    match documents.len() {
        0..=SHORT => documents.before(&turn.text),
        _ => format!("[{}]\n\n{}", documents.names(), turn.text),
    }
}

fn line(error: reckon::Error) -> String {
    error.to_string()
}
