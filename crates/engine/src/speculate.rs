//! Guesses of the tokens to come, which one pass checks all at once.
//!
//! A pass over several tokens costs little more than a pass over one, and gives the same bits for each; so a
//! guess costs little if it is wrong and saves a pass if it is right. The answer is the same either way: a guess
//! stands only if the sampler chooses the very same token.

use crate::state::State;
use crate::{Model, Token};
use std::fmt::Debug;

/// Guesses how an answer goes on. One per sequence; what it keeps of its own grows with that sequence.
///
/// Its memory of the sequence must survive being asked rarely: between two calls any number of tokens may have
/// been read. What the model has read is never taken back between two calls.
pub(crate) trait Drafter: Debug + Send {
    /// Appends at most `most` tokens to `out`: guesses of those that follow `context.next`. None is a good answer.
    fn draft(&mut self, context: &Context<'_>, most: usize, out: &mut Vec<Token>);
}

/// Where a sequence stands when a guess is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The model that writes; it also owns whatever weights a drafter has.
    pub(crate) model: &'a Model,
    /// The tokens that were read, all of them settled, and the layers' memory of exactly these.
    pub(crate) state: &'a State,
    /// The token that was chosen after them and is read next: guesses follow it.
    pub(crate) next: Token,
    /// `[n_embd]`: what came out of the last norm at the last token of `state`; `next` was chosen from it.
    pub(crate) hidden: &'a [f32],
}
