//! How workers take rows and bring results: leases, which expire, and tickets, which fence off whoever lost one.
//!
//! A claim puts the same random ticket on each row it takes. A result counts only from the ticket that is on the row,
//! so of several workers that answered one row exactly one is heard, and a row has one result, ever. Every call can be
//! repeated after a connection broke in the middle of it: a claim finds the rows that already have its ticket, a result
//! finds itself stored.
//!
//! A lease that expires is a death. The row waits again, as a suspect: suspects come last and are handed out alone, to
//! a worker that has nothing else. A row that kills its worker therefore takes others with it once, and is failed after
//! [`Limits::deaths`](crate::Limits) lone deaths; a row that was merely near it, or near a power cut, is answered.
use crate::database::{Record, Transaction, Value};
use crate::error::{Error, Result};
use crate::queue::Queue;
use crate::row::{Failure, FailureKind, Row};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Milliseconds after which a worker that was not heard of is forgotten.
const FORGOTTEN: i64 = 7 * 24 * 3_600_000;

/// Proof of a claim. Never 0, which stands for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(i64);

impl Ticket {
    pub(crate) fn random() -> Result<Self> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)
            .map_err(|error| Error::Internal(format!("no random numbers: {error}")))?;
        Ok(Self(i64::from_le_bytes(bytes) | 1))
    }

    pub(crate) fn number(self) -> i64 {
        self.0
    }
}

/// Which rows a worker asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Up to this many that no worker has died on.
    Clean(usize),
    /// One that a worker died on, to be all that this worker does.
    Suspect,
}

/// A row with its lease.
#[derive(Debug)]
pub(crate) struct Claimed {
    pub(crate) row: Row,
    pub(crate) ticket: Ticket,
    pub(crate) alone: bool,
}

/// Who has what.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heartbeat {
    pub(crate) worker: String,
    /// Milliseconds since it started.
    pub(crate) age: i64,
    pub(crate) done: u64,
    pub(crate) failed: u64,
    /// The tickets of the rows it has.
    pub(crate) tickets: Vec<Ticket>,
    pub(crate) running: usize,
}

impl Queue {
    /// Takes rows of a batch, or of the oldest open one that has any.
    pub(crate) fn claim(
        &self,
        batch: Option<&str>,
        worker: &str,
        ticket: Ticket,
        want: Want,
    ) -> Result<Vec<Claimed>> {
        self.database.transaction(|transaction| {
            for batch in open_batches(transaction, batch)? {
                self.bury(transaction, &batch)?;
                let rows = self.take(transaction, &batch, worker, ticket, want)?;
                if !rows.is_empty() {
                    return Ok(rows);
                }
            }
            Ok(Vec::new())
        })
    }

    /// Lets rows wait again whose lease has expired, or fails them if they have killed too often.
    fn bury(&self, transaction: &Transaction<'_>, batch: &str) -> Result<()> {
        // The first death was not alone, or nobody can know: it does not count.
        let most = i64::from(self.limits.deaths);
        let why = format!("its worker died on it {most} times");
        transaction.execute(
            "UPDATE reckon_rows SET deaths = deaths + 1, ready = 0,
                 state = CASE WHEN deaths < ?3 THEN 'waiting' ELSE 'failed' END,
                 error = CASE WHEN deaths < ?3 THEN error ELSE ?4 END,
                 finished = CASE WHEN deaths < ?3 THEN 0 ELSE ?2 END
             WHERE batch = ?1 AND state = 'running' AND expires <= ?2",
            &[
                batch.into(),
                transaction.now.into(),
                most.into(),
                why.into(),
            ],
        )?;
        Ok(())
    }

