//! What an update leads to. The acts of one update happen together with noting that it was handled.
//!
//! Rules that depend on how far a task has come are decided here, inside the transaction: whoever reads first and writes
//! later could find that the task has begun in between.
use super::delivery::{NewDelivery, insert};
use super::person::number_of;
use super::task::{self, NewTask};
use crate::bounds::{self, MOST_NAME};
use crate::conversation::checked_system;
use crate::error::Result;
use crate::id::PersonId;
use rusqlite::{Transaction, params};

/// One thing that an update leads to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Act {
    /// A person asks. A further message of the same album joins the first one while that waits.
    Ask(NewTask),
    /// A person has edited a message. While it waits its text is replaced; if it was their last one in this chat it is
    /// answered anew; else nothing happens. One that nobody knows counts as new if it is `fresh` and newer than all others.
    Edit {
        /// The message as it is now.
        task: NewTask,
        /// Whether it was written lately.
        fresh: bool,
    },
    /// What a person waits for in this chat is no longer wanted.
    Stop {
        /// Who.
        person: PersonId,
        /// Where.
        chat: i64,
        /// In which thread of it; 0 for none.
        thread: i64,
    },
    /// The next question of a person in this chat begins a new conversation.
    Reset {
        /// Who.
        person: PersonId,
        /// Where.
        chat: i64,
        /// In which thread of it; 0 for none.
        thread: i64,
    },
    /// A person changes their settings.
    Set {
        /// Who.
        person: PersonId,
        /// What.
        settings: Settings,
    },
    /// The bot owes a message.
    Send(NewDelivery),
}

/// Settings of a person; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether they want the model's bare answers.
    pub raw: Option<bool>,
    /// Their model, or `Some(None)` for the bot's.
    pub model: Option<Option<String>>,
    /// Their system prompt, or `Some(None)` for none. Conversations under way have it from now on.
    pub system: Option<Option<String>>,
}

pub(super) fn perform(transaction: &Transaction<'_>, bot: i64, act: &Act) -> Result<()> {
    match act {
        Act::Ask(new) => task::ask(transaction, bot, new),
        Act::Edit { task, fresh } => task::edit(transaction, bot, task, *fresh),
        Act::Stop {
            person,
            chat,
            thread,
        } => {
            let person = number_of(transaction, bot, person)?;
            transaction.execute(
                "UPDATE tasks SET wanted = 'stopped' WHERE person = ?1 AND chat = ?2 AND thread = ?3
                 AND state != 'done' AND wanted = 'yes'",
                (person, chat, thread),
            )?;
            Ok(())
        }
        Act::Reset {
            person,
            chat,
            thread,
        } => {
            let person = number_of(transaction, bot, person)?;
            let sql = "DELETE FROM chats WHERE person = ?1 AND chat = ?2 AND thread = ?3";
            transaction.execute(sql, (person, chat, thread))?;
            Ok(())
        }
        Act::Set { person, settings } => set(transaction, bot, person, settings),
        Act::Send(delivery) => insert(transaction, bot, delivery).map(drop),
    }
}

fn set(
    transaction: &Transaction<'_>,
    bot: i64,
    person: &PersonId,
    settings: &Settings,
) -> Result<()> {
    let number = number_of(transaction, bot, person)?;
    if let Some(raw) = settings.raw {
        let sql = "UPDATE people SET raw = ?2 WHERE number = ?1";
        transaction.execute(sql, params![number, raw])?;
    }
    if let Some(model) = &settings.model {
        let model = bounds::optional_line("the model's name", model.as_deref(), MOST_NAME)?;
        let sql = "UPDATE people SET model = ?2 WHERE number = ?1";
        transaction.execute(sql, params![number, model])?;
    }
    if let Some(system) = &settings.system {
        let system = checked_system(system.as_deref())?;
        let sql = "UPDATE people SET system = ?2 WHERE number = ?1";
        transaction.execute(sql, params![number, system])?;
        transaction.execute(
            "UPDATE conversations SET system = ?2 WHERE number IN (SELECT conversation FROM chats WHERE person = ?1)",
            params![number, system],
        )?;
    }
    Ok(())
}
