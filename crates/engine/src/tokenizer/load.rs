//! Makes a tokenizer of a vocabulary: metadata of a GGUF file in, everything derived from it out.
//!
//! Called once per model. All checks are here; afterwards encoding and decoding cannot fail.
//! Kept fast for Gemma's 262144 tokens and 514906 merges, since people wait for it.
use super::{
    Kind, Method, Tokenizer, Vocab,
    bpe::{ByteLevel, CharLevel, Fallback, Merges, Rules},
    bytes,
    control::{self, Matcher},
    pieces::Pieces,
    spm::Spm,
};
use crate::{Error, Result, Token};

impl Tokenizer {
    /// Reads `tokenizer.ggml.*` of a file.
    pub fn from_gguf(file: &reckon_gguf::File) -> Result<Self> {
        let meta = file.metadata();
        let optional = |key: &str| meta.contains(key);
        let mut vocab = Vocab {
            model: meta.str("tokenizer.ggml.model")?,
            pre: meta.opt_str("tokenizer.ggml.pre")?,
            tokens: meta.byte_strings("tokenizer.ggml.tokens")?.collect(),
            bos: meta.opt_u32("tokenizer.ggml.bos_token_id")?,
            eos: meta.opt_u32("tokenizer.ggml.eos_token_id")?,
            eot: meta.opt_u32("tokenizer.ggml.eot_token_id")?,
            eom: meta.opt_u32("tokenizer.ggml.eom_token_id")?,
            unknown: meta.opt_u32("tokenizer.ggml.unknown_token_id")?,
            add_bos: meta.opt_bool("tokenizer.ggml.add_bos_token")?,
            add_space_prefix: meta.opt_bool("tokenizer.ggml.add_space_prefix")?,
            ..Vocab::default()
        };
        // Phi 4 has another vocabulary (`gpt2`), whose control tokens do not.
        let phi3 = meta.opt_str("general.architecture")? == Some("phi3");
        vocab.strip_after_control = phi3 && vocab.model == "llama";
        if optional("tokenizer.ggml.scores") {
            vocab.scores = meta.f32s("tokenizer.ggml.scores")?.collect();
        }
        if optional("tokenizer.ggml.token_type") {
            let numbers = meta.i64s("tokenizer.ggml.token_type")?;
            vocab.kinds = numbers.map(Kind::from_number).collect();
        }
        if optional("tokenizer.ggml.merges") {
            vocab.merges = meta.byte_strings("tokenizer.ggml.merges")?.collect();
        }
        Self::new(&vocab)
    }

    /// Checks a vocabulary and makes it ready.
    pub fn new(vocab: &Vocab<'_>) -> Result<Self> {
        check_sizes(vocab)?;
        let byte_level = match vocab.model {
            "gpt2" => true,
            "llama" | "gemma4" => false,
            other => return Err(refuse(format!("tokenizer model `{other}` is not known"))),
        };
        let kinds = kinds(vocab);
        let mut pieces = read_pieces(vocab, &kinds, byte_level);
        let spaces_only = |token: Token| {
            !byte_level && kinds[token as usize] == Kind::User && is_blank(pieces.bytes(token))
        };
        let mergeable: Vec<Token> = (0..kinds.len() as Token)
            .filter(|&t| kinds[t as usize] == Kind::Normal || spaces_only(t))
            .collect();
        let blank: Vec<Token> = mergeable
            .iter()
            .copied()
            .filter(|&t| spaces_only(t))
            .collect();
        pieces.index(&mergeable);
        let (plain, markers, edges) = matchers(vocab, &kinds, byte_level);
        Ok(Self {
            method: method(vocab, &kinds, &pieces, &blank)?,
            plain,
            markers,
            edges,
            ends: ends(vocab, &kinds),
            bos: vocab.bos,
            eos: vocab.eos,
            add_bos: vocab.model == "gemma4"
                || vocab
                    .add_bos
                    .unwrap_or(!byte_level || vocab.pre.is_some_and(begins_with_bos)),
            add_space_prefix: vocab.add_space_prefix.unwrap_or(vocab.model == "llama"),
            strip_after_control: vocab.strip_after_control,
            kinds,
            pieces,
        })
    }
}

