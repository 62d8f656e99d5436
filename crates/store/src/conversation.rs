//! Conversations: made, listed, changed and deleted, each by its owner alone.
//!
//! A conversation without a title gets one from its first question. `updated` is the time of the last question or
//! answer: a new title or folder does not move a conversation to the top of the list.
use crate::bounds::{self, MOST_NAME, MOST_SYSTEM, MOST_TITLE};
use crate::error::{Error, Result};
use crate::id::{ConversationId, Owner};
use crate::message::{COLUMNS, Message, TABLES};
use crate::store::{Store, now};
use rusqlite::{OptionalExtension, Row, Transaction};
use serde::{Deserialize, Deserializer, Serialize};

/// A conversation without its messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conversation {
    /// Its name.
    pub id: ConversationId,
    /// What lists show; empty until the first question.
    pub title: String,
    /// The folder it lies in.
    pub folder: Option<String>,
    /// What the model is told before the first question.
    pub system: Option<String>,
    /// When it was made, in Unix milliseconds.
    pub created: i64,
    /// When something was last asked or answered, in Unix milliseconds.
    pub updated: i64,
}

/// A conversation with all of its messages, parents before children.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Thread {
    /// The conversation itself.
    #[serde(flatten)]
    pub conversation: Conversation,
    /// Its messages, in the order in which they were made.
    pub messages: Vec<Message>,
}

/// What a conversation begins with; all of it may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct NewConversation {
    /// A title of the person's own.
    pub title: Option<String>,
    /// The folder it lies in.
    pub folder: Option<String>,
    /// What the model is told before the first question.
    pub system: Option<String>,
}

/// What to change of a conversation; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Change {
    /// A new title; an empty one is replaced by the next question.
    pub title: Option<String>,
    /// A new folder, or `Some(None)` for none. In JSON that is `null`.
    #[serde(deserialize_with = "even_null")]
    pub folder: Option<Option<String>>,
    /// A new system prompt, or `Some(None)` for none. In JSON that is `null`.
    #[serde(deserialize_with = "even_null")]
    pub system: Option<Option<String>>,
}

/// Tells `null` from a field that is absent; serde would take both for `None`.
fn even_null<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// The columns of [`Conversation::from_row`], from conversations `c`.
pub(crate) const CONVERSATION: &str = "c.id, c.title, c.folder, c.system, c.created, c.updated";

impl Conversation {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            title: row.get(1)?,
            folder: row.get(2)?,
            system: row.get(3)?,
            created: row.get(4)?,
            updated: row.get(5)?,
        })
    }
}

impl Store {
    /// Begins a conversation without messages.
    pub fn create_conversation(
        &self,
        owner: &Owner,
        new: &NewConversation,
    ) -> Result<Conversation> {
        let now = now();
        let conversation = Conversation {
            id: ConversationId::random()?,
            title: bounds::line(
                "the title",
                new.title.as_deref().unwrap_or_default(),
                MOST_TITLE,
            )?,
            folder: bounds::optional_line("the folder", new.folder.as_deref(), MOST_NAME)?,
            system: checked_system(new.system.as_deref())?,
            created: now,
            updated: now,
        };
        self.write(|transaction| insert(transaction, owner, &conversation))?;
        Ok(conversation)
    }

    /// The conversation with all of its messages.
    pub fn conversation(&self, owner: &Owner, id: &ConversationId) -> Result<Thread> {
        self.read(|transaction| {
            let (number, conversation) = find(transaction, owner, id)?;
            let sql = format!(
                "SELECT {COLUMNS} FROM {TABLES} WHERE m.conversation = ?1 ORDER BY m.number"
            );
            let messages = transaction
                .prepare(&sql)?
                .query_map([number], Message::from_row)?
                .collect::<rusqlite::Result<_>>()?;
            Ok(Thread {
                conversation,
                messages,
            })
        })
    }

    /// Renames it, moves it to another folder, gives it another system prompt.
    pub fn change_conversation(
        &self,
        owner: &Owner,
        id: &ConversationId,
        change: &Change,
    ) -> Result<Conversation> {
        self.write(|transaction| {
            let (number, mut conversation) = find(transaction, owner, id)?;
            if let Some(title) = &change.title {
                conversation.title = bounds::line("the title", title, MOST_TITLE)?;
            }
            if let Some(folder) = &change.folder {
                conversation.folder =
                    bounds::optional_line("the folder", folder.as_deref(), MOST_NAME)?;
            }
            if let Some(system) = &change.system {
                conversation.system = checked_system(system.as_deref())?;
            }
            transaction.execute(
                "UPDATE conversations SET title = ?2, folder = ?3, system = ?4 WHERE number = ?1",
                (
                    number,
                    &conversation.title,
                    &conversation.folder,
                    &conversation.system,
                ),
            )?;
            Ok(conversation)
        })
    }

    /// Deletes it with its messages, also from the search, and overwrites what they were on the disk.
    pub fn delete_conversation(&self, owner: &Owner, id: &ConversationId) -> Result<()> {
        self.write(|transaction| {
            let (number, _) = find(transaction, owner, id)?;
            transaction.execute("DELETE FROM messages WHERE conversation = ?1", [number])?;
            transaction.execute("DELETE FROM conversations WHERE number = ?1", [number])?;
            Ok(())
        })?;
        self.empty_log();
        Ok(())
    }

    /// The folders that conversations of this owner lie in, in alphabetical order.
    pub fn folders(&self, owner: &Owner) -> Result<Vec<String>> {
        self.read(|transaction| {
            let sql =
                "SELECT DISTINCT folder FROM conversations WHERE owner = ?1 AND folder IS NOT NULL
                       ORDER BY folder COLLATE NOCASE, folder";
            let folders = transaction
                .prepare(sql)?
                .query_map([owner], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(folders)
        })
    }
}

/// Finds the owner's conversation and its row's number.
pub(crate) fn find(
    transaction: &Transaction<'_>,
    owner: &Owner,
    id: &ConversationId,
) -> Result<(i64, Conversation)> {
    let sql = format!(
        "SELECT {CONVERSATION}, c.number FROM conversations c WHERE c.id = ?1 AND c.owner = ?2"
    );
    let found = transaction.query_row(&sql, (id, owner), |row| {
        Ok((row.get(6)?, Conversation::from_row(row)?))
    });
    found.optional()?.ok_or(Error::NotFound("conversation"))
}

/// Adds a row for a conversation whose parts were checked.
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    owner: &Owner,
    conversation: &Conversation,
) -> Result<i64> {
    let number = transaction.query_row(
        "INSERT INTO conversations (id, owner, created, updated, title, folder, system)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING number",
        (
            &conversation.id,
            owner,
            conversation.created,
            conversation.updated,
            &conversation.title,
            &conversation.folder,
            &conversation.system,
        ),
        |row| row.get(0),
    )?;
    Ok(number)
}

/// Notes that something was asked or answered in it.
pub(crate) fn touch(transaction: &Transaction<'_>, number: i64) -> Result<()> {
    transaction.execute(
        "UPDATE conversations SET updated = ?2 WHERE number = ?1",
        (number, now()),
    )?;
    Ok(())
}

/// A system prompt as it is stored: an empty one is none.
pub(crate) fn checked_system(system: Option<&str>) -> Result<Option<String>> {
    let Some(system) = system.filter(|system| !system.trim().is_empty()) else {
        return Ok(None);
    };
    bounds::bytes("the system prompt", system, MOST_SYSTEM)?;
    Ok(Some(system.into()))
}
