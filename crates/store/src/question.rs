//! Questions, and the tree that they grow: branches, second answers, the path to a message.
//!
//! A question and its empty answer are saved together before a model starts, with all that it takes to generate the
//! answer; `answer.rs` has the rest of its life. A question follows an answer that has ended, or begins the conversation:
//! otherwise nobody could say what the model is to be shown.
use crate::bounds::{self, MOST_CONTENT, MOST_MESSAGES, MOST_NAME};
use crate::conversation::{find, touch};
use crate::error::{Error, Result};
use crate::id::{ConversationId, MessageId, Owner};
use crate::message::{COLUMNS, Message, Role, State, TABLES, place};
use crate::store::{Store, now};
use rusqlite::{Transaction, params};
use serde_json::Value;

/// What a person asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// The answer it follows; `None` begins the conversation. The parent of an earlier question makes a branch.
    pub parent: Option<MessageId>,
    /// The text.
    pub content: String,
    /// The model that is to answer.
    pub model: Option<String>,
    /// What to generate the answer with.
    pub request: Option<Value>,
}

impl Store {
    /// Saves a question and its empty answer, which waits; gives back both.
    pub fn ask(
        &self,
        owner: &Owner,
        conversation: &ConversationId,
        question: &Question,
    ) -> Result<(Message, Message)> {
        self.write(|transaction| {
            let (asked, answer) = ask(transaction, owner, conversation, question)?;
            Ok((
                Message::numbered(transaction, asked)?,
                Message::numbered(transaction, answer)?,
            ))
        })
    }

    /// Saves a second answer beside this one, empty and waiting, by the same model.
    pub fn retry(
        &self,
        owner: &Owner,
        message: &MessageId,
        request: Option<&Value>,
    ) -> Result<Message> {
        let request = bounds::json("the request", request)?;
        self.write(|transaction| {
            let place = place(transaction, owner, message)?;
            if place.role != Role::Assistant {
                return Err(Error::WrongState("only an answer can be tried again"));
            }
            room_for(transaction, place.conversation, 1)?;
            let sql = "SELECT model FROM messages WHERE number = ?1";
            let model: Option<String> =
                transaction.query_row(sql, [place.number], |row| row.get(0))?;
            let (model, request) = (model.as_deref(), request.as_deref());
            let answer = insert_answer(
                transaction,
                place.conversation,
                place.parent,
                model,
                request,
            )?;
            Message::numbered(transaction, answer)
        })
    }

    /// One message.
    pub fn message(&self, owner: &Owner, message: &MessageId) -> Result<Message> {
        self.read(|transaction| {
            let place = place(transaction, owner, message)?;
            Message::numbered(transaction, place.number)
        })
    }

    /// The messages from the beginning of the conversation to this one.
    pub fn path(&self, owner: &Owner, message: &MessageId) -> Result<Vec<Message>> {
        self.read(|transaction| {
            let place = place(transaction, owner, message)?;
            path(transaction, place.number)
        })
    }
}

/// Saves a question and its empty answer; the numbers of both.
pub(crate) fn ask(
    transaction: &Transaction<'_>,
    owner: &Owner,
    conversation: &ConversationId,
    question: &Question,
) -> Result<(i64, i64)> {
    bounds::bytes("the question", &question.content, MOST_CONTENT)?;
    let model = bounds::optional_line("the model's name", question.model.as_deref(), MOST_NAME)?;
    let request = bounds::json("the request", question.request.as_ref())?;
    let (number, found) = find(transaction, owner, conversation)?;
    let parent = match &question.parent {
        Some(parent) => Some(answered(transaction, owner, number, parent)?),
        None => None,
    };
    room_for(transaction, number, 2)?;
    let (role, state) = (Role::User, State::Done);
    let asked = transaction.query_row(
        "INSERT INTO messages (id, conversation, parent, role, state, created, content, thought)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, '') RETURNING number",
        params![
            MessageId::random()?,
            number,
            parent,
            role,
            state,
            now(),
            question.content
        ],
        |row| row.get(0),
    )?;
    let (model, request) = (model.as_deref(), request.as_deref());
    let answer = insert_answer(transaction, number, Some(asked), model, request)?;
    if found.title.is_empty() {
        let title = bounds::title_of(&question.content);
        transaction.execute(
            "UPDATE conversations SET title = ?2 WHERE number = ?1",
            (number, title),
        )?;
    }
    Ok((asked, answer))
}

/// The messages from the beginning of the conversation to the one in row `number`.
pub(crate) fn path(transaction: &Transaction<'_>, number: i64) -> Result<Vec<Message>> {
    // Bounded, because a file that somebody tampered with may have a circle.
    let sql = format!(
        "WITH RECURSIVE up (number, parent) AS (
             SELECT number, parent FROM messages WHERE number = ?1
             UNION ALL
             SELECT above.number, above.parent FROM up
             JOIN messages above ON above.number = up.parent
             LIMIT ?2)
         SELECT {COLUMNS} FROM {TABLES} WHERE m.number IN (SELECT number FROM up) ORDER BY m.number"
    );
    let path = transaction
        .prepare(&sql)?
        .query_map((number, MOST_MESSAGES as i64), Message::from_row)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(path)
}

/// The number of the answer that a question follows.
fn answered(
    transaction: &Transaction<'_>,
    owner: &Owner,
    conversation: i64,
    parent: &MessageId,
) -> Result<i64> {
    let place = place(transaction, owner, parent)?;
    if place.conversation != conversation {
        return Err(Error::NotFound("message in this conversation"));
    }
    if place.role != Role::Assistant {
        return Err(Error::WrongState(
            "a question follows an answer, not another question",
        ));
    }
    if place.state.is_unfinished() {
        return Err(Error::WrongState(
            "the answer before this question is still being written",
        ));
    }
    Ok(place.number)
}

/// Refuses messages that would be too many for this conversation.
fn room_for(transaction: &Transaction<'_>, conversation: i64, more: i64) -> Result<()> {
    let sql = "SELECT count(*) FROM messages WHERE conversation = ?1";
    let messages: i64 = transaction.query_row(sql, [conversation], |row| row.get(0))?;
    if messages + more > MOST_MESSAGES as i64 {
        return Err(Error::TooLarge {
            what: "the number of messages in this conversation",
            most: MOST_MESSAGES,
        });
    }
    Ok(())
}

fn insert_answer(
    transaction: &Transaction<'_>,
    conversation: i64,
    parent: Option<i64>,
    model: Option<&str>,
    request: Option<&str>,
) -> Result<i64> {
    touch(transaction, conversation)?;
    let (role, state) = (Role::Assistant, State::Waiting);
    let number = transaction.query_row(
        "INSERT INTO messages (id, conversation, parent, role, state, created, model, request, content, thought)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, '', '') RETURNING number",
        params![MessageId::random()?, conversation, parent, role, state, now(), model, request],
        |row| row.get(0),
    )?;
    Ok(number)
}
