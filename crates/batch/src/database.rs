//! One small language for two databases: statements with `?1`, integers and texts in and out, transactions.
//!
//! Everything above this module is written once. SQLite and PostgreSQL agree on all that it uses (`RETURNING`,
//! `ON CONFLICT`, `BIGINT` as 64 bits), except for the lock on claimed rows, which [`Transaction::lock`] supplies.
//! Calls block; a connection is shared by threads behind a lock that is held for one transaction.
//!
//! Times are Unix milliseconds. With PostgreSQL they are the server's, because leases are compared between machines
//! whose clocks differ; with SQLite everybody is on one machine.
mod postgres;
mod sqlite;
mod tls;

use crate::error::{Error, Result};
use postgres::Postgres;
pub(crate) use postgres::is_here;
use sqlite::Sqlite;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A parameter or a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Nothing.
    Null,
    /// A `BIGINT`.
    Int(i64),
    /// A `TEXT`, without U+0000, which PostgreSQL cannot hold: all text of strangers is stored as JSON or cleaned.
    Text(String),
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row that a statement gave.
#[derive(Debug)]
pub(crate) struct Record(Vec<Value>);

impl Record {
    /// The integer in a column.
    pub(crate) fn int(&self, column: usize) -> Result<i64> {
        match self.0.get(column) {
            Some(Value::Int(number)) => Ok(*number),
            other => Err(unexpected(column, other)),
        }
    }

    /// A count, which is never negative.
    pub(crate) fn count(&self, column: usize) -> Result<u64> {
        u64::try_from(self.int(column)?).map_err(|_| unexpected(column, self.0.get(column)))
    }

    /// The text in a column.
    pub(crate) fn text(&self, column: usize) -> Result<String> {
        let text = self.optional_text(column)?;
        text.ok_or_else(|| unexpected(column, Some(&Value::Null)))
    }

    /// The text in a column that may have none.
    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<String>> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(Some(text.clone())),
            Some(Value::Null) => Ok(None),
            other => Err(unexpected(column, other)),
        }
    }

    /// The integer in a column that may have none.
    pub(crate) fn optional_int(&self, column: usize) -> Result<Option<i64>> {
        match self.0.get(column) {
            Some(Value::Null) => Ok(None),
            _ => self.int(column).map(Some),
        }
    }
}

fn unexpected(column: usize, value: Option<&Value>) -> Error {
    let kind = match value {
        None => "missing",
        Some(Value::Null) => "empty",
        Some(Value::Int(_)) => "an integer",
        Some(Value::Text(_)) => "a text",
    };
    Error::Damaged(format!("column {column} is {kind}"))
}

/// A connection to one of the two.
#[derive(Debug)]
pub(crate) enum Database {
    /// A file of this machine.
    Sqlite(Mutex<Sqlite>),
    /// A server.
    Postgres(Box<Mutex<Postgres>>),
}

impl Database {
    /// Opens or makes a file.
    pub(crate) fn sqlite(path: &Path) -> Result<Self> {
        Ok(Self::Sqlite(Mutex::new(Sqlite::open(path)?)))
    }

    /// A database that is gone with its last handle, with a clock of its own that starts at 0.
    #[cfg(test)]
    pub(crate) fn in_memory(clock: std::sync::Arc<std::sync::atomic::AtomicI64>) -> Result<Self> {
        Ok(Self::Sqlite(Mutex::new(Sqlite::in_memory(clock)?)))
    }

    /// Connects to a server.
    pub(crate) fn postgres(address: &str) -> Result<Self> {
        let postgres = Postgres::open(address)?;
        Ok(Self::Postgres(Box::new(Mutex::new(postgres))))
    }

    /// Runs `body` and commits what it did unless it fails.
    ///
    /// When the connection breaks while committing, nobody can know whether it happened; `body` has to be written so
    /// that running it again does no harm.
    pub(crate) fn transaction<T>(
        &self,
        body: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        // A thread that panicked took its transaction back on the way, so the connection is as good as before.
        match self {
            Self::Sqlite(sqlite) => sqlite
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .transaction(body),
            Self::Postgres(postgres) => postgres
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .transaction(body),
        }
    }
}

/// A transaction under way.
pub(crate) struct Transaction<'a> {
    kind: Kind<'a>,
    /// The time of the database when it began.
    pub(crate) now: i64,
}

enum Kind<'a> {
    Sqlite(&'a rusqlite::Transaction<'a>),
    Postgres(postgres::Calls<'a>),
}

impl Transaction<'_> {
    /// Runs a statement; how many rows it changed.
    pub(crate) fn execute(&self, sql: &str, values: &[Value]) -> Result<u64> {
        match &self.kind {
            Kind::Sqlite(transaction) => sqlite::execute(transaction, sql, values),
            Kind::Postgres(calls) => calls.execute(sql, values),
        }
    }

    /// Runs a statement; the rows it gives.
    pub(crate) fn query(&self, sql: &str, values: &[Value]) -> Result<Vec<Record>> {
        match &self.kind {
            Kind::Sqlite(transaction) => sqlite::query(transaction, sql, values),
            Kind::Postgres(calls) => calls.query(sql, values),
        }
    }

    /// The first row that a statement gives.
    pub(crate) fn first(&self, sql: &str, values: &[Value]) -> Result<Option<Record>> {
        Ok(self.query(sql, values)?.into_iter().next())
    }

    /// What a `SELECT` ends with so that no other transaction takes the same rows. SQLite has one writer at a time.
    pub(crate) fn lock(&self) -> &'static str {
        match self.kind {
            Kind::Sqlite(_) => "",
            Kind::Postgres(_) => " FOR UPDATE SKIP LOCKED",
        }
    }
}
