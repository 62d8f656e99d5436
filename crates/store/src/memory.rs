//! What people had remembered: short facts, each of one owner, added and forgotten by that person alone.
//!
//! All facts of an owner are told to a model with every question, so there are few of them and each is one line. What
//! was forgotten is overwritten, as everything that is deleted here.
use crate::bounds;
use crate::error::{Error, Result};
use crate::id::{FactId, Owner};
use crate::store::{Store, now};
use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::Serialize;

/// Facts of an owner.
pub const MOST_FACTS: usize = 40;
/// Characters of a fact.
pub const MOST_FACT: usize = 240;

pub(crate) const TABLE: &str = "
CREATE TABLE facts (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    created INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX facts_by_owner ON facts (owner);
";

/// Something that a person had remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// Its name for programs.
    pub id: FactId,
    /// One line.
    pub text: String,
    /// When it was added, in Unix milliseconds.
    pub created: i64,
}

impl Fact {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            text: row.get(1)?,
            created: row.get(2)?,
        })
    }
}

impl Store {
    /// Remembers a fact; one that is already there is not added twice.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for a long text or too many facts, [`Error::Invalid`] for nothing at all.
    pub fn remember(&self, owner: &Owner, text: &str) -> Result<Fact> {
        let text = bounds::line("a fact", text, MOST_FACT)?;
        if text.is_empty() {
            return Err(Error::Invalid("there is nothing to remember".into()));
        }
        self.write(|transaction| {
            let facts = facts(transaction, owner)?;
            if let Some(known) = facts.iter().find(|fact| fact.text == text) {
                return Ok(known.clone());
            }
            if facts.len() >= MOST_FACTS {
                return Err(Error::TooLarge {
                    what: "the number of facts",
                    most: MOST_FACTS,
                });
            }
            let fact = Fact {
                id: FactId::random()?,
                text,
                created: now(),
            };
            transaction.execute(
                "INSERT INTO facts (id, owner, created, text) VALUES (?1, ?2, ?3, ?4)",
                params![fact.id, owner, fact.created, fact.text],
            )?;
            Ok(fact)
        })
    }

    /// All facts of an owner, the oldest first.
    ///
    /// # Errors
    /// Those of the file.
    pub fn facts(&self, owner: &Owner) -> Result<Vec<Fact>> {
        self.read(|transaction| facts(transaction, owner))
    }

    /// Forgets a fact.
    ///
    /// # Errors
    /// [`Error::NotFound`] if this owner has no such fact.
    pub fn forget(&self, owner: &Owner, id: &FactId) -> Result<Fact> {
        let fact = self.write(|transaction| {
            let sql = "DELETE FROM facts WHERE owner = ?1 AND id = ?2 RETURNING id, text, created";
            let found = transaction.query_row(sql, params![owner, id], Fact::from_row);
            found.optional()?.ok_or(Error::NotFound("fact"))
        })?;
        self.empty_log();
        Ok(fact)
    }
}

fn facts(transaction: &Transaction<'_>, owner: &Owner) -> Result<Vec<Fact>> {
    let sql = "SELECT id, text, created FROM facts WHERE owner = ?1 ORDER BY number";
    let facts = transaction
        .prepare(sql)?
        .query_map([owner], Fact::from_row)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(facts)
}
