//! Keys of the server's API: made, recognised, counted and revoked.
//!
//! A secret is `rk-` and 32 random bytes in hexadecimal. Its first 8 bytes are public: they find the row, and a person
//! recognises a key by them. Of the other 24 only a digest is kept. SHA-256 is enough for that: slow hashes make
//! guessing dear where people choose passwords, and nobody guesses 192 random bits.
//!
//! A revoked key stays in the table, since conversations belong to it; its name is free again.
use crate::bounds::{self, MOST_KEYS, MOST_NAME};
use crate::error::{Error, Result};
use crate::id::{KeyId, hex, is_hex, random};
use crate::store::{Store, now};
use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::hint::black_box;

const SECRET_START: &str = "rk-";
const SECRET_BYTES: usize = 32;
/// Characters of the public part, without `rk-`.
const PREFIX_LEN: usize = 16;
/// Tokens of a day that are counted; far from what SQLite can add without rounding.
const MOST_TOKENS: i64 = i64::MAX / 2;

/// What a key may use; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Requests in a minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens in a day.
    pub tokens_per_day: Option<u64>,
}

/// A key without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Key {
    /// Its name for programs, which is also the owner of what is made with it.
    pub id: KeyId,
    /// Its name for people.
    pub name: String,
    /// How its secret begins.
    pub prefix: String,
    /// What it may use.
    pub limits: Limits,
    /// When it was made, in Unix milliseconds.
    pub created: i64,
    /// When it was last used, in Unix milliseconds.
    pub used: Option<i64>,
    /// When it was revoked, in Unix milliseconds.
    pub revoked: Option<i64>,
}

const KEY: &str = "id, name, prefix, requests_per_minute, tokens_per_day, created, used, revoked";

impl Key {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            name: row.get(1)?,
            prefix: format!("{SECRET_START}{}", row.get::<_, String>(2)?),
            limits: Limits {
                requests_per_minute: row.get(3)?,
                tokens_per_day: row.get::<_, Option<i64>>(4)?.map(i64::unsigned_abs),
            },
            created: row.get(5)?,
            used: row.get(6)?,
            revoked: row.get(7)?,
        })
    }
}

impl Store {
    /// Makes a key. The secret is shown here and never again.
    pub fn create_key(&self, name: &str, limits: Limits) -> Result<(KeyId, String)> {
        let name = checked_name(name)?;
        let id = KeyId::random()?;
        let random = hex(&random::<SECRET_BYTES>()?);
        let (prefix, secret) = (&random[..PREFIX_LEN], format!("{SECRET_START}{random}"));
        let tokens_per_day = limits.tokens_per_day.map(whole);
        self.write(|transaction| {
            if count(transaction)? >= MOST_KEYS as u64 {
                return Err(Error::TooLarge {
                    what: "the number of keys",
                    most: MOST_KEYS,
                });
            }
            let sql = "SELECT 1 FROM keys WHERE name = ?1 AND revoked IS NULL";
            if transaction.prepare(sql)?.exists([name])? {
                return Err(Error::NameTaken(name.into()));
            }
            transaction.execute(
                "INSERT INTO keys (id, name, prefix, digest, requests_per_minute, tokens_per_day, created)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![id, name, prefix, digest(&secret), limits.requests_per_minute, tokens_per_day, now()],
            )?;
            Ok(())
        })?;
        Ok((id, secret))
    }

    /// The live key with this secret.
    pub fn key_of(&self, secret: &str) -> Result<Option<Key>> {
        let random = secret
            .strip_prefix(SECRET_START)
            .filter(|random| is_hex(random, 2 * SECRET_BYTES));
        let Some(random) = random else {
            return Ok(None);
        };
        let found = self.read(|transaction| {
            let sql =
                format!("SELECT {KEY}, digest FROM keys WHERE prefix = ?1 AND revoked IS NULL");
            let found = transaction.query_row(&sql, [&random[..PREFIX_LEN]], |row| {
                Ok((Key::from_row(row)?, row.get::<_, [u8; 32]>(8)?))
            });
            Ok(found.optional()?)
        })?;
        Ok(found
            .filter(|(_, stored)| same(stored, &digest(secret)))
            .map(|(key, _)| key))
    }

