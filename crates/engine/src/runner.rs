//! One pass for any number of sequences: their next tokens in, the logits handed to each.
//!
//! Called by `session` with one sequence and by `scheduler` with many; nobody else runs a pass while answers are made.

use crate::Model;
use crate::answer::Listener;
use crate::forward::{Scratch, Share, Wanted};
use crate::generate::Event;
use crate::sequence::Sequence;
use crate::state::State;
use std::ops::ControlFlow;

/// Runs passes; owns their buffers.
#[derive(Debug, Default)]
pub(crate) struct Runner {
    pub(crate) scratch: Scratch,
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
        for work in &mut *works {
            work.sequence.plan(work.state, work.most);
        }
        let rows: Vec<usize> = works.iter().map(Work::rows).collect();
        let mut shares: Vec<Share<'_>> = works.iter_mut().map(Work::share).collect();
        model.forward().run(&mut self.scratch, &mut shares);
        let mut logits = &mut self.scratch.logits[..];
        for (i, (work, rows)) in works.iter_mut().zip(rows).enumerate() {
            let (own, others) = logits.split_at_mut(rows * model.n_vocab());
            logits = others;
            let listener: &mut Listener<'_> = &mut |event| on_event(i, event);
            work.sequence.take(model, work.state, own, listener);
        }
    }
}

impl Work<'_> {
    /// Rows whose logits come back.
    fn rows(&self) -> usize {
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
