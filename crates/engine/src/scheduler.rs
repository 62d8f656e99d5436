//! Many answers at once: requests in, events and finished answers out, one pass at a time.
//!
//! A plain object without threads: whoever owns it calls `step`, which runs one pass in which every seated sequence
//! takes part, and returns the answers that ended with it. Sequences come and go between any two steps.
//!
//! - At most `sequences` are seated; the others wait, interactive ones first, else in the order in which they came.
//! - An interactive request that finds all seats taken takes that of the youngest background sequence, which keeps
//!   its memory and goes on, where it was, when there is room again.
//! - Prompts are read in chunks beside the answers being written (`turns`), so that no answer waits for a whole prompt.
//! - What a prompt has in common with what was read before is not read again (`prefixes`).
//!
//! A row's bits do not depend on its neighbours: each answer is the same as if it were alone.

mod prefixes;
mod turns;

use crate::generate::{Event, Generation, Request};
use crate::runner::{Runner, Work};
use crate::sequence::{self, Sequence};
use crate::state::{State, common};
use crate::{Model, Result};
use prefixes::{Prefixes, WORTH};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// How a scheduler shares out the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulerOptions {
    /// Most sequences in a pass; each has a context of its own in memory.
    pub sequences: usize,
    /// Most tokens of prompts that a pass reads while somebody waits for the next word of an interactive answer.
    pub chunk: usize,
    /// Bytes of memory for keeping what earlier sequences have read; 0 keeps nothing.
    pub prefix_bytes: usize,
}

impl Default for SchedulerOptions {
    fn default() -> Self {
        Self {
            sequences: 16,
            chunk: 64,
            prefix_bytes: 256 << 20,
        }
    }
}

/// Who goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// A person waits for it.
    Interactive,
    /// It may take as long as it takes.
    Background,
}

/// Names a request that was submitted; later requests have larger ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(u64);

/// Hears what happens to each answer; breaks to stop that one.
type OnEvent<'a> = dyn FnMut(Ticket, Event<'_>) -> ControlFlow<()> + 'a;

/// Answers requests, many at a time.
#[derive(Debug)]
pub struct Scheduler {
    model: Arc<Model>,
    options: SchedulerOptions,
    runner: Runner,
    /// Those that take part in passes.
    seats: Vec<Seat>,
    /// Those that do not, in the order in which they will.
    waiting: BTreeMap<(Priority, Ticket), Waiting>,
    prefixes: Prefixes,
    tickets: u64,
}

/// A sequence with its memory.
#[derive(Debug)]
struct Seat {
    ticket: Ticket,
    priority: Priority,
    state: State,
    sequence: Sequence,
    /// Where another sequence went a different way: once read up to there, a copy is kept for the next one.
    branch: Option<usize>,
}

#[derive(Debug)]
enum Waiting {
    New(Request),
    Paused(Box<Seat>),
}

impl Scheduler {
    /// Without requests yet.
    pub fn new(model: Arc<Model>, options: SchedulerOptions) -> Self {
        Self {
            model,
            prefixes: Prefixes::new(options.prefix_bytes),
            options,
            runner: Runner::default(),
            seats: Vec::new(),
            waiting: BTreeMap::new(),
            tickets: 0,
        }
    }

    /// Takes a request; its answer comes with a later `step`.
    pub fn submit(&mut self, request: Request, priority: Priority) -> Result<Ticket> {
        sequence::check(&self.model, &request)?;
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        let new = Waiting::New(request);
        self.waiting.insert((priority, ticket), new);
        Ok(ticket)
    }

    /// Whether there is nothing left to do.
    pub fn is_idle(&self) -> bool {
        self.seats.is_empty() && self.waiting.is_empty()
    }

    /// One pass: every seated sequence reads a chunk of its prompt or writes its next tokens. Gives what ended with it.
    pub fn step(&mut self, on_event: &mut OnEvent<'_>) -> Vec<(Ticket, Generation)> {
        self.admit(on_event);
        let standing: Vec<_> = self.seats.iter().map(Seat::standing).collect();
        let turns = turns::turns(&standing, self.model.batch(), self.options.chunk);
        let (mut tickets, mut works) = (Vec::new(), Vec::new());
        for (seat, most) in self.seats.iter_mut().zip(turns) {
            if most > 0 && !seat.sequence.is_over() {
                tickets.push(seat.ticket);
                works.push(Work {
                    state: &mut seat.state,
                    sequence: &mut seat.sequence,
                    most,
                });
            }
        }
        let each = &mut |i: usize, event: Event<'_>| on_event(tickets[i], event);
        self.runner.run(&self.model, &mut works, each);
        self.keep_branches();
        self.dismiss(on_event)
    }

    /// Answers all requests, however many steps it takes; the oldest first.
    pub fn run(&mut self, on_event: &mut OnEvent<'_>) -> Vec<(Ticket, Generation)> {
        let mut answers = Vec::new();
        while !self.is_idle() {
            answers.append(&mut self.step(on_event));
        }
        answers.sort_by_key(|(ticket, _)| *ticket);
        answers
    }

