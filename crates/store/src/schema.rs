//! The tables, as a list of steps from each version of the file to the next.
//!
//! `user_version` counts the steps that a file has taken; a step is never changed once it was released, only followed by
//! another one. `application_id` tells a store from any other SQLite file.
//!
//! Rows have a `number` of their own, because VACUUM may change SQLite's implicit ones and the search tables refer to
//! them. The parent of a message has a smaller number than the message, so that no chain of parents can be a circle.
//!
//! The search tables hold no text, only the words of `conversations.title` and `messages.content`; triggers keep them
//! right, whichever process writes. An answer is searchable once it has ended: while it grows, every flush would index
//! all of it again. To forget a row they must be given exactly the text that they were told, hence the conditions.
use crate::error::{Error, Result};
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

/// "RkSt" in ASCII.
const APPLICATION: i64 = 0x526b_5374;

/// Step `n` leads from version `n` to `n + 1`.
const MIGRATIONS: &[&str] = &[
    CONVERSATIONS,
    SEARCH,
    KEYS,
    crate::bot::TABLES,
    crate::memory::TABLE,
];

// Short columns come first: SQLite reads a row from its beginning, and lists need nothing of the long texts.
// Parents are not deleted in cascade: SQLite would give up at a depth of 1,000.
const CONVERSATIONS: &str = "
CREATE TABLE conversations (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    title TEXT NOT NULL,
    folder TEXT,
    system TEXT
) STRICT;
CREATE INDEX conversations_by_owner ON conversations (owner, updated);

CREATE TABLE messages (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation INTEGER NOT NULL REFERENCES conversations (number),
    parent INTEGER REFERENCES messages (number) CHECK (parent < number),
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    state TEXT NOT NULL CHECK (state IN ('done', 'waiting', 'writing', 'stopped', 'failed', 'cut')),
    created INTEGER NOT NULL,
    model TEXT,
    error TEXT,
    mark TEXT,
    stats TEXT,
    request TEXT,
    content TEXT NOT NULL,
    thought TEXT NOT NULL,
    receipt TEXT
) STRICT;
CREATE INDEX messages_by_conversation ON messages (conversation);
CREATE INDEX messages_by_parent ON messages (parent);
CREATE INDEX messages_unfinished ON messages (number) WHERE state IN ('waiting', 'writing');
";

// 'secure-delete' removes a forgotten row's words at once, where FTS5 would otherwise only note that they are void.
const SEARCH: &str = "
CREATE VIRTUAL TABLE title_search USING fts5 (
    title, content = 'conversations', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO title_search (title_search, rank) VALUES ('secure-delete', 1);
INSERT INTO title_search (rowid, title) SELECT number, title FROM conversations;
CREATE TRIGGER title_added AFTER INSERT ON conversations BEGIN
    INSERT INTO title_search (rowid, title) VALUES (new.number, new.title);
END;
CREATE TRIGGER title_changed AFTER UPDATE OF title ON conversations BEGIN
    INSERT INTO title_search (title_search, rowid, title) VALUES ('delete', old.number, old.title);
    INSERT INTO title_search (rowid, title) VALUES (new.number, new.title);
END;
CREATE TRIGGER title_deleted AFTER DELETE ON conversations BEGIN
    INSERT INTO title_search (title_search, rowid, title) VALUES ('delete', old.number, old.title);
END;

CREATE VIRTUAL TABLE message_search USING fts5 (
    content, content = 'messages', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO message_search (message_search, rank) VALUES ('secure-delete', 1);
INSERT INTO message_search (rowid, content)
    SELECT number, content FROM messages WHERE state NOT IN ('waiting', 'writing');
CREATE TRIGGER message_added AFTER INSERT ON messages WHEN new.state NOT IN ('waiting', 'writing') BEGIN
    INSERT INTO message_search (rowid, content) VALUES (new.number, new.content);
END;
CREATE TRIGGER message_changed AFTER UPDATE OF content, state ON messages
    WHEN old.state NOT IN ('waiting', 'writing') OR new.state NOT IN ('waiting', 'writing') BEGIN
    INSERT INTO message_search (message_search, rowid, content)
        SELECT 'delete', old.number, old.content WHERE old.state NOT IN ('waiting', 'writing');
    INSERT INTO message_search (rowid, content)
        SELECT new.number, new.content WHERE new.state NOT IN ('waiting', 'writing');
END;
CREATE TRIGGER message_deleted AFTER DELETE ON messages WHEN old.state NOT IN ('waiting', 'writing') BEGIN
    INSERT INTO message_search (message_search, rowid, content) VALUES ('delete', old.number, old.content);
END;
";

const KEYS: &str = "
CREATE TABLE keys (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    requests_per_minute INTEGER,
    tokens_per_day INTEGER,
    created INTEGER NOT NULL,
    used INTEGER,
    revoked INTEGER
) STRICT;
CREATE UNIQUE INDEX keys_by_name ON keys (name) WHERE revoked IS NULL;

CREATE TABLE spending (
    key INTEGER NOT NULL REFERENCES keys (number),
    day INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (key, day)
) STRICT, WITHOUT ROWID;
";

/// What a file says of itself.
#[derive(Clone, Copy)]
pub(crate) enum Found {
    /// Nothing yet.
    Empty,
    /// A store of this version, which this program knows.
    Version(usize),
}

/// Reads which version the file has, without writing; refuses what is no store, or a newer one.
pub(crate) fn identify(connection: &Connection, path: &Path) -> Result<Found> {
    // One statement is one snapshot: another process may be making the tables right now.
    let (application, version, tables) = connection
        .query_row(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
             FROM pragma_application_id, pragma_user_version",
            [],
            |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get::<_, i64>(1)?,
                    row.get::<_, i64>(2)?,
                ))
            },
        )
        .map_err(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => Error::NotAStore(path.into()),
            _ => error.into(),
        })?;
    if (application, version, tables) == (0, 0, 0) {
        return Ok(Found::Empty);
    }
    if application != APPLICATION {
        return Err(Error::NotAStore(path.into()));
    }
    match usize::try_from(version) {
        Ok(known) if known <= MIGRATIONS.len() => Ok(Found::Version(known)),
        Ok(_) => Err(Error::Newer {
            found: version,
            known: MIGRATIONS.len() as i64,
        }),
        Err(_) => Err(Error::Damaged(format!("it has version {version}"))),
    }
}

/// Takes the steps that are missing, all or none of them.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    if matches!(identify(connection, path)?, Found::Version(version) if version == MIGRATIONS.len())
    {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Asked again now that nobody else can write: another process may have been quicker.
    let taken = match identify(&transaction, path)? {
        Found::Empty => 0,
        Found::Version(version) => version,
    };
    for step in &MIGRATIONS[taken..] {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    transaction.commit()?;
    Ok(())
}
