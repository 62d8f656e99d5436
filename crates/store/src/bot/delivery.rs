//! Messages that the bot owes: in each chat one after the other, each noted before and after it is sent.
//!
//! Messengers have no way to send a message "unless I already did". A delivery is therefore noted as `sending` with the
//! highest number that any message of its series is known to have. If the answer never comes, the message that may or
//! may not be there has a higher one, and none that is known: [`BotStore::candidates`].
use super::BotStore;
use crate::bounds::{self, MOST_CONTENT};
use crate::error::{Error, Result};
use crate::store::now;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Row, Transaction, params};

/// A message to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewDelivery {
    /// Where to.
    pub chat: i64,
    /// The series that its number will come from.
    pub series: i64,
    /// What, in the bot's own words.
    pub body: String,
    /// An earlier delivery in whose place it stands.
    pub replaces: Option<i64>,
}

/// A message that the bot owes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its name.
    pub number: i64,
    /// Where to.
    pub chat: i64,
    /// What, in the bot's own words.
    pub body: String,
    /// `Queued`, or `Sending` when nobody knows whether it was sent.
    pub state: DeliveryState,
    /// How often it was tried.
    pub tries: u32,
    /// The number of the message in whose place it stands.
    pub replaces: Option<i64>,
}

/// How far a delivery has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// It is to be sent.
    Queued,
    /// It is being sent, or was when the bot died.
    Sending,
    /// It was sent.
    Sent,
    /// It cannot be sent.
    Failed,
}

impl ToSql for DeliveryState {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Queued => "queued",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
        .into())
    }
}

impl FromSql for DeliveryState {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "queued" => Ok(Self::Queued),
            "sending" => Ok(Self::Sending),
            "sent" => Ok(Self::Sent),
            "failed" => Ok(Self::Failed),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

impl Delivery {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: row.get(0)?,
            chat: row.get(1)?,
            body: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
            state: row.get(3)?,
            tries: row.get(4)?,
            replaces: row.get(5)?,
        })
    }
}

impl BotStore {
    /// Adds a message of the bot's own accord.
    pub fn send(&self, delivery: &NewDelivery) -> Result<i64> {
        self.store
            .write(|transaction| insert(transaction, self.number, delivery))
    }

    /// The first open delivery of each chat, if it is due at `now`, in Unix milliseconds.
    pub fn due(&self, now: i64) -> Result<Vec<Delivery>> {
        self.store.read(|transaction| {
            let sql = "SELECT d.number, d.chat, d.body, d.state, d.tries, r.message
                       FROM deliveries d LEFT JOIN deliveries r ON r.number = d.replaces
                       WHERE d.due <= ?2 AND d.number IN (
                           SELECT min(number) FROM deliveries
                           WHERE bot = ?1 AND state IN ('queued', 'sending') GROUP BY chat)
                       ORDER BY d.number";
            let due = transaction
                .prepare(sql)?
                .query_map((self.number, now), Delivery::from_row)?
                .collect::<rusqlite::Result<_>>()?;
            Ok(due)
        })
    }

    /// When the next delivery is due, in Unix milliseconds; `None` if none is open.
    pub fn next_due(&self) -> Result<Option<i64>> {
        self.store.read(|transaction| {
            let sql =
                "SELECT min(due) FROM deliveries WHERE bot = ?1 AND state IN ('queued', 'sending')";
            Ok(transaction.query_row(sql, [self.number], |row| row.get(0))?)
        })
    }

    /// Notes that it is about to be sent; `false` if it is no longer wanted.
    pub fn sending(&self, delivery: i64) -> Result<bool> {
        self.store.write(|transaction| {
            let series: Option<i64> = transaction
                .query_row(
                    "SELECT series FROM deliveries WHERE bot = ?1 AND number = ?2 AND state IN ('queued', 'sending')",
                    (self.number, delivery),
                    |row| row.get(0),
                )
                .optional()?;
            let Some(series) = series else {
                return Ok(false);
            };
            let floor = top(transaction, self.number, series)?;
            transaction.execute(
                "UPDATE deliveries SET state = 'sending', floor = ?2, tries = tries + 1 WHERE number = ?1",
                (delivery, floor),
            )?;
            Ok(true)
        })
    }

    /// Notes that it was sent, as which message; its text is forgotten.
    pub fn sent(&self, delivery: i64, message: Option<i64>) -> Result<()> {
        self.end(delivery, DeliveryState::Sent, message)
    }

