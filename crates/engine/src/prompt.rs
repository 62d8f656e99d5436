//! A prompt: tokens, and soft tokens (encoded images and sound) in the places of placeholder tokens.
//!
//! Made by `Model::prompt`, read by `sequence`; a `State` lists what it has read as one. A soft token takes one position
//! like any token, so lengths, limits and chunks need not know of it; only what a position means does. Two prompts are
//! the same up to a point only if their soft tokens are too: those are compared by digest.

use crate::Token;
use sha2::{Digest, Sha256};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Soft tokens: rows of the residual stream that an encoder made in place of a token's embedding.
#[derive(Clone)]
pub struct Soft {
    width: usize,
    rows: Vec<f32>,
    digest: [u8; 32],
}

impl Soft {
    /// Rows of `width` numbers, one for each soft token.
    pub(crate) fn new(width: usize, rows: Vec<f32>) -> Self {
        debug_assert!(width > 0 && rows.len().is_multiple_of(width));
        let mut hasher = Sha256::new();
        hasher.update((width as u64).to_le_bytes());
        for row in rows.chunks_exact(width) {
            let bytes: Vec<u8> = row.iter().flat_map(|x| x.to_le_bytes()).collect();
            hasher.update(&bytes);
        }
        Self {
            width,
            rows,
            digest: hasher.finalize().into(),
        }
    }

    /// How many soft tokens.
    pub fn tokens(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Numbers of a soft token: `n_embd` of the model that it was made for.
    pub fn width(&self) -> usize {
        self.width
    }

    /// `[tokens][width]`.
    pub fn rows(&self) -> &[f32] {
        &self.rows
    }

    /// SHA-256 of the rows: equal soft tokens mean the same to a model.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    fn row(&self, i: usize) -> &[f32] {
        &self.rows[i * self.width..][..self.width]
    }
}

impl PartialEq for Soft {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for Soft {}

impl fmt::Debug for Soft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Soft({} × {})", self.tokens(), self.width)
    }
}

/// Soft tokens from a position on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    at: usize,
    /// How many of them are there: a sequence that was stepped back may hold only the first few.
    len: usize,
    soft: Arc<Soft>,
}

/// Tokens, some of which are placeholders for soft tokens. Reads as a slice of tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    tokens: Vec<Token>,
    /// In order; they do not overlap and lie within the tokens.
    spans: Vec<Span>,
}

/// What a position holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    Token(Token),
    /// A row of the residual stream.
    Soft(&'a [f32]),
}

impl Prompt {
    /// The tokens, with placeholders where soft tokens stand.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Whether any of it is soft.
    pub fn is_soft(&self) -> bool {
        !self.spans.is_empty()
    }

    /// Appends a token.
    pub fn push(&mut self, token: Token) {
        self.tokens.push(token);
    }

    /// Appends soft tokens, with `placeholder` as the token of each.
    pub fn push_soft(&mut self, placeholder: Token, soft: Arc<Soft>) {
        let (at, len) = (self.tokens.len(), soft.tokens());
        if len > 0 {
            self.tokens.extend(std::iter::repeat_n(placeholder, len));
            self.spans.push(Span { at, len, soft });
        }
    }

    /// Keeps the first `len` tokens.
    pub fn truncate(&mut self, len: usize) {
        self.tokens.truncate(len);
        self.spans.retain(|span| span.at < len);
        if let Some(last) = self.spans.last_mut() {
            last.len = last.len.min(len - last.at);
        }
    }

    /// All soft tokens in it.
    pub(crate) fn soft(&self) -> impl Iterator<Item = &Soft> {
        self.spans.iter().map(|span| &*span.soft)
    }

    /// The tokens before the first soft one.
    pub(crate) fn before_soft(&self) -> &[Token] {
        let end = self.spans.first().map_or(self.tokens.len(), |span| span.at);
        &self.tokens[..end]
    }

