//! What a person sent to the bot in, an answer with its mark out.
use crate::{mark, screen::Output};
use reckon::{
    Ask, AttachedFile, CheckLevel, Event, Finish, Guards, Message, Model, Role, Toolboxes,
};
use reckon_bot::{Answer, Answerer, Progress, Turn};
use reckon_store::{Message as Stored, State};
use serde_json::json;
use std::ops::ControlFlow;

/// What is the same for everybody.
pub(super) struct Settings {
    pub(super) system: Option<String>,
    pub(super) max_tokens: usize,
    pub(super) check: CheckLevel,
}

/// Answers with the model of this machine.
pub(super) struct BotAnswerer {
    model: Model,
    guards: Guards,
    toolboxes: Toolboxes,
    settings: Settings,
}

impl BotAnswerer {
    pub(super) fn new(
        model: &Model,
        guards: Guards,
        toolboxes: Toolboxes,
        settings: Settings,
    ) -> Self {
        Self {
            model: model.clone(),
            guards,
            toolboxes,
            settings,
        }
    }

    fn ask(&self, ask: &reckon_bot::Ask) -> Result<Ask, String> {
        let system = ask.system.as_ref().or(self.settings.system.as_ref());
        let mut messages: Vec<Message> = system
            .into_iter()
            .map(|text| Message::new(Role::System, text))
            .collect();
        for turn in &ask.turns {
            let role = if turn.from_person {
                Role::User
            } else {
                Role::Assistant
            };
            messages.push(said(&self.model, role, turn)?);
        }
        Ok(Ask {
            messages,
            sampling: self.model.info().sampling.clone(),
            max_tokens: Some(self.settings.max_tokens),
            check: if ask.raw {
                CheckLevel::Off
            } else {
                self.settings.check
            },
            ..Ask::default()
        })
    }
}

impl Answerer for BotAnswerer {
    fn answer(
        &self,
        asked: &reckon_bot::Ask,
        on_progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Answer, String> {
        let ask = self.ask(asked)?;
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
            Event::Checking(guard) => on_progress(Progress::Note(&format!("checking: {guard}"))),
            _ => ControlFlow::Continue(()),
        };
        let reply = self.toolboxes.with(|tools| {
            guards
                .pipeline()
                .answer(session.as_mut(), tools, &ask, on_event)
        });
        let reply = reply.map_err(|error| reckon::Error::from(error).to_string())?;
        let receipt = self.model.sign(reply.receipt, &ask);
        let (usage, timing) = (&reply.generation.usage, &reply.generation.timing);
        Ok(Answer {
            state: match reply.generation.finish {
                _ if reply.stopped => State::Stopped,
                Finish::Stop => State::Done,
                Finish::Cancelled => State::Stopped,
                Finish::Length | Finish::Context | Finish::Grammar => State::Cut,
            },
            footer: receipt
                .mark
                .as_ref()
                .map(|one| mark::line(one, Output::Plain)),
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

    fn models(&self) -> Vec<String> {
        vec![self.model.info().name.clone()]
    }

    fn explain(&self, answer: &Stored) -> String {
        let receipt = answer.receipt.as_ref();
        match receipt.and_then(|receipt| receipt["text"].as_str()) {
            Some(text) => format!("```\n{}\n```", text.trim_end()),
            None => "This answer has no receipt.".to_owned(),
        }
    }
}

/// A turn as the model is given it: its files before its words.
fn said(model: &Model, role: Role, turn: &Turn) -> Result<Message, String> {
    let (mut parts, mut media) = (Vec::new(), Vec::new());
    for file in &turn.attachments {
        let read = AttachedFile::read(&file.name, file.bytes.clone(), None);
        let read = read.and_then(|read| read.for_model(model));
        let read = read.map_err(|error| error.to_string())?;
        parts.push(read.text);
        parts.extend(read.notes.iter().map(|note| format!("[{note}]")));
        media.extend(read.media);
    }
    parts.extend(
        turn.missing
            .iter()
            .map(|name| format!("[{name} is no longer here]")),
    );
    parts.push(turn.text.clone());
    parts.retain(|part| !part.trim().is_empty());
    Ok(Message::new(role, parts.join("\n\n")).with_media(media))
}