    fn take(
        &self,
        transaction: &Transaction<'_>,
        batch: &str,
        worker: &str,
        ticket: Ticket,
        want: Want,
    ) -> Result<Vec<Claimed>> {
        const COLUMNS: &str = "line, id, url, request";
        let claimed = |alone: bool| {
            move |record: &Record| {
                let row = row(batch, record)?;
                Ok(Claimed { row, ticket, alone })
            }
        };
        let alone = want == Want::Suspect;
        // Left by the same claim, if its end was not heard of.
        let sql = format!(
            "SELECT {COLUMNS} FROM reckon_rows WHERE batch = ?1 AND state = 'running' AND ticket = ?2"
        );
        let before = transaction.query(&sql, &[batch.into(), ticket.0.into()])?;
        if !before.is_empty() {
            return before.iter().map(claimed(alone)).collect();
        }
        let (condition, most) = match want {
            Want::Clean(most) => ("deaths = 0 ORDER BY line", most),
            Want::Suspect => ("deaths > 0 ORDER BY deaths, line", 1),
        };
        let sql = format!(
            "SELECT {COLUMNS} FROM reckon_rows WHERE batch = ?1 AND state = 'waiting' AND ready <= ?2 AND {condition}
             LIMIT {most}{}",
            transaction.lock()
        );
        let found = transaction.query(&sql, &[batch.into(), transaction.now.into()])?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let lines = found.iter().map(|record| record.int(0));
        let lines = list(lines.collect::<Result<Vec<_>>>()?);
        let sql = format!(
            "UPDATE reckon_rows SET state = 'running', ticket = ?2, worker = ?3, started = ?4, expires = ?5
             WHERE batch = ?1 AND line IN ({lines})"
        );
        let now = transaction.now;
        let expires = now + milliseconds(self.limits.lease);
        let values: [Value; 5] = [
            batch.into(),
            ticket.0.into(),
            worker.into(),
            now.into(),
            expires.into(),
        ];
        transaction.execute(&sql, &values)?;
        found.iter().map(claimed(alone)).collect()
    }

    /// Stores an answer; whether it is the one that counts.
    pub(crate) fn finish(&self, row: &Row, ticket: Ticket, result: &str) -> Result<bool> {
        self.database.transaction(|transaction| {
            // Waiting: the lease expired and nobody has taken the row yet, so the answer is as good as any.
            let changed = transaction.execute(
                "UPDATE reckon_rows SET state = 'done', result = ?4, finished = ?5, error = NULL
                 WHERE batch = ?1 AND line = ?2 AND ticket = ?3 AND state IN ('running', 'waiting')",
                &[
                    row.batch.as_str().into(),
                    line(row),
                    ticket.0.into(),
                    result.into(),
                    transaction.now.into(),
                ],
            )?;
            if changed == 1 {
                return Ok(true);
            }
            let stored = transaction.first(
                "SELECT line FROM reckon_rows WHERE batch = ?1 AND line = ?2 AND ticket = ?3 AND state = 'done'",
                &[row.batch.as_str().into(), line(row), ticket.0.into()],
            )?;
            Ok(stored.is_some())
        })
    }

    /// Notes that a row failed, or was given back; whether it has failed for good.
    pub(crate) fn fail(&self, row: &Row, ticket: Ticket, failure: &Failure) -> Result<bool> {
        let held = "batch = ?1 AND line = ?2 AND ticket = ?3 AND state = 'running'";
        let key: [Value; 3] = [row.batch.as_str().into(), line(row), ticket.0.into()];
        self.database.transaction(|transaction| {
            let sql = format!("SELECT tries FROM reckon_rows WHERE {held}");
            let Some(record) = transaction.first(&sql, &key)? else {
                return Ok(false);
            };
            if failure.kind == FailureKind::Stopped {
                let sql = format!("UPDATE reckon_rows SET state = 'waiting', ticket = 0 WHERE {held}");
                transaction.execute(&sql, &key)?;
                return Ok(false);
            }
            let tries = record.int(0)? + 1;
            let for_good = failure.kind == FailureKind::Final || tries >= i64::from(self.limits.tries);
            let (state, finished) = if for_good { ("failed", transaction.now) } else { ("waiting", 0) };
            let ready = transaction.now.saturating_add(self.pause_after(tries));
            let sql = format!(
                "UPDATE reckon_rows SET state = ?4, tries = ?5, ready = ?6, finished = ?7, error = ?8, ticket = 0
                 WHERE {held}"
            );
            let mut values = key.to_vec();
            values.extend([
                state.into(),
                tries.into(),
                ready.into(),
                finished.into(),
                failure.why.as_str().into(),
            ]);
            transaction.execute(&sql, &values)?;
            Ok(for_good)
        })
    }

