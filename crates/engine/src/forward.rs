//! One pass of tokens through the layers: ids in, logits out.
//!
//! Called by `generate` for each batch of a prompt and for each new token. The stream
//! `x` is `[tokens][n_embd]`; every buffer lives in [`Scratch`] and is reused. Everything
//! was checked at load, so nothing here can fail.
//!
//! The prefill shortcut: layers above the last one with keys of its own write no memory,
//! and that layer itself is needed only for its keys and values, so from there on only
//! tokens whose logits are wanted go on. For Gemma 4 E2B that is a third of the work, for
//! every other model the last layer is saved. It is exact.

mod embed;
mod pass;

use crate::Token;
use crate::config::Config;
use crate::state::State;
use crate::weights::Weights;
use pass::Pass;
use reckon_gguf::File;
use reckon_kernels::{Activations, Isa, Pool};

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
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    up: Vec<f32>,
    /// Output of the last product.
    out: Vec<f32>,
    /// Per-layer embeddings, `[tokens][layers][n]`.
    per_layer: Vec<f32>,
    /// (cos, sin) of each token for each rope.
    turns: Vec<Vec<(f32, f32)>>,
    /// Result of the pass: `[wanted tokens][n_vocab]`.
    pub(crate) logits: Vec<f32>,
}

impl Scratch {
    /// What came out of the last norm for each row of `logits`, `[wanted rows][n_embd]`.
    pub(crate) fn hidden(&self) -> &[f32] {
        self.input.floats()
    }

    /// The same, ready for a product.
    pub(crate) fn output(&self) -> &Activations {
        &self.input
    }
}

impl Forward<'_> {
    /// One row, `x`, through layers that have no memory of their own and read that of `state`, as if it stood right
    /// after the tokens there; leaves its scores in `scratch.logits`.
    pub(crate) fn run_beside(&self, state: &mut State, scratch: &mut Scratch, x: &[f32]) {
        let position = state.tokens().len();
        scratch.x.clear();
        scratch.x.extend_from_slice(x);
        self.turns(scratch, position, 1);
        let mut pass = Pass {
            forward: self,
            state,
            scratch,
            start: position - 1,
            skipped: 0,
            rows: 1,
        };
        for i in 0..self.config.layers.len() {
            pass.layer(i, false);
        }
        pass.head();
    }

    /// Reads `tokens` after those that `state` holds and leaves the wanted logits in `scratch.logits`.
    pub(crate) fn run(
        &self,
        state: &mut State,
        scratch: &mut Scratch,
        tokens: &[Token],
        wanted: Wanted,
    ) {
        let start = state.tokens().len();
        state.push(tokens);
        scratch.logits.clear();
        self.embed(scratch, tokens);
        self.let_go(start, start + tokens.len());
        self.turns(scratch, start, tokens.len());
        let mut pass = Pass {
            forward: self,
            state,
            scratch,
            start,
            skipped: 0,
            rows: tokens.len(),
        };
        let last_source = self.config.last_source();
        for i in 0..self.config.layers.len() {
            let narrow = i == last_source && wanted != Wanted::All && self.shortcut;
            if narrow {
                pass.remember(i);
                if wanted == Wanted::None {
                    return;
                }
                pass.keep_last();
            }
            pass.layer(i, !narrow);
        }
        if wanted == Wanted::Last {
            pass.keep_last();
        }
        if wanted != Wanted::None {
            pass.head();
        }
    }
}
