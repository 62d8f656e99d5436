//! The state of one sequence: the tokens read so far and the KV cache of each layer.
//!
//! All that moves while a model runs. A copy shares the pages of the KV caches, so forking a sequence is cheap.
//!
//! Gated delta layers have no KV cache but a state that every token changes, and what was there before is gone. So a
//! sequence with such layers steps back only to where it left a mark while it read a prompt.

use crate::Token;
use crate::config::{Config, DeltaNet, Layer};
use crate::prompt::{Place, Prompt};
use reckon_kernels::{KvCache, Precision};
use std::sync::Arc;

/// Tokens that go through the layers at once while a prompt is read, if nobody asks for another number.
pub(crate) const BATCH: usize = 256;

/// Most tokens that may go through the layers at once.
pub(crate) const MOST_BATCH: usize = 1024;

/// Positions that a sliding layer keeps beyond its window and a batch, so that a conversation can step back: a guess
/// that falls, or an edited last message, then does not mean reading the whole prompt again.
const SLACK: usize = 1024;

/// Marks that a sequence keeps: the newest ones, each as large as the state of all delta layers.
const MARKS: usize = 3;

/// Tokens at the end of a prompt that a sequence with delta layers reads on their own, to leave a mark before them: other
/// prompts differ there first, be it in their last words or in how an answer begins.
pub(crate) const PROMPT_END: usize = 8;

/// What one gated delta layer keeps of the tokens read so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeltaState {
    /// Queries, keys and values of the newest tokens as they go into the convolution, the oldest first.
    pub(crate) recent: Vec<f32>,
    /// The matrices of the heads.
    pub(crate) matrices: Vec<f32>,
}

impl DeltaState {
    fn new(net: &DeltaNet) -> Self {
        Self {
            recent: vec![0.0; net.recent_len()],
            matrices: vec![0.0; net.shape.state_len()],
        }
    }
}

/// The state of all delta layers after so many tokens.
#[derive(Clone, Debug)]
struct Mark {
    len: usize,
    deltas: Vec<Option<Arc<DeltaState>>>,
}

/// What a model keeps of one sequence.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// One KV cache per layer; `None` where a layer shares another's.
    pub(crate) caches: Vec<Option<KvCache>>,
    windows: Vec<Option<usize>>,
    read: Prompt,
    /// For each layer; copies of the state share them.
    deltas: Vec<Option<Arc<DeltaState>>>,
    /// In the order of their lengths.
    marks: Vec<Mark>,
    net: Option<DeltaNet>,
}

impl State {
    pub(crate) fn new(config: &Config, precision: Precision, n_ctx: usize) -> Self {
        let cache = |layer: &Layer| {
            let room = room(layer, n_ctx);
            layer
                .owns_kv
                .then(|| KvCache::new(precision, layer.kv_heads, layer.dim, room))
        };
        let delta = |layer: &Layer| {
            let net = config.delta.as_ref().filter(|_| layer.is_delta);
            net.map(|net| Arc::new(DeltaState::new(net)))
        };
        Self {
            caches: config.layers.iter().map(cache).collect(),
            windows: config.layers.iter().map(|layer| layer.window).collect(),
            read: Prompt::default(),
            deltas: config.layers.iter().map(delta).collect(),
            marks: Vec::new(),
            net: config.delta,
        }
    }

    /// Most bytes that the KV caches of `n_ctx` positions take, and the states of delta layers with their marks.
    pub(crate) fn bytes(config: &Config, precision: Precision, n_ctx: usize) -> u128 {
        let delta = config.delta.as_ref().map_or(0, delta_bytes);
        let layer = |layer: &Layer| match (layer.owns_kv, layer.is_delta) {
            (true, _) => {
                KvCache::most_bytes(precision, layer.kv_heads, layer.dim, room(layer, n_ctx))
            }
            (false, true) => delta * (1 + MARKS),
            (false, false) => 0,
        };
        config.layers.iter().map(|l| layer(l) as u128).sum()
    }

    /// The tokens read so far.
    pub(crate) fn tokens(&self) -> &[Token] {
        self.read.tokens()
    }

    /// The tokens read so far and the soft ones among them.
    pub(crate) fn read(&self) -> &Prompt {
        &self.read
    }

