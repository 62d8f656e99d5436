//! The bytes of every token in one arena, and the way back from bytes to the token.
//!
//! Built once by `Tokenizer::new`; read by the merge loops (bytes to token) and by decoding (token to bytes).
//!
//! Only tokens that ordinary text may turn into are entered into the table (`Pieces::index`), so a merge can
//! never end in a control token. The hash is keyed afresh for each tokenizer: a hostile file cannot prepare
//! collisions. Results do not depend on the key.
use crate::Token;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Longest piece that text is looked up for, in bytes; bounds the cost of one lookup.
pub(super) const MAX_PIECE: usize = 1024;

const EMPTY: u32 = u32::MAX;

/// Every token's bytes, and a table from bytes to token.
#[derive(Debug)]
pub(super) struct Pieces {
    arena: Vec<u8>,
    ends: Vec<u32>,
    slots: Vec<u32>,
    key: FoldKey,
    max_len: usize,
}

impl Pieces {
    /// Room for `n` tokens of `bytes` bytes altogether.
    pub(super) fn with_capacity(n: usize, bytes: usize) -> Self {
        Self {
            arena: Vec::with_capacity(bytes),
            ends: Vec::with_capacity(n),
            slots: vec![EMPTY; (n * 2).next_power_of_two().max(16)],
            key: FoldKey::new(),
            max_len: 0,
        }
    }

    /// Adds the next token's bytes; it is not found by `find` until `index` is called for it.
    pub(super) fn push(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.arena.extend(bytes);
        self.ends.push(self.arena.len() as u32);
    }

    /// Makes a token findable by its bytes. The first token of equal ones wins.
    pub(super) fn index(&mut self, token: Token) {
        let range = self.range(token);
        let len = range.len();
        if len == 0 || len > MAX_PIECE {
            return;
        }
        let mut slot = self.slot(&self.arena[range.clone()]);
        while self.slots[slot] != EMPTY {
            if self.bytes(self.slots[slot]) == &self.arena[range.clone()] {
                return;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = token;
        self.max_len = self.max_len.max(len);
    }

    /// The token that has exactly these bytes.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<Token> {
        if bytes.is_empty() || bytes.len() > self.max_len {
            return None;
        }
        let mut slot = self.slot(bytes);
        while self.slots[slot] != EMPTY {
            if self.bytes(self.slots[slot]) == bytes {
                return Some(self.slots[slot]);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        None
    }

    /// The bytes of a token; empty for an id outside the vocabulary.
    pub(super) fn bytes(&self, token: Token) -> &[u8] {
        if (token as usize) < self.ends.len() {
            &self.arena[self.range(token)]
        } else {
            &[]
        }
    }

    /// Number of tokens.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn range(&self, token: Token) -> std::ops::Range<usize> {
        let i = token as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        start as usize..self.ends[i] as usize
    }

    fn slot(&self, bytes: &[u8]) -> usize {
        let mut fold = self.key.build_hasher();
        fold.write(bytes);
        fold.finish() as usize & (self.slots.len() - 1)
    }
}

/// Keys for `Fold`, drawn from the standard library's random state.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoldKey(u64, u64);

impl FoldKey {
    pub(super) fn new() -> Self {
        let random = RandomState::new();
        Self(random.hash_one(0_u8), random.hash_one(1_u8) | 1)
    }
}

impl BuildHasher for FoldKey {
    type Hasher = Fold;

    fn build_hasher(&self) -> Fold {
        Fold {
            state: self.0,
            key: self.1,
        }
    }
}

/// A keyed hash made of widening multiplications folded in half; several times faster than SipHash on short keys.
#[derive(Debug)]
pub(super) struct Fold {
    state: u64,
    key: u64,
}

impl Fold {
    fn mix(&mut self, word: u64) {
        let wide = u128::from(self.state ^ word) * u128::from(self.key ^ 0x9e37_79b9_7f4a_7c15);
        self.state = (wide as u64) ^ ((wide >> 64) as u64) ^ self.key;
    }
}

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last));
        self.mix(bytes.len() as u64);
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
        self.mix(!word);
    }

    fn finish(&self) -> u64 {
        self.state
    }
}
