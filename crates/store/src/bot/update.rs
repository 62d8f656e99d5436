//! Updates: stored before the messenger is told that they arrived, handled once, in the order of their numbers.
use super::BotStore;
use super::act::{self, Act};
use crate::bounds;
use crate::error::Result;
use crate::store::now;
use rusqlite::{OptionalExtension, params};

/// Bytes of an update as the bot keeps it; messengers send text of a few kilobytes.
const MOST_UPDATE: usize = 1 << 20;
/// After so long without an update the next one may have any number.
const FORGET_OFFSET_MS: i64 = 6 * 24 * 3_600_000;

/// An update as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Its number, which the messenger gives once.
    pub id: i64,
    /// The series and the number of its message, if it has one.
    pub message: Option<(i64, i64)>,
    /// What to handle, in the bot's own words; `None` for nothing.
    pub body: Option<String>,
}

impl BotStore {
    /// Stores updates that are new; the messenger need not repeat any of them. How many were new.
    pub fn receive(&self, updates: &[Received]) -> Result<usize> {
        for update in updates {
            let body = update.body.as_deref().unwrap_or_default();
            bounds::bytes("the update", body, MOST_UPDATE)?;
        }
        let Some(newest) = updates.iter().map(|update| update.id).max() else {
            return Ok(0);
        };
        self.store.write(|transaction| {
            let mut new = 0;
            for update in updates {
                let (series, message) = update.message.unzip();
                new += transaction.execute(
                    "INSERT INTO updates (bot, id, received, series, message, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                     ON CONFLICT (bot, id) DO NOTHING",
                    params![self.number, update.id, now(), series, message, update.body],
                )?;
            }
            transaction.execute(
                "UPDATE bots SET next_update = ?2, heard = ?3 WHERE number = ?1",
                (self.number, newest.saturating_add(1), now()),
            )?;
            Ok(new)
        })
    }

    /// The number after the last update; `None` before the first one, and when the last is so old that the messenger
    /// may count from somewhere else by now.
    pub fn offset(&self) -> Result<Option<i64>> {
        self.store.read(|transaction| {
            let sql = "SELECT next_update FROM bots WHERE number = ?1 AND heard > ?2";
            let oldest = now().saturating_sub(FORGET_OFFSET_MS);
            let offset = transaction.query_row(sql, (self.number, oldest), |row| row.get(0));
            Ok(offset.optional()?.flatten())
        })
    }

    /// Updates that wait to be handled, by their numbers.
    pub fn unhandled(&self, limit: u32) -> Result<Vec<(i64, String)>> {
        self.store.read(|transaction| {
            let sql = "SELECT id, body FROM updates WHERE bot = ?1 AND body IS NOT NULL ORDER BY id LIMIT ?2";
            let updates = transaction
                .prepare(sql)?
                .query_map((self.number, limit), |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(updates)
        })
    }

    /// Does all that an update leads to and forgets its text, or nothing at all; `false` if it was handled before.
    pub fn handle(&self, update: i64, acts: &[Act]) -> Result<bool> {
        self.store.write(|transaction| {
            let sql =
                "UPDATE updates SET body = NULL WHERE bot = ?1 AND id = ?2 AND body IS NOT NULL";
            if transaction.execute(sql, (self.number, update))? == 0 {
                return Ok(false);
            }
            for act in acts {
                act::perform(transaction, self.number, act)?;
            }
            Ok(true)
        })
    }
}