    /// What the token at a position is.
    pub(crate) fn place(&self, position: usize) -> Place<'_> {
        self.read.place(position)
    }

    /// Appends tokens of `prompt` that are being read, or tokens that follow it.
    pub(crate) fn push(&mut self, tokens: &[Token], prompt: &Prompt) {
        self.read.extend(tokens, prompt);
    }

    /// How many tokens at the beginning are those of `prompt`.
    pub(crate) fn common(&self, prompt: &Prompt) -> usize {
        self.read.common(prompt)
    }

    /// Whether the first `len` tokens can be stepped back to: sliding layers still hold the window before that point,
    /// and the two positions more that a drafter sees; delta layers were marked there.
    pub(crate) fn holds(&self, len: usize) -> bool {
        let is_marked = self.net.is_none()
            || len == 0
            || len == self.read.len()
            || self.marks.iter().any(|mark| mark.len == len);
        is_marked && self.holds_keys(len)
    }

    /// The longest beginning of at most `len` tokens that can be stepped back to.
    pub(crate) fn reach(&self, len: usize) -> usize {
        let marks = self.marks.iter().rev().map(|mark| mark.len);
        let reachable = |at: &usize| *at <= len && self.holds(*at);
        [len].into_iter().chain(marks).find(reachable).unwrap_or(0)
    }

    /// Whether some layers are gated delta layers.
    pub(crate) const fn has_deltas(&self) -> bool {
        self.net.is_some()
    }

    /// The state of a gated delta layer, which no copy shares any more.
    pub(crate) fn delta_mut(&mut self, layer: usize) -> &mut DeltaState {
        let state = self.deltas[layer].as_mut().expect("a delta layer");
        Arc::make_mut(state)
    }

    /// Leaves a mark behind the tokens read so far, to be stepped back to.
    pub(crate) fn mark(&mut self) {
        let len = self.read.len();
        if self.net.is_none() || self.marks.last().is_some_and(|mark| mark.len == len) {
            return;
        }
        if self.marks.len() == MARKS {
            self.marks.remove(0);
        }
        self.marks.push(Mark {
            len,
            deltas: self.deltas.clone(),
        });
    }

    fn holds_keys(&self, len: usize) -> bool {
        let kept = |(cache, window): (&Option<KvCache>, &Option<usize>)| match (cache, window) {
            (Some(cache), Some(window)) => {
                let first = len.saturating_sub(*window + 1);
                first >= len || cache.holds(first)
            }
            _ => true,
        };
        self.caches.iter().zip(&self.windows).all(kept)
    }

    /// Whether every layer holds what the next token will attend to. Always so, but for a state that was read from a
    /// file.
    pub(crate) fn is_complete(&self) -> bool {
        let len = self.read.len();
        let kept = |(cache, window): (&Option<KvCache>, &Option<usize>)| {
            let first = window.map_or(0, |window| len.saturating_sub(window + 1));
            cache.as_ref().is_none_or(|cache| cache.holds(first))
        };
        len > 0 && self.caches.iter().zip(&self.windows).all(kept)
    }

    /// Whether both have read the same tokens, with the same bits in the KV cache.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let same = |(a, b): (&Option<KvCache>, &Option<KvCache>)| match (a, b) {
            (Some(a), Some(b)) => a.is_same(b),
            (None, None) => true,
            _ => false,
        };
        self.read == other.read
            && self.deltas == other.deltas
            && self.caches.iter().zip(&other.caches).all(same)
    }

    /// Steps back to the first `len` tokens, or as near to them as can be; if a sliding layer no longer holds what they
    /// need, to none.
    pub(crate) fn rewind(&mut self, len: usize) {
        // Attention needs every position of a window, so what was lost has to be read again.
        let len = self.reach(len);
        self.rewind_deltas(len);
        self.read.truncate(len);
        for cache in self.caches.iter_mut().flatten() {
            cache.truncate(self.read.len());
        }
    }

    fn rewind_deltas(&mut self, len: usize) {
        let Some(net) = &self.net else { return };
        self.marks.retain(|mark| mark.len <= len);
        if len == self.read.len() {
            return;
        }
        match self.marks.last().filter(|mark| mark.len == len) {
            Some(mark) => self.deltas.clone_from(&mark.deltas),
            None => {
                for state in self.deltas.iter_mut().flatten() {
                    *state = Arc::new(DeltaState::new(net));
                }
            }
        }
    }

    /// A copy that has stepped back to the first `len` tokens, or as near to them as can be.
    pub(crate) fn fork(&self, len: usize) -> Self {
        let mut copy = self.clone();
        copy.rewind(len);
        copy
    }

    /// Bytes of memory that the tokens take; what copies share counts for each.
    pub(crate) fn held_bytes(&self) -> usize {
        let kept: usize = self.caches.iter().flatten().map(KvCache::bytes).sum();
        let layers = self.deltas.iter().flatten().count();
        let delta = self.net.as_ref().map_or(0, delta_bytes);
        kept + layers * delta * (1 + self.marks.len())
    }
}

/// Bytes that a gated delta layer keeps of a sequence.
const fn delta_bytes(net: &DeltaNet) -> usize {
    (net.recent_len() + net.shape.state_len()) * size_of::<f32>()
}

/// Positions that a layer's KV cache holds: all of the context, or what its window, a batch and some slack need.
fn room(layer: &Layer, n_ctx: usize) -> usize {
    match layer.window {
        Some(window) => n_ctx.min(window + MOST_BATCH + SLACK),
        None => n_ctx,
    }
}
