//! One model, many askers: a thread runs the scheduler, and each asker has a handle that is a `TextModel`.
//!
//! All answers under way go through one pass together; each is the same as if it were alone. The thread ends when the
//! last handle is gone.
use crate::local;
use reckon_assistant::{Ask, Error, OnEvent, Result, TextModel};
use reckon_engine::{
    Event, Generation, Message, Model, Priority, Request, Scheduler, SchedulerOptions, Ticket,
};
use std::{
    collections::HashMap,
    io,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

/// Asks the model of a scheduler that runs on a thread of its own.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    model: Arc<Model>,
    jobs: Sender<Job>,
    pub(crate) priority: Priority,
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
    to: Sender<Heard>,
    /// Set when enough was heard.
    stop: Arc<AtomicBool>,
}

enum Heard {
    Prefill { done: usize, total: usize },
    Thought(String),
    Text(String),
    Done(Result<Generation>),
}

/// Starts a thread that answers at most `sequences` at a time.
pub(crate) fn serve(model: &Arc<Model>, sequences: usize) -> io::Result<Served> {
    let (jobs, taken) = channel();
    let shared = model.clone();
    thread::Builder::new()
        .name("model".into())
        .spawn(move || run(shared, sequences.max(1), &taken))?;
    Ok(Served {
        model: model.clone(),
        jobs,
        priority: Priority::Interactive,
    })
}

/// Answers until every handle is gone.
fn run(model: Arc<Model>, sequences: usize, jobs: &Receiver<Job>) {
    let options = SchedulerOptions {
        sequences,
        ..SchedulerOptions::default()
    };
    let mut scheduler = Scheduler::new(model, options);
    let mut askers: HashMap<Ticket, Asker> = HashMap::new();
    loop {
        while let Some(job) = next(jobs, scheduler.is_idle()) {
            match scheduler.submit(job.request, job.priority) {
                Ok(ticket) => {
                    askers.insert(ticket, job.asker);
                }
                // An asker that has left does not hear it.
                Err(error) => drop(job.asker.to.send(Heard::Done(Err(error.into())))),
            }
        }
        if scheduler.is_idle() {
            return;
        }
        let ended = scheduler.step(&mut |ticket, event| {
            let heard = match event {
                Event::Prefill { done, total } => Heard::Prefill { done, total },
                Event::Thought(text) => Heard::Thought(text.to_owned()),
                Event::Text(text) => Heard::Text(text.to_owned()),
            };
            match askers.get(&ticket) {
                Some(asker) if asker.hears(heard) => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        });
        for (ticket, generation) in ended {
            if let Some(asker) = askers.remove(&ticket) {
                drop(asker.to.send(Heard::Done(Ok(generation))));
            }
        }
    }
}

impl Asker {
    /// Says it; whether the asker wants to hear more.
    fn hears(&self, heard: Heard) -> bool {
        !self.stop.load(Ordering::Relaxed) && self.to.send(heard).is_ok()
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
        let (to, heard) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let asker = Asker {
            to,
            stop: stop.clone(),
        };
        let job = Job {
            request,
            priority: self.priority,
            asker,
        };
        // If the other side is gone, nothing will be heard, and that is reported below.
        drop(self.jobs.send(job));
        for event in heard {
            let flow = match event {
                Heard::Prefill { done, total } => on_event(Event::Prefill { done, total }),
                Heard::Thought(text) => on_event(Event::Thought(&text)),
                Heard::Text(text) => on_event(Event::Text(&text)),
                Heard::Done(done) => return done,
            };
            if flow.is_break() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        Err(Error::Ended)
    }
}

impl TextModel for Served {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        local::count(&self.model, messages)
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        let request = local::request(&self.model, ask)?;
        self.request(request, on_event)
    }
}
