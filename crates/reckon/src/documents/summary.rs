//! Summaries of what is longer than the context: notes on each part, then an answer from the notes.
//!
//! Every word is in one part, and every part is read: nothing is left out silently. What takes too many parts is refused
//! before anything is asked.
use super::{BYTES, Documents, Prepared, Room};
use crate::{Error, Result};
use reckon_assistant::{Ask, Event, NoTools, OnReply, Pipeline, Receipt, Reply, TextModel};
use reckon_engine::{Finish, Generation, Message, Role};

/// Tokens of a part of a summary.
const PART: usize = 2_000;
/// Parts of a text that are summarised.
const MOST_PARTS: usize = 64;
/// Tokens of the summary of a part.
const NOTES: usize = 160;
/// Times that notes are summarised again because they are too long themselves.
const MOST_ROUNDS: usize = 3;

/// A text in parts that can each be read at once.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    texts: Vec<String>,
    /// The most that one has.
    bytes: usize,
}

impl Documents {
    /// The text in parts.
    pub(super) fn parts(&self, room: Room<'_>) -> Result<Parts> {
        let tokens = room.tokens.saturating_sub(NOTES).clamp(256, PART);
        let bytes = BYTES * tokens;
        let texts = self.library.parts(bytes);
        let (names, n) = (self.library.names(), texts.len());
        if n > MOST_PARTS {
            return Err(Error::Attachment(format!(
                "{names} makes {n} parts of about {tokens} tokens; at most {MOST_PARTS} are summarised"
            )));
        }
        Ok(Parts { texts, bytes })
    }

    /// Reads the parts, then answers from the notes on them.
    pub(super) fn summarise(
        &self,
        prepared: &Prepared,
        parts: &Parts,
        model: &mut dyn TextModel,
        ask: &Ask,
        on_event: &mut OnReply<'_>,
    ) -> Result<Reply> {
        let mut spent = Generation::default();
        let mut notes = Vec::new();
        let mut round = parts.texts.clone();
        for _ in 0..MOST_ROUNDS {
            notes = match self.notes(&round, model, ask, &mut spent, on_event)? {
                Some(notes) => notes,
                None => return Ok(stopped(spent)),
            };
            let bytes: usize = notes.iter().map(String::len).sum();
            if bytes <= parts.bytes {
                break;
            }
            round = gathered(&notes, parts.bytes);
        }
        let prompt = format!(
            "Notes on the parts of {}, in order:\n\n{}\n\n{}",
            self.library.names(),
            notes.join("\n\n"),
            prepared.question
        );
        let mut ask = ask.clone();
        if let Some(last) = ask.messages.last_mut() {
            last.content = prompt;
        }
        let mut reply = Pipeline::default().answer(model, &mut NoTools, &ask, on_event)?;
        reply.generation.add_cost(&spent);
        reply.receipt.documents = self.cited(&self.library.whole());
        Ok(reply)
    }

    /// A few sentences on each part; nothing if it was stopped.
    fn notes(
        &self,
        parts: &[String],
        model: &mut dyn TextModel,
        ask: &Ask,
        spent: &mut Generation,
        on_event: &mut OnReply<'_>,
    ) -> Result<Option<Vec<String>>> {
        let mut notes = Vec::new();
        for (i, text) in parts.iter().enumerate() {
            let (part, parts) = (i + 1, parts.len());
            if on_event(Event::Part { part, parts }).is_break() {
                return Ok(None);
            }
            let names = self.library.names();
            let prompt = format!(
                "Part {part} of {parts} of {names}:\n{}\n\nSummarise this part in at most four sentences. \
                 Keep names, numbers and dates.",
                text.trim()
            );
            let ask = Ask {
                messages: vec![Message::new(Role::User, prompt)],
                sampling: ask.sampling.clone(),
                max_tokens: Some(NOTES),
                ..Ask::default()
            };
            let said = model.generate(&ask, &mut |_| on_event(Event::Part { part, parts }))?;
            spent.add_cost(&said);
            if said.finish == Finish::Cancelled {
                return Ok(None);
            }
            notes.push(said.text.trim().to_owned());
        }
        Ok(Some(notes))
    }
}

/// Notes put together into parts that can be read again.
fn gathered(notes: &[String], bytes: usize) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for note in notes {
        match parts.last_mut() {
            Some(part) if part.len() + note.len() <= bytes => {
                part.push_str("\n\n");
                part.push_str(note);
            }
            _ => parts.push(note.clone()),
        }
    }
    parts
}

fn stopped(spent: Generation) -> Reply {
    Reply {
        text: String::new(),
        generation: Generation {
            finish: Finish::Cancelled,
            ..spent
        },
        receipt: Receipt::default(),
        stopped: true,
    }
}