/// Whether prompts of this pre-tokenizer begin with BOS if the file does not say.
fn begins_with_bos(pre: &str) -> bool {
    matches!(
        pre,
        "llama-bpe" | "llama3" | "llama-v3" | "falcon3" | "midm-2.0" | "tekken"
    )
}

fn refuse(why: String) -> Error {
    Error::Model(why)
}

fn check_sizes(vocab: &Vocab<'_>) -> Result<()> {
    let n = vocab.tokens.len();
    let bytes: usize = vocab.tokens.iter().map(|t| t.len()).sum();
    if n == 0 || n >= 1 << 31 || bytes >= 1 << 31 {
        return Err(refuse(format!("a vocabulary of {n} tokens, {bytes} bytes")));
    }
    for (name, len) in [("scores", vocab.scores.len()), ("types", vocab.kinds.len())] {
        if len != 0 && len != n {
            return Err(refuse(format!("{len} token {name} for {n} tokens")));
        }
    }
    let ids = [vocab.bos, vocab.eos, vocab.eot, vocab.eom, vocab.unknown];
    match ids.into_iter().flatten().find(|&id| id as usize >= n) {
        Some(token) => Err(Error::Token { token, n_vocab: n }),
        None => Ok(()),
    }
}

/// The kind of every token, with chat markers by name and by role made control tokens.
fn kinds(vocab: &Vocab<'_>) -> Vec<Kind> {
    let mut kinds = vocab.kinds.clone();
    kinds.resize(vocab.tokens.len(), Kind::Normal);
    // `<s>` and `</s>` begin and end a text, whatever type and role the file gives them. Only where `<eos>` does that,
    // as in Gemma's vocabulary, are they HTML.
    let is_html = vocab.tokens.contains(&&b"<eos>"[..]);
    let is_edge = |text: &[u8]| !is_html && (text == b"<s>" || text == b"</s>");
    for (kind, text) in kinds.iter_mut().zip(&vocab.tokens) {
        let is_text = matches!(kind, Kind::Normal | Kind::User);
        if is_text && (control::is_known(text) || is_edge(text)) {
            *kind = Kind::Control;
        }
    }
    for id in [vocab.bos, vocab.eos, vocab.eot, vocab.eom]
        .into_iter()
        .flatten()
    {
        if matches!(kinds[id as usize], Kind::Normal | Kind::User) {
            kinds[id as usize] = Kind::Control;
        }
    }
    if let Some(id) = vocab.unknown
        && kinds[id as usize] == Kind::Normal
    {
        kinds[id as usize] = Kind::Unknown;
    }
    kinds
}

/// The bytes that each token stands for; markers keep their text.
fn read_pieces(vocab: &Vocab<'_>, kinds: &[Kind], byte_level: bool) -> Pieces {
    let bytes = vocab.tokens.iter().map(|t| t.len()).sum();
    let mut pieces = Pieces::with_capacity(kinds.len(), bytes);
    for (&text, kind) in vocab.tokens.iter().zip(kinds) {
        pieces.push(|out| match kind {
            Kind::Normal if byte_level => bytes::decode(text, out),
            Kind::Normal | Kind::User if !byte_level => real_spaces(text, out),
            Kind::Byte => out.extend(byte_of(text)),
            _ => out.extend_from_slice(text),
        });
    }
    pieces
}

/// Appends a text with `▁` as a real space.
fn real_spaces(text: &[u8], out: &mut Vec<u8>) {
    const MARK: &[u8] = "▁".as_bytes();
    let mut rest = text;
    loop {
        while let Some(tail) = rest.strip_prefix(MARK) {
            out.push(b' ');
            rest = tail;
        }
        let Some((first, tail)) = rest.split_first() else {
            return;
        };
        // Up to the next byte that could begin a mark.
        let len = tail.iter().position(|&b| b == MARK[0]);
        let len = len.unwrap_or(tail.len());
        out.push(*first);
        out.extend_from_slice(&tail[..len]);
        rest = &tail[len..];
    }
}

/// The byte of `<0xAB>`.
fn byte_of(text: &[u8]) -> Option<u8> {
    let hex = text.strip_prefix(b"<0x")?.strip_suffix(b">")?;
    let hex = std::str::from_utf8(hex).ok().filter(|h| h.len() == 2)?;
    u8::from_str_radix(hex, 16).ok()
}

