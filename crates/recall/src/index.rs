//! BM25 over passages: SQLite's FTS5, in memory.
//!
//! The table holds no text, only words. On thirty questions over the shared documents whole words and Porter's stems did
//! the same (docs/documents.md); stems were taken, because people do not use the document's own forms of a word.
use crate::{Result, words};
use rusqlite::Connection;

/// Words of a question that are looked up.
const MOST_TERMS: usize = 64;

/// An index of passages by number.
#[derive(Debug)]
pub(crate) struct Index {
    connection: Connection,
    passages: usize,
}

impl Index {
    /// Indexes these texts; their places in the list are their numbers.
    pub(crate) fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE VIRTUAL TABLE passages USING fts5 (
                 text, content = '', tokenize = 'porter unicode61 remove_diacritics 2')",
        )?;
        let mut passages = 0;
        let transaction = connection.transaction()?;
        {
            let mut insert =
                transaction.prepare("INSERT INTO passages (rowid, text) VALUES (?1, ?2)")?;
            for text in texts {
                insert.execute((passages as i64, words::fold(text)))?;
                passages += 1;
            }
        }
        transaction.commit()?;
        Ok(Self {
            connection,
            passages,
        })
    }

    /// The passages with most of these words, best first.
    pub(crate) fn search(&self, terms: &[words::Term], most: usize) -> Result<Vec<usize>> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        // Words have letters, digits, points and lines below only, so that quoting them needs no escapes.
        let words: Vec<String> = terms
            .iter()
            .take(MOST_TERMS)
            .map(|term| format!("\"{}\"", term.word))
            .collect();
        let sql =
            "SELECT rowid FROM passages WHERE passages MATCH ?1 ORDER BY rank, rowid LIMIT ?2";
        let found = self
            .connection
            .prepare(sql)?
            .query_map((words.join(" OR "), most as i64), |row| {
                row.get::<_, i64>(0)
            })?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(found
            .into_iter()
            .filter_map(|number| usize::try_from(number).ok())
            .collect())
    }

    /// How much a word tells: one that all passages have least, one that a single passage or none has most.
    pub(crate) fn weight(&self, term: &words::Term) -> Result<f64> {
        let sql = "SELECT count(*) FROM passages WHERE passages MATCH ?1";
        let word = format!("\"{}\"", term.word);
        let found: i64 = self
            .connection
            .prepare(sql)?
            .query_row([word], |row| row.get(0))?;
        let all = self.passages.max(1) as f64;
        Ok((1.0 + all / (found as f64).max(1.0)).ln())
    }
}
