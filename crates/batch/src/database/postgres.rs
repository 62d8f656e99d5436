//! The queue on a PostgreSQL server, for the workers of several machines.
//!
//! One connection, driven by a runtime of its own that runs only while a call waits, so the rest of the crate stays
//! free of async code. Calls must come from threads that may block, never from inside another runtime.
//!
//! A connection that breaks or says nothing for [`SILENCE`] is dropped, and the next call opens another one. Whatever
//! the server says of itself (starting, stopping, too many connections, deadlock) is [`Error::Unavailable`] as well.
use super::{Kind, Record, Transaction, Value, tls};
use crate::error::{Error, Result, one_line};
use crate::schema;
use std::error::Error as _;
use std::future::Future;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Config};

/// How long a server may take to answer before its connection counts as broken.
const SILENCE: Duration = Duration::from_secs(20);
/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// Held while tables are made, so that two workers that start together do not both make them.
const MIGRATION_LOCK: i64 = 0x7265_636b_6f6e;
/// The server's clock: time goes on inside a transaction.
const NOW: &str = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

/// A server and, while it can be reached, a connection to it.
pub(crate) struct Postgres {
    config: Config,
    security: tls::Security,
    runtime: Runtime,
    client: Option<Client>,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The configuration has a password.
        f.debug_struct("Postgres").finish_non_exhaustive()
    }
}

/// Whether a server is on this machine.
pub(crate) fn is_here(address: &str) -> bool {
    tls::configure(address).is_ok_and(|(config, _)| tls::is_this_machine(&config))
}

impl Postgres {
    /// Connects, and makes the tables if they are missing.
    pub(crate) fn open(address: &str) -> Result<Self> {
        let (mut config, security) = tls::configure(address)?;
        config.connect_timeout(CONNECT).application_name("reckon");
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Internal(one_line(&error.to_string())))?;
        let mut postgres = Self {
            config,
            security,
            runtime,
            client: None,
        };
        postgres.transaction(migrate)?;
        Ok(postgres)
    }

    pub(crate) fn transaction<T>(
        &mut self,
        body: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let outcome = self.attempt(body);
        if matches!(outcome, Err(Error::Unavailable(_))) {
            // Even where the server only was busy: a new connection is cheap, and surely has no transaction open.
            self.client = None;
        }
        outcome
    }

    fn attempt<T>(&mut self, body: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let (client, now) = self.connected()?;
        let client = self.client.insert(client);
        let transaction = wait(&self.runtime, client.transaction())?;
        let calls = Calls {
            runtime: &self.runtime,
            transaction: &transaction,
        };
        let value = body(&Transaction {
            kind: Kind::Postgres(calls),
            now,
        })?;
        wait(&self.runtime, transaction.commit())?;
        Ok(value)
    }

    /// A connection that is known to work, and the time of the server.
    fn connected(&mut self) -> Result<(Client, i64)> {
        // One from before may have broken since, which only shows when it is used.
        let before = self.client.take();
        if let Some(client) = before
            && let Ok(now) = self.now(&client)
        {
            return Ok((client, now));
        }
        let client = self.connect()?;
        let now = self.now(&client)?;
        Ok((client, now))
    }

    fn now(&self, client: &Client) -> Result<i64> {
        let row = wait(&self.runtime, client.query_one(NOW, &[]))?;
        record(&row)?.int(0)
    }

    fn connect(&self) -> Result<Client> {
        let connecting = self.security.connect(&self.config);
        let made = self
            .runtime
            .block_on(async { tokio::time::timeout(CONNECT, connecting).await });
        made.map_err(|_| silent(CONNECT))?.map_err(failed)
    }
}

/// The calls of a transaction, each waited for.
pub(crate) struct Calls<'a> {
    runtime: &'a Runtime,
    transaction: &'a tokio_postgres::Transaction<'a>,
}

