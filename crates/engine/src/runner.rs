//! One pass for any number of sequences: their next tokens in, the logits handed to each.
//!
//! Called by `session` with one sequence and by `scheduler` with many; nobody else runs a pass while answers are made.

use crate::Model;
use crate::answer::Listener;
use crate::forward::{Scratch, Share, Wanted};
use crate::generate::Event;
use crate::sequence::{Rows, Sequence};
use crate::speculate::{Pace, Room};
use crate::state::State;
use std::ops::ControlFlow;
use std::time::Instant;

/// Runs passes; owns their buffers and knows how long they take.
#[derive(Debug, Default)]
pub(crate) struct Runner {
    pub(crate) scratch: Scratch,
    pace: Pace,
}

/// One sequence's part in a pass.
#[derive(Debug)]
pub(crate) struct Work<'a> {
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
        works: &mut [Work<'_>],
        on_event: &mut dyn FnMut(usize, Event<'_>) -> ControlFlow<()>,
    ) {
        if works.is_empty() {
            return;
        }
        self.plan(model, works);
        let reading = works
            .iter()
            .any(|work| work.sequence.unread(work.state) > 0);
        let wanted: Vec<usize> = works.iter().map(Work::wanted).collect();
        let mut shares: Vec<Share<'_>> = works.iter_mut().map(Work::share).collect();
        let started = Instant::now();
        model.forward().run(&mut self.scratch, &mut shares);
        if !reading {
            let seconds = started.elapsed().as_secs_f64();
            self.pace.note(wanted.iter().sum(), seconds);
        }
        let (mut logits, mut hidden) = self.scratch.results();
        for (i, (work, rows)) in works.iter_mut().zip(wanted).enumerate() {
            let listener: &mut Listener<'_> = &mut |event| on_event(i, event);
            let rows = Rows {
                logits: logits
                    .split_off_mut(..rows * model.n_vocab())
                    .unwrap_or_default(),
                hidden: hidden
                    .split_off(..rows * model.n_embd())
                    .unwrap_or_default(),
            };
            work.sequence.take(model, work.state, rows, listener);
        }
    }

    /// Chooses the tokens of the pass: what must be read first, then guesses where they pay.
    fn plan(&self, model: &Model, works: &mut [Work<'_>]) {
        let mut room = Room {
            pace: &self.pace,
            rows: 0,
            tokens: 0.0,
        };
        for work in &mut *works {
            work.sequence.plan(work.state, work.most);
            room.rows += work.sequence.ahead().len();
            room.tokens += if work.wanted() > 0 { 1.0 } else { 0.0 };
        }
        for work in works {
            work.sequence.guess(model, work.state, &mut room);
        }
    }
}

impl Work<'_> {
    /// Rows whose logits come back.
    fn wanted(&self) -> usize {
        match self.sequence.wanted(self.state) {
            Wanted::None => 0,
            Wanted::Last => 1,
            Wanted::All => self.sequence.ahead().len(),
        }
    }

    fn share(&mut self) -> Share<'_> {
        Share {
            wanted: self.sequence.wanted(self.state),
            tokens: self.sequence.ahead(),
            state: self.state,
        }
    }
}
