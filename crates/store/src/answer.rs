//! The life of an answer after it was asked for: written piece by piece, ended, continued.
//!
//! Whoever writes it flushes the text so far with [`Store::progress`]; after a restart [`Store::unfinished`] names what
//! is left to do. Both ways of writing say `false` once the answer has ended or was deleted, here or by another process,
//! which is how a writer learns that nobody waits for it.
use crate::bounds::{self, MOST_CONTENT, MOST_ERROR};
use crate::conversation::touch;
use crate::error::{Error, Result};
use crate::id::{MessageId, Owner};
use crate::message::{COLUMNS, Message, Place, Role, State, TABLES, place};
use crate::store::Store;
use rusqlite::{Transaction, params};
use serde_json::Value;

/// How an answer ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finished {
    /// `Done`, `Stopped`, `Failed` or `Cut`.
    pub state: State,
    /// All of the text.
    pub content: String,
    /// All of what the model thought before it.
    pub thought: String,
    /// Why it failed.
    pub error: Option<String>,
    /// What checking it came to, in short.
    pub mark: Option<Value>,
    /// How it was made and checked.
    pub receipt: Option<Value>,
    /// Tokens, speeds and seconds.
    pub stats: Option<Value>,
}

impl Store {
    /// Saves the text of an answer so far; whether it is still wanted.
    pub fn progress(
        &self,
        owner: &Owner,
        message: &MessageId,
        content: &str,
        thought: &str,
    ) -> Result<bool> {
        bounds::bytes("the answer", content, MOST_CONTENT)?;
        bounds::bytes("the thought", thought, MOST_CONTENT)?;
        self.write(|transaction| {
            let Some(place) = unfinished_place(transaction, owner, message)? else {
                return Ok(false);
            };
            transaction.execute(
                "UPDATE messages SET state = ?2, content = ?3, thought = ?4 WHERE number = ?1",
                (place.number, State::Writing, content, thought),
            )?;
            Ok(true)
        })
    }

    /// Saves how an answer ended; `false` if it had already ended, or is no longer there.
    pub fn finish(&self, owner: &Owner, message: &MessageId, finished: &Finished) -> Result<bool> {
        if finished.state.is_unfinished() {
            return Err(Error::WrongState(
                "an answer cannot end as one that is still to come",
            ));
        }
        self.write(|transaction| {
            let Some(place) = unfinished_place(transaction, owner, message)? else {
                return Ok(false);
            };
            end(transaction, place.number, place.conversation, finished)?;
            Ok(true)
        })
    }

    /// Lets an answer that was stopped or cut, or failed, wait to be continued after the text that it has.
    pub fn reopen(&self, owner: &Owner, message: &MessageId) -> Result<Message> {
        self.write(|transaction| {
            let place = place(transaction, owner, message)?;
            if place.role != Role::Assistant || !matches!(place.state, State::Stopped | State::Failed | State::Cut) {
                return Err(Error::WrongState("only an answer that was stopped or cut, or failed, can be continued"));
            }
            // Mark, receipt and statistics were about the text that is now going to change.
            transaction.execute(
                "UPDATE messages SET state = ?2, error = NULL, mark = NULL, receipt = NULL, stats = NULL WHERE number = ?1",
                (place.number, State::Waiting),
            )?;
            touch(transaction, place.conversation)?;
            Message::numbered(transaction, place.number)
        })
    }

    /// Answers of all owners that are still to be written, oldest first: what a server resumes after a restart.
    ///
    /// Whoever is not the server leaves them alone: another process may be writing them. Those of a bot's tasks are not
    /// among them: the bot resumes its own.
    pub fn unfinished(&self) -> Result<Vec<(Owner, Message)>> {
        self.read(|transaction| {
            let sql = format!(
                "SELECT {COLUMNS} FROM {TABLES} WHERE m.state IN ('waiting', 'writing')
                 AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.answer = m.number) ORDER BY m.number"
            );
            let messages = transaction
                .prepare(&sql)?
                .query_map([], |row| Ok((row.get(14)?, Message::from_row(row)?)))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(messages)
        })
    }
}

/// Saves how the answer in row `number` ended.
pub(crate) fn end(
    transaction: &Transaction<'_>,
    number: i64,
    conversation: i64,
    finished: &Finished,
) -> Result<()> {
    bounds::bytes("the answer", &finished.content, MOST_CONTENT)?;
    bounds::bytes("the thought", &finished.thought, MOST_CONTENT)?;
    let error = finished.error.as_deref();
    bounds::bytes("the error", error.unwrap_or_default(), MOST_ERROR)?;
    let mark = bounds::json("the mark", finished.mark.as_ref())?;
    let receipt = bounds::json("the receipt", finished.receipt.as_ref())?;
    let stats = bounds::json("the statistics", finished.stats.as_ref())?;
    let Finished {
        state,
        content,
        thought,
        ..
    } = finished;
    transaction.execute(
        "UPDATE messages SET state = ?2, content = ?3, thought = ?4, error = ?5, mark = ?6, receipt = ?7, stats = ?8
         WHERE number = ?1",
        params![number, state, content, thought, error, mark, receipt, stats],
    )?;
    touch(transaction, conversation)
}

/// Finds the owner's message if it is still to be written.
fn unfinished_place(
    transaction: &Transaction<'_>,
    owner: &Owner,
    message: &MessageId,
) -> Result<Option<Place>> {
    match place(transaction, owner, message) {
        Ok(place) => Ok(Some(place).filter(|place| place.state.is_unfinished())),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
