//! Small vocabularies of every kind, made here, for tests that need no file.
use reckon_engine::{Kind, Tokenizer, Vocab};

/// Chat markers and look-alikes that texts of tests are made of.
pub(crate) const MARKERS: &[(&str, Kind)] = &[
    ("<bos>", Kind::Control),
    ("<eos>", Kind::Control),
    ("<unk>", Kind::Unknown),
    ("<|im_start|>", Kind::Control),
    ("<|im_end|>", Kind::Control),
    ("<|turn>", Kind::Control),
    ("<turn|>", Kind::Control),
    ("<|think|>", Kind::Control),
    ("<|channel>", Kind::User),
    ("<channel|>", Kind::User),
    ("<|tool_response>", Kind::User),
    ("<tool_call>", Kind::User),
    ("[multimodal]", Kind::User),
    ("[PAD7]", Kind::Unused),
    ("<start_of_turn>", Kind::Control),
    ("<|start_header_id|>", Kind::Control),
];

/// Tokens that user text may become.
const PLAIN: &[&str] = &[
    "\n", "\n\n", "\n\n\n", "\t", "\t\t", "<b>", "</b>", "<table>", "</s>",
];

/// Words that merges lead to, with the marks of a SentencePiece vocabulary.
const WORDS: &[&str] = &[
    "th", "the", "▁the", "in", "▁a", "He", "ll", "Hell", "Hello", "▁w", "or", "▁wor", "ld",
    "▁world", "an", "aa", "aaa", "aaaa", "日本",
];

/// A vocabulary that owns its texts.
#[derive(Debug, Default)]
pub(crate) struct Owned {
    pub(crate) model: &'static str,
    pub(crate) pre: Option<&'static str>,
    pub(crate) tokens: Vec<String>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) scores: Vec<f32>,
    pub(crate) merges: Vec<String>,
    pub(crate) add_space_prefix: bool,
}

impl Owned {
    pub(crate) fn vocab(&self) -> Vocab<'_> {
        Vocab {
            model: self.model,
            pre: self.pre,
            tokens: self.tokens.iter().map(String::as_bytes).collect(),
            scores: self.scores.clone(),
            kinds: self.kinds.clone(),
            merges: self.merges.iter().map(String::as_bytes).collect(),
            bos: Some(0),
            eos: Some(1),
            unknown: Some(2),
            add_space_prefix: Some(self.add_space_prefix),
            ..Vocab::default()
        }
    }

    pub(crate) fn tokenizer(&self) -> Tokenizer {
        Tokenizer::new(&self.vocab()).expect("the vocabulary is sound")
    }

    /// Leaves out a marker, so that another family's template is chosen.
    pub(crate) fn without(mut self, texts: &[&str]) -> Self {
        for (token, kind) in self.tokens.iter_mut().zip(&mut self.kinds) {
            if texts.contains(&token.as_str()) {
                *token = format!("unused {token}");
                *kind = Kind::Unused;
            }
        }
        self
    }

    fn push(&mut self, text: impl Into<String>, kind: Kind, score: f32) {
        self.tokens.push(text.into());
        self.kinds.push(kind);
        self.scores.push(score);
    }
}

/// Every way to put each word together from two shorter tokens, best word first.
fn merges(tokens: &[String], words: &[String]) -> Vec<String> {
    let mut merges = Vec::new();
    for word in words {
        for (i, _) in word.char_indices().skip(1) {
            let (left, right) = word.split_at(i);
            if tokens.iter().any(|t| t == left) && tokens.iter().any(|t| t == right) {
                merges.push(format!("{left} {right}"));
            }
        }
    }
    merges
}

fn with_markers(model: &'static str) -> Owned {
    let mut owned = Owned {
        model,
        ..Owned::default()
    };
    for &(text, kind) in MARKERS {
        owned.push(text, kind, 0.0);
    }
    owned
}

/// `llama` or `gemma4`: characters, bytes to fall back on, runs of whitespace.
pub(crate) fn chars(model: &'static str) -> Owned {
    let mut owned = with_markers(model);
    for byte in 0..=255_u8 {
        owned.push(format!("<0x{byte:02X}>"), Kind::Byte, 0.0);
    }
    for text in PLAIN {
        owned.push(*text, Kind::User, -1000.0);
    }
    for n in 2..8 {
        // As converters write them: real spaces.
        owned.push(" ".repeat(n), Kind::User, -1000.0);
    }
    for (i, c) in ('!'..='~').chain("▁éß日本".chars()).enumerate() {
        owned.push(c.to_string(), Kind::Normal, -100.0 - i as f32);
    }
    for (i, word) in WORDS.iter().enumerate() {
        owned.push(*word, Kind::Normal, -(i as f32));
    }
    if model == "gemma4" {
        let runs = (2..8).rev().map(|n| "▁".repeat(n));
        let words: Vec<String> = runs.chain(WORDS.iter().map(|w| (*w).to_owned())).collect();
        let tokens: Vec<String> = owned.tokens.iter().map(|t| t.replace(' ', "▁")).collect();
        owned.merges = merges(&tokens, &words);
        // Names pieces that do not exist; must be skipped.
        owned.merges.push("qq zz".into());
        owned.merges.push("no-space".into());
    }
    owned
}

/// `gpt2`: bytes in their alphabet.
pub(crate) fn byte_level(pre: &'static str) -> Owned {
    let mut owned = with_markers("gpt2");
    owned.pre = Some(pre);
    for text in ["<b>", "<think>", "</think>"] {
        owned.push(text, Kind::User, 0.0);
    }
    for byte in 0..=255_u8 {
        owned.push(letter(byte).to_string(), Kind::Normal, 0.0);
    }
    let words: Vec<String> = WORDS
        .iter()
        .map(|w| w.replace('▁', " ").bytes().map(letter).collect())
        .collect();
    for word in &words {
        owned.push(word, Kind::Normal, 0.0);
    }
    owned.merges = merges(&owned.tokens, &words);
    owned
}

/// The printable character that stands for a byte.
fn letter(byte: u8) -> char {
    let printable = |b: u8| matches!(b, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if printable(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|&b| !printable(b)).count() as u32;
    char::from_u32(0x100 + before).expect("a character")
}
