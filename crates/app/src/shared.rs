//! One model, many askers: a thread runs the scheduler, and each asker has a handle that is a `TextModel`.
//!
//! `lab run` answers many questions at a time this way; all of them go through one pass together. An answer is the same
//! as if it were alone.
use crate::load;
use reckon_assistant::{Ask, OnEvent, TextModel};
use reckon_engine::{
    Event, Generation, Message, Model, Priority, Request, Result, Scheduler, SchedulerOptions,
    Ticket,
};
use std::{
    collections::HashMap,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
};

/// Asks the model of a scheduler that runs elsewhere.
#[derive(Clone)]
pub(crate) struct Shared<'m> {
    model: &'m Model,
    jobs: Sender<Job>,
}

/// A request, and where its answer goes.
pub(crate) struct Job {
    request: Request,
    asker: Asker,
}

struct Asker {
    to: Sender<Heard>,
    /// Set when enough was heard.
    stop: Arc<AtomicBool>,
}

enum Heard {
    Thought(String),
    Text(String),
    Done(Result<Generation>),
}

/// A handle, and the jobs that [`serve`] takes.
pub(crate) fn shared(model: &Model) -> (Shared<'_>, Receiver<Job>) {
    let (jobs, taken) = channel();
    (Shared { model, jobs }, taken)
}

/// Answers until every handle is gone.
pub(crate) fn serve(model: Arc<Model>, sequences: usize, jobs: &Receiver<Job>) {
    let options = SchedulerOptions {
        sequences,
        ..SchedulerOptions::default()
    };
    let mut scheduler = Scheduler::new(model, options);
    let mut askers: HashMap<Ticket, Asker> = HashMap::new();
    loop {
        while let Some(job) = next(jobs, scheduler.is_idle()) {
            match scheduler.submit(job.request, Priority::Background) {
                Ok(ticket) => {
                    askers.insert(ticket, job.asker);
                }
                // An asker that has left does not hear it.
                Err(error) => drop(job.asker.to.send(Heard::Done(Err(error)))),
            }
        }
        if scheduler.is_idle() {
            return;
        }
        let ended = scheduler.step(&mut |ticket, event| {
            let heard = match event {
                Event::Prefill { .. } => return ControlFlow::Continue(()),
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

impl TextModel for Shared<'_> {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        load::count(self.model, messages)
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        let request = load::request(self.model, ask)?;
        let (to, heard) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let asker = Asker {
            to,
            stop: stop.clone(),
        };
        // If the other side is gone, nothing will be heard, and that is reported below.
        drop(self.jobs.send(Job { request, asker }));
        for event in heard {
            let flow = match event {
                Heard::Thought(text) => on_event(Event::Thought(&text)),
                Heard::Text(text) => on_event(Event::Text(&text)),
                Heard::Done(done) => return done,
            };
            if flow.is_break() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        let why = "the thread of the model has ended";
        Err(reckon_engine::Error::Model(why.into()))
    }
}
