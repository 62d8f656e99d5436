//! People whom a bot answers, and strangers who have asked to be.
//!
//! A stranger gets a code; whoever sits at the machine approves it. Until then nothing of a stranger is kept but a name and
//! where to write to. There are few such requests at a time and they expire, so that strangers cannot fill the store.
use super::BotStore;
use super::delivery::{NewDelivery, insert};
use crate::bounds::{MOST_NAME, one_line};
use crate::error::{Error, Result};
use crate::id::{Owner, PersonId, random};
use crate::store::{Store, now};
use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::Serialize;

/// Requests that wait at a time.
pub const MOST_PAIRINGS: usize = 50;
/// How long a code is good for, in milliseconds.
pub const PAIRING_MS: i64 = 3_600_000;
/// How often a code is shown to the one who asked for it.
const MOST_SHOWN: i64 = 5;
/// Characters of a code that nobody takes for another: no 0, 1, I, L, O, U.
const ALPHABET: &[u8; 30] = b"23456789ABCDEFGHJKMNPQRSTVWXYZ";
/// With 30 characters there are 6 × 10¹¹ codes: fifty of them are not guessed in an hour, and it takes the host to try.
const CODE_LEN: usize = 8;

/// A person whom a bot answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Person {
    /// Their name for programs, which is also the owner of what they say.
    pub id: PersonId,
    /// The bot that answers them.
    pub bot: String,
    /// Their number at the messenger.
    pub account: i64,
    /// Their name for people, in their own words.
    pub name: String,
    /// Whether they want the model's bare answers.
    pub raw: bool,
    /// The model they chose.
    pub model: Option<String>,
    /// What they tell the model before the first question.
    pub system: Option<String>,
    /// When they were approved, in Unix milliseconds.
    pub approved: i64,
}

/// A stranger's request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pairing {
    /// The bot that was asked.
    pub bot: String,
    /// The stranger's number at the messenger.
    pub account: i64,
    /// Their name, in their own words.
    pub name: String,
    /// What they were shown.
    pub code: String,
    /// When they asked, in Unix milliseconds.
    pub created: i64,
}

impl Person {
    /// The owner of all that they say.
    pub fn owner(&self) -> Owner {
        Owner::from(&self.id)
    }

    /// The person in row `number`, revoked or not.
    pub(super) fn numbered(transaction: &Transaction<'_>, number: i64) -> rusqlite::Result<Self> {
        let sql = format!(
            "SELECT {PERSON} FROM people p JOIN bots b ON b.number = p.bot WHERE p.number = ?1"
        );
        transaction.query_row(&sql, [number], Self::from_row)
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            bot: row.get(1)?,
            account: row.get(2)?,
            name: row.get(3)?,
            raw: row.get(4)?,
            model: row.get(5)?,
            system: row.get(6)?,
            approved: row.get(7)?,
        })
    }
}

/// The columns of [`Person::from_row`], from [`PEOPLE`].
const PERSON: &str = "p.id, b.name, p.account, p.name, p.raw, p.model, p.system, p.approved";
/// Live people `p` with their bot `b`.
const PEOPLE: &str = "people p JOIN bots b ON b.number = p.bot AND p.revoked IS NULL";

impl BotStore {
    /// The person with this account, if the bot answers them.
    pub fn person(&self, account: i64) -> Result<Option<Person>> {
        self.store.read(|transaction| {
            let sql = format!("SELECT {PERSON} FROM {PEOPLE} WHERE p.bot = ?1 AND p.account = ?2");
            let person = transaction.query_row(&sql, (self.number, account), Person::from_row);
            Ok(person.optional()?)
        })
    }

    /// Answers this account from now on, without a code.
    pub fn admit(&self, account: i64, name: &str) -> Result<Person> {
        self.store
            .write(|transaction| admit(transaction, self.number, account, name))
    }

    /// The code of a stranger, the same within an hour; `None` when too many wait or it was shown too often.
    pub fn pair(&self, account: i64, chat: i64, name: &str) -> Result<Option<String>> {
        let new = code()?;
        self.store.write(|transaction| {
            expire(transaction)?;
            let sql = "SELECT count(*) FROM pairings WHERE account != ?2 OR bot != ?1";
            let others: i64 =
                transaction.query_row(sql, (self.number, account), |row| row.get(0))?;
            if others >= MOST_PAIRINGS as i64 {
                return Ok(None);
            }
            let code = transaction.query_row(
                "INSERT INTO pairings (bot, account, chat, name, code, created, shown) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1)
                 ON CONFLICT (bot, account) DO UPDATE SET shown = shown + 1 WHERE shown < ?7 RETURNING code",
                params![self.number, account, chat, short(name), new, now(), MOST_SHOWN],
                |row| row.get(0),
            );
            Ok(code.optional()?)
        })
    }
}

impl Store {
    /// Strangers who wait for somebody to approve them, oldest first.
    pub fn pairings(&self) -> Result<Vec<Pairing>> {
        self.write(|transaction| {
            expire(transaction)?;
            let sql = "SELECT b.name, p.account, p.name, p.code, p.created
                       FROM pairings p JOIN bots b ON b.number = p.bot ORDER BY p.created, p.code";
            let pairings = transaction
                .prepare(sql)?
                .query_map([], |row| {
                    Ok(Pairing {
                        bot: row.get(0)?,
                        account: row.get(1)?,
                        name: row.get(2)?,
                        code: row.get(3)?,
                        created: row.get(4)?,
                    })
                })?
                .collect::<rusqlite::Result<_>>()?;
            Ok(pairings)
        })
    }

