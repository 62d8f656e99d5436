//! Speculative decoding: guesses of the tokens to come, which one pass checks all at once.
//!
//! A pass over several tokens costs little more than a pass over one, and gives the same bits for each; so a
//! guess costs little if it is wrong and saves a pass if it is right. The answer is the same either way: a guess
//! stands only if the sampler chooses the very same token.
//!
//! Called by `sequence`, which owns a [`Speculation`], through `runner`, which owns the [`PassTimes`]. How many tokens
//! are guessed follows from two measurements: how often guesses of this sequence stood lately, and what passes of so
//! many rows took on this machine. The number with the most tokens per second wins, and it may well be none. Even then
//! the drafter is asked for one token, unless asking itself takes time: whether it would have stood costs nothing to
//! see, and tells when guessing begins to pay. A drafter that takes time is tried again now and then.

mod lookup;
mod times;

pub(crate) use lookup::Lookup;
pub(crate) use times::PassTimes;

use crate::state::State;
use crate::{Model, Token};
use std::fmt::Debug;
use std::time::Instant;

/// Most tokens guessed at once: with the token before them they fill one tile of the matrix kernels.
const MOST: usize = 15;

/// The highest degree of a drafter's sureness.
pub(crate) const SURE: usize = 3;

/// The share of guesses that are thought to stand before any was checked, by sureness.
const PRIOR: [f64; SURE + 1] = [0.5, 0.6, 0.7, 0.9];

/// No guess is so sure that many of them would surely stand.
const SUREST: f64 = 0.98;

/// How much the newest guess counts in the share of those that stood.
const FORGET: f64 = 0.1;

/// Guesses have to promise this factor in speed, or they are left.
const WORTH: f64 = 1.02;

/// A drafter that takes more than this share of a pass is not asked for nothing.
const FREE: f64 = 0.01;

/// Tokens after which a drafter that did not pay is tried again.
const RETRY: usize = 64;

/// When tokens are guessed ahead and checked together. Changes the speed, never the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drafting {
    /// Whenever it is measured to be faster.
    #[default]
    WhenItPays,
    /// As many as possible in every pass, to check that it changes nothing.
    Always,
    /// Never: every token has a pass of its own.
    Never,
}

/// Guesses how an answer goes on. One per sequence; what it keeps of its own grows with that sequence.
///
/// What it keeps of the sequence must survive being asked rarely: between two calls any number of tokens may have
/// been read. What the model has read is never taken back between two calls.
pub(crate) trait Drafter: Debug + Send {
    /// How sure it is of what follows `context.next`, from 0 up to [`SURE`]; `None` if it has no guess. Whether guesses
    /// stand is counted apart for each degree. Called before each `draft`; must take next to no time.
    fn sure(&mut self, context: &DraftContext<'_>) -> Option<usize> {
        let _ = context;
        Some(0)
    }

    /// Appends at most `most` tokens to `out`: guesses of those that follow `context.next`. None is a good answer.
    fn draft(&mut self, context: &DraftContext<'_>, most: usize, out: &mut Vec<Token>);
}

/// Where a sequence stands when a guess is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DraftContext<'a> {
    /// The model that writes; it also owns whatever weights a drafter has.
    pub(crate) model: &'a Model,
    /// The tokens that were read, all of them settled, and the KV caches of exactly these.
    pub(crate) state: &'a State,
    /// The token that was chosen after them and is read next: guesses follow it.
    pub(crate) next: Token,
    /// `[n_embd]`: what came out of the last norm at the last token of `state`; `next` was chosen from it.
    pub(crate) hidden: &'a [f32],
}

/// The guesses of one sequence and how they fare.
#[derive(Debug)]
pub(crate) struct Speculation {
    drafter: Box<dyn Drafter>,
    always: bool,
    /// The share of guesses that stood, the newest counting most, by sureness.
    stood: [f64; SURE + 1],
    /// How sure the drafter was of its last guesses.
    sure: usize,
    /// Seconds that the drafter takes for a token.
    seconds: f64,
    /// Tokens written without asking the drafter.
    silent: usize,
    /// The guess of the next token, if nobody checks it in a pass.
    aside: Option<Token>,
    /// Guesses checked and guesses that stood, since the beginning.
    pub(crate) drafted: usize,
    pub(crate) accepted: usize,
}

