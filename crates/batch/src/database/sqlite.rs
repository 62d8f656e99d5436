//! The queue in one SQLite file, for the workers of one machine.
//!
//! As in `reckon-store`: a write-ahead log, commits that are on the disk when the call returns, and no trust in a file
//! that may come from a stranger. Several processes may use it; a writer waits for another one.
use super::{Kind, Record, Transaction, Value};
use crate::error::{Error, Result, one_line};
use crate::schema;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, params_from_iter};
use std::fs::OpenOptions;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long a call waits for another process that writes.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of a row: a request and a result, each at its bound, are less.
const LONGEST_ROW: i32 = 128 << 20;
/// "RkBa" in ASCII: tells a queue from any other SQLite file.
const APPLICATION: i64 = 0x526b_4261;

/// An open file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    connection: Connection,
    #[cfg(test)]
    clock: Option<std::sync::Arc<std::sync::atomic::AtomicI64>>,
}

impl Sqlite {
    /// Opens the file or makes it, for its owner alone: prompts are private.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        create(path)?;
        // Without the flag for URIs: a path is a path, whatever it begins with.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        distrust(&connection).map_err(failed)?;
        // Before anything is written: switching to a log would already change somebody else's file.
        identify(&connection, path)?;
        switch_to_log(&connection)?;
        Self::prepare(connection, path)
    }

    #[cfg(test)]
    pub(crate) fn in_memory(clock: std::sync::Arc<std::sync::atomic::AtomicI64>) -> Result<Self> {
        let connection = Connection::open_in_memory().map_err(failed)?;
        let mut sqlite = Self::prepare(connection, Path::new(":memory:"))?;
        sqlite.clock = Some(clock);
        Ok(sqlite)
    }

    fn prepare(mut connection: Connection, path: &Path) -> Result<Self> {
        // A commit is on the disk when the call returns, even if the power fails next.
        connection
            .pragma_update(None, "synchronous", "FULL")
            .map_err(failed)?;
        migrate(&mut connection, path)?;
        Ok(Self {
            connection,
            #[cfg(test)]
            clock: None,
        })
    }

    pub(crate) fn transaction<T>(
        &mut self,
        body: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let now = self.now();
        // A transaction that reads first and writes later could not wait for another process, only fail.
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        let value = body(&Transaction {
            kind: Kind::Sqlite(&transaction),
            now,
        })?;
        transaction.commit().map_err(failed)?;
        Ok(value)
    }

    fn now(&self) -> i64 {
        #[cfg(test)]
        if let Some(clock) = &self.clock {
            return clock.load(std::sync::atomic::Ordering::SeqCst);
        }
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

pub(super) fn execute(
    transaction: &rusqlite::Transaction<'_>,
    sql: &str,
    values: &[Value],
) -> Result<u64> {
    let mut statement = transaction.prepare(sql).map_err(failed)?;
    let changed = statement
        .execute(params_from_iter(values))
        .map_err(failed)?;
    Ok(changed as u64)
}

pub(super) fn query(
    transaction: &rusqlite::Transaction<'_>,
    sql: &str,
    values: &[Value],
) -> Result<Vec<Record>> {
    let mut statement = transaction.prepare(sql).map_err(failed)?;
    let columns = statement.column_count();
    let record = |row: &rusqlite::Row<'_>| {
        (0..columns)
            .map(|column| value(row.get_ref(column)?))
            .collect::<rusqlite::Result<Vec<_>>>()
            .map(Record)
    };
    let records = statement
        .query_map(params_from_iter(values), record)
        .map_err(failed)?;
    records.collect::<rusqlite::Result<_>>().map_err(failed)
}

fn value(value: ValueRef<'_>) -> rusqlite::Result<Value> {
    match value {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Ok(Value::Int(number)),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Value::Text(text.into())),
            Err(error) => Err(rusqlite::Error::Utf8Error(0, error)),
        },
        other => Err(rusqlite::Error::InvalidColumnType(
            0,
            "a column".into(),
            other.data_type(),
        )),
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

/// Makes the file for its owner alone; SQLite gives the two files beside it the same permissions.
fn create(path: &Path) -> Result<()> {
    // Appending, so that a file that is already there keeps its bytes.
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(Error::file(path))
}

/// Settings that hold before the first byte of the file is believed.
fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_ROW)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)
}

/// Lets others read while one writes.
///
/// SQLite does not wait by itself when two processes do this to a new file at once, so this does.
fn switch_to_log(connection: &Connection) -> Result<()> {
    let started = Instant::now();
    loop {
        let switched = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match switched.map_err(failed) {
            Err(Error::Unavailable(_)) if started.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(10))
            }
            other => return other,
        }
    }
}

/// Which version the file has, 0 if it is empty; refuses what is no queue, or a newer one.
fn identify(connection: &Connection, path: &Path) -> Result<usize> {
    // One statement is one snapshot: another process may be making the tables right now.
    let sql = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
               FROM pragma_application_id, pragma_user_version";
    let read = connection.query_row(sql, [], |row| {
        Ok((
            row.get::<_, i64>(0)?,
            row.get::<_, i64>(1)?,
            row.get::<_, i64>(2)?,
        ))
    });
    let strange = || Error::NotAQueue(format!("{} is not a queue of reckon", path.display()));
    match read {
        Ok((0, 0, 0)) => Ok(0),
        Ok((APPLICATION, version, _)) => schema::known(version),
        Ok(_) => Err(strange()),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => Err(strange()),
        Err(error) => Err(failed(error)),
    }
}

/// Takes the steps that are missing, all or none of them.
fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    if identify(connection, path)? == schema::STEPS.len() {
        return Ok(());
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    // Asked again now that nobody else can write: another process may have been quicker.
    let taken = identify(&transaction, path)?;
    for step in &schema::STEPS[taken..] {
        transaction.execute_batch(step).map_err(failed)?;
    }
    let version = schema::STEPS.len() as i64;
    transaction
        .pragma_update(None, "application_id", APPLICATION)
        .and_then(|()| transaction.pragma_update(None, "user_version", version))
        .and_then(|()| transaction.commit())
        .map_err(failed)
}

fn failed(error: rusqlite::Error) -> Error {
    use rusqlite::Error as Sqlite;
    let text = one_line(&error.to_string());
    match &error {
        // These come from rows that are there and cannot be read: the program only writes what it can read.
        Sqlite::FromSqlConversionFailure(..)
        | Sqlite::InvalidColumnType(..)
        | Sqlite::Utf8Error(..) => Error::Damaged(text),
        _ => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Damaged(text),
            // A full disk may have room again in a minute, and nothing is lost by waiting for it.
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::DiskFull) => {
                Error::Unavailable(text)
            }
            _ => Error::Internal(text),
        },
    }
}
