//! A conversation to a JSON value and back: to keep it, or to carry it to another machine.
//!
//! What is read back may be anybody's file: its size is bounded before it is parsed and the number of its messages while
//! it is, parents must be in it and form no circle, and every message gets a new id. It is saved in one piece or not at
//! all. What was still being written when it was exported has been stopped.
use crate::bounds::{
    self, MOST_CONTENT, MOST_ERROR, MOST_IMPORT, MOST_MESSAGES, MOST_NAME, MOST_TITLE,
};
use crate::conversation::{Conversation, checked_system, insert};
use crate::error::{Error, Result};
use crate::id::{ConversationId, MessageId, Owner};
use crate::message::{Role, State};
use crate::store::{Store, now};
use rusqlite::{Statement, params};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt;

/// The version of the format; the value of `reckon` in it.
const FORMAT: u64 = 1;

#[derive(Deserialize)]
struct Exported {
    reckon: u64,
    conversation: ExportedConversation,
}

#[derive(Deserialize)]
struct ExportedConversation {
    #[serde(default)]
    title: String,
    folder: Option<String>,
    system: Option<String>,
    created: Option<i64>,
    updated: Option<i64>,
    #[serde(deserialize_with = "bounded")]
    messages: Vec<ExportedMessage>,
}

#[derive(Deserialize)]
struct ExportedMessage {
    id: String,
    parent: Option<String>,
    role: Role,
    content: String,
    #[serde(default)]
    thought: String,
    #[serde(default)]
    state: State,
    error: Option<String>,
    model: Option<String>,
    created: Option<i64>,
    mark: Option<Box<RawValue>>,
    receipt: Option<Box<RawValue>>,
    stats: Option<Box<RawValue>>,
}

impl Store {
    /// The conversation with its messages as `{"reckon":1,"conversation":{…}}`.
    pub fn export(&self, owner: &Owner, id: &ConversationId) -> Result<Value> {
        let thread = self.conversation(owner, id)?;
        let conversation =
            serde_json::to_value(thread).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(json!({ "reckon": FORMAT, "conversation": conversation }))
    }

    /// Reads an exported conversation, as JSON text, into a new one of this owner.
    pub fn import(&self, owner: &Owner, exported: &[u8]) -> Result<Conversation> {
        if exported.len() > MOST_IMPORT {
            return Err(Error::TooLarge {
                what: "the exported conversation",
                most: MOST_IMPORT,
            });
        }
        let exported: Exported = serde_json::from_slice(exported).map_err(|error| {
            Error::Invalid(format!("this is no exported conversation: {error}"))
        })?;
        if exported.reckon != FORMAT {
            return Err(Error::Invalid(format!(
                "the export has format {}, not {FORMAT}",
                exported.reckon
            )));
        }
        let (conversation, messages) = checked(exported.conversation)?;
        let order = parents_first(&messages)?;
        self.write(|transaction| {
            let number = insert(transaction, owner, &conversation)?;
            let mut statement = transaction.prepare(
                "INSERT INTO messages (id, conversation, parent, role, state, created, model, error, mark, stats,
                 content, thought, receipt) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) RETURNING number",
            )?;
            let mut numbers = vec![0; messages.len()];
            for (index, parent) in order {
                let parent = parent.map(|parent| numbers[parent]);
                numbers[index] = insert_message(&mut statement, number, parent, &messages[index])?;
            }
            Ok(())
        })?;
        Ok(conversation)
    }
}

