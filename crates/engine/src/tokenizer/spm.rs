//! SentencePiece-style encoding (`llama`): merges without a list, the best-scored piece first.
//!
//! Called by `Tokenizer` with text that holds no control tokens and has its spaces in the vocabulary's form.
//!
//! Two neighbours join if their bytes together are a piece. The higher score goes first; of one piece's two ways to be
//! put together, the one with the longer left part; then the leftmost. That is the order in which Hugging Face lists the
//! merges of such a vocabulary. Gemma's runs of whitespace have no score of their own and go before everything.
use super::{
    bpe::Fallback,
    merge::{Join, Merger, Symbol},
    pieces::Pieces,
};
use crate::Token;

/// Encoding by scores.
#[derive(Debug)]
pub(super) struct Spm {
    /// One per token; `INFINITY` for runs of whitespace, NaN for pieces that never take part in a merge.
    pub(super) scores: Vec<f32>,
    pub(super) fallback: Fallback,
}

impl Spm {
    pub(super) fn encode(&self, text: &str, pieces: &Pieces, out: &mut Vec<Token>) {
        let mut merger = Merger::default();
        self.fallback.start(text, pieces, &mut merger);
        merger.run(|l, r| self.join(text.as_bytes(), pieces, l, r), out);
    }

    fn join(&self, text: &[u8], pieces: &Pieces, left: &Symbol, right: &Symbol) -> Option<Join> {
        let score = |token: Token| self.scores.get(token as usize).filter(|s| !s.is_nan());
        // Bytes and unknown characters stay alone even if the text they spell is part of some piece.
        score(left.token)?;
        score(right.token)?;
        let token = pieces.find(&text[left.range().start..right.range().end])?;
        let score = score(token)?;
        Some(Join {
            priority: u64::from(!ascending(*score)) << 32 | u64::from(u32::MAX - left.len),
            token,
        })
    }
}

/// The bits of a number, arranged so that they sort as the number does.
fn ascending(x: f32) -> u32 {
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    }
}
