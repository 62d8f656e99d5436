//! Opens the file and hands its one connection to whoever reads or writes.
//!
//! Several threads share a connection behind a lock, which is held for a statement or a transaction and never while a
//! model runs. Other processes have connections of their own: with a write-ahead log they read while one writes, and a
//! writer waits for another. Whoever is killed in between leaves what was committed.
//!
//! The file may come from a stranger, so SQLite is told to trust nothing in it: no functions with side effects from
//! its schema, no writing to its internals, no values beyond what this crate writes.
use crate::error::{Error, Result};
use crate::{file, schema};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a call waits for another process that writes.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a deletion waits for readers until it may empty the log.
const PATIENCE_FOR_LOG: Duration = Duration::from_millis(100);
/// Bytes of a row: the texts of a message, each at its bound, are less.
const LONGEST_ROW: i32 = 64 << 20;

/// One file with conversations, answers under way and keys. A clone is another handle of the same one.
#[derive(Clone, Debug)]
pub struct Store {
    connection: Arc<Mutex<Connection>>,
}

impl Store {
    /// Opens the file, or makes it and the directories above it, for its owner alone.
    ///
    /// What is there and is no store, or is of a newer version, is refused and not changed.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        file::create(path)?;
        // Without the flag for URIs: a path is a path, whatever it begins with.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        distrust(&connection)?;
        // Before anything is written: switching to a log would already change somebody else's file.
        schema::identify(&connection, path)?;
        file::narrow(path)?;
        switch_to_log(&connection)?;
        Self::prepare(connection, path)
    }

    /// A store that is gone with its last handle, for tests.
    pub fn in_memory() -> Result<Self> {
        let connection = Connection::open_in_memory()?;
        distrust(&connection)?;
        Self::prepare(connection, Path::new(":memory:"))
    }

    fn prepare(mut connection: Connection, path: &Path) -> Result<Self> {
        connection.pragma_update(None, "foreign_keys", true)?;
        // What a person deletes is overwritten, not only unlinked.
        connection.pragma_update(None, "secure_delete", true)?;
        // A commit is on the disk when the call returns, even if the power fails next.
        connection.pragma_update(None, "synchronous", "FULL")?;
        schema::migrate(&mut connection, path)?;
        Ok(Self {
            connection: Arc::new(Mutex::new(connection)),
        })
    }

    /// Reads the whole file and says whether it is sound; slow for a large one.
    pub fn check(&self) -> Result<()> {
        let connection = self.lock();
        let verdict: String =
            connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if verdict != "ok" {
            return Err(Error::Damaged(verdict));
        }
        let orphans = connection.prepare("PRAGMA foreign_key_check")?.exists([])?;
        if orphans {
            return Err(Error::Damaged("a row refers to one that is missing".into()));
        }
        Ok(())
    }

    /// Runs `body` on one snapshot of the file.
    pub(crate) fn read<T>(&self, body: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        body(&transaction)
    }

    /// Runs `body` with nobody else writing, and commits what it did unless it fails.
    pub(crate) fn write<T>(&self, body: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut connection = self.lock();
        // A transaction that reads first and writes later could not wait for another process, only fail.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = body(&transaction)?;
        transaction.commit()?;
        Ok(value)
    }

    /// Empties the log, where deleted text would stay until later writes happen to cover it.
    pub(crate) fn empty_log(&self) {
        let connection = self.lock();
        // A reader elsewhere may prevent it. The deletion holds anyway, and the next one tries again.
        let emptied = connection
            .busy_timeout(PATIENCE_FOR_LOG)
            .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        drop(emptied);
        drop(connection.busy_timeout(PATIENCE));
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A thread that panicked took its transaction back on the way, so the connection is as good as before.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Settings that hold before the first byte of the file is believed.
fn distrust(connection: &Connection) -> Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_ROW)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    Ok(())
}

/// Lets others read while one writes.
///
/// SQLite does not wait by itself when two processes do this to a new file at once, so this does.
fn switch_to_log(connection: &Connection) -> Result<()> {
    let started = std::time::Instant::now();
    loop {
        let switched = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match switched.map_err(Error::from) {
            Err(Error::Busy) if started.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(10))
            }
            other => return other,
        }
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
