//! Takes rows from a queue, has them answered on threads, and brings the results back.
//!
//! One thread, the caller's, speaks to the database: it claims as many rows as answering threads are idle, writes
//! results, renews leases and reports. Batching happens underneath: the answering threads ask one model at once. While
//! the database is away everything that was answered is kept and written when it is back.
use crate::error::{Error, Result, one_line};
use crate::hours::{Hours, local_minute};
use crate::lease::{Claimed, Heartbeat, Ticket, Want};
use crate::patience::patiently;
use crate::queue::{BatchState, Progress, Queue};
use crate::row::{Answered, Failure, Row};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the loop waits at most before it looks whether to stop.
const TICK: Duration = Duration::from_millis(100);
/// How often an idle worker asks for rows.
const POLL: Duration = Duration::from_millis(500);
/// How often progress is reported.
const REPORT: Duration = Duration::from_secs(1);
/// How seldom, at most, where counting takes long or the database was away.
const LONGEST_REPORT: Duration = Duration::from_secs(5);
/// Bytes of a result, receipt included.
const MOST_RESULT: usize = 32 << 20;
/// Answering threads.
const MOST_THREADS: usize = 1024;

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// What [`Queue::workers`] shows; unique among workers.
    pub name: String,
    /// Rows that are answered at a time.
    pub threads: usize,
    /// The hours of the day in which rows are begun; what was begun is finished.
    pub hours: Option<Hours>,
    /// How long to wait for a database that is away.
    pub patience: Duration,
    /// Whether to wait for further batches when all are finished.
    pub stay: bool,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self {
            name: format!("{}:{}", host(), std::process::id()),
            threads: 8,
            hours: None,
            patience: Duration::from_secs(600),
            stay: false,
        }
    }
}

/// Why a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No row is left.
    Finished,
    /// It was told to stop; rows that it had were given back.
    Stopped,
    /// The batch was cancelled.
    Cancelled,
}

/// Answers rows of a queue.
#[derive(Clone, Debug)]
pub struct Worker {
    queue: Queue,
    options: WorkerOptions,
}

impl Worker {
    /// A worker that has not begun.
    pub fn new(queue: &Queue, options: WorkerOptions) -> Self {
        let queue = queue.clone();
        Self { queue, options }
    }

    /// Answers the rows of a batch, or of all, until none is left or `stop` is set.
    ///
    /// `answer` is called on several threads at once. `watch` hears about every second how far the batch is, and why
    /// nothing happens if nothing does.
    pub fn run(
        &self,
        batch: Option<&str>,
        stop: &AtomicBool,
        answer: impl Fn(&Row) -> std::result::Result<Answered, Failure> + Sync,
        watch: impl FnMut(&Progress),
    ) -> Result<Ended> {
        if self.options.name.is_empty() || self.options.name.contains(char::is_control) {
            return Err(Error::Invalid(
                "a worker's name is empty or has control characters".into(),
            ));
        }
        let batch = batch.map(|batch| self.queue.batch(batch)).transpose()?;
        let threads = self.options.threads.clamp(1, MOST_THREADS);
        let (to_threads, jobs) = mpsc::channel();
        let (to_session, settled) = mpsc::channel();
        let jobs = Mutex::new(jobs);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (to_session, jobs, answer) = (to_session.clone(), &jobs, &answer);
                scope.spawn(move || answer_jobs(jobs, &to_session, answer));
            }
            let mut session = Session::new(self, batch.map(|batch| batch.id), stop, watch);
            let ended = session.drive(&to_threads, &settled, threads);
            // If the session failed, rows may be under way still: those who answer them need not go on.
            session.let_go();
            drop(to_threads);
            ended
        })
    }
}

/// An answered row.
struct Settled {
    claimed: Claimed,
    /// The answer as JSON.
    outcome: std::result::Result<String, Failure>,
}

/// Answers rows until there are no more to come.
fn answer_jobs(
    jobs: &Mutex<Receiver<Claimed>>,
    done: &Sender<Settled>,
    answer: &impl Fn(&Row) -> std::result::Result<Answered, Failure>,
) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(claimed) = next else {
            return;
        };
        let outcome = answer_one(&claimed.row, answer);
        if done.send(Settled { claimed, outcome }).is_err() {
            return;
        }
    }
}

