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

const EMPTY: Slot = Slot {
    head: 0,
    len: 0,
    token: 0,
};

/// A place of the table. Most pieces are at most eight bytes long, so most comparisons end here without a look at the
/// arena; that halves the time a large vocabulary takes to load.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The first eight bytes, filled up with zeros.
    head: u64,
    /// 0: nobody lives here.
    len: u32,
    token: Token,
}

/// Every token's bytes, and a table from bytes to token.
#[derive(Debug)]
pub(super) struct Pieces {
    arena: Vec<u8>,
    ends: Vec<u32>,
    slots: Vec<Slot>,
    /// Whether a token is in the table.
    findable: Vec<bool>,
    key: FoldKey,
    max_len: usize,
}

impl Pieces {
    /// Room for `n` tokens of `bytes` bytes altogether.
    pub(super) fn with_capacity(n: usize, bytes: usize) -> Self {
        Self {
            arena: Vec::with_capacity(bytes),
            ends: Vec::with_capacity(n),
            slots: vec![EMPTY; (n + n / 2).next_power_of_two().max(16)],
            findable: vec![false; n],
            key: FoldKey::new(),
            max_len: 0,
        }
    }

    /// Adds the next token's bytes, which `write` appends; `find` does not find it until `index` is called for it.
    pub(super) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.arena);
        self.ends.push(self.arena.len() as u32);
    }

    /// Makes tokens findable by their bytes. The first token of equal ones wins.
    pub(super) fn index(&mut self, tokens: &[Token]) {
        const BATCH: usize = 16;
        let (batches, rest) = tokens.as_chunks::<BATCH>();
        for batch in batches {
            let homes = batch.map(|token| self.home(self.bytes(token)));
            // The table is larger than the caches, so a look at it waits for memory; sixteen together wait together.
            let free = homes.map(|at| self.slots[at].len == 0);
            for i in 0..BATCH {
                let still_free = free[i] && self.slots[homes[i]].len == 0;
                self.enter(batch[i], still_free.then_some(homes[i]));
            }
        }
        for &token in rest {
            self.enter(token, None);
        }
    }

    /// `place` is where the token goes, if that is known.
    fn enter(&mut self, token: Token, place: Option<usize>) {
        let bytes = self.bytes(token);
        let (len, head) = (bytes.len(), head(bytes));
        if len == 0 || len > MAX_PIECE {
            return;
        }
        let at = place.unwrap_or_else(|| self.slot(bytes));
        if self.slots[at].len == 0 {
            self.max_len = self.max_len.max(len);
            self.slots[at] = Slot {
                head,
                len: len as u32,
                token,
            };
            self.findable[token as usize] = true;
        }
    }

    /// Whether `find` can give this token.
    pub(super) fn is_findable(&self, token: Token) -> bool {
        self.findable.get(token as usize).is_some_and(|&f| f)
    }

    /// The token that has exactly these bytes.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<Token> {
        if bytes.is_empty() || bytes.len() > self.max_len {
            return None;
        }
        let slot = self.slots[self.slot(bytes)];
        (slot.len > 0).then_some(slot.token)
    }

    /// `find` for texts that come in about the order of their tokens, as merges do: `near` and the one after it are
    /// compared first, without waiting for the table.
    pub(super) fn find_near(&self, bytes: &[u8], near: Token) -> Option<Token> {
        [near, near + 1]
            .into_iter()
            .find(|&token| self.bytes(token) == bytes && self.is_findable(token))
            .or_else(|| self.find(bytes))
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

    /// Where these bytes live, or the empty place where they would. A third of the places are always empty.
    fn slot(&self, bytes: &[u8]) -> usize {
        let head = head(bytes);
        let mut at = self.home(bytes);
        loop {
            let slot = &self.slots[at];
            if slot.len == 0 || self.holds(slot, bytes, head) {
                return at;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    fn holds(&self, slot: &Slot, bytes: &[u8], head: u64) -> bool {
        let alike = slot.head == head && slot.len as usize == bytes.len();
        alike && (bytes.len() <= 8 || self.bytes(slot.token) == bytes)
    }

    /// Where the search for these bytes begins.
    fn home(&self, bytes: &[u8]) -> usize {
        let mut fold = self.key.build_hasher();
        fold.write(bytes);
        fold.finish() as usize & (self.slots.len() - 1)
    }
}

fn head(bytes: &[u8]) -> u64 {
    let mut head = [0; 8];
    let n = bytes.len().min(8);
    head[..n].copy_from_slice(&bytes[..n]);
    u64::from_le_bytes(head)
}

/// Keys for `Fold`, drawn from the standard library's random state.
#[derive(Clone, Copy, Debug)]
struct FoldKey(u64, u64);

impl FoldKey {
    fn new() -> Self {
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
struct Fold {
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

    fn finish(&self) -> u64 {
        self.state
    }
}
