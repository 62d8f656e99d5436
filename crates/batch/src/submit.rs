//! Reads an input line by line into a new batch.
//!
//! Lines go in by the chunk, so neither memory nor a lock on the database grows with the input. Workers see nothing of a
//! batch before its last line is in; whoever was killed while reading leaves a batch in the state `reading`, which the
//! next reader empties and fills from the start. A reader has a ticket, so that of two the later one wins and the
//! earlier one is told.
//!
//! A line that is no row is noted with its number and costs only itself. An id that comes a second time is ignored if
//! the row asks the same, else refused: the output has each id once.
use crate::database::{Transaction, Value};
use crate::error::{Error, Result, one_line};
use crate::lease::Ticket;
use crate::queue::{BatchState, Queue, find};
use crate::row::{Parsed, hex, parse};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::io::BufRead;

/// Bytes of a line.
const MOST_LINE: usize = 8 << 20;
/// Rows of a batch.
const MOST_ROWS: u64 = 10_000_000;
/// Lines that are no rows; more of them, and the file is something else.
const MOST_REFUSED: u64 = 10_000;
/// Rows and bytes that go in together.
const CHUNK_ROWS: usize = 200;
const CHUNK_BYTES: usize = 4 << 20;
/// Bytes of a name.
const MOST_NAME: usize = 1024;

/// What became of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Submitted {
    /// The batch.
    pub batch: String,
    /// Whether it was there already, from an earlier call with the same name and input.
    pub resumed: bool,
    /// Rows that were taken.
    pub rows: u64,
    /// Rows of these that ask what another one asks, and will have its answer.
    pub copies: u64,
    /// Lines that are no rows.
    pub refused: u64,
    /// Lines that were there before, with the same id and content.
    pub repeated: u64,
}

/// A line that is no row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// One line of the input.
struct Numbered {
    number: u64,
    row: std::result::Result<Parsed, String>,
}

impl Queue {
    /// Makes a batch of JSONL.
    ///
    /// With a name, this can be called again after anything was killed: the batch is then found instead of made twice,
    /// and [`Error::Changed`] says if the input is not the same.
    pub fn submit(&self, name: Option<&str>, input: impl BufRead) -> Result<Submitted> {
        if name.is_some_and(|name| {
            name.is_empty() || name.len() > MOST_NAME || name.contains(char::is_control)
        }) {
            return Err(Error::Invalid(format!(
                "a name has 1 to {MOST_NAME} bytes and no control characters"
            )));
        }
        let reader = Ticket::random()?;
        let (batch, state) = self.begin(name, reader)?;
        let mut lines = Lines::new(input);
        if state != BatchState::Reading {
            while lines.next(false)?.is_some() {}
            return self.compare(&batch, name, &lines.digest());
        }
        let mut refused = 0;
        let mut repeated = 0;
        loop {
            let chunk = lines.chunk()?;
            if chunk.is_empty() {
                break;
            }
            if chunk.last().is_some_and(|line| line.number > MOST_ROWS) {
                return Err(Error::Invalid(format!("more than {MOST_ROWS} lines")));
            }
            let (more_refused, more_repeated) = self.insert(&batch, reader, &chunk)?;
            refused += more_refused;
            repeated += more_repeated;
            if refused > MOST_REFUSED {
                return Err(Error::Invalid(format!(
                    "more than {MOST_REFUSED} lines are no rows: is this the right file?"
                )));
            }
        }
        self.seal(&batch, reader, &lines.digest(), (refused, repeated))?;
        self.count(&batch, false)
    }

    /// The lines of a batch that are no rows, after a line, by number.
    pub fn refused(&self, batch: &str, after: u64, most: usize) -> Result<Vec<Refused>> {
        self.database.transaction(|transaction| {
            let batch = find(transaction, batch)?.id;
            let sql = "SELECT line, reason FROM reckon_refused WHERE batch = ?1 AND line > ?2 ORDER BY line LIMIT ?3";
            let after = i64::try_from(after).unwrap_or(i64::MAX);
            let most = i64::try_from(most.min(MOST_REFUSED as usize)).unwrap_or(0);
            let records = transaction.query(sql, &[batch.into(), after.into(), most.into()])?;
            let refused = records.iter().map(|record| {
                Ok(Refused {
                    line: record.count(0)?,
                    reason: record.text(1)?,
                })
            });
            refused.collect()
        })
    }