    /// Lets the bot answer the stranger with this code, and has it send `greeting` to them.
    pub fn approve(&self, code: &str, greeting: Option<&str>) -> Result<Person> {
        let code = code.trim().to_ascii_uppercase();
        self.write(|transaction| {
            expire(transaction)?;
            let found = transaction.query_row(
                "DELETE FROM pairings WHERE code = ?1 RETURNING bot, account, chat, name",
                [&code],
                |row| {
                    Ok((
                        row.get(0)?,
                        row.get(1)?,
                        row.get(2)?,
                        row.get::<_, String>(3)?,
                    ))
                },
            );
            let (bot, account, chat, name) = found.optional()?.ok_or(Error::NotFound("code"))?;
            let person = admit(transaction, bot, account, &name)?;
            if let Some(body) = greeting {
                let delivery = NewDelivery {
                    chat,
                    body: body.into(),
                    ..NewDelivery::default()
                };
                insert(transaction, bot, &delivery)?;
            }
            Ok(person)
        })
    }

    /// The people whom bots answer, oldest first.
    pub fn people(&self) -> Result<Vec<Person>> {
        self.read(|transaction| {
            let people = transaction
                .prepare(&format!("SELECT {PERSON} FROM {PEOPLE} ORDER BY p.number"))?
                .query_map([], Person::from_row)?
                .collect::<rusqlite::Result<_>>()?;
            Ok(people)
        })
    }

    /// Answers a person no longer; with `erase` their conversations and what they had remembered are deleted too.
    ///
    /// What they still wait for is dropped.
    pub fn revoke_person(&self, id: &PersonId, erase: bool) -> Result<()> {
        self.write(|transaction| {
            let sql =
                "UPDATE people SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL RETURNING number";
            let number: Option<i64> = transaction
                .query_row(sql, (id, now()), |row| row.get(0))
                .optional()?;
            let number = number.ok_or(Error::NotFound("person"))?;
            let drop = "UPDATE tasks SET state = 'done', wanted = 'replaced', text = NULL
                        WHERE person = ?1 AND state != 'done'";
            transaction.execute(drop, [number])?;
            // Nobody goes on with answers that were begun: they have been stopped.
            transaction.execute(
                "UPDATE messages SET state = 'stopped' WHERE state IN ('waiting', 'writing')
                 AND conversation IN (SELECT number FROM conversations WHERE owner = ?1)",
                [id],
            )?;
            // What was already on its way to them alone; the chat of one person has the number of the account.
            transaction.execute(
                "UPDATE deliveries SET state = 'failed', body = NULL WHERE state = 'queued'
                 AND (bot, chat) IN (SELECT bot, account FROM people WHERE number = ?1)",
                [number],
            )?;
            if erase {
                erase_words(transaction, id)?;
            }
            Ok(())
        })?;
        if erase {
            self.empty_log();
        }
        Ok(())
    }
}

fn erase_words(transaction: &Transaction<'_>, id: &PersonId) -> Result<()> {
    for sql in [
        "DELETE FROM messages WHERE conversation IN (SELECT number FROM conversations WHERE owner = ?1)",
        "DELETE FROM conversations WHERE owner = ?1",
        "DELETE FROM facts WHERE owner = ?1",
        "UPDATE people SET name = '', system = NULL, model = NULL WHERE id = ?1",
    ] {
        transaction.execute(sql, [id])?;
    }
    Ok(())
}

/// The number of the live person of this bot.
pub(super) fn number_of(transaction: &Transaction<'_>, bot: i64, id: &PersonId) -> Result<i64> {
    let sql = "SELECT number FROM people WHERE bot = ?1 AND id = ?2 AND revoked IS NULL";
    let number = transaction.query_row(sql, (bot, id), |row| row.get(0));
    number.optional()?.ok_or(Error::NotFound("person"))
}

fn admit(transaction: &Transaction<'_>, bot: i64, account: i64, name: &str) -> Result<Person> {
    // Whoever comes back after being revoked is a new owner: what the earlier one said stays theirs alone.
    transaction.execute(
        "UPDATE people SET account = -number WHERE bot = ?1 AND account = ?2 AND revoked IS NOT NULL",
        (bot, account),
    )?;
    transaction.execute(
        "INSERT INTO people (id, bot, account, name, approved) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (bot, account) DO NOTHING",
        params![PersonId::random()?, bot, account, short(name), now()],
    )?;
    let sql = format!("SELECT {PERSON} FROM {PEOPLE} WHERE p.bot = ?1 AND p.account = ?2");
    Ok(transaction.query_row(&sql, (bot, account), Person::from_row)?)
}

fn expire(transaction: &Transaction<'_>) -> Result<()> {
    let oldest = now().saturating_sub(PAIRING_MS);
    transaction.execute("DELETE FROM pairings WHERE created < ?1", [oldest])?;
    Ok(())
}

/// A stranger's name as a list can show it: cut, since it is not worth refusing somebody for.
fn short(name: &str) -> String {
    let start = name.chars().take(4 * MOST_NAME).collect::<String>();
    one_line(&start).chars().take(MOST_NAME).collect()
}

fn code() -> Result<String> {
    let mut code = String::new();
    // Bytes above the last multiple of 30 would make some characters likelier than others.
    while code.len() < CODE_LEN {
        let fair = |byte: &u8| usize::from(*byte) < 256 / ALPHABET.len() * ALPHABET.len();
        let bytes = random::<CODE_LEN>()?;
        let chars = bytes.into_iter().filter(fair);
        let chars = chars.map(|byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
        code.extend(chars.take(CODE_LEN - code.len()));
    }
    Ok(code)
}