    /// Ends a request at once and gives what there is of its answer; `None` if it is not known or has ended.
    pub fn cancel(&mut self, ticket: Ticket) -> Option<Generation> {
        if let Some(at) = self.seats.iter().position(|seat| seat.ticket == ticket) {
            let seat = self.seats.remove(at);
            return Some(self.leave(seat, &mut |_, _| ControlFlow::Continue(())));
        }
        let key = *self.waiting.keys().find(|(_, other)| *other == ticket)?;
        Some(match self.waiting.remove(&key)? {
            Waiting::New(request) => {
                Sequence::new(&self.model, request, 0).end(&mut |_| ControlFlow::Continue(()))
            }
            Waiting::Paused(seat) => self.leave(*seat, &mut |_, _| ControlFlow::Continue(())),
        })
    }

    /// Seats as many of those that wait as there is room for.
    fn admit(&mut self, on_event: &mut OnEvent<'_>) {
        let keys: Vec<_> = self.waiting.keys().copied().collect();
        for (priority, ticket) in keys {
            if !self.has_room(priority) {
                break;
            }
            let seat = match self.waiting.remove(&(priority, ticket)) {
                Some(Waiting::Paused(seat)) => *seat,
                Some(Waiting::New(request)) => match self.seat(ticket, priority, request, on_event)
                {
                    Ok(seat) => seat,
                    Err(request) => {
                        self.waiting
                            .insert((priority, ticket), Waiting::New(request));
                        continue;
                    }
                },
                None => continue,
            };
            self.make_room();
            self.seats.push(seat);
        }
    }

    /// Whether a request of this priority gets a seat.
    fn has_room(&self, priority: Priority) -> bool {
        let yielding = |seat: &Seat| seat.priority > priority;
        self.seats.len() < self.options.sequences.max(1) || self.seats.iter().any(yielding)
    }

    /// Lets the youngest background sequence wait if all seats are taken.
    fn make_room(&mut self) {
        if self.seats.len() < self.options.sequences.max(1) {
            return;
        }
        let youngest = (0..self.seats.len()).max_by_key(|&i| {
            let seat = &self.seats[i];
            (seat.priority, seat.ticket)
        });
        if let Some(at) = youngest {
            let seat = self.seats.remove(at);
            let key = (seat.priority, seat.ticket);
            self.waiting.insert(key, Waiting::Paused(Box::new(seat)));
        }
    }

    /// Gives a request the longest memory there is of its prompt; gives it back if it is worth waiting for a longer one.
    fn seat(
        &mut self,
        ticket: Ticket,
        priority: Priority,
        request: Request,
        on_event: &mut OnEvent<'_>,
    ) -> std::result::Result<Seat, Request> {
        let prompt = &request.prompt;
        let found = self
            .prefixes
            .find(prompt, self.seats.iter().map(|seat| &seat.state));
        let coming = self.seats.iter().filter(|seat| seat.priority <= priority);
        let coming = coming.map(|seat| seat.coming(prompt)).max().unwrap_or(0);
        if coming >= found.held + WORTH {
            return Err(request);
        }
        let branch = (found.shared >= found.held + WORTH).then_some(found.shared);
        let state = found.state.unwrap_or_else(|| self.model.state());
        let reused = state.tokens().len();
        let mut sequence = Sequence::new(&self.model, request, reused);
        sequence.report(&state, &mut |event| on_event(ticket, event));
        Ok(Seat {
            ticket,
            priority,
            state,
            sequence,
            branch,
        })
    }

    /// Keeps copies of memories that have just been read up to where others went a different way.
    fn keep_branches(&mut self) {
        for seat in &mut self.seats {
            if let Some(len) = seat.branch.take_if(|len| seat.state.tokens().len() >= *len)
                && seat.state.holds(len)
            {
                self.prefixes.keep(seat.state.fork(len));
            }
        }
    }

    /// Removes the sequences that are over.
    fn dismiss(&mut self, on_event: &mut OnEvent<'_>) -> Vec<(Ticket, Generation)> {
        let over: Vec<Seat> = self
            .seats
            .extract_if(.., |seat| seat.sequence.is_over())
            .collect();
        over.into_iter()
            .map(|seat| (seat.ticket, self.leave(seat, on_event)))
            .collect()
    }

    /// Ends a sequence; its memory stays for others.
    fn leave(&mut self, seat: Seat, on_event: &mut OnEvent<'_>) -> Generation {
        self.prefixes.keep(seat.state);
        seat.sequence.end(&mut |event| on_event(seat.ticket, event))
    }
}

impl Seat {
    /// Its priority and how much of its prompt is to be read.
    fn standing(&self) -> (Priority, usize) {
        (self.priority, self.sequence.unread(&self.state))
    }

    /// How many tokens of `prompt` it will have read, or has, if it is still reading its own.
    fn coming(&self, prompt: &[crate::Token]) -> usize {
        if self.sequence.unread(&self.state) == 0 || self.sequence.is_over() {
            return 0;
        }
        common(self.sequence.prompt(), prompt).min(prompt.len() - 1)
    }
}