/// A new conversation with these words, and its messages with everything in its bounds.
fn checked(exported: ExportedConversation) -> Result<(Conversation, Vec<ExportedMessage>)> {
    let now = now();
    // A time that is to come would keep the conversation at the top of the list.
    let past = |time: Option<i64>| time.filter(|time| (0..=now).contains(time)).unwrap_or(now);
    let mut messages = exported.messages;
    for message in &mut messages {
        bounds::bytes("a message", &message.content, MOST_CONTENT)?;
        bounds::bytes("a thought", &message.thought, MOST_CONTENT)?;
        bounds::bytes(
            "an error",
            message.error.as_deref().unwrap_or_default(),
            MOST_ERROR,
        )?;
        message.model =
            bounds::optional_line("a model's name", message.model.as_deref(), MOST_NAME)?;
        message.created = Some(past(message.created));
        message.state = match (message.role, message.state) {
            (Role::User, _) => State::Done,
            (Role::Assistant, state) if state.is_unfinished() => State::Stopped,
            (Role::Assistant, state) => state,
        };
    }
    let mut title = bounds::line("the title", &exported.title, MOST_TITLE)?;
    if title.is_empty() {
        title = messages
            .first()
            .map(|first| bounds::title_of(&first.content))
            .unwrap_or_default();
    }
    let conversation = Conversation {
        id: ConversationId::random()?,
        title,
        folder: bounds::optional_line("the folder", exported.folder.as_deref(), MOST_NAME)?,
        system: checked_system(exported.system.as_deref())?,
        created: past(exported.created),
        updated: past(exported.updated),
    };
    Ok((conversation, messages))
}

/// The indices of the messages with those of their parents, each parent before its children and else in the given order.
fn parents_first(messages: &[ExportedMessage]) -> Result<Vec<(usize, Option<usize>)>> {
    let mut indices = HashMap::with_capacity(messages.len());
    for (index, message) in messages.iter().enumerate() {
        if indices.insert(message.id.as_str(), index).is_some() {
            return Err(Error::Invalid("two messages have the same id".into()));
        }
    }
    let mut parents = vec![None; messages.len()];
    let mut children = vec![Vec::new(); messages.len()];
    let mut ready = BinaryHeap::new();
    for (index, message) in messages.iter().enumerate() {
        let Some(parent) = &message.parent else {
            ready.push(Reverse(index));
            continue;
        };
        let parent = *indices
            .get(parent.as_str())
            .ok_or_else(|| Error::Invalid("the parent of a message is missing".into()))?;
        parents[index] = Some(parent);
        children[parent].push(index);
    }
    let mut order = Vec::with_capacity(messages.len());
    while let Some(Reverse(index)) = ready.pop() {
        order.push((index, parents[index]));
        ready.extend(children[index].iter().copied().map(Reverse));
    }
    // Whoever was never ready waits for itself.
    if order.len() < messages.len() {
        return Err(Error::Invalid(
            "the parents of the messages form a circle".into(),
        ));
    }
    Ok(order)
}

fn insert_message(
    statement: &mut Statement<'_>,
    conversation: i64,
    parent: Option<i64>,
    message: &ExportedMessage,
) -> Result<i64> {
    let number = statement.query_row(
        params![
            MessageId::random()?,
            conversation,
            parent,
            message.role,
            message.state,
            message.created,
            message.model,
            message.error,
            json_text("a mark", message.mark.as_deref())?,
            json_text("statistics", message.stats.as_deref())?,
            message.content,
            message.thought,
            json_text("a receipt", message.receipt.as_deref())?,
        ],
        |row| row.get(0),
    )?;
    Ok(number)
}

/// The value as it is stored; one at a time is parsed, to know its depth.
fn json_text(what: &'static str, raw: Option<&RawValue>) -> Result<Option<String>> {
    let Some(raw) = raw else { return Ok(None) };
    bounds::bytes(what, raw.get(), bounds::MOST_JSON)?;
    let value = serde_json::from_str(raw.get())
        .map_err(|error| Error::Invalid(format!("{what}: {error}")))?;
    bounds::json(what, Some(&value))
}

/// Reads a list and gives up when it is too long, before it takes more memory.
fn bounded<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<ExportedMessage>, D::Error> {
    struct Bounded;
    impl<'de> Visitor<'de> for Bounded {
        type Value = Vec<ExportedMessage>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {MOST_MESSAGES} messages")
        }

        fn visit_seq<A: SeqAccess<'de>>(
            self,
            mut list: A,
        ) -> std::result::Result<Self::Value, A::Error> {
            let mut messages = Vec::new();
            while let Some(message) = list.next_element()? {
                if messages.len() == MOST_MESSAGES {
                    return Err(A::Error::custom(format_args!(
                        "more than {MOST_MESSAGES} messages"
                    )));
                }
                messages.push(message);
            }
            Ok(messages)
        }
    }
    deserializer.deserialize_seq(Bounded)
}
