//! The forward pass: embeds a batch of tokens, runs it through the layers, gives logits.
//!
//! Called by `runner` with an item per sequence: their rows lie one after the other in the residual stream `x`,
//! `[rows][n_embd]`, and go through each GEMM together; KV cache and attention are each sequence's own. A row's bits do
//! not depend on its neighbours, so batching changes the speed and nothing else. Every buffer lives in [`Scratch`] and
//! is reused. Everything was checked at load, so nothing here can fail.
//!
//! The prefill shortcut: layers above the last one that owns a KV cache write none, and that layer itself is needed
//! only for its keys and values (if it attends), so from there on only rows whose logits are wanted go on. For Gemma 4 E2B, whose
//! layers 15 to 34 share the KV cache of earlier ones, that leaves a third of the work; every other model saves its
//! last layer. It is exact, and tested so.

mod embed;
mod pass;

use crate::Token;
use crate::config::Config;
use crate::prompt::Prompt;
use crate::state::State;
use crate::weights::Weights;
use pass::{DeltaScratch, ExpertScratch, Pass};
use reckon_gguf::File;
use reckon_kernels::{Activations, Aligned, Cpu};

/// Which tokens' logits are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// None: the tokens only go into the KV cache.
    None,
    /// The last token's.
    Last,
    /// Every token's.
    All,
}

/// One sequence's part of a batch: the tokens that a pass reads for it.
#[derive(Debug)]
pub(crate) struct BatchItem<'a> {
    /// The sequence's KV cache, which the tokens are added to.
    pub(crate) state: &'a mut State,
    /// At most [`MOST_BATCH`](crate::state::MOST_BATCH) tokens.
    pub(crate) tokens: &'a [Token],
    /// The prompt that the tokens are a part of, or follow: it says which of them are soft.
    pub(crate) prompt: &'a Prompt,
    pub(crate) wanted: Wanted,
}

/// What a pass needs besides the tokens; read-only.
#[derive(Clone, Copy)]
pub(crate) struct Forward<'a> {
    pub(crate) file: &'a File,
    pub(crate) config: &'a Config,
    pub(crate) weights: &'a Weights,
    pub(crate) cpu: &'a Cpu,
    /// Whether tokens whose logits are not wanted may stop early.
    pub(crate) shortcut: bool,
}

/// Buffers of a pass.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The residual stream, `[rows][n_embd]`.
    x: Vec<f32>,
    /// Input of the next GEMM.
    input: Activations,
    /// What the first half of a feed-forward network makes for the second.
    hidden: Activations,
    query: Aligned<f32>,
    key: Aligned<f32>,
    value: Aligned<f32>,
    /// Output of the last GEMM.
    out: Aligned<f32>,
    experts: ExpertScratch,
    delta: DeltaScratch,
    /// Per-layer inputs of some layers (Gemma 4), `[rows][layers][n]`.
    per_layer: Aligned<f32>,
    /// (cos, sin) of each token's RoPE angles, for each kind of layer.
    rope_angles: Vec<Vec<(f32, f32)>>,
    /// Factor on each token's queries; empty where there is none.
    query_scales: Vec<f32>,
    /// Tokens read so far by all passes.
    read: usize,
    /// Result of the pass: `[wanted rows][n_vocab]`, in the order of the batch's items.
    pub(crate) logits: Vec<f32>,
}

impl Scratch {
    /// What a pass gave for the wanted rows: the logits, and the hidden state after the last norm, `[wanted
    /// rows][n_embd]`.
    pub(crate) fn results(&mut self) -> (&mut [f32], &[f32]) {
        // Where no logits were wanted, no layer came so far, and the input is that of another product.
        let hidden = match self.logits.is_empty() {
            true => &[],
            false => self.input.floats(),
        };
        (&mut self.logits, hidden)
    }

    /// The hidden state after the last norm, ready for a GEMM.
    pub(crate) fn output(&self) -> &Activations {
        &self.input
    }
}

impl Forward<'_> {
    /// Runs one row, `x`, through a drafter, attending to the target's KV cache as the next position; the target has
    /// read at least one token. Leaves the row's scores in `scratch.logits`.
    pub(crate) fn run_drafter(&self, target_state: &State, scratch: &mut Scratch, x: &[f32]) {
        scratch.x.clear();
        scratch.x.extend_from_slice(x);
        self.rope_angles(scratch, &[target_state.tokens().len()]);
        let mut pass = Pass::for_drafter(self, scratch, target_state);
        for i in 0..self.config.layers.len() {
            pass.layer(i, false);
        }
        pass.head();
    }

    /// One pass: reads each item's tokens after those that its state holds; leaves the wanted logits in
    /// `scratch.logits`.
    pub(crate) fn run(&self, scratch: &mut Scratch, items: &mut [BatchItem<'_>]) {
        scratch.logits.clear();
        if items.iter().all(|item| item.tokens.is_empty()) {
            return;
        }
        self.begin(scratch, items);
        let mut pass = Pass::new(self, scratch, items);
        let last_kept_layer = self.config.last_kept_layer();
        for (i, layer) in self.config.layers.iter().enumerate() {
            // Rows whose logits are not needed stop here: nobody reads what the layers above would make of them.
            let may_stop = self.shortcut && !layer.is_delta;
            let stops = i == last_kept_layer && may_stop && pass.has_unwanted();
            if stops {
                pass.write_kv(i);
                pass.drop_unwanted();
                if pass.is_empty() {
                    return;
                }
            }
            // Per-layer inputs of the layers above are made only for the rows that get there.
            if i == last_kept_layer {
                pass.load_per_layer(i..self.config.layers.len());
            } else if i == 0 {
                pass.load_per_layer(0..last_kept_layer);
            }
            pass.layer(i, !stops);
        }
        pass.drop_unwanted();
        if !pass.is_empty() {
            pass.head();
        }
    }
}
