//! A queue: a database with any number of batches, and what can be asked of it and told to it.
//!
//! `submit.rs` puts batches in, `lease.rs` is how workers take rows and bring results, `results.rs` reads them out; all
//! three are parts of [`Queue`]. This file has the rest: which batches there are, how far they are, cancel and retry.
use crate::database::{Database, Record, Transaction, Value};
use crate::error::{Error, Result};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Over how many milliseconds the speed of a batch is measured.
const WINDOW: i64 = 10 * 60_000;

/// A database with batches. A clone is another handle of the same connection.
#[derive(Clone, Debug)]
pub struct Queue {
    pub(crate) database: Arc<Database>,
    pub(crate) limits: Limits,
}

/// How patient a queue is with rows and workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often a row may fail before it has failed.
    pub tries: u32,
    /// How many workers a row may kill while it is all they do. A row that was under way when a worker died is
    /// afterwards handed out alone, so that a row which kills workers takes no other row with it.
    pub deaths: u32,
    /// How long a worker may be silent before its rows are given to another.
    pub lease: Duration,
    /// How long a row that failed waits for its second try; four times as long for each further one.
    pub pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tries: 3,
            deaths: 3,
            lease: Duration::from_secs(45),
            pause: Duration::from_secs(2),
        }
    }
}

/// A batch, by name and state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Batch {
    /// `batch_` and 24 hexadecimal characters.
    pub id: String,
    /// What its owner calls it; no two batches have the same.
    pub name: Option<String>,
    /// Whether workers take its rows.
    pub state: BatchState,
    /// Unix milliseconds.
    pub created: i64,
    /// Lines that are no rows; [`Queue::refused`] says why.
    pub refused: u64,
    /// Lines that were there before, with the same id and content.
    pub repeated: u64,
}

/// Whether workers take the rows of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BatchState {
    /// Its input is being read, or whoever read it was killed.
    Reading,
    /// They do, if any are left.
    Open,
    /// They do not.
    Cancelled,
}

impl BatchState {
    fn parse(text: &str) -> Result<Self> {
        match text {
            "reading" => Ok(Self::Reading),
            "open" => Ok(Self::Open),
            "cancelled" => Ok(Self::Cancelled),
            other => Err(Error::Damaged(format!("a batch is {other:?}"))),
        }
    }
}

/// How far a batch is. Rows that ask the same are counted each.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Whether workers take its rows.
    pub state: BatchState,
    /// Rows with an answer.
    pub done: u64,
    /// Rows that failed.
    pub failed: u64,
    /// Rows that nobody has begun.
    pub waiting: u64,
    /// Rows that workers have.
    pub running: u64,
    /// Over the last ten minutes; none before the first row has ended.
    pub rows_per_minute: Option<f64>,
    /// When the last row will end, at this speed.
    #[serde(rename = "eta_seconds", serialize_with = "seconds")]
    pub eta: Option<Duration>,
    /// Why nothing happens at the moment, in words for a person.
    pub trouble: Option<String>,
}

fn seconds<S: serde::Serializer>(
    time: &Option<Duration>,
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    time.map(|time| time.as_secs()).serialize(to)
}

impl Progress {
    /// Before anything is known.
    pub(crate) fn unknown(trouble: Option<String>) -> Self {
        Self {
            state: BatchState::Reading,
            done: 0,
            failed: 0,
            waiting: 0,
            running: 0,
            rows_per_minute: None,
            eta: None,
            trouble,
        }
    }

    /// All rows.
    pub fn total(&self) -> u64 {
        self.done + self.failed + self.left()
    }

    /// Rows that have not ended.
    pub fn left(&self) -> u64 {
        self.waiting + self.running
    }

    /// Whether nothing is left to do.
    pub fn is_finished(&self) -> bool {
        self.state != BatchState::Reading && self.left() == 0
    }
}

/// A worker, as it last said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkerInfo {
    /// Its name.
    pub name: String,
    /// Whether it was heard of within a lease.
    pub alive: bool,
    /// Seconds since it was heard of.
    pub silent_seconds: u64,
    /// Rows it has answered since it started.
    pub done: u64,
    /// Rows that failed with it.
    pub failed: u64,
    /// Rows it has at the moment.
    pub running: u64,
    /// Since it started.
    pub rows_per_minute: f64,
}