    /// Notes that it cannot be sent; its text is forgotten.
    pub fn failed(&self, delivery: i64) -> Result<()> {
        self.end(delivery, DeliveryState::Failed, None)
    }

    /// Notes that it was not sent and is to be tried again at `due`, in Unix milliseconds.
    pub fn put_back(&self, delivery: i64, due: i64) -> Result<()> {
        self.store.write(|transaction| {
            let sql = "UPDATE deliveries SET state = 'queued', due = ?2 WHERE number = ?1 AND state = 'sending'";
            transaction.execute(sql, (delivery, due))?;
            Ok(())
        })
    }

    /// Notes that nobody knows whether it was sent, and that this is to be found out at `due`, in Unix milliseconds.
    pub fn in_doubt(&self, delivery: i64, due: i64) -> Result<()> {
        self.store.write(|transaction| {
            let sql = "UPDATE deliveries SET due = ?2 WHERE number = ?1 AND state = 'sending'";
            transaction.execute(sql, (delivery, due))?;
            Ok(())
        })
    }

    /// The numbers that a delivery in doubt can have got: above the floor, known of no other message, and at most
    /// `beyond` above the highest known one.
    pub fn candidates(&self, delivery: i64, beyond: i64) -> Result<Vec<i64>> {
        const MOST: usize = 1_000;
        self.store.read(|transaction| {
            let (series, floor): (i64, i64) = transaction
                .query_row(
                    "SELECT series, ifnull(floor, 0) FROM deliveries WHERE bot = ?1 AND number = ?2",
                    (self.number, delivery),
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?
                .ok_or(Error::NotFound("delivery"))?;
            let known = transaction
                .prepare(
                    "SELECT message FROM updates WHERE bot = ?1 AND series = ?2 AND message > ?3
                     UNION SELECT message FROM deliveries WHERE bot = ?1 AND series = ?2 AND message > ?3",
                )?
                .query_map((self.number, series, floor), |row| row.get(0))?
                .collect::<rusqlite::Result<std::collections::BTreeSet<i64>>>()?;
            let highest = known.last().copied().unwrap_or(floor);
            // The nearest to the top first where there are many: what is in doubt was sent last.
            let candidates = (floor + 1..=highest.saturating_add(beyond))
                .rev()
                .filter(|number| !known.contains(number))
                .take(MOST)
                .collect::<Vec<_>>();
            Ok(candidates.into_iter().rev().collect())
        })
    }

    /// The number that the message of a delivery got, once it was sent.
    pub fn message_of(&self, delivery: i64) -> Result<Option<i64>> {
        self.store.read(|transaction| {
            let sql = "SELECT message FROM deliveries WHERE bot = ?1 AND number = ?2";
            let message = transaction.query_row(sql, (self.number, delivery), |row| row.get(0));
            Ok(message.optional()?.flatten())
        })
    }

    fn end(&self, delivery: i64, state: DeliveryState, message: Option<i64>) -> Result<()> {
        self.store.write(|transaction| {
            transaction.execute(
                "UPDATE deliveries SET state = ?3, message = ?4, body = NULL WHERE bot = ?1 AND number = ?2",
                params![self.number, delivery, state, message],
            )?;
            Ok(())
        })
    }
}

pub(super) fn insert(
    transaction: &Transaction<'_>,
    bot: i64,
    delivery: &NewDelivery,
) -> Result<i64> {
    bounds::bytes("the message", &delivery.body, MOST_CONTENT)?;
    let NewDelivery {
        chat,
        series,
        body,
        replaces,
    } = delivery;
    Ok(transaction.query_row(
        "INSERT INTO deliveries (bot, series, chat, state, replaces, created, due, body)
         VALUES (?1, ?2, ?3, 'queued', ?4, ?5, 0, ?6) RETURNING number",
        params![bot, series, chat, replaces, now(), body],
        |row| row.get(0),
    )?)
}

/// The highest number of a message in this series that anybody has told of.
fn top(transaction: &Transaction<'_>, bot: i64, series: i64) -> Result<i64> {
    Ok(transaction.query_row(
        "SELECT max(
             ifnull((SELECT max(message) FROM updates WHERE bot = ?1 AND series = ?2 AND message IS NOT NULL), 0),
             ifnull((SELECT max(message) FROM deliveries WHERE bot = ?1 AND series = ?2 AND message IS NOT NULL), 0))",
        (bot, series),
        |row| row.get(0),
    )?)
}
