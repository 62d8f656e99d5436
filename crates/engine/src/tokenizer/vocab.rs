//! A vocabulary as a file gives it: plain data, nothing derived yet.
//!
//! `Tokenizer::from_gguf` fills it from metadata and tests fill it by hand; `Tokenizer::new` reads it.

/// What a token is for (`tokenizer.ggml.token_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Ordinary text.
    Normal,
    /// Stands for what the vocabulary cannot write.
    Unknown,
    /// Steers the model; never made from user text, not shown.
    Control,
    /// Added by the model's makers: runs of whitespace, tags, tool markers.
    User,
    /// A gap in the numbering.
    Unused,
    /// One byte, for characters that the vocabulary does not hold.
    Byte,
}

impl Kind {
    /// The kind that a GGUF number means; anything unknown is a gap.
    pub fn from_number(number: i64) -> Self {
        match number {
            1 => Self::Normal,
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::User,
            6 => Self::Byte,
            _ => Self::Unused,
        }
    }
}

/// A vocabulary and the rules that go with it.
#[derive(Clone, Debug, Default)]
pub struct Vocab<'a> {
    /// `llama` (SentencePiece), `gpt2` (byte-level) or `gemma4`.
    pub model: &'a str,
    /// How text is cut before byte-level merging, e.g. `qwen2`.
    pub pre: Option<&'a str>,
    /// The text of each token, as the file writes it.
    pub tokens: Vec<&'a [u8]>,
    /// The score of each token; empty or one per token.
    pub scores: Vec<f32>,
    /// The kind of each token; empty (all normal) or one per token.
    pub kinds: Vec<Kind>,
    /// Merges, best first, as `left right`.
    pub merges: Vec<&'a [u8]>,
    /// Begins a text.
    pub bos: Option<u32>,
    /// Ends a text.
    pub eos: Option<u32>,
    /// Ends a turn.
    pub eot: Option<u32>,
    /// Ends a message.
    pub eom: Option<u32>,
    /// Stands for what cannot be written.
    pub unknown: Option<u32>,
    /// Whether a prompt begins with `bos`; `None`: as is usual for the model.
    pub add_bos: Option<bool>,
    /// Whether a space is put before text; `None`: as is usual for the model.
    pub add_space_prefix: Option<bool>,
    /// Whether control tokens swallow the whitespace behind them, as those of Phi 3 do. No key of a file says so.
    pub strip_after_control: bool,
}