impl Calls<'_> {
    pub(super) fn execute(&self, sql: &str, values: &[Value]) -> Result<u64> {
        let (sql, values) = (dollars(sql), references(values));
        wait(self.runtime, self.transaction.execute(&sql, &values))
    }

    pub(super) fn query(&self, sql: &str, values: &[Value]) -> Result<Vec<Record>> {
        let (sql, values) = (dollars(sql), references(values));
        let rows = wait(self.runtime, self.transaction.query(&sql, &values))?;
        rows.iter().map(record).collect()
    }
}

/// `?1` as PostgreSQL writes it. No statement of this crate has a question mark elsewhere.
fn dollars(sql: &str) -> String {
    sql.replace('?', "$")
}

fn references(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as _).collect()
}

fn record(row: &tokio_postgres::Row) -> Result<Record> {
    let columns = row.columns().iter().enumerate();
    let values = columns.map(|(i, column)| match *column.type_() {
        Type::INT8 => row.try_get::<_, Option<i64>>(i).map(Value::from),
        _ => row.try_get::<_, Option<String>>(i).map(Value::from),
    });
    values
        .collect::<std::result::Result<_, _>>()
        .map(Record)
        .map_err(|error| Error::Damaged(message(&error)))
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql_checked(kind, out),
            Self::Text(text) => text.to_sql_checked(kind, out),
        }
    }

    // Each value checks for itself, above.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Waits for the server, but not for ever.
fn wait<T>(
    runtime: &Runtime,
    call: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
) -> Result<T> {
    let answer = runtime.block_on(async { tokio::time::timeout(SILENCE, call).await });
    answer.map_err(|_| silent(SILENCE))?.map_err(failed)
}

fn silent(after: Duration) -> Error {
    Error::Unavailable(format!("no answer within {} seconds", after.as_secs()))
}

/// Makes the tables that are missing.
fn migrate(transaction: &Transaction<'_>) -> Result<()> {
    if version(transaction)? == schema::STEPS.len() {
        return Ok(());
    }
    transaction.query(
        "SELECT CAST(pg_advisory_xact_lock(?1) AS TEXT)",
        &[MIGRATION_LOCK.into()],
    )?;
    // Asked again now that nobody else makes them.
    let taken = version(transaction)?;
    if taken == 0 {
        transaction.execute("CREATE TABLE reckon_version (version BIGINT NOT NULL)", &[])?;
        transaction.execute("INSERT INTO reckon_version (version) VALUES (0)", &[])?;
    }
    for step in &schema::STEPS[taken..] {
        for statement in step.split(';').filter(|part| !part.trim().is_empty()) {
            transaction.execute(statement, &[])?;
        }
    }
    let version = schema::STEPS.len() as i64;
    transaction.execute("UPDATE reckon_version SET version = ?1", &[version.into()])?;
    Ok(())
}

fn version(transaction: &Transaction<'_>) -> Result<usize> {
    // Not by `to_regclass`, which answers from a cache that does not know what another transaction has just made.
    let tables = transaction.query(
        "SELECT relname::TEXT FROM pg_class WHERE relname = 'reckon_version' AND pg_table_is_visible(oid)",
        &[],
    )?;
    if tables.is_empty() {
        return Ok(0);
    }
    let record = transaction.first("SELECT version FROM reckon_version", &[])?;
    record.map_or(Ok(0), |record| schema::known(record.int(0)?))
}

fn failed(error: tokio_postgres::Error) -> Error {
    let text = message(&error);
    let Some(state) = error.code() else {
        // No code: the connection broke, or was never there.
        return Error::Unavailable(text);
    };
    // Connection, rolled back, resources, operator's intervention, system: all of them pass.
    match &state.code()[..2] {
        "08" | "40" | "53" | "57" | "58" => Error::Unavailable(text),
        // A wrong password, a database that is not there: waiting does not help.
        "28" | "3D" => Error::Invalid(format!("the database refuses: {text}")),
        "42" => Error::NotAQueue(format!("the database refuses: {text}")),
        _ => Error::Internal(text),
    }
}

/// The server's own words, which the library keeps one level down.
fn message(error: &tokio_postgres::Error) -> String {
    let text = match (error.as_db_error(), error.source()) {
        (Some(database), _) => database.message().to_owned(),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    };
    one_line(&text)
}