impl Speculation {
    /// With the model's own drafter; `None` if nothing is to be guessed.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let drafting = model.drafting();
        (drafting != Drafting::Never).then(|| Self {
            drafter: model.drafter(),
            always: drafting == Drafting::Always,
            stood: PRIOR,
            sure: 0,
            seconds: 0.0,
            silent: 0,
            aside: None,
            drafted: 0,
            accepted: 0,
        })
    }

    /// Appends guesses to `ahead`, at most `most`, and counts them in the pass.
    pub(crate) fn draft(
        &mut self,
        context: &DraftContext<'_>,
        most: usize,
        budget: &mut PassBudget<'_>,
        ahead: &mut Vec<Token>,
    ) {
        self.aside = None;
        let most = most.min(MOST);
        let Some(sure) = self.drafter.sure(context).filter(|_| most > 0) else {
            return;
        };
        self.sure = sure.min(SURE);
        let (count, aside) = match self.choose(most, budget) {
            0 => (1, true),
            count => (count, false),
        };
        if aside && !self.is_free(budget) {
            self.silent += 1;
            return;
        }
        self.silent = 0;
        let before = ahead.len();
        let started = Instant::now();
        self.drafter.draft(context, count, ahead);
        let taken = started.elapsed().as_secs_f64() / count as f64;
        // A moving average: one disturbed call must not switch guessing off.
        self.seconds += 0.2 * (taken - self.seconds);
        ahead.truncate(before + count);
        if aside {
            // Not checked in the pass, only compared with what is chosen: it tells when guessing begins to pay.
            self.aside = ahead.get(before).copied();
            ahead.truncate(before);
        }
        let drafted = ahead.len() - before;
        self.drafted += drafted;
        budget.rows += drafted;
        budget.tokens += self.expected(drafted) - 1.0;
    }

    /// How many guesses promise the most tokens per second.
    fn choose(&self, most: usize, budget: &PassBudget<'_>) -> usize {
        // Two guesses are enough to see whether a drafter that was left alone would stand by now.
        if self.always || self.silent >= RETRY {
            return if self.always { most } else { most.min(2) };
        }
        let speed = |count: usize| {
            let tokens = budget.tokens - 1.0 + self.expected(count);
            tokens / (budget.times.seconds(budget.rows + count) + count as f64 * self.seconds)
        };
        // Expected tokens per second of the whole pass, neighbours included: a guess that slows others down must earn
        // that.
        let best = (1..=most).max_by(|&a, &b| speed(a).total_cmp(&speed(b)));
        best.filter(|&count| speed(count) > WORTH * speed(0))
            .unwrap_or(0)
    }

    /// Tokens that a pass with so many guesses is expected to settle.
    fn expected(&self, count: usize) -> f64 {
        // Guess n is reached only if all before it stood: 1 + p + p² + … tokens.
        let stands = self.stood[self.sure].min(SUREST);
        (0..=count as i32).map(|n| stands.powi(n)).sum()
    }

    fn is_free(&self, budget: &PassBudget<'_>) -> bool {
        self.seconds <= FREE * budget.times.seconds(budget.rows)
    }

    /// Notes that a guess that was checked stood, or the first that did not.
    pub(crate) fn learn(&mut self, stood: bool) {
        self.accepted += usize::from(stood);
        self.count(stood);
    }

    /// Notes the token that was chosen, to see whether a guess that was not checked would have stood.
    pub(crate) fn observe(&mut self, token: Token) {
        if let Some(guess) = self.aside.take() {
            self.count(guess == token);
        }
    }

    /// Counts a guess in the share of those that stood.
    fn count(&mut self, stood: bool) {
        let known = &mut self.stood[self.sure];
        *known += FORGET * (f64::from(u8::from(stood)) - *known);
    }
}

/// What a pass holds before a sequence adds its guesses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassBudget<'a> {
    pub(crate) times: &'a PassTimes,
    /// Rows of the pass so far, the sequence's own included.
    pub(crate) rows: usize,
    /// Tokens that the pass is expected to settle so far, the sequence's own included.
    pub(crate) tokens: f64,
}
