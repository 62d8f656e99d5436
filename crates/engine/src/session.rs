//! One conversation: owns the model and keeps the KV cache from one answer to the next.
//!
//! The prefix that a prompt has in common with what was read is not prefilled again. For many answers at once see
//! `scheduler`.

use crate::forward::{BatchItem, Wanted};
use crate::generate::{Event, Generation, Request};
use crate::mtp::MtpDrafter;
use crate::runner::{Runner, SequenceStep};
use crate::sequence::{self, Sequence};
use crate::speculate::DraftContext;
use crate::state::State;
use crate::{Error, Guess, Model, Prompt, Result, Token};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Tokens whose logits are held at once when all are wanted.
const LOGITS_BATCH: usize = 64;

/// One conversation with a model: the tokens that were read and their KV cache.
#[derive(Debug)]
pub struct Session {
    model: Arc<Model>,
    state: State,
    runner: Runner,
}

impl Session {
    /// An empty session of this model.
    pub fn new(model: Arc<Model>) -> Self {
        Self {
            state: model.state(),
            runner: Runner::default(),
            model,
        }
    }

    /// The model that answers.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Tokens that the session holds.
    pub fn tokens(&self) -> &[Token] {
        self.state.tokens()
    }

    /// Reads the prompt and writes an answer. `on_event` may break to stop early; what was written until then is
    /// returned.
    pub fn generate(
        &mut self,
        request: &Request,
        on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Generation> {
        let model = &*self.model;
        sequence::check(model, request)?;
        // The last prompt token is read in any case, even if the KV cache has it: its logits start the answer.
        let same = self.state.common(&request.prompt);
        self.state.rewind(same.min(request.prompt.len() - 1));
        let mut sequence = Sequence::new(model, request.clone(), self.state.tokens().len());
        sequence.report(&self.state, on_event);
        while !sequence.is_over() {
            let step = SequenceStep {
                state: &mut self.state,
                sequence: &mut sequence,
                most: model.batch(),
            };
            let each = &mut |_, event: Event<'_>| on_event(event);
            self.runner.run(model, &mut [step], each);
        }
        Ok(sequence.end(on_event))
    }

    /// Reads a prompt from an empty KV cache and hands over the logits of each position from `from` on.
    pub fn logits(
        &mut self,
        prompt: impl Into<Prompt>,
        from: usize,
        mut each: impl FnMut(usize, &[f32]),
    ) -> Result<()> {
        let prompt = prompt.into();
        self.state.rewind(0);
        self.model.fits(prompt.len())?;
        self.model.check_prompt(&prompt)?;
        let (before, wanted) = prompt.split_at(from.min(prompt.len()));
        for batch in before.chunks(self.model.batch()) {
            self.pass(batch, &prompt, Wanted::None);
        }
        // Logits of many positions are large (n_vocab floats each), so they are made a few at a time.
        for batch in wanted.chunks(LOGITS_BATCH) {
            let start = self.state.tokens().len();
            self.pass(batch, &prompt, Wanted::All);
            let n_vocab = self.model.n_vocab();
            let rows = self.runner.scratch.logits.chunks_exact(n_vocab);
            for (i, logits) in rows.enumerate() {
                each(start + i, logits);
            }
        }
        Ok(())
    }

    /// Reads all but the last of `tokens` from an empty KV cache and hands over what the model's drafter guesses of the
    /// `count` tokens after the last, one by one; for checking and measuring. Nothing without a drafter.
    pub fn guesses(
        &mut self,
        tokens: &[Token],
        count: usize,
        mut each: impl FnMut(&Guess<'_>),
    ) -> Result<()> {
        self.state.rewind(0);
        // A handle of its own, because `feed` borrows the session mutably while the drafter is borrowed from the model.
        let model = self.model.clone();
        let (Some(mtp), Some((&next, before @ [_, ..]))) = (model.mtp(), tokens.split_last())
        else {
            return Ok(());
        };
        model.check(tokens)?;
        self.feed(before)?;
        let (_, hidden) = self.runner.scratch.results();
        let context = DraftContext {
            model: &model,
            state: &self.state,
            next,
            hidden,
        };
        mtp.guess(&context, &mut MtpDrafter::default(), count, |guess| {
            each(guess);
            true
        });
        Ok(())
    }

    /// Reads tokens after those that the session holds, as a prompt is read; for measuring.
    pub fn feed(&mut self, tokens: &[Token]) -> Result<()> {
        self.model.check(tokens)?;
        self.model.fits(self.tokens().len() + tokens.len())?;
        let mut batches = tokens.chunks(self.model.batch()).peekable();
        while let Some(batch) = batches.next() {
            // As a prompt is read: only the last batch makes logits, and only for its last token.
            let wanted = match batches.peek() {
                Some(_) => Wanted::None,
                None => Wanted::Last,
            };
            self.pass(batch, &Prompt::default(), wanted);
        }
        Ok(())
    }

    /// Each session reads one token after those that it holds, all in one pass; for measuring. All must be sessions of
    /// the same model.
    pub fn feed_together(sessions: &mut [Self], tokens: &[Token]) -> Result<()> {
        let Some(first) = sessions.first_mut() else {
            return Ok(());
        };
        let model = first.model.clone();
        model.check(tokens)?;
        for session in &*sessions {
            // A pass has one set of weights: another model's session would get answers that are not its own.
            if !Arc::ptr_eq(&session.model, &model) {
                return Err(Error::OtherModel);
            }
            model.fits(session.tokens().len() + 1)?;
        }
        let first = &mut sessions[0];
        // The first session's buffers serve the whole pass; taken out, because its state is borrowed as well.
        let mut runner = std::mem::take(&mut first.runner);
        let plain = Prompt::default();
        let pairs = sessions.iter_mut().zip(tokens);
        let mut items: Vec<BatchItem<'_>> = pairs
            .map(|(session, token)| BatchItem {
                state: &mut session.state,
                tokens: std::slice::from_ref(token),
                prompt: &plain,
                wanted: Wanted::Last,
            })
            .collect();
        model.forward().run(&mut runner.scratch, &mut items);
        sessions[0].runner = runner;
        Ok(())
    }

    /// Steps back to the first `len` tokens, or to none if they are no longer held completely; gives how many are left.
    pub fn rewind(&mut self, len: usize) -> usize {
        self.state.rewind(len.min(self.tokens().len()));
        self.tokens().len()
    }

    fn pass(&mut self, tokens: &[Token], prompt: &Prompt, wanted: Wanted) {
        let item = BatchItem {
            state: &mut self.state,
            tokens,
            prompt,
            wanted,
        };
        self.model
            .forward()
            .run(&mut self.runner.scratch, &mut [item]);
    }
}