impl Queue {
    /// Opens a queue: `sqlite:PATH`, or `postgres://…` with what `database/tls.rs` says of encryption. Tables that are
    /// missing are made.
    pub fn open(address: &str) -> Result<Self> {
        let database = if let Some(path) = address.strip_prefix("sqlite:") {
            Database::sqlite(Path::new(path))?
        } else if address.starts_with("postgres://") || address.starts_with("postgresql://") {
            Database::postgres(address)?
        } else {
            return Err(Error::Invalid(
                "a database is sqlite:PATH or postgres://…".into(),
            ));
        };
        Ok(Self::new(database))
    }

    /// Whether a queue with this address is on this machine; of one that cannot be read it is not said.
    pub fn is_here(address: &str) -> bool {
        address.starts_with("sqlite:") || crate::database::is_here(address)
    }

    pub(crate) fn new(database: Database) -> Self {
        Self {
            database: Arc::new(database),
            limits: Limits::default(),
        }
    }

    /// With other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// All batches, newest first.
    pub fn batches(&self) -> Result<Vec<Batch>> {
        let sql =
            format!("SELECT {BATCH} FROM reckon_batches ORDER BY created DESC, id LIMIT 10000");
        self.database
            .transaction(|transaction| transaction.query(&sql, &[])?.iter().map(batch).collect())
    }

    /// The batch of this id or name.
    pub fn batch(&self, id_or_name: &str) -> Result<Batch> {
        self.database
            .transaction(|transaction| find(transaction, id_or_name))
    }

    /// How far a batch is.
    pub fn progress(&self, id: &str) -> Result<Progress> {
        self.database.transaction(|transaction| {
            let batch = find(transaction, id)?;
            progress(transaction, Some(&batch.id), batch.state)
        })
    }

    /// How far all open batches are together.
    pub fn progress_of_all(&self) -> Result<Progress> {
        self.database
            .transaction(|transaction| progress(transaction, None, BatchState::Open))
    }

    /// Lets workers take no more of its rows, until [`Self::resume`]. What is under way may end or be given back.
    pub fn cancel(&self, id: &str) -> Result<()> {
        self.switch(id, BatchState::Cancelled, "cancelled")
    }

    /// Lets workers take its rows again.
    pub fn resume(&self, id: &str) -> Result<()> {
        self.switch(id, BatchState::Open, "open")
    }

    fn switch(&self, id: &str, to: BatchState, name: &str) -> Result<()> {
        self.database.transaction(|transaction| {
            let batch = find(transaction, id)?;
            match batch.state {
                // Its rows are not all there: whoever reads the input again begins from the start.
                BatchState::Reading => Err(half_read(id)),
                state if state == to => Ok(()),
                _ => transaction
                    .execute(
                        "UPDATE reckon_batches SET state = ?2 WHERE id = ?1 AND state <> 'reading'",
                        &[batch.id.into(), name.into()],
                    )
                    .map(drop),
            }
        })
    }

    /// Lets failed rows wait again, as if they had never been tried; how many there were.
    pub fn retry(&self, id: &str) -> Result<u64> {
        self.database.transaction(|transaction| {
            let id = find(transaction, id)?.id;
            let rows = transaction.query(
                "UPDATE reckon_rows SET state = 'waiting', tries = 0, deaths = 0, ready = 0, ticket = 0, finished = 0,
                        error = NULL
                 WHERE batch = ?1 AND state = 'failed' RETURNING weight",
                &[id.into()],
            )?;
            rows.iter().map(|row| row.count(0)).sum()
        })
    }

    /// Deletes a batch with its rows and results; what workers still bring of it is refused.
    pub fn delete(&self, id: &str) -> Result<()> {
        self.database.transaction(|transaction| {
            let id = find(transaction, id)?.id;
            for table in [
                "reckon_rows WHERE batch",
                "reckon_refused WHERE batch",
                "reckon_batches WHERE id",
            ] {
                transaction.execute(&format!("DELETE FROM {table} = ?1"), &[id.as_str().into()])?;
            }
            Ok(())
        })
    }

