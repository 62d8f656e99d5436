//! A question or an answer, and how it is read from its row.
//!
//! Messages of a conversation form a tree by `parent`: an edited question and a second answer are siblings of the first.
//! As JSON a [`Message`] is what the page's API promises; what it was asked to be generated with stays inside.
use crate::error::{Error, Result};
use crate::id::{ConversationId, MessageId, Owner};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Row, Transaction};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question or an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    /// Its name.
    pub id: MessageId,
    /// The conversation it is in.
    pub conversation: ConversationId,
    /// What it answers or follows; none at the beginning.
    pub parent: Option<MessageId>,
    /// Who wrote it.
    pub role: Role,
    /// The text, so far or at the end.
    pub content: String,
    /// What the model thought before it; often empty.
    pub thought: String,
    /// How far it has come.
    pub state: State,
    /// Why it failed.
    pub error: Option<String>,
    /// The model that writes it.
    pub model: Option<String>,
    /// When it was made, in Unix milliseconds.
    pub created: i64,
    /// What checking it came to, in short.
    pub mark: Option<Value>,
    /// How it was made and checked.
    pub receipt: Option<Value>,
    /// Tokens, speeds and seconds.
    pub stats: Option<Value>,
    /// What to generate it with, for a server that goes on after a restart. It is not part of the JSON.
    #[serde(skip)]
    pub request: Option<Value>,
}

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// How far a message has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is complete.
    #[default]
    Done,
    /// Nothing of it is written yet.
    Waiting,
    /// It grows.
    Writing,
    /// A person stopped it.
    Stopped,
    /// It could not be written.
    Failed,
    /// It met the bound on its length.
    Cut,
}

impl State {
    /// Whether more of it is still to come.
    pub fn is_unfinished(self) -> bool {
        matches!(self, Self::Waiting | Self::Writing)
    }
}

/// Gives an enum the same words in SQL as in JSON.
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(match self { $(Self::$variant => $word),* }.into())
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                match value.as_str()? {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(FromSqlError::InvalidType),
                }
            }
        }
    };
}

words!(Role { User = "user", Assistant = "assistant" });
words!(State {
    Done = "done",
    Waiting = "waiting",
    Writing = "writing",
    Stopped = "stopped",
    Failed = "failed",
    Cut = "cut",
});

/// The columns of [`Message::from_row`], then the owner, from [`TABLES`].
pub(crate) const COLUMNS: &str =
    "m.id, c.id, p.id, m.role, m.content, m.thought, m.state, m.error, m.model, m.created,
    m.mark, m.receipt, m.stats, m.request, c.owner";
/// Messages `m` with their conversation `c` and their parent `p`.
pub(crate) const TABLES: &str = "messages m JOIN conversations c ON c.number = m.conversation
    LEFT JOIN messages p ON p.number = m.parent";

impl Message {
    /// Reads the [`COLUMNS`].
    pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            conversation: row.get(1)?,
            parent: row.get(2)?,
            role: row.get(3)?,
            content: row.get(4)?,
            thought: row.get(5)?,
            state: row.get(6)?,
            error: row.get(7)?,
            model: row.get(8)?,
            created: row.get(9)?,
            mark: value(row, 10)?,
            receipt: value(row, 11)?,
            stats: value(row, 12)?,
            request: value(row, 13)?,
        })
    }

    /// Reads the message that is in row `number`.
    pub(crate) fn numbered(transaction: &Transaction<'_>, number: i64) -> Result<Self> {
        let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE m.number = ?1");
        Ok(transaction.query_row(&sql, [number], Self::from_row)?)
    }
}

fn value(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Value>> {
    let Some(text) = row.get::<_, Option<String>>(column)? else {
        return Ok(None);
    };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            Box::new(error),
        )
    })
}

/// What decides whether something may be done with a message.
pub(crate) struct Place {
    pub(crate) number: i64,
    pub(crate) conversation: i64,
    pub(crate) parent: Option<i64>,
    pub(crate) role: Role,
    pub(crate) state: State,
}

/// Finds the owner's message.
pub(crate) fn place(transaction: &Transaction<'_>, owner: &Owner, id: &MessageId) -> Result<Place> {
    let found = transaction.query_row(
        "SELECT m.number, m.conversation, m.parent, m.role, m.state
         FROM messages m JOIN conversations c ON c.number = m.conversation WHERE m.id = ?1 AND c.owner = ?2",
        (id, owner),
        |row| {
            Ok(Place {
                number: row.get(0)?,
                conversation: row.get(1)?,
                parent: row.get(2)?,
                role: row.get(3)?,
                state: row.get(4)?,
            })
        },
    );
    found.optional()?.ok_or(Error::NotFound("message"))
}
