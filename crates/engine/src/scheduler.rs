//! Continuous batching: many requests share passes over the model, one pass at a time.
//!
//! A plain object without threads: whoever owns it calls `step`, which runs one pass in which every sequence in
//! a slot takes part, and returns the answers that ended with it. Sequences come and go between any two steps.
//!
//! - At most `sequences` have a slot; the others wait, interactive ones first, else in the order in which they came.
//! - An interactive request that finds all slots taken preempts the youngest background sequence, which keeps its KV
//!   cache and resumes when there is room again.
//! - Prompts are read in chunks beside the answers being written (`budget`), so that no answer waits for a whole
//!   prompt.
//! - The prefix that a prompt has in common with an earlier sequence is not prefilled again (`prefixes`), nor are fixed
//!   prefixes that an earlier process has read, if there is a `PrefixStore`.
//!
//! A row's bits do not depend on its neighbours: each answer is the same as if it were alone.

mod budget;
mod prefixes;

use crate::generate::{Event, Generation, Request};
use crate::runner::{Runner, SequenceStep};
use crate::sequence::{self, Sequence};
use crate::state::State;
use crate::{Model, PrefixStore, Prompt, Result};
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
    /// Bytes for the KV caches of earlier sequences, kept for prompts with the same prefix; 0 keeps nothing.
    pub prefix_bytes: usize,
    /// Where the prefixes that requests mark as fixed (`Request::keep_prefix`) are kept across processes.
    pub store: Option<Arc<PrefixStore>>,
}

impl Default for SchedulerOptions {
    fn default() -> Self {
        Self {
            sequences: 16,
            chunk: 64,
            prefix_bytes: 256 << 20,
            store: None,
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
    slots: Vec<BatchSlot>,
    /// Those that do not, in the order in which they will.
    waiting: BTreeMap<(Priority, Ticket), Waiting>,
    prefixes: Prefixes,
    /// Fixed prefixes that were read and are not yet in the store.
    unsaved: Vec<State>,
    tickets: u64,
}

/// A sequence that takes part in passes, with its KV cache.
#[derive(Debug)]
struct BatchSlot {
    ticket: Ticket,
    priority: Priority,
    state: State,
    sequence: Sequence,
    /// Where another sequence went a different way: once read up to there, a copy is kept for the next one.
    branch: Option<usize>,
    /// Tokens at the beginning that the store is to have, once they are read.
    fixed: Option<usize>,
    kept: Kept,
}

/// What stays of a sequence in the prefix cache when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// A conversation goes on from its answer.
    Answer,
    /// Nobody goes on from one of many samples; the next question may begin as their prompt did.
    Prompt,
}

#[derive(Debug)]
enum Waiting {
    New(Request, Kept),
    Paused(Box<BatchSlot>),
}

impl Scheduler {
    /// Without requests yet.
    pub fn new(model: Arc<Model>, options: SchedulerOptions) -> Self {
        Self {
            model,
            prefixes: Prefixes::new(options.prefix_bytes),
            options,
            runner: Runner::default(),
            slots: Vec::new(),
            waiting: BTreeMap::new(),
            unsaved: Vec::new(),
            tickets: 0,
        }
    }

    /// Takes a request; its answer comes with a later `step`.
    pub fn submit(&mut self, request: Request, priority: Priority) -> Result<Ticket> {
        self.enqueue(request, priority, Kept::Answer)
    }

    /// Like [`Self::submit`], for one of many samples: only its prompt stays in the prefix cache. A dozen answers that
    /// nobody goes on from would push the conversation itself out of it.
    pub fn submit_sample(&mut self, request: Request, priority: Priority) -> Result<Ticket> {
        self.enqueue(request, priority, Kept::Prompt)
    }

    fn enqueue(&mut self, request: Request, priority: Priority, kept: Kept) -> Result<Ticket> {
        sequence::check(&self.model, &request)?;
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        let new = Waiting::New(request, kept);
        self.waiting.insert((priority, ticket), new);
        Ok(ticket)
    }

    /// Whether there is nothing left to do.
    pub fn is_idle(&self) -> bool {
        self.slots.is_empty() && self.waiting.is_empty()
    }