fn answer_one(
    row: &Row,
    answer: &impl Fn(&Row) -> std::result::Result<Answered, Failure>,
) -> std::result::Result<String, Failure> {
    if !row.is_wanted() {
        return Err(Failure::stopped());
    }
    // A panic is the failure of one row, not of the batch.
    let answered = catch_unwind(AssertUnwindSafe(|| answer(row)))
        .unwrap_or_else(|panic| Err(Failure::passing(format!("panicked: {}", words(&*panic)))))?;
    let result = answered.to_json()?;
    if result.len() > MOST_RESULT {
        return Err(Failure::for_good(format!(
            "the answer has more than {} MiB",
            MOST_RESULT >> 20
        )));
    }
    Ok(result)
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    one_line(text.unwrap_or("for no reason given"))
}

/// A row that is being answered.
struct Held {
    batch: String,
    line: u64,
    ticket: Ticket,
    alone: bool,
    wanted: Arc<AtomicBool>,
}

/// What the caller's thread knows while it works.
struct Session<'a, W> {
    worker: &'a Worker,
    batch: Option<String>,
    stop: &'a AtomicBool,
    watch: W,
    held: Vec<Held>,
    /// As last reported.
    progress: Option<Progress>,
    done: u64,
    failed: u64,
    started: Instant,
    next_claim: Instant,
    next_renewal: Instant,
    next_report: Instant,
}

impl<'a, W: FnMut(&Progress)> Session<'a, W> {
    fn new(worker: &'a Worker, batch: Option<String>, stop: &'a AtomicBool, watch: W) -> Self {
        let now = Instant::now();
        Self {
            worker,
            batch,
            stop,
            watch,
            held: Vec::new(),
            progress: None,
            done: 0,
            failed: 0,
            started: now,
            next_claim: now,
            next_renewal: now,
            next_report: now,
        }
    }

    fn drive(
        &mut self,
        jobs: &Sender<Claimed>,
        settled: &Receiver<Settled>,
        threads: usize,
    ) -> Result<Ended> {
        loop {
            let stopping = self.stop.load(Ordering::Relaxed);
            if stopping {
                self.let_go();
            } else if self.may_claim(threads) {
                self.claim(jobs, threads)?;
            }
            match settled.recv_timeout(TICK) {
                Ok(first) => {
                    self.settle(first)?;
                    while let Ok(next) = settled.try_recv() {
                        self.settle(next)?;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::Internal("the answering threads are gone".into()));
                }
            }
            self.renew()?;
            if stopping && self.held.is_empty() {
                return Ok(Ended::Stopped);
            }
            if let Some(ended) = self.report()? {
                return Ok(ended);
            }
        }
    }

    fn may_claim(&self, threads: usize) -> bool {
        let open = self.closed_for().is_none();
        // A suspect is all that a worker does.
        let alone = self.held.iter().any(|held| held.alone);
        open && !alone && self.held.len() < threads && Instant::now() >= self.next_claim
    }

    /// Minutes until rows may be begun, if they may not now.
    fn closed_for(&self) -> Option<u32> {
        let wait = self.worker.options.hours?.next(local_minute());
        (wait > 0).then_some(wait)
    }

    fn claim(&mut self, jobs: &Sender<Claimed>, threads: usize) -> Result<()> {
        let idle = threads - self.held.len();
        let mut claimed = self.claim_rows(Want::Clean(idle))?;
        if claimed.is_empty() && self.held.is_empty() {
            claimed = self.claim_rows(Want::Suspect)?;
        }
        if claimed.len() < idle {
            self.next_claim = Instant::now() + POLL;
        }
        for claimed in claimed {
            self.held.push(Held {
                batch: claimed.row.batch.clone(),
                line: claimed.row.line,
                ticket: claimed.ticket,
                alone: claimed.alone,
                wanted: claimed.row.wanted.clone(),
            });
            jobs.send(claimed)
                .map_err(|_| Error::Internal("the answering threads are gone".into()))?;
        }
        Ok(())
    }

