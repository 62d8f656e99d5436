//! Answers a conversation: the model generates, then each guard looks, and the receipt says what was done.
//!
//! The model's own answer comes first and streams as it is written; nothing is added to its prompt, so an answer that
//! no guard acts on has the same bytes with and without guards. Guards then look in order, each at what the one before
//! it left. A revision replaces the text that was shown (`Event::Revise`).
//!
//! Fail-open: a guard that fails, is stopped or has nothing better leaves the answer as it is. Ctrl-C during the
//! answer or a guard's work ends the turn with what stands.

use crate::{
    Action, Ask, Entry, Guard, GuardBudget, GuardOutcome, Receipt, Result, Spent, TextModel, Tools,
    Turn, Verdict, number,
};
use reckon_engine::{Finish, Generation, Message};
use std::ops::ControlFlow;

/// What a front end hears while an answer is made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// `done` of `total` tokens of the prompt are read.
    Prefill {
        /// Read so far.
        done: usize,
        /// To read.
        total: usize,
    },
    /// More text of the model's thinking.
    Thought(&'a str),
    /// More text of the answer.
    Text(&'a str),
    /// A guard is at work; its name.
    Checking(&'a str),
    /// All text so far is replaced by this one.
    Revise {
        /// The guard that says so.
        guard: &'a str,
        /// The whole new answer.
        text: &'a str,
    },
}

impl<'a> From<reckon_engine::Event<'a>> for Event<'a> {
    fn from(event: reckon_engine::Event<'a>) -> Self {
        match event {
            reckon_engine::Event::Prefill { done, total } => Self::Prefill { done, total },
            reckon_engine::Event::Thought(text) => Self::Thought(text),
            reckon_engine::Event::Text(text) => Self::Text(text),
        }
    }
}

/// An answer and what was done for it.
#[derive(Clone, Debug)]
pub struct Reply {
    /// What ships.
    pub text: String,
    /// The model's own answer, with its tokens and timing.
    pub generation: Generation,
    /// What made it: of the pipeline what the guards did, of whoever knows the model the rest.
    pub receipt: Receipt,
    /// The person stopped it.
    pub stopped: bool,
}

/// Hears what happens; breaks to stop.
pub type OnReply<'a> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'a;

/// The guards, in the order in which they look.
#[derive(Default)]
pub struct Pipeline {
    guards: Vec<Box<dyn Guard>>,
}

impl Pipeline {
    /// These guards, in this order; none is the raw model.
    pub fn new(guards: Vec<Box<dyn Guard>>) -> Self {
        Self { guards }
    }

    /// The guards.
    pub fn guards(&self) -> impl Iterator<Item = &dyn Guard> {
        self.guards.iter().map(AsRef::as_ref)
    }

    /// Whether an answer to this conversation might be replaced after it was shown.
    pub fn may_revise(&self, messages: &[Message]) -> bool {
        self.guards().any(|guard| guard.may_revise(messages))
    }

    /// Answers.
    pub fn answer(
        &self,
        model: &mut dyn TextModel,
        tools: &mut dyn Tools,
        ask: &Ask,
        on_event: &mut OnReply<'_>,
    ) -> Result<Reply> {
        let generation = model.generate(ask, &mut |event| on_event(event.into()))?;
        let mut work = Work {
            text: generation.text.clone(),
            draft_tokens: generation.usage.completion,
            stopped: generation.finish == Finish::Cancelled,
            entries: Vec::new(),
            values: Vec::new(),
        };
        // What was cut short is not judged: it is not an answer yet.
        let whole = generation.finish == Finish::Stop && ask.shape.is_none();
        for guard in self.guards() {
            let entry = if whole && !work.stopped {
                work.look(guard, model, tools, ask, on_event)
            } else {
                quiet(guard)
            };
            work.entries.push(entry);
        }
        Ok(Reply {
            text: work.text,
            receipt: Receipt {
                // Without guards it is the text itself.
                raw: (!self.guards.is_empty()).then(|| generation.text.clone()),
                guards: work.entries,
                ..Receipt::default()
            },
            stopped: work.stopped,
            generation,
        })
    }
}

/// An answer on its way through the guards.
struct Work {
    text: String,
    /// Tokens of the model's own answer: the measure for what a guard may have written.
    draft_tokens: usize,
    stopped: bool,
    entries: Vec<Entry>,
    /// What tools have established: every later text must state it.
    values: Vec<number::Value>,
}

impl Work {
    fn look(
        &mut self,
        guard: &dyn Guard,
        model: &mut dyn TextModel,
        tools: &mut dyn Tools,
        ask: &Ask,
        on_event: &mut OnReply<'_>,
    ) -> Entry {
        let turn = Turn {
            messages: &ask.messages,
            answer: &self.text,
        };
        let mut entry = quiet(guard);
        let Some(finding) = guard.look(&turn) else {
            return entry;
        };
        entry.evidence = Some(turn.evidence(finding));
        if on_event(Event::Checking(guard.name())).is_break() {
            self.stopped = true;
            return entry;
        }
        let (action, spent, stopped) =
            act(guard, &turn, model, tools, ask, self.draft_tokens, on_event);
        self.stopped = stopped;
        entry.spent = spent;
        entry.program = action.program;
        let entry = self.settle(entry, action.verdict, on_event);
        if entry.outcome != GuardOutcome::Kept {
            self.values.extend(action.value);
        }
        entry
    }

    /// Writes the verdict into the entry and carries it out.
    fn settle(&mut self, mut entry: Entry, verdict: Verdict, on_event: &mut OnReply<'_>) -> Entry {
        let (outcome, reason) = match verdict {
            _ if self.stopped => (GuardOutcome::Kept, "stopped".to_owned()),
            Verdict::Kept(reason) => (GuardOutcome::Kept, reason),
            Verdict::Confirmed(reason) => (GuardOutcome::Confirmed, reason),
            Verdict::Flagged(reason) => (GuardOutcome::Flagged, reason),
            Verdict::Revised { text, .. } if text.trim().is_empty() => {
                (GuardOutcome::Kept, "nothing would be left".to_owned())
            }
            Verdict::Revised { text, .. } if text == self.text => {
                (GuardOutcome::Kept, "it would be the same text".to_owned())
            }
            Verdict::Revised { text, .. } if !self.keeps_values(&text) => (
                GuardOutcome::Kept,
                "it would lose a number that was computed".to_owned(),
            ),
            Verdict::Revised { text, reason } => {
                let guard = &entry.guard;
                self.stopped = on_event(Event::Revise { guard, text: &text }).is_break();
                entry.replaced = Some(std::mem::replace(&mut self.text, text));
                (GuardOutcome::Revised, reason)
            }
        };
        entry.fired = matches!(outcome, GuardOutcome::Revised | GuardOutcome::Flagged);
        entry.outcome = outcome;
        entry.reason = Some(reason);
        entry
    }

    fn keeps_values(&self, text: &str) -> bool {
        self.values.iter().all(|value| number::states(text, value))
    }
}

fn act(
    guard: &dyn Guard,
    turn: &Turn<'_>,
    model: &mut dyn TextModel,
    tools: &mut dyn Tools,
    ask: &Ask,
    draft_tokens: usize,
    on_event: &mut OnReply<'_>,
) -> (Action, Spent, bool) {
    let mut go_on = || on_event(Event::Checking(guard.name()));
    let mut budget = GuardBudget::new(model, tools, ask, draft_tokens, &mut go_on);
    let action = guard.act(turn, &mut budget);
    let (spent, stopped) = budget.close();
    (action, spent, stopped)
}

fn quiet(guard: &dyn Guard) -> Entry {
    Entry {
        guard: guard.name().to_owned(),
        fired: false,
        outcome: GuardOutcome::Quiet,
        reason: None,
        evidence: None,
        program: None,
        replaced: None,
        spent: Spent::default(),
    }
}
