//! Batches over HTTP: files of requests, answered to the end in the background, whoever is there.
//!
//! The queue is that of `reckon batch` (`reckon-batch`), one SQLite file in `RECKON_HOME/batches` that all servers of a
//! home share; which rows are answered, and exactly once, is its business. Here are the records of batches, a folder for
//! each owner, and the one thread that answers rows (`runner.rs`). Of several servers the one that holds a lock does.
mod record;
mod row;
mod runner;

pub(crate) use record::BatchRecord;

use crate::{
    error::Problem,
    files::{is_id, make_folder, read_folder, read_json, write_json},
    openai::{id, now},
    state::App,
};
use reckon_batch::{Limits, Progress, Queue};
use reckon_store::Owner;
use record::BatchEnd;
use serde_json::{Map, Value};
use std::{
    fs::File,
    io::BufReader,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// Most batches of one owner that are under way.
const MOST_OPEN: usize = 32;
/// Most batches of one owner that are remembered.
const MOST_KEPT: usize = 1000;
/// Most rows of a batch, as with OpenAI.
const MOST_ROWS: u64 = 50_000;
/// How many wrong lines are told.
const MOST_ERRORS: usize = 100;
/// Calls that rows may be for.
pub(crate) const ENDPOINTS: [&str; 3] =
    ["/v1/chat/completions", "/v1/completions", "/v1/responses"];
/// Rows that were under way when the machine lost its power are tried again; one that ends the server each time is not.
const LIMITS: Limits = Limits {
    tries: 3,
    deaths: 5,
    lease: Duration::from_secs(15),
    pause: Duration::from_secs(2),
};

/// The batches of a server.
pub(crate) struct Batches {
    folder: PathBuf,
    queue: Mutex<Option<Queue>>,
    /// Held while a record is read, changed and written.
    changing: Mutex<()>,
    /// Held while the file of a batch is read.
    reading: Mutex<()>,
    runner: Mutex<Option<thread::JoinHandle<()>>>,
    stop: Arc<AtomicBool>,
    /// Whether rows are left.
    busy: AtomicBool,
}

impl Batches {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            queue: Mutex::default(),
            changing: Mutex::default(),
            reading: Mutex::default(),
            runner: Mutex::default(),
            stop: Arc::default(),
            busy: AtomicBool::new(false),
        }
    }

    /// Whether rows wait for their answers, so that the server is not idle.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Relaxed)
    }

    /// Goes on with what an earlier server left. Must be called inside the runtime.
    pub(crate) fn resume(app: &App) {
        if app.batches.folder.exists() {
            app.batches.busy.store(true, Ordering::Relaxed);
            runner::start(app);
        }
    }

    /// Gives back the rows that are under way, and waits for that.
    pub(crate) fn close(&self) {
        self.stop.store(true, Ordering::Relaxed);
        let runner = lock(&self.runner).take();
        // A panic of the thread has been printed already.
        drop(runner.map(thread::JoinHandle::join));
    }

    /// Makes a batch of a file. It is read later, and what is wrong with it is in the batch.
    pub(crate) fn create(
        &self,
        owner: &Owner,
        input: &str,
        endpoint: &str,
        metadata: Option<Map<String, Value>>,
    ) -> Result<BatchRecord, Problem> {
        let _change = lock(&self.changing);
        let all = self.list(owner)?;
        let open = all.iter().filter(|batch| batch.end.is_none()).count();
        if open >= MOST_OPEN || all.len() >= MOST_KEPT {
            let after = Duration::from_secs(60);
            return Err(Problem::busy("there are too many batches already", after));
        }
        let record = BatchRecord {
            id: id("batch_"),
            owner: owner.as_str().to_owned(),
            endpoint: endpoint.to_owned(),
            input: input.to_owned(),
            output: crate::files::new_id(),
            failures: crate::files::new_id(),
            metadata,
            created_at: now(),
            in_progress_at: None,
            cancelling_at: None,
            end: None,
        };
        make_folder(&self.folder.join(owner.as_str()))?;
        write_json(&self.path(&record.owner, &record.id), &record)?;
        Ok(record)
    }

    /// One batch.
    pub(crate) fn get(&self, owner: &Owner, id: &str) -> Result<BatchRecord, Problem> {
        self.find(owner.as_str(), id)?
            .ok_or_else(|| Problem::not_found("there is no such batch"))
    }

    /// All batches of an owner, newest first.
    pub(crate) fn list(&self, owner: &Owner) -> Result<Vec<BatchRecord>, Problem> {
        let mut all: Vec<BatchRecord> = read_folder(&self.folder.join(owner.as_str()))?;
        all.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        Ok(all)
    }

    /// How far a batch is, while the queue knows it.
    pub(crate) fn progress(&self, record: &BatchRecord) -> Result<Option<Progress>, Problem> {
        if record.end.is_some() {
            return Ok(None);
        }
        match self.queue()?.progress(&record.name()) {
            Ok(progress) => Ok(Some(progress)),
            Err(reckon_batch::Error::NoBatch(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Lets no more rows of a batch begin.
    pub(crate) fn cancel(&self, owner: &Owner, id: &str) -> Result<BatchRecord, Problem> {
        let record = self.get(owner, id)?;
        if record.end.is_some() {
            return Err(Problem::invalid("this batch has ended already"));
        }
        match self.queue()?.cancel(&record.name()) {
            Ok(()) => self.change(&record.owner, id, |record| {
                record.cancelling_at.get_or_insert_with(now);
            }),
            Err(reckon_batch::Error::NoBatch(_) | reckon_batch::Error::WrongState(_)) => {
                let wait = Duration::from_secs(1);
                Err(Problem::busy(
                    "the file of this batch is still being read",
                    wait,
                ))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads the file of a batch into the queue; again after a crash, which finds what was there. Blocks.
    ///
    /// Whoever makes a batch comes here, and so does the thread that answers rows, when it starts and finds a batch whose
    /// file was not read. Of two readers the queue lets only the later one finish, so one reads at a time, and what was read
    /// meanwhile is left alone.
    pub(crate) fn submit(app: &App, record: &BatchRecord) -> Result<(), Problem> {
        let batches = &app.batches;
        let reading = lock(&batches.reading);
        let unread = batches.find(&record.owner, &record.id)?;
        if unread.is_some_and(|record| record.end.is_none() && record.in_progress_at.is_none()) {
            Self::read(app, record)?;
        }
        drop(reading);
        batches.busy.store(true, Ordering::Relaxed);
        runner::start(app);
        Ok(())
    }

    fn read(app: &App, record: &BatchRecord) -> Result<(), Problem> {
        let batches = &app.batches;
        let queue = batches.queue()?;
        let path = app.files.path(&record.owner(), &record.input)?;
        let errors = match File::open(path) {
            Err(_) => vec![(None, "its file is not there".to_owned())],
            Ok(file) => match queue.submit(Some(&record.name()), BufReader::new(file)) {
                Err(error) if error.is_passing() => return Err(error.into()),
                // Another server of this home reads it.
                Err(reckon_batch::Error::Taken(_)) => return Ok(()),
                Err(error) => vec![(None, error.to_string())],
                Ok(read) if read.refused > 0 => {
                    let refused = queue.refused(&record.name(), 0, MOST_ERRORS)?;
                    let one = |line: reckon_batch::Refused| (Some(line.line), line.reason);
                    refused.into_iter().map(one).collect()
                }
                Ok(read) if read.rows == 0 => vec![(None, "its file has no rows".to_owned())],
                Ok(read) if read.rows > MOST_ROWS => {
                    vec![(None, format!("its file has more than {MOST_ROWS} rows"))]
                }
                Ok(_) => Vec::new(),
            },
        };
        // As OpenAI has it, a file with lines that are no rows does not begin: better now than in the morning.
        if !errors.is_empty() {
            drop(queue.delete(&record.name()));
        }
        batches.change(&record.owner, &record.id, |record| {
            match errors.is_empty() {
                true => record.in_progress_at = record.in_progress_at.or_else(|| Some(now())),
                false => record.end = Some(BatchEnd::failed(errors)),
            }
        })?;
        Ok(())
    }

    /// Changes a record; nobody else does meanwhile.
    fn change(
        &self,
        owner: &str,
        id: &str,
        change: impl FnOnce(&mut BatchRecord),
    ) -> Result<BatchRecord, Problem> {
        let _change = lock(&self.changing);
        let record = self.find(owner, id)?;
        let mut record = record.ok_or_else(|| Problem::not_found("there is no such batch"))?;
        change(&mut record);
        write_json(&self.path(owner, id), &record)?;
        Ok(record)
    }

    fn find(&self, owner: &str, id: &str) -> Result<Option<BatchRecord>, Problem> {
        match is_id(id, "batch_") {
            true => read_json(&self.path(owner, id)),
            false => Ok(None),
        }
    }

    fn path(&self, owner: &str, id: &str) -> PathBuf {
        self.folder.join(owner).join(format!("{id}.json"))
    }

    /// The queue, opened when it is first needed.
    fn queue(&self) -> Result<Queue, Problem> {
        let mut opened = lock(&self.queue);
        if let Some(queue) = &*opened {
            return Ok(queue.clone());
        }
        make_folder(&self.folder)?;
        let path = self.folder.join("queue.db");
        let path = path
            .to_str()
            .ok_or_else(|| Problem::internal("the path of the home is not UTF-8"))?;
        let queue = Queue::open(&format!("sqlite:{path}"))?.with_limits(LIMITS);
        *opened = Some(queue.clone());
        Ok(queue)
    }
}

/// A panic while it was held leaves nothing half done: files are replaced whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