    /// The workers of the last seven days, most recent first.
    pub fn workers(&self) -> Result<Vec<WorkerInfo>> {
        let lease = self.limits.lease;
        self.database.transaction(|transaction| {
            let sql = "SELECT name, started, seen, done, failed, running FROM reckon_workers
                       ORDER BY seen DESC, name LIMIT 1000";
            let records = transaction.query(sql, &[])?;
            let worker = |record: &Record| worker(record, transaction.now, lease);
            records.iter().map(worker).collect()
        })
    }
}

const BATCH: &str = "id, name, state, created, refused, repeated";

fn batch(record: &Record) -> Result<Batch> {
    Ok(Batch {
        id: record.text(0)?,
        name: record.optional_text(1)?,
        state: BatchState::parse(&record.text(2)?)?,
        created: record.int(3)?,
        refused: record.count(4)?,
        repeated: record.count(5)?,
    })
}

/// The batch of this id or, if none has it, of this name.
pub(crate) fn find(transaction: &Transaction<'_>, id_or_name: &str) -> Result<Batch> {
    let missing = || Error::NoBatch(crate::error::one_line(id_or_name));
    if id_or_name.contains('\0') {
        return Err(missing());
    }
    for column in ["id", "name"] {
        let sql = format!("SELECT {BATCH} FROM reckon_batches WHERE {column} = ?1");
        if let Some(record) = transaction.first(&sql, &[id_or_name.into()])? {
            return batch(&record);
        }
    }
    Err(missing())
}

pub(crate) fn half_read(id: &str) -> Error {
    Error::WrongState(format!(
        "the input of {id} was not read to its end: run it again"
    ))
}

/// How far a batch is, or all open ones are, by counting rows.
fn progress(
    transaction: &Transaction<'_>,
    id: Option<&str>,
    state: BatchState,
) -> Result<Progress> {
    let which = match id {
        Some(_) => "batch = ?1",
        None => "batch IN (SELECT id FROM reckon_batches WHERE state = 'open' AND id <> ?1)",
    };
    let id = Value::from(id.unwrap_or_default());
    let mut progress = Progress {
        state,
        ..Progress::unknown(None)
    };
    let sql = format!(
        "SELECT state, CAST(sum(weight) AS BIGINT) FROM reckon_rows WHERE {which} AND state <> 'copy' GROUP BY state"
    );
    let counts = transaction.query(&sql, std::slice::from_ref(&id))?;
    for record in &counts {
        let count = record.count(1)?;
        match record.text(0)?.as_str() {
            "done" => progress.done = count,
            "failed" => progress.failed = count,
            "waiting" => progress.waiting = count,
            _ => progress.running = count,
        }
    }
    let sql = format!(
        "SELECT CAST(sum(weight) AS BIGINT), min(started) FROM reckon_rows WHERE {which} AND finished > ?2"
    );
    let since = Value::from(transaction.now - WINDOW);
    let recent = transaction.first(&sql, &[id, since])?;
    if let Some((Some(rows), Some(since))) = recent
        .map(|record| Ok::<_, Error>((record.optional_int(0)?, record.optional_int(1)?)))
        .transpose()?
    {
        let minutes = (transaction.now - since).max(1) as f64 / 60_000.0;
        let speed = rows as f64 / minutes;
        progress.rows_per_minute = Some(speed);
        progress.eta = Duration::try_from_secs_f64(progress.left() as f64 / speed * 60.0).ok();
    }
    Ok(progress)
}

fn worker(record: &Record, now: i64, lease: Duration) -> Result<WorkerInfo> {
    let (started, seen) = (record.int(1)?, record.int(2)?);
    let silent = Duration::from_millis(u64::try_from(now - seen).unwrap_or(0));
    let done = record.count(3)?;
    Ok(WorkerInfo {
        name: record.text(0)?,
        alive: silent <= lease,
        silent_seconds: silent.as_secs(),
        done,
        failed: record.count(4)?,
        running: record.count(5)?,
        rows_per_minute: done as f64 * 60_000.0 / (seen - started).max(1) as f64,
    })
}