    /// Finds the batch of a name, or makes one; empties it if it was not read to its end.
    fn begin(&self, name: Option<&str>, reader: Ticket) -> Result<(String, BatchState)> {
        self.database.transaction(|transaction| {
            let found = match name {
                Some(name) => match find(transaction, name) {
                    Ok(batch) => Some(batch),
                    Err(Error::NoBatch(_)) => None,
                    Err(error) => return Err(error),
                },
                None => None,
            };
            let Some(batch) = found else {
                let id = new_id()?;
                transaction.execute(
                    "INSERT INTO reckon_batches (id, name, state, created, reader, digest, refused, repeated)
                     VALUES (?1, ?2, 'reading', ?3, ?4, '', 0, 0)",
                    &[id.as_str().into(), name.into(), transaction.now.into(), reader.number().into()],
                )?;
                return Ok((id, BatchState::Reading));
            };
            if batch.state == BatchState::Reading {
                let key = batch.id.as_str();
                transaction.execute(
                    "UPDATE reckon_batches SET reader = ?2 WHERE id = ?1",
                    &[key.into(), reader.number().into()],
                )?;
                transaction.execute("DELETE FROM reckon_rows WHERE batch = ?1", &[key.into()])?;
                transaction.execute("DELETE FROM reckon_refused WHERE batch = ?1", &[key.into()])?;
            }
            Ok((batch.id, batch.state))
        })
    }

    /// Whether a batch that is there was made of the input that was read.
    fn compare(&self, batch: &str, name: Option<&str>, digest: &str) -> Result<Submitted> {
        let stored = self.database.transaction(|transaction| {
            let sql = "SELECT digest FROM reckon_batches WHERE id = ?1";
            transaction
                .first(sql, &[batch.into()])?
                .map_or(Ok(String::new()), |record| record.text(0))
        })?;
        if stored != digest {
            return Err(Error::Changed(one_line(name.unwrap_or(batch))));
        }
        self.count(batch, true)
    }

    /// Puts lines in; how many are no rows, and how many were there before.
    fn insert(&self, batch: &str, reader: Ticket, chunk: &[Numbered]) -> Result<(u64, u64)> {
        self.database.transaction(|transaction| {
            hold(transaction, batch, reader)?;
            let rows: Vec<_> = chunk
                .iter()
                .filter_map(|line| Some((line.number, line.row.as_ref().ok()?)))
                .collect();
            let taken = insert_rows(transaction, batch, &rows)?;
            let (mut refused, mut repeated) = (0, 0);
            for (number, row) in rows.iter().filter(|(number, _)| !taken.contains(number)) {
                match other_line(transaction, batch, row)? {
                    // The same chunk, put in by a call whose end was not heard of.
                    Some((line, _)) if line == *number => {}
                    Some((_, true)) => repeated += 1,
                    Some((line, false)) => {
                        refused += 1;
                        let reason = format!(
                            "id {} is also on line {line}, with other content",
                            one_line(&row.id)
                        );
                        refuse(transaction, batch, *number, &reason)?;
                    }
                    None => return Err(Error::Damaged(format!("line {number} was not stored"))),
                }
            }
            for line in chunk {
                if let Err(reason) = &line.row {
                    refused += 1;
                    refuse(transaction, batch, line.number, reason)?;
                }
            }
            Ok((refused, repeated))
        })
    }

    /// Finds the rows that ask the same, and opens the batch for workers.
    fn seal(
        &self,
        batch: &str,
        reader: Ticket,
        digest: &str,
        (refused, repeated): (u64, u64),
    ) -> Result<()> {
        self.database.transaction(|transaction| {
            let sealed = transaction.first(
                "SELECT id FROM reckon_batches WHERE id = ?1 AND reader = ?2 AND digest = ?3",
                &[batch.into(), reader.number().into(), digest.into()],
            )?;
            if sealed.is_some() {
                // By the same call, whose end was not heard of.
                return Ok(());
            }
            hold(transaction, batch, reader)?;
            let groups = "SELECT digest, min(line) AS lowest, count(*) AS size FROM reckon_rows
                          WHERE batch = ?1 GROUP BY digest HAVING count(*) > 1";
            transaction.execute(
                &format!(
                    "UPDATE reckon_rows SET leader = g.lowest,
                         weight = CASE WHEN line = g.lowest THEN g.size ELSE 1 END,
                         state = CASE WHEN line = g.lowest THEN 'waiting' ELSE 'copy' END
                     FROM ({groups}) AS g WHERE reckon_rows.batch = ?1 AND reckon_rows.digest = g.digest"
                ),
                &[batch.into()],
            )?;
            let count = |number: u64| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
            transaction.execute(
                "UPDATE reckon_batches SET state = 'open', digest = ?2, refused = ?3, repeated = ?4 WHERE id = ?1",
                &[batch.into(), digest.into(), count(refused), count(repeated)],
            )?;
            Ok(())
        })
    }

    fn count(&self, id: &str, resumed: bool) -> Result<Submitted> {
        self.database.transaction(|transaction| {
            let batch = find(transaction, id)?;
            let sql = "SELECT count(*), count(CASE WHEN state = 'copy' THEN 1 END) FROM reckon_rows WHERE batch = ?1";
            let record = transaction.first(sql, &[id.into()])?;
            let record = record.ok_or_else(|| Error::Damaged("no count".into()))?;
            Ok(Submitted {
                batch: batch.id,
                resumed,
                rows: record.count(0)?,
                copies: record.count(1)?,
                refused: batch.refused,
                repeated: batch.repeated,
            })
        })
    }
}