    /// One pass: every seated sequence reads a chunk of its prompt or writes its next tokens. Gives what ended with it.
    pub fn step(&mut self, on_event: &mut OnEvent<'_>) -> Vec<(Ticket, Generation)> {
        self.admit(on_event);
        let standing: Vec<_> = self.slots.iter().map(BatchSlot::standing).collect();
        let budgets = budget::prefill_budgets(&standing, self.model.batch(), self.options.chunk);
        let (mut tickets, mut steps) = (Vec::new(), Vec::new());
        for (slot, most) in self.slots.iter_mut().zip(budgets) {
            // A prompt that gets no tokens of this pass keeps its slot and waits; what is over is dismissed below.
            if most > 0 && !slot.sequence.is_over() {
                tickets.push(slot.ticket);
                let most = slot.until_copy(most);
                steps.push(SequenceStep {
                    state: &mut slot.state,
                    sequence: &mut slot.sequence,
                    most,
                });
            }
        }
        let each = &mut |i: usize, event: Event<'_>| on_event(tickets[i], event);
        self.runner.run(&self.model, &mut steps, each);
        self.keep_branches();
        self.keep_fixed();
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

    /// Writes the fixed prefixes that were read since the last time to the store, if there is one. For a moment when
    /// nobody waits for an answer; whoever drops a scheduler does it too.
    pub fn save_prefixes(&mut self) {
        let unsaved = std::mem::take(&mut self.unsaved);
        if let Some(store) = &self.options.store {
            unsaved
                .iter()
                .for_each(|state| store.save(&self.model, state));
        }
    }

    /// Ends a request at once and gives what there is of its answer; `None` if it is not known or has ended.
    pub fn cancel(&mut self, ticket: Ticket) -> Option<Generation> {
        if let Some(at) = self.slots.iter().position(|slot| slot.ticket == ticket) {
            let slot = self.slots.remove(at);
            return Some(self.leave(slot, &mut |_, _| ControlFlow::Continue(())));
        }
        // The priority is part of the key and not of the ticket, so the map is searched.
        let key = *self.waiting.keys().find(|(_, other)| *other == ticket)?;
        Some(match self.waiting.remove(&key)? {
            Waiting::New(request, _) => {
                Sequence::new(&self.model, request, 0).end(&mut |_| ControlFlow::Continue(()))
            }
            Waiting::Paused(slot) => self.leave(*slot, &mut |_, _| ControlFlow::Continue(())),
        })
    }

    /// Seats as many of those that wait as there is room for.
    fn admit(&mut self, on_event: &mut OnEvent<'_>) {
        // The keys are ordered: interactive before background, then by ticket. A copy, because seating changes the map.
        let keys: Vec<_> = self.waiting.keys().copied().collect();
        for (priority, ticket) in keys {
            if !self.has_room(priority) {
                break;
            }
            let slot = match self.waiting.remove(&(priority, ticket)) {
                Some(Waiting::Paused(slot)) => *slot,
                Some(Waiting::New(request, kept)) => {
                    match self.slot(ticket, priority, request, on_event) {
                        Ok(slot) => BatchSlot { kept, ..slot },
                        Err(request) => {
                            let new = Waiting::New(*request, kept);
                            self.waiting.insert((priority, ticket), new);
                            continue;
                        }
                    }
                }
                None => continue,
            };
            self.make_room();
            self.slots.push(slot);
        }
    }

    /// Whether a request of this priority gets a slot.
    fn has_room(&self, priority: Priority) -> bool {
        let yielding = |slot: &BatchSlot| slot.priority > priority;
        self.slots.len() < self.options.sequences.max(1) || self.slots.iter().any(yielding)
    }

    /// Lets the youngest background sequence wait if all slots are taken.
    fn make_room(&mut self) {
        if self.slots.len() < self.options.sequences.max(1) {
            return;
        }
        // The youngest has waited least and, being the latest, holds up nobody who came earlier.
        let youngest = (0..self.slots.len()).max_by_key(|&i| {
            let slot = &self.slots[i];
            (slot.priority, slot.ticket)
        });
        if let Some(at) = youngest {
            let slot = self.slots.remove(at);
            let key = (slot.priority, slot.ticket);
            self.waiting.insert(key, Waiting::Paused(Box::new(slot)));
        }
    }

    /// Gives a request the longest cached prefix there is of its prompt; gives it back if a running sequence will soon
    /// have a longer one.
    fn slot(
        &mut self,
        ticket: Ticket,
        priority: Priority,
        request: Request,
        on_event: &mut OnEvent<'_>,
    ) -> std::result::Result<BatchSlot, Box<Request>> {
        let prompt = &request.prompt;
        let mut found = self
            .prefixes
            .find(prompt, self.slots.iter().map(|slot| &slot.state));
        let coming = self.slots.iter().filter(|slot| slot.priority <= priority);
        let coming = coming.map(|slot| slot.coming(prompt)).max().unwrap_or(0);
        // Waiting a few passes for a neighbour that reads the same prefix right now is cheaper than reading it twice.
        if coming >= found.held + WORTH {
            return Err(Box::new(request));
        }
        if let Some(state) = self.stored(prompt, found.held + WORTH) {
            found.held = state.tokens().len();
            found.state = Some(state);
        }
        // Some state shared more of the prompt than it can still step back to: leave a copy at that point this time.
        let branch = (found.shared >= found.held + WORTH).then_some(found.shared);
        let state = found.state.unwrap_or_else(|| self.model.state());
        let reused = state.tokens().len();
        let fixed = request.keep_prefix.map(|len| len.min(prompt.len()));
        // A whole prompt that is mostly known already is not worth another file: a conversation would write one a turn.
        let fixed = fixed.filter(|len| *len < prompt.len() || reused < prompt.len() / 4 * 3);
        let is_kept = self.options.store.is_some() && !state.has_deltas();
        let mut sequence = Sequence::new(&self.model, request, reused);
        sequence.report(&state, &mut |event| on_event(ticket, event));
        Ok(BatchSlot {
            ticket,
            priority,
            state,
            sequence,
            branch,
            fixed: fixed.filter(|_| is_kept),
            kept: Kept::Answer,
        })
    }

    /// What the store has of a prompt, if it is at least `least` tokens. It stays in memory for the next one.
    fn stored(&mut self, prompt: &Prompt, least: usize) -> Option<State> {
        let store = self.options.store.as_ref()?;
        let state = store.load(&self.model, prompt.before_soft(), least)?;
        let fork = state.fork(state.common(prompt).min(prompt.len() - 1));
        self.prefixes.keep(state);
        Some(fork)
    }

    /// Keeps copies of states that have just been read up to where other prompts branched off.
    fn keep_branches(&mut self) {
        for slot in &mut self.slots {
            if let Some(len) = slot.branch.take_if(|len| slot.state.tokens().len() >= *len)
                && slot.state.holds(len)
            {
                self.prefixes.keep(slot.state.fork(len));
            }
        }
    }

    /// Keeps copies for the store of states that have been read up to the end of a fixed prefix.
    fn keep_fixed(&mut self) {
        for slot in &mut self.slots {
            if let Some(len) = slot.fixed.take_if(|len| slot.state.tokens().len() >= *len)
                && slot.state.holds(len)
            {
                // Samples of one question share their prefix: one copy is enough.
                let tokens = &slot.state.tokens()[..len];
                if !self.unsaved.iter().any(|other| other.tokens() == tokens) {
                    self.unsaved.push(slot.state.fork(len));
                }
            }
        }
    }

    /// Removes the sequences that are over.
    fn dismiss(&mut self, on_event: &mut OnEvent<'_>) -> Vec<(Ticket, Generation)> {
        // Taken out first: `leave` borrows the scheduler as a whole.
        let over: Vec<BatchSlot> = self
            .slots
            .extract_if(.., |slot| slot.sequence.is_over())
            .collect();
        over.into_iter()
            .map(|slot| (slot.ticket, self.leave(slot, on_event)))
            .collect()
    }

    /// Ends a sequence; its KV cache stays for prompts with the same prefix.
    fn leave(&mut self, mut slot: BatchSlot, on_event: &mut OnEvent<'_>) -> Generation {
        if slot.kept == Kept::Prompt {
            let prompt = slot.sequence.prompt().len();
            slot.state.rewind(prompt.min(slot.state.tokens().len()));
        }
        self.prefixes.keep(slot.state);
        slot.sequence.end(&mut |event| on_event(slot.ticket, event))
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        self.save_prefixes();
    }
}

impl BatchSlot {
    /// Its priority and how much of its prompt is to be read.
    fn standing(&self) -> (Priority, usize) {
        (self.priority, self.sequence.unread(&self.state))
    }

    /// At most so many tokens, and no more than up to where a copy is to be kept, if there is no stepping back to it later.
    fn until_copy(&self, most: usize) -> usize {
        let read = self.state.tokens().len();
        match self.branch.and_then(|at| at.checked_sub(read)) {
            Some(tokens) if tokens > 0 && self.state.has_deltas() => most.min(tokens),
            _ => most,
        }
    }

    /// How many tokens of `prompt` it will have read, or has, if it is still reading its own.
    fn coming(&self, prompt: &Prompt) -> usize {
        // One that decodes has nothing more of a prompt to offer than `prefixes` already finds.
        if self.sequence.unread(&self.state) == 0 || self.sequence.is_over() {
            return 0;
        }
        self.sequence.prompt().common(prompt).min(prompt.len() - 1)
    }
}
