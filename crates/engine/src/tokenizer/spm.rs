//! SentencePiece-style encoding (`llama`): merges without a list, the best-scored piece first.
//!
//! Called by `Tokenizer` with text that holds no control tokens and has its spaces in the vocabulary's form.
//!
//! Two neighbours join if their bytes together are a piece. The higher score goes first, then the lower token; of one
//! piece's two ways to be put together, the one with the longer left part; then the leftmost. That is the order in which
//! Hugging Face lists the merges of such a vocabulary. Gemma's runs of whitespace have no score of their own and go before everything.
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
        let text = self.fallback.writable(text, pieces);
        self.fallback.start(&text, pieces, &mut merger);
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
            priority: priority(*score, token, left.len),
            token,
        })
    }
}

/// Higher score, then lower token (not among runs of whitespace), then longer left part; the smallest goes first.
fn priority(score: f32, token: Token, left_len: u32) -> u64 {
    const LEN_BITS: u32 = 10;
    const TOKEN_BITS: u32 = 22;
    let token = match score {
        f32::INFINITY => 0,
        _ => token.min((1 << TOKEN_BITS) - 1),
    };
    let left = (1_u32 << LEN_BITS).saturating_sub(left_len + 1);
    u64::from(!ascending(score)) << 32 | u64::from(token << LEN_BITS | left)
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
