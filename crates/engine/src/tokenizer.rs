//! Text to tokens and back, by the vocabulary that a GGUF file carries.
//!
//! Called by `Model` (encode, piece), by `template` (prompts) and by `thinking` (answers as they come).
//!
//! Two ways in: `encode_text` for what people write, where text that looks like a control token stays text, and
//! `encode_template` for text that we or the model's makers wrote, where control tokens are recognised. The rule for
//! what user text may become is in `tokenizer/control.rs`.
//! Neither puts BOS in front; `Template::prompt` does, and `begin` gives it to others.
//!
//! Spaces: SentencePiece and Gemma 4 vocabularies write a space as `▁`. Pieces and text are both brought to real
//! spaces at the door, so that a piece's bytes are also what is shown. `▁` in user text therefore comes back as a space.
//! Source: Hugging Face `tokenizers`, checked by `tests/reference/tokenizer.py`.
mod bpe;
mod bytes;
mod control;
mod decode;
mod load;
mod merge;
mod pieces;
mod split;
mod spm;
mod vocab;

use crate::Token;
use bpe::{ByteLevel, CharLevel};
use control::{Matcher, Part};
use pieces::Pieces;
use spm::Spm;
use std::borrow::Cow;

pub use decode::Decoder;
pub use vocab::{Kind, Vocab};

/// A vocabulary made ready for use; read-only.
#[derive(Debug)]
pub struct Tokenizer {
    pieces: Pieces,
    kinds: Vec<Kind>,
    method: Method,
    /// What user text may become besides ordinary pieces.
    plain: Matcher,
    /// What template text may become besides ordinary pieces.
    markers: Matcher,
    /// First and last characters of the markers that are not plain.
    edges: (Vec<char>, Vec<char>),
    ends: Vec<Token>,
    bos: Option<Token>,
    eos: Option<Token>,
    add_bos: bool,
    add_space_prefix: bool,
    strip_after_control: bool,
}

#[derive(Debug)]
enum Method {
    Spm(Spm),
    CharLevel(CharLevel),
    ByteLevel(Box<ByteLevel>),
}

impl Tokenizer {
    /// Entries of the vocabulary.
    pub fn n_vocab(&self) -> usize {
        self.pieces.len()
    }

    /// Tokens of what a person wrote. No control token comes out, whatever the text says.
    pub fn encode_text(&self, text: &str) -> Vec<Token> {
        let mut out = Vec::with_capacity(text.len() / 3);
        for part in self.plain.parts(text) {
            match part {
                Part::Token(token) => out.push(token),
                Part::Text(text) => self.encode_segment(text, &mut out),
            }
        }
        out
    }

    /// Tokens of text whose author may use control tokens. Never give it what a person or a web page wrote.
    pub fn encode_template(&self, text: &str) -> Vec<Token> {
        self.encode_guarded(text, None)
    }

    /// Like `encode_template`; then `guard`, which `guard_text` put into what people wrote, is taken out again.
    pub(crate) fn encode_guarded(&self, text: &str, guard: Option<char>) -> Vec<Token> {
        let mut out = Vec::with_capacity(text.len() / 3);
        let mut strips = false;
        for part in self.markers.parts(text) {
            match part {
                Part::Token(token) => {
                    out.push(token);
                    strips = self.strips_after(token);
                }
                Part::Text(text) => {
                    let text = if strips { text.trim_start() } else { text };
                    match guard.filter(|&guard| text.contains(guard)) {
                        Some(guard) => out.extend(self.encode_text(&text.replace(guard, ""))),
                        None => out.extend(self.encode_text(text)),
                    }
                    strips = false;
                }
            }
        }
        out
    }

    /// Whether a token swallows the whitespace behind it: Phi 3's do, except those that begin a text or end it.
    fn strips_after(&self, token: Token) -> bool {
        let keeps = || matches!(self.pieces.bytes(token), b"<s>" | b"<|endoftext|>");
        self.strip_after_control && self.kind(token) == Some(Kind::Control) && !keeps()
    }

    /// Puts `guard` into text so that no marker is found in it, nor across its ends, until the guard is taken out.
    pub(crate) fn guard_text(&self, text: &str, guard: char) -> String {
        let (firsts, lasts) = &self.edges;
        let mut out = String::with_capacity(text.len() + 16);
        for c in text.chars() {
            if lasts.contains(&c) {
                out.push(guard);
            }
            out.push(c);
            if firsts.contains(&c) {
                out.push(guard);
            }
        }
        out
    }

    /// The bytes that a token shows; none for control tokens and ids outside the vocabulary.
    pub fn piece(&self, token: Token) -> &[u8] {
        match self.kind(token) {
            Some(Kind::Normal | Kind::User | Kind::Byte) => self.pieces.bytes(token),
            _ => &[],
        }
    }

    /// The bytes of a token, control tokens included, as they would stand in a template.
    pub fn piece_with_control(&self, token: Token) -> &[u8] {
        self.pieces.bytes(token)
    }

    /// What a token is for; `None` outside the vocabulary.
    pub fn kind(&self, token: Token) -> Option<Kind> {
        self.kinds.get(token as usize).copied()
    }

    /// The marker (control or user-defined token) with exactly this text.
    pub fn marker(&self, text: &str) -> Option<Token> {
        match self.markers.parts(text)[..] {
            [Part::Token(token)] => Some(token),
            _ => None,
        }
    }

    /// Text of a whole sequence of tokens, without control tokens.
    pub fn decode(&self, tokens: &[Token]) -> String {
        let (mut decoder, mut out) = (self.decoder(), String::new());
        for &token in tokens {
            decoder.push(self.piece(token), &mut out);
        }
        decoder.flush(&mut out);
        out
    }

    /// Puts an answer together as its tokens come.
    pub fn decoder(&self) -> Decoder {
        Decoder::new(self.add_space_prefix)
    }

    /// The token that begins a text, if the vocabulary has one.
    pub fn bos(&self) -> Option<Token> {
        self.bos
    }

    /// The token that ends a text, if the vocabulary has one.
    pub fn eos(&self) -> Option<Token> {
        self.eos
    }

    /// What a prompt must begin with: BOS where the model wants it, else nothing.
    pub fn begin(&self) -> Option<Token> {
        self.bos.filter(|_| self.add_bos)
    }

    /// Whether this token ends an answer.
    pub fn is_end(&self, token: Token) -> bool {
        self.ends.contains(&token)
    }

    /// All tokens that end an answer.
    pub fn ends(&self) -> &[Token] {
        &self.ends
    }

    fn encode_segment(&self, text: &str, out: &mut Vec<Token>) {
        match &self.method {
            Method::ByteLevel(byte_level) => byte_level.encode(text, &self.pieces, out),
            Method::Spm(spm) => spm.encode(&self.spaced(text), &self.pieces, out),
            Method::CharLevel(chars) => chars.encode(&self.spaced(text), &self.pieces, out),
        }
    }

    fn spaced<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match (self.add_space_prefix, text.contains('▁')) {
            (false, false) => text.into(),
            (false, true) => text.replace('▁', " ").into(),
            (true, _) => format!(" {}", text.replace('▁', " ")).into(),
        }
    }
}
