//! Lists conversations, newest first, and finds words in their titles and messages.
//!
//! A query is what a person types, never FTS5's language: each word is quoted, so that no character has a meaning, and
//! the last one may be unfinished. A conversation is found when its title or one of its messages has all of the words.
//!
//! Languages that put no spaces between words are found by the beginning of a run of characters only; a tokenizer of
//! three-letter pieces would find more and make the index several times as large.
use crate::error::Result;
use crate::id::{ConversationId, Owner, hex, random};
use crate::store::Store;
use rusqlite::{Transaction, params};
use serde::Serialize;
use std::collections::HashMap;

/// Characters of a query that are read: nobody remembers more of what they look for.
const MOST_QUERY: usize = 1_000;
/// Words of a query that are read; each is looked up on its own.
const MOST_WORDS: usize = 32;
/// Words of a snippet.
const SNIPPET_WORDS: i64 = 16;
/// Conversations of one list.
const MOST_LISTED: u32 = 10_000;

/// Which conversations to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Only those in this folder.
    pub folder: Option<String>,
    /// Only those with these words.
    pub query: Option<String>,
    /// At most so many.
    pub limit: u32,
    /// After so many newer ones.
    pub offset: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            folder: None,
            query: None,
            limit: 200,
            offset: 0,
        }
    }
}

/// A conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The conversation.
    pub id: ConversationId,
    /// Its title.
    pub title: String,
    /// The folder it lies in.
    pub folder: Option<String>,
    /// When something was last asked or answered, in Unix milliseconds.
    pub updated: i64,
    /// For a query: where the words are, each match between U+0001 and U+0002.
    pub snippet: Option<String>,
}

/// A listed conversation and where its snippet is to be found.
struct Hit {
    summary: Summary,
    number: i64,
    message: Option<i64>,
}

impl Store {
    /// The conversations of this owner that pass the filter, newest first.
    pub fn list(&self, owner: &Owner, filter: &Filter) -> Result<Vec<Summary>> {
        let query = filter
            .query
            .as_deref()
            .filter(|query| !query.trim().is_empty());
        self.read(|transaction| match query.map(quoted) {
            None => all(transaction, owner, filter),
            Some(None) => Ok(Vec::new()),
            Some(Some(query)) => search(transaction, owner, filter, &query),
        })
    }
}

fn all(transaction: &Transaction<'_>, owner: &Owner, filter: &Filter) -> Result<Vec<Summary>> {
    let hits = hits(
        transaction,
        "SELECT id, title, folder, updated, number, NULL FROM conversations
         WHERE owner = ?1 AND (?2 IS NULL OR folder = ?2) ORDER BY updated DESC, number DESC LIMIT ?3 OFFSET ?4",
        params![owner, filter.folder, filter.limit.min(MOST_LISTED), filter.offset],
    )?;
    Ok(hits.into_iter().map(|hit| hit.summary).collect())
}

fn search(
    transaction: &Transaction<'_>,
    owner: &Owner,
    filter: &Filter,
    query: &str,
) -> Result<Vec<Summary>> {
    // The newest of the messages that match stands for its conversation; NULL where only the title does.
    let hits = hits(
        transaction,
        "WITH found (conversation, message) AS (
             SELECT m.conversation, m.number FROM message_search s JOIN messages m ON m.number = s.rowid
             WHERE message_search MATCH ?5
             UNION ALL SELECT rowid, NULL FROM title_search WHERE title_search MATCH ?5)
         SELECT c.id, c.title, c.folder, c.updated, c.number, max(found.message)
         FROM found JOIN conversations c ON c.number = found.conversation
         WHERE c.owner = ?1 AND (?2 IS NULL OR c.folder = ?2)
         GROUP BY c.number ORDER BY c.updated DESC, c.number DESC LIMIT ?3 OFFSET ?4",
        params![owner, filter.folder, filter.limit.min(MOST_LISTED), filter.offset, query],
    )?;
    let messages = hits
        .iter()
        .filter_map(|hit| hit.message)
        .collect::<Vec<_>>();
    let titles = hits
        .iter()
        .filter(|hit| hit.message.is_none())
        .map(|hit| hit.number)
        .collect::<Vec<_>>();
    let mut in_messages = snippets(transaction, "message_search", query, &messages)?;
    let mut in_titles = snippets(transaction, "title_search", query, &titles)?;
    let with_snippet = |mut hit: Hit| {
        hit.summary.snippet = match hit.message {
            Some(message) => in_messages.remove(&message),
            None => in_titles.remove(&hit.number),
        };
        hit.summary
    };
    Ok(hits.into_iter().map(with_snippet).collect())
}

fn hits(
    transaction: &Transaction<'_>,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Vec<Hit>> {
    let hits = transaction
        .prepare(sql)?
        .query_map(params, |row| {
            Ok(Hit {
                summary: Summary {
                    id: row.get(0)?,
                    title: row.get(1)?,
                    folder: row.get(2)?,
                    updated: row.get(3)?,
                    snippet: None,
                },
                number: row.get(4)?,
                message: row.get(5)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(hits)
}

/// Where the query's words are in these rows of a search table.
fn snippets(
    transaction: &Transaction<'_>,
    table: &str,
    query: &str,
    rows: &[i64],
) -> Result<HashMap<i64, String>> {
    // Text may contain the marks themselves; words that nobody can know do not occur in it.
    let word = hex(&random::<8>()?);
    let (start, end) = (format!("<{word}>"), format!("</{word}>"));
    // The plus keeps SQLite from looking up each row on its own, which would read the index once for each.
    let sql = format!(
        "SELECT rowid, snippet({table}, 0, ?2, ?3, '…', ?4) FROM {table}
         WHERE {table} MATCH ?1 AND +rowid IN (SELECT value FROM json_each(?5))"
    );
    let rows = serde_json::json!(rows).to_string();
    let snippets = transaction
        .prepare(&sql)?
        .query_map(params![query, start, end, SNIPPET_WORDS, rows], |row| {
            let text: String = row.get(1)?;
            let text = text
                .replace(['\u{1}', '\u{2}'], " ")
                .replace(&start, "\u{1}")
                .replace(&end, "\u{2}");
            Ok((row.get(0)?, text))
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(snippets)
}

/// The query in FTS5's language: each word a string, the last one a beginning; `None` without a letter or a digit.
fn quoted(query: &str) -> Option<String> {
    // FTS5 ends at a NUL, and a string must not: control characters part words as spaces do.
    let query = query.chars().take(MOST_QUERY).collect::<String>();
    let words = query
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .take(MOST_WORDS)
        .map(|word| format!("\"{}\"", word.replace('"', "\"\"")))
        .collect::<Vec<_>>();
    // Words that stand beside each other must all occur; a string without any token in it is passed over.
    (!words.is_empty()).then(|| format!("{}*", words.join(" ")))
}