/// Makes sure that this reader is the one that fills the batch, until the transaction ends.
fn hold(transaction: &Transaction<'_>, batch: &str, reader: Ticket) -> Result<()> {
    let held = transaction.execute(
        "UPDATE reckon_batches SET reader = ?2 WHERE id = ?1 AND reader = ?2 AND digest = ''",
        &[batch.into(), reader.number().into()],
    )?;
    if held == 0 {
        return Err(Error::Taken("another process reads this batch".into()));
    }
    Ok(())
}

/// Puts rows in that are new; their lines.
fn insert_rows(
    transaction: &Transaction<'_>,
    batch: &str,
    rows: &[(u64, &Parsed)],
) -> Result<Vec<u64>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = vec![Value::from(batch)];
    let mut places = Vec::new();
    for (number, row) in rows {
        let n = values.len();
        // Numbered by hand: the line stands twice, as the row's own and as its leader's.
        places.push(format!(
            "(?1, ?{}, ?{}, 1, 'waiting', 0, 0, 0, 0, 0, 0, 0, ?{}, ?{}, ?{}, ?{})",
            n + 1,
            n + 1,
            n + 2,
            n + 3,
            n + 4,
            n + 5
        ));
        values.push(i64::try_from(*number).unwrap_or(i64::MAX).into());
        values.extend([row.digest.as_str().into(), row.id.as_str().into()]);
        values.extend([row.url.as_deref().into(), row.request.as_str().into()]);
    }
    let sql = format!(
        "INSERT INTO reckon_rows (batch, line, leader, weight, state, tries, deaths, ready, started, expires, finished,
             ticket, digest, id, url, request) VALUES {} ON CONFLICT DO NOTHING RETURNING line",
        places.join(", ")
    );
    let records = transaction.query(&sql, &values)?;
    records.iter().map(|record| record.count(0)).collect()
}

/// The line that has the id of a row already, and whether it asks the same.
fn other_line(
    transaction: &Transaction<'_>,
    batch: &str,
    row: &Parsed,
) -> Result<Option<(u64, bool)>> {
    let sql = "SELECT line, digest FROM reckon_rows WHERE batch = ?1 AND id = ?2";
    let found = transaction.first(sql, &[batch.into(), row.id.as_str().into()])?;
    found
        .map(|record| Ok((record.count(0)?, record.text(1)? == row.digest)))
        .transpose()
}

fn refuse(transaction: &Transaction<'_>, batch: &str, line: u64, reason: &str) -> Result<()> {
    let line = i64::try_from(line).unwrap_or(i64::MAX);
    transaction.execute(
        "INSERT INTO reckon_refused (batch, line, reason) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        &[batch.into(), line.into(), one_line(reason).into()],
    )?;
    Ok(())
}

fn new_id() -> Result<String> {
    let mut bytes = [0; 12];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::Internal(format!("no random numbers: {error}")))?;
    Ok(format!("batch_{}", hex(&bytes)))
}

/// The lines of an input, with a digest of all its bytes.
struct Lines<R> {
    input: R,
    number: u64,
    digest: Sha256,
}

impl<R: BufRead> Lines<R> {
    fn new(input: R) -> Self {
        Self {
            input,
            number: 0,
            digest: Sha256::new(),
        }
    }

    fn digest(&self) -> String {
        hex(&self.digest.clone().finalize())
    }

    /// The next lines that fit into one chunk, without blank ones; none at the end.
    fn chunk(&mut self) -> Result<Vec<Numbered>> {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        while chunk.len() < CHUNK_ROWS && bytes < CHUNK_BYTES {
            let Some(line) = self.next(true)? else {
                break;
            };
            bytes += line.len();
            let number = self.number;
            let row = if line.len() > MOST_LINE {
                Err(format!("longer than {} MiB", MOST_LINE >> 20))
            } else {
                let line = if number == 1 {
                    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line)
                } else {
                    &line
                };
                match line.trim_ascii() {
                    b"" => continue,
                    line => parse(line),
                }
            };
            chunk.push(Numbered { number, row });
        }
        Ok(chunk)
    }

    /// The next line with its end; of a longer one than is read only as much as shows that. Without `keep`, nothing.
    fn next(&mut self, keep: bool) -> Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let mut any = false;
        loop {
            let bytes = self.input.fill_buf().map_err(|source| Error::File {
                path: "the input".into(),
                source,
            })?;
            if bytes.is_empty() {
                break;
            }
            any = true;
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..end.map_or(bytes.len(), |end| end + 1)];
            self.digest.update(part);
            if keep && line.len() <= MOST_LINE {
                line.extend_from_slice(part);
            }
            let used = part.len();
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.number += u64::from(any);
        Ok(any.then_some(line))
    }
}