    /// Milliseconds that a row waits after so many failures.
    fn pause_after(&self, tries: i64) -> i64 {
        let first = milliseconds(self.limits.pause);
        (1..tries.min(20)).fold(first, |pause, _| pause.saturating_mul(4))
    }

    /// Renews leases and says that the worker lives; the rows that it still has and that are still wanted.
    pub(crate) fn renew(&self, heartbeat: &Heartbeat) -> Result<Vec<(String, u64)>> {
        self.database.transaction(|transaction| {
            note_worker(transaction, heartbeat)?;
            if heartbeat.tickets.is_empty() {
                return Ok(Vec::new());
            }
            let tickets = list(heartbeat.tickets.iter().map(|ticket| ticket.0));
            let sql = format!(
                "UPDATE reckon_rows SET expires = ?1 WHERE state = 'running' AND ticket IN ({tickets})
                 AND batch IN (SELECT id FROM reckon_batches WHERE state = 'open') RETURNING batch, line"
            );
            let expires = transaction.now + milliseconds(self.limits.lease);
            let records = transaction.query(&sql, &[expires.into()])?;
            let held = |record: &Record| Ok((record.text(0)?, record.count(1)?));
            records.iter().map(held).collect()
        })
    }

    /// Ends the leases of a worker at once, for whoever knows that it is dead. Its rows wait again; each counts one death.
    pub fn expire(&self, worker: &str) -> Result<()> {
        self.database.transaction(|transaction| {
            let sql = "UPDATE reckon_rows SET expires = 0 WHERE state = 'running' AND worker = ?1";
            transaction.execute(sql, &[worker.into()]).map(drop)
        })
    }
}

fn open_batches(transaction: &Transaction<'_>, batch: Option<&str>) -> Result<Vec<String>> {
    let records = match batch {
        Some(id) => transaction.query(
            "SELECT id FROM reckon_batches WHERE id = ?1 AND state = 'open'",
            &[id.into()],
        )?,
        None => transaction.query(
            "SELECT id FROM reckon_batches b WHERE state = 'open' AND EXISTS (SELECT 1 FROM reckon_rows r
                 WHERE r.batch = b.id AND r.state IN ('waiting', 'running')) ORDER BY created, id LIMIT 100",
            &[],
        )?,
    };
    records.iter().map(|record| record.text(0)).collect()
}

fn note_worker(transaction: &Transaction<'_>, heartbeat: &Heartbeat) -> Result<()> {
    let count = |number: u64| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
    let now = transaction.now;
    transaction.execute(
        "INSERT INTO reckon_workers (name, started, seen, done, failed, running) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (name) DO UPDATE SET started = excluded.started, seen = excluded.seen, done = excluded.done,
             failed = excluded.failed, running = excluded.running",
        &[
            heartbeat.worker.as_str().into(),
            (now - heartbeat.age).into(),
            now.into(),
            count(heartbeat.done),
            count(heartbeat.failed),
            count(heartbeat.running as u64),
        ],
    )?;
    let forgotten = [(now - FORGOTTEN).into()];
    transaction.execute("DELETE FROM reckon_workers WHERE seen < ?1", &forgotten)?;
    Ok(())
}

fn row(batch: &str, record: &Record) -> Result<Row> {
    let damaged = |_| Error::Damaged("a request is not JSON".into());
    Ok(Row {
        batch: batch.into(),
        line: record.count(0)?,
        id: serde_json::from_str(&record.text(1)?).map_err(damaged)?,
        url: record.optional_text(2)?,
        body: serde_json::from_str(&record.text(3)?).map_err(damaged)?,
        wanted: Arc::new(AtomicBool::new(true)),
    })
}

fn line(row: &Row) -> Value {
    Value::Int(i64::try_from(row.line).unwrap_or(i64::MAX))
}

/// Numbers for an `IN (…)`.
fn list(numbers: impl IntoIterator<Item = i64>) -> String {
    let numbers: Vec<_> = numbers
        .into_iter()
        .map(|number| number.to_string())
        .collect();
    numbers.join(",")
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 4)
}

#[cfg(test)]
mod tests;
