//! Files of earlier versions, as SQL that is never changed again, become the current one with everything in it.
use reckon_store::{Filter, Owner, State, Store};
use rusqlite::Connection;

const VERSION_1: &str = "
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

INSERT INTO conversations VALUES
    (1, '00000000000000000000000000000001', 'local', 1000, 2000, 'Herons', 'Birds', NULL);
INSERT INTO messages (number, id, conversation, parent, role, state, created, content, thought) VALUES
    (1, '00000000000000000000000000000011', 1, NULL, 'user', 'done', 1000, 'Where do herons stand?', ''),
    (2, '00000000000000000000000000000012', 1, 1, 'assistant', 'done', 1001, 'In shallows.', 'hm'),
    (3, '00000000000000000000000000000013', 1, 1, 'assistant', 'writing', 1002, 'In reeds', '');
PRAGMA application_id = 0x526b5374;
PRAGMA user_version = 1;
";

#[test]
fn a_store_of_version_1_keeps_everything_and_becomes_searchable() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch(VERSION_1)
        .unwrap();

    let store = Store::open(&path).unwrap();
    let owner = Owner::local();
    let id = "00000000000000000000000000000001".parse().unwrap();
    let thread = store.conversation(&owner, &id).unwrap();
    assert_eq!(
        (
            thread.conversation.title.as_str(),
            thread.conversation.updated
        ),
        ("Herons", 2000)
    );
    let contents = thread
        .messages
        .iter()
        .map(|message| message.content.as_str())
        .collect::<Vec<_>>();
    assert_eq!(
        contents,
        ["Where do herons stand?", "In shallows.", "In reeds"]
    );
    assert_eq!(thread.messages[2].state, State::Writing);

    let find = |query: &str| {
        let query = Some(query.into());
        store
            .list(
                &owner,
                &Filter {
                    query,
                    ..Filter::default()
                },
            )
            .unwrap()
            .len()
    };
    assert_eq!(
        (
            find("shallows"),
            find("stand"),
            find("herons"),
            find("reeds")
        ),
        (1, 1, 1, 0)
    );
    let unfinished = store.unfinished().unwrap();
    assert!(
        store
            .finish(&owner, &unfinished[0].1.id, &Default::default())
            .unwrap()
    );
    store.create_key("new", Default::default()).unwrap();
    store.delete_conversation(&owner, &id).unwrap();
    assert_eq!((find("shallows"), find("herons")), (0, 0));
    store.check().unwrap();
}

#[test]
fn a_migrated_store_has_the_tables_of_a_new_one() {
    let directory = tempfile::tempdir().unwrap();
    let schema = |name: &str, sql: Option<&str>| {
        let path = directory.path().join(name);
        if let Some(sql) = sql {
            Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        }
        drop(Store::open(&path).unwrap());
        let connection = Connection::open(&path).unwrap();
        let mut statement = connection
            .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
            .unwrap();
        let rows = statement
            .query_map([], |row| row.get::<_, String>(0))
            .unwrap();
        rows.map(|sql| {
            sql.unwrap()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(schema("old.db", Some(VERSION_1)), schema("new.db", None));
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(VERSION_1).unwrap();
    // The last step cannot make its table.
    connection
        .execute_batch("CREATE TABLE keys (mine TEXT)")
        .unwrap();
    assert!(Store::open(&path).is_err());
    let tables =
        "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%search%' OR type = 'trigger'";
    let made: i64 = connection.query_row(tables, [], |row| row.get(0)).unwrap();
    let version: i64 = connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    assert_eq!((made, version), (0, 1));
}