    /// What a position holds.
    pub(crate) fn place(&self, position: usize) -> Place<'_> {
        let after = self.spans.partition_point(|span| span.at <= position);
        let span = after.checked_sub(1).map(|i| &self.spans[i]);
        match span.filter(|span| position < span.at + span.len) {
            Some(span) => Place::Soft(span.soft.row(position - span.at)),
            None => Place::Token(self.tokens[position]),
        }
    }

    /// How many positions at the beginning hold the same.
    pub(crate) fn common(&self, other: &Self) -> usize {
        let pairs = self.tokens.iter().zip(&other.tokens);
        let mut same = pairs.take_while(|(a, b)| a == b).count();
        for (one, two) in [(self, other), (other, self)] {
            for span in &one.spans {
                let twin = two.spans.iter().find(|twin| twin.at == span.at);
                let twin = twin.filter(|twin| twin.soft == span.soft);
                // Where only one of them goes on softly, the placeholders may be equal and mean different things.
                let agree = span.at + twin.map_or(0, |twin| twin.len.min(span.len));
                if twin.is_none_or(|twin| twin.len != span.len) {
                    same = same.min(agree);
                }
            }
        }
        same
    }

    /// Appends what `tokens` are: those of `from` that stand behind ours, or tokens that only follow it.
    pub(crate) fn extend(&mut self, tokens: &[Token], from: &Self) {
        let start = self.tokens.len();
        self.tokens.extend_from_slice(tokens);
        let end = self.tokens.len();
        for span in &from.spans {
            if span.at >= end || span.at + span.len <= start {
                continue;
            }
            let len = span.len.min(end - span.at);
            match self.spans.last_mut().filter(|last| last.at == span.at) {
                // Its beginning was read by an earlier pass.
                Some(last) => last.len = len,
                None => self.spans.push(Span {
                    len,
                    ..span.clone()
                }),
            }
        }
    }

    /// Appends plain tokens.
    pub(crate) fn extend_tokens(&mut self, tokens: impl IntoIterator<Item = Token>) {
        self.tokens.extend(tokens);
    }
}

impl Deref for Prompt {
    type Target = [Token];
    fn deref(&self) -> &[Token] {
        &self.tokens
    }
}

impl From<Vec<Token>> for Prompt {
    fn from(tokens: Vec<Token>) -> Self {
        Self {
            tokens,
            spans: Vec::new(),
        }
    }
}

impl From<&[Token]> for Prompt {
    fn from(tokens: &[Token]) -> Self {
        tokens.to_vec().into()
    }
}

impl From<&Vec<Token>> for Prompt {
    fn from(tokens: &Vec<Token>) -> Self {
        tokens.clone().into()
    }
}

impl<const N: usize> From<&[Token; N]> for Prompt {
    fn from(tokens: &[Token; N]) -> Self {
        tokens.to_vec().into()
    }
}

impl From<&Self> for Prompt {
    fn from(prompt: &Self) -> Self {
        prompt.clone()
    }
}

impl PartialEq<Vec<Token>> for Prompt {
    /// Plain tokens and nothing else.
    fn eq(&self, other: &Vec<Token>) -> bool {
        self.spans.is_empty() && self.tokens == *other
    }
}

impl PartialEq<Prompt> for Vec<Token> {
    fn eq(&self, other: &Prompt) -> bool {
        other == self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soft(seed: f32, n: usize) -> Arc<Soft> {
        Arc::new(Soft::new(2, (0..2 * n).map(|i| seed + i as f32).collect()))
    }

    /// Two tokens, three soft ones, a token.
    fn prompt(seed: f32) -> Prompt {
        let mut prompt = Prompt::from(vec![1, 2]);
        prompt.push_soft(9, soft(seed, 3));
        prompt.push(4);
        prompt
    }

    #[test]
    fn prompts_agree_as_far_as_tokens_and_soft_tokens_do() {
        let (a, b) = (prompt(0.0), prompt(1.0));
        assert_eq!(a.common(&a), 6);
        assert_eq!(a.common(&b), 2, "another image");
        let tokens = Prompt::from(a.tokens());
        assert_eq!(a.common(&tokens), 2, "placeholders that stand for nothing");
        assert_eq!(tokens.common(&a), 2);
        let mut cut = a.clone();
        cut.truncate(4);
        assert_eq!(cut.common(&a), 4);
        cut.push(9);
        assert_eq!(
            cut.common(&a),
            4,
            "a plain token in the place of a soft one"
        );
        assert_eq!(a.common(&cut), 4);
    }

    #[test]
    fn what_was_read_in_chunks_is_what_was_read_at_once() {
        let whole = prompt(0.0);
        for chunk in 1..=6 {
            let mut read = Prompt::default();
            while read.len() < whole.len() {
                let end = whole.len().min(read.len() + chunk);
                let tokens = whole[read.len()..end].to_vec();
                read.extend(&tokens, &whole);
            }
            assert_eq!(read, whole, "chunks of {chunk}");
            read.extend(&[7, 9], &whole);
            assert!(matches!(read.place(7), Place::Token(9)));
        }
    }

    #[test]
    fn each_position_holds_what_was_put_there() {
        let prompt = prompt(5.0);
        assert!(matches!(prompt.place(1), Place::Token(2)));
        assert!(matches!(prompt.place(3), Place::Soft([7.0, 8.0])));
        assert!(matches!(prompt.place(5), Place::Token(4)));
        assert_eq!(prompt.before_soft(), [1, 2]);
    }
}
