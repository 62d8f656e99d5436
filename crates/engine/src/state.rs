//! The state of one sequence: the tokens read so far and the KV cache of each layer.
//!
//! All that moves while a model runs. A copy shares the pages of the KV caches, so forking a sequence is cheap.

use crate::Token;
use crate::config::{Config, Layer};
use crate::prompt::{Place, Prompt};
use reckon_kernels::{KvCache, Precision};

/// Tokens that go through the layers at once while a prompt is read, if nobody asks for another number.
pub(crate) const BATCH: usize = 256;

/// Most tokens that may go through the layers at once.
pub(crate) const MOST_BATCH: usize = 1024;

/// Positions that a sliding layer keeps beyond its window and a batch, so that a conversation can step back: a guess
/// that falls, or an edited last message, then does not mean reading the whole prompt again.
const SLACK: usize = 1024;

/// What a model keeps of one sequence.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// One KV cache per layer; `None` where a layer shares another's.
    pub(crate) caches: Vec<Option<KvCache>>,
    windows: Vec<Option<usize>>,
    read: Prompt,
}

impl State {
    pub(crate) fn new(config: &Config, precision: Precision, n_ctx: usize) -> Self {
        let cache = |layer: &Layer| {
            let room = room(layer, n_ctx);
            layer
                .owns_kv
                .then(|| KvCache::new(precision, layer.kv_heads, layer.dim, room))
        };
        Self {
            caches: config.layers.iter().map(cache).collect(),
            windows: config.layers.iter().map(|layer| layer.window).collect(),
            read: Prompt::default(),
        }
    }

    /// Most bytes that the KV caches of `n_ctx` positions take.
    pub(crate) fn bytes(config: &Config, precision: Precision, n_ctx: usize) -> u128 {
        let own = config.layers.iter().filter(|layer| layer.owns_kv);
        own.map(|layer| {
            KvCache::most_bytes(precision, layer.kv_heads, layer.dim, room(layer, n_ctx)) as u128
        })
        .sum()
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
    /// and the two positions more that a drafter sees.
    pub(crate) fn holds(&self, len: usize) -> bool {
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
        self.read == other.read && self.caches.iter().zip(&other.caches).all(same)
    }

    /// Steps back to the first `len` tokens; if a sliding layer no longer holds what they need, to none.
    pub(crate) fn rewind(&mut self, len: usize) {
        // All or nothing: attention needs every position of a window, so what was lost has to be read again.
        let len = if self.holds(len) { len } else { 0 };
        self.read.truncate(len);
        for cache in self.caches.iter_mut().flatten() {
            cache.truncate(self.read.len());
        }
    }

    /// A copy that has stepped back to the first `len` tokens.
    pub(crate) fn fork(&self, len: usize) -> Self {
        let mut copy = self.clone();
        copy.rewind(len);
        copy
    }

    /// Bytes of memory that the tokens take; what copies share counts for each.
    pub(crate) fn held_bytes(&self) -> usize {
        self.caches.iter().flatten().map(KvCache::bytes).sum()
    }
}

/// Positions that a layer's KV cache holds: all of the context, or what its window, a batch and some slack need.
fn room(layer: &Layer, n_ctx: usize) -> usize {
    match layer.window {
        Some(window) => n_ctx.min(window + MOST_BATCH + SLACK),
        None => n_ctx,
    }
}
