//! What a bot must not lose: its people, the updates it was sent, the tasks they became and the messages it owes.
//!
//! Every arrow between these is one transaction, so that a bot killed at any moment goes on where it was:
//!
//! ```text
//! messenger ─receive→ updates ─handle→ tasks ─begin→ question + answer ─finish→ deliveries ─sending, sent→ messenger
//! ```
//!
//! - An update has its number, which is why a second one of the same number changes nothing.
//! - A task is a message that waits for its answer; beginning it makes the question of a conversation.
//! - A delivery is a message that the bot owes. It is noted as `sending` before it is sent. After a crash in between only
//!   the messenger knows whether it was: `candidates` are the numbers that it can have got.
//!
//! Updates and deliveries are text whose meaning the bot alone knows. That text is deleted once it was handled or sent.
//! Numbers of messages come from a `series`: one for each large group, and one for all other chats together.
mod act;
mod delivery;
mod person;
mod tables;
mod task;
mod update;

pub use act::{Act, Settings};
pub use delivery::{Delivery, DeliveryState, NewDelivery};
pub use person::{MOST_PAIRINGS, PAIRING_MS, Pairing, Person};
pub(crate) use tables::TABLES;
pub use task::{Begun, NewTask, Task, Wanted};
pub use update::Received;

use crate::bounds::{self, MOST_NAME};
use crate::error::Result;
use crate::id::{hex, random};
use crate::store::Store;

/// How long ended rows are kept: messengers repeat an update for a day at most.
const KEPT_MS: i64 = 7 * 24 * 3_600_000;

/// The part of a store that belongs to one bot. A clone is another handle of the same one.
#[derive(Clone, Debug)]
pub struct BotStore {
    store: Store,
    number: i64,
}

impl Store {
    /// The desk of the bot with this name, such as `telegram:42`; made when it is new.
    pub fn bot(&self, name: &str) -> Result<BotStore> {
        let name = bounds::line("the name of a bot", name, MOST_NAME)?;
        let secret = hex(&random::<32>()?);
        let number = self.write(|transaction| {
            transaction.execute(
                "INSERT INTO bots (name, secret) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
                (&name, secret),
            )?;
            let sql = "SELECT number FROM bots WHERE name = ?1";
            Ok(transaction.query_row(sql, [&name], |row| row.get(0))?)
        })?;
        Ok(BotStore {
            store: self.clone(),
            number,
        })
    }
}

impl BotStore {
    /// The store that this is a part of.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What the messenger shows to prove that it is the messenger; 64 characters, the same after every start.
    pub fn secret(&self) -> Result<String> {
        self.store.read(|transaction| {
            let sql = "SELECT secret FROM bots WHERE number = ?1";
            Ok(transaction.query_row(sql, [self.number], |row| row.get(0))?)
        })
    }

    /// Deletes what ended a week before `now`, in Unix milliseconds.
    pub fn prune(&self, now: i64) -> Result<()> {
        let before = now.saturating_sub(KEPT_MS);
        self.store.write(|transaction| {
            for sql in [
                "DELETE FROM updates WHERE bot = ?1 AND body IS NULL AND received < ?2",
                "DELETE FROM deliveries WHERE bot = ?1 AND state IN ('sent', 'failed') AND created < ?2",
                "DELETE FROM tasks WHERE state = 'done' AND created < ?2
                 AND person IN (SELECT number FROM people WHERE bot = ?1)",
            ] {
                transaction.execute(sql, (self.number, before))?;
            }
            Ok(())
        })
    }
}