    /// All keys, the revoked ones too, oldest first.
    pub fn list_keys(&self) -> Result<Vec<Key>> {
        self.read(|transaction| {
            let keys = transaction
                .prepare(&format!("SELECT {KEY} FROM keys ORDER BY number"))?
                .query_map([], Key::from_row)?
                .collect::<rusqlite::Result<_>>()?;
            Ok(keys)
        })
    }

    /// How many keys are live.
    pub fn count_keys(&self) -> Result<u64> {
        self.read(count)
    }

    /// Revokes the live key with this name or id: its secret is worth nothing from now on.
    pub fn revoke_key(&self, name_or_id: &str) -> Result<Key> {
        self.write(|transaction| {
            let sql = format!(
                "UPDATE keys SET revoked = ?2 WHERE (id = ?1 OR name = ?1) AND revoked IS NULL RETURNING {KEY}"
            );
            let revoked = transaction.query_row(&sql, (name_or_id, now()), Key::from_row);
            revoked.optional()?.ok_or(Error::NotFound("key"))
        })
    }

    /// Notes that a key was used now.
    pub fn touch_key(&self, key: &KeyId) -> Result<()> {
        self.write(|transaction| {
            let changed =
                transaction.execute("UPDATE keys SET used = ?2 WHERE id = ?1", (key, now()))?;
            if changed == 0 {
                Err(Error::NotFound("key"))
            } else {
                Ok(())
            }
        })
    }

    /// Adds to the tokens that a key has used on a day, counted from 1970; the sum of that day.
    pub fn spend(&self, key: &KeyId, day: i64, tokens: u64) -> Result<u64> {
        self.write(|transaction| {
            let sum = transaction.query_row(
                "INSERT INTO spending (key, day, tokens) SELECT number, ?2, ?3 FROM keys WHERE id = ?1
                 ON CONFLICT (key, day) DO UPDATE SET tokens = min(tokens + excluded.tokens, ?4) RETURNING tokens",
                (key, day, whole(tokens), MOST_TOKENS),
                |row| row.get::<_, i64>(0),
            );
            sum.optional()?.map(i64::unsigned_abs).ok_or(Error::NotFound("key"))
        })
    }

    /// The tokens that a key has used on a day, counted from 1970.
    pub fn spent(&self, key: &KeyId, day: i64) -> Result<u64> {
        self.read(|transaction| {
            let sql =
                "SELECT tokens FROM spending JOIN keys ON number = key WHERE id = ?1 AND day = ?2";
            let sum = transaction.query_row(sql, (key, day), |row| row.get::<_, i64>(0));
            Ok(sum.optional()?.unwrap_or(0).unsigned_abs())
        })
    }
}

fn count(transaction: &Transaction<'_>) -> Result<u64> {
    let sql = "SELECT count(*) FROM keys WHERE revoked IS NULL";
    Ok(transaction
        .query_row(sql, [], |row| row.get::<_, i64>(0))?
        .unsigned_abs())
}

/// A name that a terminal and a list can show, and that is not taken for an id.
fn checked_name(name: &str) -> Result<&str> {
    let name = name.trim();
    if name.chars().any(char::is_control) {
        return Err(Error::Invalid(
            "the name of a key has no control characters".into(),
        ));
    }
    if name.is_empty() || name.parse::<KeyId>().is_ok() {
        return Err(Error::Invalid(
            "a key needs a name, and none that looks like an id".into(),
        ));
    }
    bounds::line("the name of a key", name, MOST_NAME)?;
    Ok(name)
}

fn whole(tokens: u64) -> i64 {
    i64::try_from(tokens)
        .unwrap_or(MOST_TOKENS)
        .min(MOST_TOKENS)
}

fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

/// Compares all bytes whatever they are, so that the time it takes says nothing about them.
fn same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    let differences = a
        .iter()
        .zip(b)
        .fold(0, |differences, (a, b)| black_box(differences | (a ^ b)));
    differences == 0
}