    fn claim_rows(&mut self, want: Want) -> Result<Vec<Claimed>> {
        // One ticket for all attempts of this claim: see `lease.rs`.
        let ticket = Ticket::random()?;
        let (name, batch) = (self.worker.options.name.clone(), self.batch.clone());
        self.persist(|queue| queue.claim(batch.as_deref(), &name, ticket, want))
    }

    /// Writes what became of a row.
    fn settle(&mut self, settled: Settled) -> Result<()> {
        let Settled { claimed, outcome } = settled;
        let Claimed { row, ticket, .. } = &claimed;
        match outcome {
            Ok(result) => {
                let counts = self.persist(|queue| queue.finish(row, *ticket, &result))?;
                self.done += u64::from(counts);
            }
            Err(failure) => {
                let for_good = self.persist(|queue| queue.fail(row, *ticket, &failure))?;
                self.failed += u64::from(for_good);
            }
        }
        self.held
            .retain(|held| (held.line, &held.batch) != (row.line, &row.batch));
        // Something may follow at once.
        self.next_claim = Instant::now();
        Ok(())
    }

    fn renew(&mut self) -> Result<()> {
        if Instant::now() < self.next_renewal {
            return Ok(());
        }
        let heartbeat = Heartbeat {
            worker: self.worker.options.name.clone(),
            age: i64::try_from(self.started.elapsed().as_millis()).unwrap_or(0),
            done: self.done,
            failed: self.failed,
            tickets: self.held.iter().map(|held| held.ticket).collect(),
            running: self.held.len(),
        };
        let wanted = self.persist(|queue| queue.renew(&heartbeat))?;
        for held in &self.held {
            let still = wanted
                .iter()
                .any(|(batch, line)| (*line, batch) == (held.line, &held.batch));
            if !still {
                held.wanted.store(false, Ordering::Relaxed);
            }
        }
        // Three chances before the lease is over.
        self.next_renewal = Instant::now() + self.worker.queue.limits.lease / 3;
        Ok(())
    }

    /// Tells the caller how far it is; whether that is the end.
    fn report(&mut self) -> Result<Option<Ended>> {
        let idle = self.held.is_empty();
        if Instant::now() < self.next_report {
            return Ok(None);
        }
        let asked = Instant::now();
        let batch = self.batch.clone();
        let mut progress = self.persist(|queue| match &batch {
            Some(id) => queue.progress(id),
            None => queue.progress_of_all(),
        })?;
        progress.trouble = self.closed_for().map(|minutes| {
            format!(
                "outside of its hours: begins in {}:{:02} hours",
                minutes / 60,
                minutes % 60
            )
        });
        (self.watch)(&progress);
        let ended = if !idle {
            None
        } else if progress.state == BatchState::Cancelled {
            Some(Ended::Cancelled)
        } else if progress.is_finished() && !self.worker.options.stay {
            Some(Ended::Finished)
        } else {
            None
        };
        // Whoever has nothing to do notices the end sooner. Counting a large batch must not be most of the work.
        let pause = if idle { POLL } else { REPORT };
        self.next_report = Instant::now() + pause.max((20 * asked.elapsed()).min(LONGEST_REPORT));
        self.progress = Some(progress);
        Ok(ended)
    }

    /// Says to those who answer that nobody wants it any more.
    fn let_go(&self) {
        for held in &self.held {
            held.wanted.store(false, Ordering::Relaxed);
        }
    }

    /// Calls the queue until the database is there.
    fn persist<T>(&mut self, call: impl Fn(&Queue) -> Result<T>) -> Result<T> {
        let Self {
            worker,
            stop,
            watch,
            progress,
            ..
        } = self;
        let tell = |why: &str| {
            let known = progress.get_or_insert_with(|| Progress::unknown(None));
            known.trouble = Some(why.into());
            watch(known);
        };
        patiently(worker.options.patience, stop, tell, || call(&worker.queue))
    }
}

/// The name of this machine.
pub(crate) fn host() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    one_line(&name)
}
