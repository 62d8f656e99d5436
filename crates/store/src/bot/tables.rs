//! The tables of a bot: a step of the migrations, which is never changed once it was released.

/// Leads from version 3 to version 4.
pub(crate) const TABLES: &str = "
CREATE TABLE bots (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    secret TEXT NOT NULL,
    next_update INTEGER,
    heard INTEGER
) STRICT;

CREATE TABLE people (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    bot INTEGER NOT NULL REFERENCES bots (number),
    account INTEGER NOT NULL,
    name TEXT NOT NULL,
    raw INTEGER NOT NULL DEFAULT 0,
    model TEXT,
    system TEXT,
    approved INTEGER NOT NULL,
    revoked INTEGER,
    UNIQUE (bot, account)
) STRICT;

CREATE TABLE pairings (
    bot INTEGER NOT NULL REFERENCES bots (number),
    account INTEGER NOT NULL,
    chat INTEGER NOT NULL,
    name TEXT NOT NULL,
    code TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    shown INTEGER NOT NULL,
    PRIMARY KEY (bot, account)
) STRICT, WITHOUT ROWID;

CREATE TABLE updates (
    bot INTEGER NOT NULL REFERENCES bots (number),
    id INTEGER NOT NULL,
    received INTEGER NOT NULL,
    series INTEGER,
    message INTEGER,
    body TEXT,
    PRIMARY KEY (bot, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX updates_unhandled ON updates (bot, id) WHERE body IS NOT NULL;
CREATE INDEX updates_by_message ON updates (bot, series, message) WHERE message IS NOT NULL;

CREATE TABLE chats (
    person INTEGER NOT NULL REFERENCES people (number),
    chat INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    conversation INTEGER REFERENCES conversations (number) ON DELETE SET NULL,
    answer INTEGER REFERENCES messages (number) ON DELETE SET NULL,
    PRIMARY KEY (person, chat, thread)
) STRICT, WITHOUT ROWID;
CREATE INDEX chats_by_conversation ON chats (conversation);
CREATE INDEX chats_by_answer ON chats (answer);

CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY,
    bot INTEGER NOT NULL REFERENCES bots (number),
    series INTEGER NOT NULL,
    chat INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'failed')),
    replaces INTEGER REFERENCES deliveries (number) ON DELETE SET NULL,
    created INTEGER NOT NULL,
    due INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    floor INTEGER,
    message INTEGER,
    body TEXT
) STRICT;
CREATE INDEX deliveries_open ON deliveries (bot, chat, number) WHERE state IN ('queued', 'sending');
CREATE INDEX deliveries_by_message ON deliveries (bot, series, message) WHERE message IS NOT NULL;
CREATE INDEX deliveries_by_replaced ON deliveries (replaces) WHERE replaces IS NOT NULL;

CREATE TABLE tasks (
    number INTEGER PRIMARY KEY,
    person INTEGER NOT NULL REFERENCES people (number),
    chat INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    message INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    last INTEGER NOT NULL,
    album TEXT,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done')),
    wanted TEXT NOT NULL DEFAULT 'yes' CHECK (wanted IN ('yes', 'stopped', 'replaced')),
    created INTEGER NOT NULL,
    branch INTEGER REFERENCES messages (number) ON DELETE SET NULL,
    answer INTEGER REFERENCES messages (number) ON DELETE SET NULL,
    notice INTEGER REFERENCES deliveries (number) ON DELETE SET NULL,
    files TEXT NOT NULL,
    text TEXT,
    UNIQUE (person, chat, message, revision)
) STRICT;
CREATE INDEX tasks_open ON tasks (number) WHERE state IN ('waiting', 'running');
CREATE INDEX tasks_by_branch ON tasks (branch) WHERE branch IS NOT NULL;
CREATE INDEX tasks_by_answer ON tasks (answer) WHERE answer IS NOT NULL;
CREATE INDEX tasks_by_notice ON tasks (notice) WHERE notice IS NOT NULL;

CREATE TABLE people_spending (
    person INTEGER NOT NULL REFERENCES people (number),
    day INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (person, day)
) STRICT, WITHOUT ROWID;
";