fn is_blank(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(u8::is_ascii_whitespace)
}

/// Finders for plain tokens and for all markers, and the edges of the markers that are not plain.
fn matchers(
    vocab: &Vocab<'_>,
    kinds: &[Kind],
    byte_level: bool,
) -> (Matcher, Matcher, (Vec<char>, Vec<char>)) {
    let (mut plain, mut markers, mut texts) = (Matcher::default(), Matcher::default(), Vec::new());
    for (token, (&text, &kind)) in vocab.tokens.iter().zip(kinds).enumerate() {
        let token = token as Token;
        if !control::is_marker(kind) {
            continue;
        }
        let Ok(text) = std::str::from_utf8(text) else {
            continue;
        };
        if kind == Kind::User && control::is_plain(text.as_bytes()) {
            // Files write runs of spaces with real ones, the reference looks for the vocabulary's mark. Real spaces
            // find their run in the merge loop.
            let text = match byte_level {
                true => text.to_owned(),
                false => text.replace(' ', "▁"),
            };
            plain.insert(text.as_bytes(), token);
            markers.insert(text.as_bytes(), token);
        } else if text.chars().nth(1).is_some() {
            // A marker of a single character could not be guarded against, so there are none.
            markers.insert(text.as_bytes(), token);
            texts.push(text);
        }
    }
    (plain, markers, control::edges(texts.into_iter()))
}

fn method(vocab: &Vocab<'_>, kinds: &[Kind], pieces: &Pieces, blank: &[Token]) -> Result<Method> {
    let byte_tokens = || {
        let mut bytes = [None; 256];
        for token in (0..kinds.len()).filter(|&t| kinds[t] == Kind::Byte) {
            if let [byte] = pieces.bytes(token as Token) {
                bytes[usize::from(*byte)].get_or_insert(token as Token);
            }
        }
        bytes
    };
    let fallback = || Fallback {
        bytes: byte_tokens(),
        unknown: vocab.unknown,
    };
    Ok(match vocab.model {
        "gpt2" => {
            let pre = vocab.pre.unwrap_or("default");
            let rules = Rules::named(pre)
                .ok_or_else(|| refuse(format!("pre-tokenizer `{pre}` is not known")))?;
            Method::ByteLevel(Box::new(ByteLevel {
                merges: Merges::new(&vocab.merges, pieces, bytes::decode),
                rules,
                bytes: std::array::from_fn(|b| pieces.find(&[b as u8])),
            }))
        }
        "gemma4" => Method::CharLevel(CharLevel {
            merges: Merges::new(&vocab.merges, pieces, real_spaces),
            fallback: fallback(),
        }),
        _ => Method::Spm(Spm {
            scores: scores(vocab, kinds, blank),
            fallback: fallback(),
        }),
    })
}

fn scores(vocab: &Vocab<'_>, kinds: &[Kind], blank: &[Token]) -> Vec<f32> {
    let score = |(i, kind): (usize, &Kind)| match kind {
        Kind::Normal => vocab.scores.get(i).map_or(0.0, |s| s.min(f32::MAX)),
        _ => f32::NAN,
    };
    let mut scores: Vec<f32> = kinds.iter().enumerate().map(score).collect();
    for &token in blank {
        scores[token as usize] = f32::INFINITY;
    }
    scores
}

fn ends(vocab: &Vocab<'_>, kinds: &[Kind]) -> Vec<Token> {
    let by_text = vocab.tokens.iter().zip(kinds).enumerate();
    let mut ends: Vec<Token> = by_text
        .filter(|(_, (text, kind))| control::is_marker(**kind) && control::is_end(text))
        .map(|(i, _)| i as Token)
        .chain([vocab.eos, vocab.eot, vocab.eom].into_iter().flatten())
        .collect();
    ends.sort_unstable();
    ends.dedup();
    // gpt-oss ends an answer with `<|return|>` or `<|call|>`; `<|end|>` only ends one message of several.
    let text = |end: &Token| vocab.tokens[*end as usize];
    if ends.iter().any(|end| text(end) == b"<|return|>") {
        ends.retain(|end| text(end) != b"<|end|>");
    }
    ends
}
