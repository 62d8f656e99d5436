//! Runs one batched pass for any number of sequences and hands each its logits.
//!
//! Called by `session` with one sequence and by `scheduler` with many; nobody else runs a pass while answers are made.

use crate::Model;
use crate::answer::Listener;
use crate::forward::{BatchItem, Scratch, Wanted};
use crate::generate::Event;
use crate::sequence::{Rows, Sequence};
use crate::speculate::{PassBudget, PassTimes};
use crate::state::State;
use std::ops::ControlFlow;
use std::time::Instant;

/// Runs passes; owns their buffers and knows how long they take.
#[derive(Debug, Default)]
pub(crate) struct Runner {
    pub(crate) scratch: Scratch,
    times: PassTimes,
}

/// One sequence's part in a pass.
#[derive(Debug)]
pub(crate) struct SequenceStep<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) sequence: &'a mut Sequence,
    /// Most tokens of a prompt to read; at least 1.
    pub(crate) most: usize,
}

impl Runner {
    /// Every sequence takes one step; `on_event` hears the index of the sequence.
    pub(crate) fn run(
        &mut self,
        model: &Model,
        steps: &mut [SequenceStep<'_>],
        on_event: &mut dyn FnMut(usize, Event<'_>) -> ControlFlow<()>,
    ) {
        if steps.is_empty() {
            return;
        }
        self.plan(model, steps);
        let reading = steps
            .iter()
            .any(|step| step.sequence.unread(step.state) > 0);
        let wanted: Vec<usize> = steps.iter().map(SequenceStep::wanted).collect();
        let mut items: Vec<BatchItem<'_>> =
            steps.iter_mut().map(SequenceStep::batch_item).collect();
        // Timed for speculation only: how many guesses pay follows from it, never what is answered.
        let started = Instant::now();
        model.forward().run(&mut self.scratch, &mut items);
        if !reading {
            let seconds = started.elapsed().as_secs_f64();
            self.times.note(wanted.iter().sum(), seconds);
        }
        // Rows of results come in the order of the steps, so each takes its own off the front.
        let (mut logits, mut hidden) = self.scratch.results();
        for (i, (step, rows)) in steps.iter_mut().zip(wanted).enumerate() {
            let listener: &mut Listener<'_> = &mut |event| on_event(i, event);
            let rows = Rows {
                logits: logits
                    .split_off_mut(..rows * model.n_vocab())
                    .unwrap_or_default(),
                hidden: hidden
                    .split_off(..rows * model.n_embd())
                    .unwrap_or_default(),
            };
            step.sequence.take(model, step.state, rows, listener);
        }
    }

    /// Chooses the tokens of the pass: what must be read first, then guesses where they pay.
    fn plan(&self, model: &Model, steps: &mut [SequenceStep<'_>]) {
        let mut budget = PassBudget {
            times: &self.times,
            rows: 0,
            tokens: 0.0,
        };
        for step in &mut *steps {
            step.sequence.plan(step.state, step.most);
            budget.rows += step.sequence.ahead().len();
            budget.tokens += if step.wanted() > 0 { 1.0 } else { 0.0 };
        }
        // Guesses come after all else is planned: whether they pay depends on how full the pass already is.
        for step in steps {
            step.sequence.guess(model, step.state, &mut budget);
        }
    }
}

impl SequenceStep<'_> {
    /// Rows whose logits come back.
    fn wanted(&self) -> usize {
        match self.sequence.wanted(self.state) {
            Wanted::None => 0,
            Wanted::Last => 1,
            Wanted::All => self.sequence.ahead().len(),
        }
    }

    fn batch_item(&mut self) -> BatchItem<'_> {
        BatchItem {
            wanted: self.sequence.wanted(self.state),
            tokens: self.sequence.ahead(),
            prompt: self.sequence.prompt(),
            state: self.state,
        }
    }
}
