//! The merge loop shared by all tokenizers: joins neighbouring symbols, best pair first, until none is left to join.
//!
//! Called per word by `bpe` and `spm`. A heap holds the candidate pairs and a linked list the symbols, so a word of
//! n symbols costs O(n log n) however hostile it is. Lower priority goes first; of equal ones the leftmost.
//! A candidate is stale when the symbols at its place have changed length since; it is then dropped.
use crate::Token;
use std::{cmp::Reverse, collections::BinaryHeap, ops::Range};

const NONE: u32 = u32::MAX;

/// A piece of the word under work: `len` bytes from `start`, and the token they make.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    pub(super) token: Token,
    pub(super) start: u32,
    pub(super) len: u32,
    prev: u32,
    next: u32,
}

impl Symbol {
    /// The bytes of the word that it covers.
    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

/// What two neighbours become, and how urgent it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Join {
    pub(super) priority: u64,
    pub(super) token: Token,
}

/// (priority, place, length of both, result)
type Candidate = Reverse<(u64, u32, u32, Token)>;

/// Buffers of the loop, reused from word to word.
#[derive(Debug, Default)]
pub(super) struct Merger {
    symbols: Vec<Symbol>,
    heap: BinaryHeap<Candidate>,
}

impl Merger {
    /// Adds the next symbol of the word; symbols must be added left to right without gaps.
    pub(super) fn push(&mut self, token: Token, len: usize) {
        let i = self.symbols.len() as u32;
        let start = self.symbols.last().map_or(0, |s| s.start + s.len);
        if let Some(last) = self.symbols.last_mut() {
            last.next = i;
        }
        self.symbols.push(Symbol {
            token,
            start,
            len: len as u32,
            prev: i.checked_sub(1).unwrap_or(NONE),
            next: NONE,
        });
    }

    /// Merges what was pushed, appends the tokens to `out` and empties the buffers.
    pub(super) fn run(
        &mut self,
        join: impl Fn(&Symbol, &Symbol) -> Option<Join>,
        out: &mut Vec<Token>,
    ) {
        for i in 1..self.symbols.len() as u32 {
            self.offer(i - 1, i, &join);
        }
        while let Some(Reverse((_, left, len, token))) = self.heap.pop() {
            self.apply(left, len, token, &join);
        }
        out.extend(self.symbols.iter().filter(|s| s.len > 0).map(|s| s.token));
        self.symbols.clear();
    }

    fn offer(&mut self, left: u32, right: u32, join: &impl Fn(&Symbol, &Symbol) -> Option<Join>) {
        let (l, r) = (&self.symbols[left as usize], &self.symbols[right as usize]);
        if let Some(found) = join(l, r) {
            self.heap
                .push(Reverse((found.priority, left, l.len + r.len, found.token)));
        }
    }

    fn apply(
        &mut self,
        left: u32,
        len: u32,
        token: Token,
        join: &impl Fn(&Symbol, &Symbol) -> Option<Join>,
    ) {
        let l = self.symbols[left as usize];
        if l.len == 0 || l.next == NONE {
            return;
        }
        let r = self.symbols[l.next as usize];
        if l.len + r.len != len {
            return;
        }
        self.symbols[l.next as usize].len = 0;
        if r.next != NONE {
            self.symbols[r.next as usize].prev = left;
        }
        self.symbols[left as usize] = Symbol {
            token,
            len,
            next: r.next,
            ..l
        };
        if l.prev != NONE {
            self.offer(l.prev, left, join);
        }
        if r.next != NONE {
            self.offer(left, r.next, join);
        }
    }
}
