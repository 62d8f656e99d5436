//! Byte-pair encoding with ranked merges: byte-level (`gpt2`) and Gemma 4's, which starts from characters.
//!
//! Called by `Tokenizer` with text that holds no control tokens.
//!
//! Byte-level: text is cut into words (`split`), each word starts as its bytes. Gemma 4: the whole text is one word,
//! starts as its characters, and a character outside the vocabulary becomes its byte tokens.
//! Merges whose result is outside the vocabulary, or is nothing that text may become, are left out at load.
use super::{
    merge::{Join, Merger, Symbol},
    pieces::Pieces,
    split::Cut,
};
use crate::Token;
use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// No merge.
const NONE: u32 = u32::MAX;

/// Merges, found by the token they make and the place where it is cut. That names the two parts as well as their tokens
/// would, and reading half a million merges takes one lookup each instead of four.
#[derive(Debug)]
pub(super) struct Merges {
    /// By token, the rank of a merge that makes it.
    heads: Vec<u32>,
    /// By rank.
    links: Vec<Link>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    /// Bytes of the left part.
    cut: u32,
    /// The rank of another merge that makes the same token.
    next: u32,
}

impl Merges {
    /// Reads merges, best first. `bytes` turns a piece as the file writes it into the bytes it stands for.
    pub(super) fn new<'a>(
        lines: &[&'a [u8]],
        pieces: &Pieces,
        mut bytes: impl FnMut(&'a [u8], &mut Vec<u8>),
    ) -> Self {
        let mut merges = Self {
            heads: vec![NONE; pieces.len()],
            links: Vec::with_capacity(lines.len()),
        };
        let (mut text, mut last) = (Vec::new(), 0);
        for line in lines.iter().take(NONE as usize) {
            text.clear();
            // The left piece is never empty, so a space at the beginning belongs to it.
            let space = line.iter().skip(1).position(|&b| b == b' ');
            let (left, right) = space.map_or((&line[..0], &line[..0]), |space| {
                (&line[..=space], &line[space + 2..])
            });
            bytes(left, &mut text);
            let cut = text.len();
            bytes(right, &mut text);
            let whole = match cut {
                0 => None,
                cut if cut == text.len() => None,
                _ => pieces.find_near(&text, last),
            };
            last = whole.unwrap_or(last);
            merges.push(whole, cut as u32);
        }
        merges
    }

    /// Adds the next merge. The first of equal ones wins. A token of n bytes has at most n - 1 merges and each takes n
    /// bytes of file, so the search is no more than what the file pays for.
    fn push(&mut self, whole: Option<Token>, cut: u32) {
        let rank = self.links.len() as u32;
        let mut next = NONE;
        if let Some(whole) = whole.filter(|&whole| self.rank(whole, cut).is_none()) {
            next = std::mem::replace(&mut self.heads[whole as usize], rank);
        }
        self.links.push(Link { cut, next });
    }

    /// The rank of the merge that makes `whole` of its first `cut` bytes and the rest.
    fn rank(&self, whole: Token, cut: u32) -> Option<u32> {
        let mut rank = self.heads[whole as usize];
        while rank != NONE {
            let link = self.links[rank as usize];
            if link.cut == cut {
                return Some(rank);
            }
            rank = link.next;
        }
        None
    }

    /// What two neighbours in `text` become. Bytes and unknown characters, which no text is found as, stay alone.
    fn join(&self, text: &[u8], pieces: &Pieces, left: &Symbol, right: &Symbol) -> Option<Join> {
        if !pieces.is_findable(left.token) || !pieces.is_findable(right.token) {
            return None;
        }
        let token = pieces.find(&text[left.range().start..right.range().end])?;
        let rank = self.rank(token, left.len)?;
        Some(Join {
            priority: u64::from(rank),
            token,
        })
    }
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
    /// The rules that `tokenizer.ggml.pre` names; a file without the key has `default`, as llama.cpp reads it.
    ///
    /// Names are those that llama.cpp gives one expression, and that models of our architectures have: SmolLM 3 is
    /// `smaug-bpe` (Llama 3's vocabulary without its BOS), Granite 3 `refact` and Granite 4 `dbrx`, Phi 4 `dbrx` and Phi
    /// 4 mini `gpt-4o`, Mistral `tekken`.
    pub(super) fn named(pre: &str) -> Option<Self> {
        let (cut, whole_words, nfc) = match pre {
            "smollm" | "refact" | "starcoder" | "codeshell" | "exaone" | "minerva-7b"
            | "mellum2" => (Cut::DigitsThenGpt2, false, false),
            "gpt-2" | "gpt2" | "phi-2" | "gigachat" | "a.x-4.0" | "mellum" | "exaone4" | "jais"
            | "trillion" | "granite-docling" => (Cut::Gpt2, false, false),
            "mpt" | "olmo" => (Cut::Gpt2, false, true),
            "default" => (Cut::Default, false, false),
            "qwen2" | "deepseek-r1-qwen" | "megrez" => (Cut::cl100k(1), false, true),
            "qwen35" => (Cut::QWEN35, false, true),
            "dbrx" | "glm4" | "chatglm-bpe" => (Cut::cl100k(3), false, false),
            "llama-bpe" | "llama3" | "llama-v3" | "smaug-bpe" | "falcon3" | "midm-2.0" => {
                (Cut::cl100k(3), true, false)
            }
            "tekken" => (Cut::TEKKEN, true, false),
            "gpt-4o" | "llama4" | "kanana2" => (Cut::GPT4O, false, false),
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
        let (mut merger, mut kept) = (Merger::default(), Vec::new());
        for word in self.rules.cut.words(text) {
            if self.rules.whole_words
                && let Some(token) = pieces.find(word.as_bytes())
            {
                out.push(token);
                continue;
            }
            // A byte without a token cannot be written; the reference drops it as well.
            kept.clear();
            for byte in word.bytes() {
                if let Some(token) = self.bytes[usize::from(byte)] {
                    merger.push(token, 1);
                    kept.push(byte);
                }
            }
            merger.run(|l, r| self.merges.join(&kept, pieces, l, r), out);
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
        let text = self.fallback.writable(text, pieces);
        self.fallback.start(&text, pieces, &mut merger);
        let bytes = text.as_bytes();
        merger.run(|l, r| self.merges.join(bytes, pieces, l, r), out);
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
    /// The text without characters for which there is nothing to write, so that symbols are where their bytes are.
    pub(super) fn writable<'a>(&self, text: &'a str, pieces: &Pieces) -> Cow<'a, str> {
        let token = |b: u8| self.bytes[usize::from(b)];
        if self.unknown.is_some() || (0..=255).all(|b| token(b).is_some()) {
            return text.into();
        }
        let is_writable = |c: &char| {
            let mut room = [0; 4];
            let bytes = c.encode_utf8(&mut room).as_bytes();
            pieces.find(bytes).is_some() || bytes.iter().all(|&b| token(b).is_some())
        };
        text.chars().filter(is_writable).collect()
    }

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
