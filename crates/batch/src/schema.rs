//! The tables, as a list of steps from each version to the next, for both databases.
//!
//! A step is never changed once it was released, only followed by another one. The names begin with `reckon_`: a queue
//! may share a PostgreSQL database with other programs.
//!
//! A row of `reckon_rows` is a line of the input. `state` is one of
//! - `waiting`: not before `ready`;
//! - `running`: leased to `worker` under `ticket` until `expires`;
//! - `done`, with `result`; `failed`, with `error`;
//! - `copy`: it asks what the row `leader` asks, and has that row's fate.
//!
//! `weight` is how many rows a leader answers, itself included. `tries` counts failures, `deaths` workers that never
//! came back. Short columns come first: counting then reads nothing of the long texts.
use crate::error::{Error, Result};

/// Step `n` leads from version `n` to `n + 1`.
pub(crate) const STEPS: &[&str] = &[FIRST];

const FIRST: &str = "
CREATE TABLE reckon_batches (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('reading', 'open', 'cancelled')),
    created BIGINT NOT NULL,
    reader BIGINT NOT NULL,
    digest TEXT NOT NULL,
    refused BIGINT NOT NULL,
    repeated BIGINT NOT NULL
);
CREATE TABLE reckon_rows (
    batch TEXT NOT NULL,
    line BIGINT NOT NULL,
    leader BIGINT NOT NULL,
    weight BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'copy')),
    tries BIGINT NOT NULL,
    deaths BIGINT NOT NULL,
    ready BIGINT NOT NULL,
    started BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    finished BIGINT NOT NULL,
    ticket BIGINT NOT NULL,
    worker TEXT,
    digest TEXT NOT NULL,
    id TEXT NOT NULL,
    url TEXT,
    error TEXT,
    request TEXT NOT NULL,
    result TEXT,
    PRIMARY KEY (batch, line),
    UNIQUE (batch, id)
);
CREATE INDEX reckon_rows_by_state ON reckon_rows (batch, state, line);
CREATE INDEX reckon_rows_by_digest ON reckon_rows (batch, digest);
CREATE INDEX reckon_rows_by_finish ON reckon_rows (batch, finished);
CREATE TABLE reckon_refused (
    batch TEXT NOT NULL,
    line BIGINT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (batch, line)
);
CREATE TABLE reckon_workers (
    name TEXT NOT NULL PRIMARY KEY,
    started BIGINT NOT NULL,
    seen BIGINT NOT NULL,
    done BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    running BIGINT NOT NULL
);
";

/// How many steps a version has taken, if this program knows it.
pub(crate) fn known(version: i64) -> Result<usize> {
    let known = STEPS.len();
    usize::try_from(version)
        .ok()
        .filter(|version| *version <= known)
        .ok_or_else(|| {
            Error::NotAQueue(format!(
                "the queue has version {version}, and this program knows up to {known}: update it"
            ))
        })
}
