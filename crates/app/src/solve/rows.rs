//! A file of rows in, a row of results out for each, in order: `reckon solve … --jsonl`.
//!
//! A row is one JSON object on one line; its `id` goes into the result. A line that is no such row gives a result with
//! the line's number and the reason, and the others go on. Rows are worked on by as many threads as there are cores, each
//! with a worker of its own; a result waits until those before it are written.
use crate::input::{self, Rows};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Receiver, SyncSender},
    },
    thread,
};

/// A longer line is skipped, not kept.
const LONGEST: usize = 16 << 20;
/// Rows that wait for a worker, and results that wait to be written.
const QUEUE: usize = 64;

/// One line of the file, or what is wrong with it.
pub(super) struct Row {
    /// How many rows came before it; empty lines are none.
    index: usize,
    /// The number of its line.
    number: usize,
    fields: Result<Map<String, Value>, String>,
}

impl Row {
    fn parse(index: usize, line: input::Row) -> Self {
        let fields = line.line.and_then(|line| {
            let line = String::from_utf8(line).map_err(|_| "not UTF-8".to_owned())?;
            match serde_json::from_str(&line) {
                Ok(Value::Object(fields)) => Ok(fields),
                Ok(_) => Err("not a JSON object".into()),
                Err(error) => Err(format!("not JSON: {error}")),
            }
        });
        Self {
            index,
            number: line.number,
            fields,
        }
    }

    /// A field that must be text.
    pub(super) fn text(&self, name: &str) -> Result<&str, String> {
        let number = self.number;
        match &self.fields {
            Ok(fields) => fields
                .get(name)
                .and_then(Value::as_str)
                .ok_or_else(|| format!("refused: line {number}: no text `{name}`")),
            Err(error) => Err(format!("refused: line {number}: {error}")),
        }
    }

    fn finish(&self, result: Map<String, Value>) -> Value {
        let mut row = Map::new();
        match self.fields.as_ref().ok().and_then(|row| row.get("id")) {
            Some(id) => row.insert("id".into(), id.clone()),
            None => row.insert("line".into(), json!(self.number)),
        };
        row.extend(result);
        Value::Object(row)
    }
}

/// Works through a file (`-` is standard input). `worker` makes one closure for each thread: a row in, the fields of its
/// result out.
pub(super) fn run<W>(
    path: &Path,
    worker: impl Fn() -> anyhow::Result<W> + Sync,
) -> anyhow::Result<()>
where
    W: FnMut(&Row) -> Map<String, Value>,
{
    let lines = Rows::open(path, LONGEST)?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (rows, waiting) = mpsc::sync_channel(QUEUE);
    let (results, done) = mpsc::sync_channel(QUEUE);
    let waiting = Mutex::new(waiting);
    thread::scope(|scope| {
        scope.spawn(move || {
            // A send that fails says that nobody wants more.
            let mut parsed = lines
                .enumerate()
                .map(|(index, line)| Row::parse(index, line));
            let _ = parsed.try_for_each(|row| rows.send(row));
        });
        for _ in 0..threads {
            let results = results.clone();
            let (worker, waiting) = (&worker, &waiting);
            scope.spawn(move || work(worker, waiting, &results));
        }
        drop(results);
        write(&done)
    })
}

/// Takes rows until there are none. A worker that cannot be made says so once, in place of results.
fn work<W: FnMut(&Row) -> Map<String, Value>>(
    worker: &impl Fn() -> anyhow::Result<W>,
    waiting: &Mutex<Receiver<Row>>,
    results: &SyncSender<anyhow::Result<(usize, Value)>>,
) {
    let mut worker = match worker() {
        Ok(worker) => worker,
        Err(error) => {
            let _ = results.send(Err(error));
            return;
        }
    };
    loop {
        let row = waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok(row) = row else {
            return;
        };
        let result = row.finish(worker(&row));
        if results.send(Ok((row.index, result))).is_err() {
            return;
        }
    }
}

/// Writes results in the order of their rows.
fn write(done: &Receiver<anyhow::Result<(usize, Value)>>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let mut early = BTreeMap::new();
    let mut next = 0;
    while let Ok(result) = done.recv() {
        let (index, result) = result?;
        early.insert(index, result);
        while let Some(result) = early.remove(&next) {
            writeln!(out, "{result}")?;
            next += 1;
        }
    }
    Ok(())
}
