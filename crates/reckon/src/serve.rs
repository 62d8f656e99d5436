//! One model, many askers: a thread runs the scheduler, and each asker has a handle that is a `TextModel`.
//!
//! All answers under way go through one pass together; each is the same as if it were alone. The thread ends when the
//! last handle is gone.
use crate::{fixed::FixedPrefix, local};
use reckon_assistant::{Ask, BatchEvent, Error, OnBatch, OnEvent, Result, TextModel};
use reckon_engine::{
    Event, Generation, Message, Model, PrefixStore, Priority, Request, Scheduler, SchedulerOptions,
    Ticket, TokenLogprobs,
};
use std::{
    collections::HashMap,
    io,
    ops::ControlFlow,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

/// How soon an asker finds out that nobody writes its answer any more.
const TICK: Duration = Duration::from_secs(1);

/// Asks the model of a scheduler that runs on a thread of its own.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    model: Arc<Model>,
    jobs: Sender<Job>,
    pub(crate) priority: Priority,
    fixed: Option<FixedPrefix>,
    /// Held by the thread for as long as it lives.
    writer: Weak<()>,
}

/// A request, and where its answer goes.
#[derive(Debug)]
struct Job {
    request: Request,
    priority: Priority,
    asker: Asker,
}

#[derive(Debug)]
struct Asker {
    /// Which answer of its batch it is.
    at: usize,
    to: Sender<(usize, Heard)>,
    /// Set when enough was heard.
    stop: Arc<AtomicBool>,
}

enum Heard {
    Prefill { done: usize, total: usize },
    Thought(String),
    Likely(TokenLogprobs),
    Text(String),
    Done(Result<Generation>),
}

/// Starts a thread that answers at most `sequences` at a time.
pub(crate) fn serve(
    model: &Arc<Model>,
    sequences: usize,
    store: Option<Arc<PrefixStore>>,
) -> io::Result<Served> {
    let (jobs, taken) = channel();
    let shared = model.clone();
    let fixed = store.as_ref().map(|_| FixedPrefix::default());
    let options = SchedulerOptions {
        sequences: sequences.max(1),
        store,
        ..SchedulerOptions::default()
    };
    let alive = Arc::new(());
    let writer = Arc::downgrade(&alive);
    thread::Builder::new().name("model".into()).spawn(move || {
        run(shared, options, &taken);
        drop(alive);
    })?;
    Ok(Served {
        writer,
        model: model.clone(),
        jobs,
        priority: Priority::Interactive,
        fixed,
    })
}

