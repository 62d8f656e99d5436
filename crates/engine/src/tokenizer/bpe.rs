//! Byte-pair encoding with ranked merges: byte-level (`gpt2`) and Gemma 4's, which starts from characters.
//!
//! Called by `Tokenizer` with text that holds no control tokens.
//!
//! Byte-level: text is cut into words (`split`), each word starts as its bytes. Gemma 4: the whole text is one word,
//! starts as its characters, and a character outside the vocabulary becomes its byte tokens.
//! Merges that name a piece outside the vocabulary, or whose result text may not become, are left out at load.
use super::{
    merge::{Join, Merger, Symbol},
    pieces::{FoldKey, Pieces},
    split::Cut,
};
use crate::Token;
use std::collections::HashMap;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Merges by pair of tokens.
#[derive(Debug)]
pub(super) struct Merges {
    /// `left << 32 | right` to rank and result.
    pairs: HashMap<u64, (u32, Token), FoldKey>,
}

impl Merges {
    /// Reads merges, best first. `bytes` turns a piece as the file writes it into the bytes it stands for.
    pub(super) fn new<'a>(
        lines: &[&'a [u8]],
        pieces: &Pieces,
        mut bytes: impl FnMut(&'a [u8], &mut Vec<u8>),
    ) -> Self {
        const BATCH: usize = 16;
        let mut pairs = HashMap::with_capacity_and_hasher(lines.len(), FoldKey::new());
        let mut text = Vec::new();
        for (batch, lines) in lines.chunks(BATCH).enumerate() {
            text.clear();
            let mut parts = [(0, 0, 0); BATCH];
            for (line, part) in lines.iter().zip(&mut parts) {
                // The left piece is never empty, so a space at the beginning belongs to it.
                let Some(space) = line.iter().skip(1).position(|&b| b == b' ') else {
                    continue;
                };
                let start = text.len();
                bytes(&line[..=space], &mut text);
                let middle = text.len();
                bytes(&line[space + 2..], &mut text);
                *part = (start, middle, text.len());
            }
            let left = pieces.find_all(parts.map(|(start, middle, _)| &text[start..middle]));
            let right = pieces.find_all(parts.map(|(_, middle, end)| &text[middle..end]));
            let whole = pieces.find_all(parts.map(|(start, _, end)| &text[start..end]));
            for i in 0..lines.len() {
                if let (Some(left), Some(right), Some(whole)) = (left[i], right[i], whole[i]) {
                    let rank = (batch * BATCH + i) as u32;
                    pairs.entry(pair(left, right)).or_insert((rank, whole));
                }
            }
        }
        Self { pairs }
    }

    fn join(&self, left: &Symbol, right: &Symbol) -> Option<Join> {
        let &(rank, token) = self.pairs.get(&pair(left.token, right.token))?;
        Some(Join {
            priority: u64::from(rank),
            token,
        })
    }
}

fn pair(left: Token, right: Token) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// How a byte-level vocabulary treats text before it merges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) cut: Cut,
    /// A word that is a token is taken whole, without asking the merges.
    pub(super) whole_words: bool,
    /// Text is composed (Unicode NFC) first.
    pub(super) nfc: bool,
}

impl Rules {
    /// The rules that `tokenizer.ggml.pre` names.
    pub(super) fn named(pre: &str) -> Option<Self> {
        let (cut, whole_words, nfc) = match pre {
            "smollm" => (Cut::DigitsThenGpt2, false, false),
            "gpt-2" | "gpt2" | "default" => (Cut::Gpt2, false, false),
            "qwen2" | "deepseek-r1-qwen" => (Cut::Cl100k { digits: 1 }, false, true),
            "llama-bpe" | "llama3" | "llama-v3" => (Cut::Cl100k { digits: 3 }, true, false),
            _ => return None,
        };
        Some(Self {
            cut,
            whole_words,
            nfc,
        })
    }
}

/// Byte-level encoding.
#[derive(Debug)]
pub(super) struct ByteLevel {
    pub(super) merges: Merges,
    pub(super) rules: Rules,
    /// The token of each byte.
    pub(super) bytes: [Option<Token>; 256],
}

impl ByteLevel {
    pub(super) fn encode(&self, text: &str, pieces: &Pieces, out: &mut Vec<Token>) {
        if self.rules.nfc && is_nfc_quick(text.chars()) != IsNormalized::Yes {
            self.encode_composed(&text.nfc().collect::<String>(), pieces, out);
        } else {
            self.encode_composed(text, pieces, out);
        }
    }

    fn encode_composed(&self, text: &str, pieces: &Pieces, out: &mut Vec<Token>) {
        let mut merger = Merger::default();
        for word in self.rules.cut.words(text) {
            if self.rules.whole_words
                && let Some(token) = pieces.find(word.as_bytes())
            {
                out.push(token);
                continue;
            }
            // A byte without a token cannot be written; the reference drops it as well.
            for token in word.bytes().filter_map(|b| self.bytes[usize::from(b)]) {
                merger.push(token, 1);
            }
            merger.run(|l, r| self.merges.join(l, r), out);
        }
    }
}

/// Gemma 4's encoding: characters, with bytes to fall back on.
#[derive(Debug)]
pub(super) struct CharLevel {
    pub(super) merges: Merges,
    pub(super) fallback: Fallback,
}

impl CharLevel {
    /// `text` has its spaces already in the vocabulary's form.
    pub(super) fn encode(&self, text: &str, pieces: &Pieces, out: &mut Vec<Token>) {
        let mut merger = Merger::default();
        self.fallback.start(text, pieces, &mut merger);
        merger.run(|l, r| self.merges.join(l, r), out);
    }
}

/// What to write for a character that is no token.
#[derive(Debug)]
pub(super) struct Fallback {
    /// The token of each byte.
    pub(super) bytes: [Option<Token>; 256],
    pub(super) unknown: Option<Token>,
}

impl Fallback {
    /// The symbols a text starts as: a character each, else its bytes, else one unknown token for the whole run.
    pub(super) fn start(&self, text: &str, pieces: &Pieces, merger: &mut Merger) {
        let mut unknown_len = 0;
        for (i, c) in text.char_indices() {
            let bytes = &text.as_bytes()[i..i + c.len_utf8()];
            let found = pieces.find(bytes);
            let spelled = || {
                bytes
                    .iter()
                    .map(|&b| self.bytes[usize::from(b)])
                    .collect::<Option<Vec<_>>>()
            };
            match (found, spelled) {
                (Some(token), _) => {
                    self.close_unknown(&mut unknown_len, merger);
                    merger.push(token, bytes.len());
                }
                (None, spelled) => {
                    if let Some(tokens) = spelled() {
                        self.close_unknown(&mut unknown_len, merger);
                        tokens.into_iter().for_each(|token| merger.push(token, 1));
                    } else {
                        unknown_len += bytes.len();
                    }
                }
            }
        }
        self.close_unknown(&mut unknown_len, merger);
    }

    fn close_unknown(&self, len: &mut usize, merger: &mut Merger) {
        if *len > 0
            && let Some(token) = self.unknown
        {
            merger.push(token, *len);
        }
        *len = 0;
    }
}
