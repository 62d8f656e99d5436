//! One pass of tokens through the layers: ids in, logits out.
//!
//! Called by `runner` with a share of one or more sequences: their rows lie one after the other in the stream
//! `x`, `[rows][n_embd]`, and go through each product together; keys, values and attention are each sequence's
//! own. A row's bits do not depend on its neighbours. Every buffer lives in [`Scratch`] and is reused. Everything
//! was checked at load, so nothing here can fail.
//!
//! The prefill shortcut: layers above the last one with keys of its own write no memory,
//! and that layer itself is needed only for its keys and values, so from there on only
//! rows whose logits are wanted go on. For Gemma 4 E2B that is a third of the work, for
//! every other model the last layer is saved. It is exact.

mod embed;
mod pass;

use crate::Token;
use crate::config::Config;
use crate::state::State;
use crate::weights::Weights;
use pass::Pass;
use reckon_gguf::File;
use reckon_kernels::{Activations, Aligned, Isa, Pool};

/// Which tokens' logits are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// None: the tokens are only remembered.
    None,
    /// The last token's.
    Last,
    /// Every token's.
    All,
}

/// What a pass reads for one sequence.
#[derive(Debug)]
pub(crate) struct Share<'a> {
    /// The sequence's memory, which the tokens are added to.
    pub(crate) state: &'a mut State,
    /// At most [`MOST_BATCH`](crate::state::MOST_BATCH) tokens.
    pub(crate) tokens: &'a [Token],
    pub(crate) wanted: Wanted,
}

/// What a pass needs besides the tokens; read-only.
#[derive(Clone, Copy)]
pub(crate) struct Forward<'a> {
    pub(crate) file: &'a File,
    pub(crate) config: &'a Config,
    pub(crate) weights: &'a Weights,
    pub(crate) isa: Isa,
    pub(crate) pool: &'a Pool,
    /// Whether tokens whose logits are not wanted may stop early.
    pub(crate) shortcut: bool,
}

/// Buffers of a pass.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The stream.
    x: Vec<f32>,
    /// Input of the next product.
    input: Activations,
    /// What the first half of a feed-forward network makes for the second.
    hidden: Activations,
    query: Aligned<f32>,
    key: Aligned<f32>,
    value: Aligned<f32>,
    /// Output of the last product.
    out: Aligned<f32>,
    /// Per-layer embeddings of some layers, `[rows][layers][n]`.
    per_layer: Aligned<f32>,
    /// (cos, sin) of each token for each rope.
    turns: Vec<Vec<(f32, f32)>>,
    /// Tokens read so far by all passes.
    read: usize,
    /// Result of the pass: `[wanted rows][n_vocab]`, in the order of the shares.
    pub(crate) logits: Vec<f32>,
}

impl Scratch {
    /// What a pass gave for the wanted rows: the logits, and what came out of the last norm, `[wanted rows][n_embd]`.
    pub(crate) fn results(&mut self) -> (&mut [f32], &[f32]) {
        (&mut self.logits, self.input.floats())
    }

    /// What came out of the last norm, ready for a product.
    pub(crate) fn output(&self) -> &Activations {
        &self.input
    }
}

impl Forward<'_> {
    /// Runs one row, `x`, through layers that have no memory and read that of another model's `state`, as if it stood
    /// right after the tokens there, at least one; leaves its scores in `scratch.logits`.
    pub(crate) fn run_beside(&self, state: &State, scratch: &mut Scratch, x: &[f32]) {
        scratch.x.clear();
        scratch.x.extend_from_slice(x);
        self.turns(scratch, &[state.tokens().len()]);
        let mut pass = Pass::beside(self, scratch, state);
        for i in 0..self.config.layers.len() {
            pass.layer(i, false);
        }
        pass.head();
    }

    /// Reads each share's tokens after those that its state holds; leaves the wanted logits in `scratch.logits`.
    pub(crate) fn run(&self, scratch: &mut Scratch, shares: &mut [Share<'_>]) {
        scratch.logits.clear();
        if shares.iter().all(|share| share.tokens.is_empty()) {
            return;
        }
        self.begin(scratch, shares);
        let mut pass = Pass::new(self, scratch, shares);
        let last_source = self.config.last_source();
        for i in 0..self.config.layers.len() {
            let narrow = i == last_source && self.shortcut && pass.has_unwanted();
            if narrow {
                pass.remember(i);
                pass.keep_wanted();
                if pass.is_empty() {
                    return;
                }
            }
            if i == last_source {
                pass.mix(i..self.config.layers.len());
            } else if i == 0 {
                pass.mix(0..last_source);
            }
            pass.layer(i, !narrow);
        }
        pass.keep_wanted();
        if !pass.is_empty() {
            pass.head();
        }
    }
}