/// Answers until every handle is gone.
fn run(model: Arc<Model>, options: SchedulerOptions, jobs: &Receiver<Job>) {
    let mut scheduler = Scheduler::new(model, options);
    let mut askers: HashMap<Ticket, Asker> = HashMap::new();
    loop {
        // Everyone has their answer, so nobody waits for the disk.
        if scheduler.is_idle() {
            scheduler.save_prefixes();
        }
        while let Some(job) = next(jobs, scheduler.is_idle()) {
            let submitted = match job.asker.at {
                0 => scheduler.submit(job.request, job.priority),
                _ => scheduler.submit_sample(job.request, job.priority),
            };
            match submitted {
                Ok(ticket) => {
                    askers.insert(ticket, job.asker);
                }
                // An asker that has left does not hear it.
                Err(error) => job.asker.ends(Err(error.into())),
            }
        }
        if scheduler.is_idle() {
            return;
        }
        let ended = scheduler.step(&mut |ticket, event| {
            let heard = match event {
                Event::Prefill { done, total } => Heard::Prefill { done, total },
                Event::Thought(text) => Heard::Thought(text.to_owned()),
                Event::Likely(token) => Heard::Likely(token.clone()),
                Event::Text(text) => Heard::Text(text.to_owned()),
            };
            match askers.get(&ticket) {
                Some(asker) if asker.hears(heard) => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        });
        for (ticket, generation) in ended {
            if let Some(asker) = askers.remove(&ticket) {
                asker.ends(Ok(generation));
            }
        }
    }
}

impl Asker {
    /// Says it; whether the asker wants to hear more.
    fn hears(&self, heard: Heard) -> bool {
        !self.stop.load(Ordering::Relaxed) && self.to.send((self.at, heard)).is_ok()
    }

    /// Says the last thing; one that has left does not hear it.
    fn ends(&self, said: Result<Generation>) {
        drop(self.to.send((self.at, Heard::Done(said))));
    }
}

/// The next job; waits for one only if there is nothing else to do.
fn next(jobs: &Receiver<Job>, idle: bool) -> Option<Job> {
    if idle {
        return jobs.recv().ok();
    }
    jobs.try_recv().ok()
}

impl Served {
    /// Writes one answer to this request.
    pub(crate) fn request(
        &self,
        request: Request,
        on_event: &mut OnEvent<'_>,
    ) -> Result<Generation> {
        let mut said = Err(Error::Ended);
        self.requests(vec![(0, request)], &mut |_, event| match event {
            BatchEvent::Begin => ControlFlow::Continue(()),
            BatchEvent::Writing(event) => on_event(event),
            BatchEvent::Ended(ended) => {
                said = ended;
                ControlFlow::Continue(())
            }
        });
        said
    }

    /// Writes answers to all of these, each with its place in the batch.
    fn requests(&self, requests: Vec<(usize, Request)>, on_event: &mut OnBatch<'_>) {
        let (to, heard) = channel();
        let mut stops = HashMap::new();
        let mut waiting = requests.into_iter().peekable();
        let (mut open, mut enough) = (0, false);
        loop {
            while !enough && let Some((at, request)) = local::next_to_begin(&mut waiting, on_event)
            {
                let stop = Arc::new(AtomicBool::new(false));
                stops.insert(at, stop.clone());
                let to = to.clone();
                let job = Job {
                    request,
                    priority: self.priority,
                    asker: Asker { at, to, stop },
                };
                open += usize::from(self.jobs.send(job).is_ok());
            }
            // If the other side is gone, nothing will be heard, and the asker says so.
            let Some((at, event)) = self.next_heard(&heard, open) else {
                return;
            };
            let event = match event {
                Heard::Prefill { done, total } => {
                    BatchEvent::Writing(Event::Prefill { done, total })
                }
                Heard::Thought(ref text) => BatchEvent::Writing(Event::Thought(text)),
                Heard::Likely(ref token) => BatchEvent::Writing(Event::Likely(token)),
                Heard::Text(ref text) => BatchEvent::Writing(Event::Text(text)),
                Heard::Done(done) => BatchEvent::Ended(done),
            };
            let is_end = matches!(event, BatchEvent::Ended(_));
            open -= usize::from(is_end);
            if on_event(at, event).is_continue() {
                continue;
            }
            // The end of one may be the end of all: enough was heard.
            enough |= is_end;
            for (other, stop) in &stops {
                if is_end || *other == at {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    /// What is heard next of so many answers; nothing if there are none, or nobody who writes them any more.
    fn next_heard(&self, heard: &Receiver<(usize, Heard)>, open: usize) -> Option<(usize, Heard)> {
        if open == 0 {
            return None;
        }
        loop {
            match heard.recv_timeout(TICK) {
                Err(RecvTimeoutError::Timeout) if self.writer.strong_count() > 0 => {}
                other => return other.ok(),
            }
        }
    }
}

impl TextModel for Served {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        local::count(&self.model, messages)
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        let request = local::request(&self.model, ask, &mut self.fixed)?;
        self.request(request, on_event)
    }

    fn batch(&mut self, asks: &[Ask], on_event: &mut OnBatch<'_>) {
        let mut requests = Vec::new();
        for (at, ask) in asks.iter().enumerate() {
            match local::request(&self.model, ask, &mut self.fixed) {
                Ok(request) => requests.push((at, request)),
                Err(error) => {
                    if on_event(at, BatchEvent::Ended(Err(error))).is_break() {
                        return;
                    }
                }
            }
        }
        self.requests(requests, on_event);
    }
}
