//! A tokenizer's vocabulary in, what grammars are compiled against out.
//!
//! Made once per model, when the first grammar is asked for; `Model` keeps it. A token stands for the bytes that it shows.
//! Control tokens, markers of thinking and of calls, and tokens that end an answer stand for nothing, so no text of a
//! grammar leads to them (grammars for tools name markers of calls by their ids); one
//! more entry behind the last token (`end`) stands for the end, and `walk` puts the model's own in its place.
//! Of tokens with the same bytes (SentencePiece has each letter twice) the one that text becomes is kept.
use super::{Shape, refuse, schema};
use crate::{Kind, Result, Token, Tokenizer, thinking, tool_call};
use llguidance::api::{ParserLimits, TopLevelGrammar};
use llguidance::toktrie::{ApproximateTokEnv, InferenceCapabilities, TokEnv, TokRxInfo, TokTrie};
use llguidance::{Matcher, ParserFactory, TokenParser};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Tokens longer than this are left out; the trie cannot hold them.
const MAX_PIECE: usize = 512;
/// Bytes of all pieces; the trie has no more nodes than this.
const MAX_BYTES: usize = (1 << 22) - 2;
/// What one grammar may take: states of its lexer, symbols of its rules.
const MAX_STATES: usize = 50_000;
const MAX_SYMBOLS: usize = 100_000;
/// Tokens inside a JSON string, sorted apart: all of them are mostly allowed there. The four such parts that `llguidance` has
/// take half as long again to make and save nothing, because `Walk::allows` nearly always finds a token before all must be
/// looked at.
const IN_A_STRING: &str = r#"[^"\\\x00-\x1F\x7F]+"#;
/// No token has these bytes: text is UTF-8, and the trie uses this one for itself.
const NEVER: u8 = 0xff;

/// What grammars are compiled against.
pub(crate) struct Vocabulary {
    factory: ParserFactory,
    ends: Vec<Token>,
    /// The entry that stands for the end.
    end: Token,
}

impl Vocabulary {
    pub(crate) fn new(tokenizer: &Tokenizer) -> Result<Self> {
        let mut words = vec![Vec::new(); tokenizer.n_vocab()];
        let (mut seen, mut total) = (HashSet::new(), 0);
        let mut markers = thinking::markers(tokenizer);
        markers.extend(tool_call::markers(tokenizer));
        for kinds in [&[Kind::Normal, Kind::User][..], &[Kind::Byte]] {
            for (token, word) in (0..).zip(&mut words) {
                let bytes = tokenizer.piece(token);
                let is_text = tokenizer.kind(token).is_some_and(|k| kinds.contains(&k))
                    && !tokenizer.is_end(token)
                    && !markers.contains(&token);
                if is_text
                    && !bytes.contains(&NEVER)
                    && bytes.len() <= MAX_PIECE
                    && seen.insert(bytes)
                {
                    total += bytes.len();
                    word.extend_from_slice(bytes);
                }
            }
        }
        if total > MAX_BYTES || words.len() >= 1 << 23 {
            let n = words.len();
            let why = format!("a vocabulary of {n} tokens, {total} bytes, is too large");
            return Err(refuse(why));
        }
        Self::of_words(words, tokenizer.ends().to_vec())
    }

    /// A vocabulary of single bytes, for checking shapes.
    pub(crate) fn of_bytes() -> Result<Self> {
        let bytes = (0..NEVER).map(|byte| vec![byte]);
        Self::of_words(bytes.collect(), Vec::new())
    }

    /// `words` by token; those without bytes stand for nothing.
    pub(super) fn of_words(mut words: Vec<Vec<u8>>, ends: Vec<Token>) -> Result<Self> {
        let end = words.len() as Token;
        words.push([&[NEVER], &b"<end>"[..]].concat());
        let trie = TokTrie::from(&TokRxInfo::new(end + 1, end), &words);
        let env: TokEnv = Arc::new(ApproximateTokEnv::new(trie));
        let slices = [IN_A_STRING.to_owned()];
        let mut factory =
            ParserFactory::new(&env, InferenceCapabilities::default(), &slices).map_err(refuse)?;
        factory.quiet();
        *factory.limits_mut() = ParserLimits {
            max_lexer_states: MAX_STATES,
            max_grammar_size: MAX_SYMBOLS,
            // Walks all tokens for masks that `Walk::allows` seldom needs.
            precompute_large_lexemes: false,
            verbose_errors: false,
            ..ParserLimits::default()
        };
        Ok(Self { factory, ends, end })
    }

    /// A parser at the beginning of what the shape allows.
    pub(super) fn compile(&self, shape: &Shape) -> Result<TokenParser> {
        self.compile_checked(shape.parse()?)
    }

    /// As `compile`, for what is known to be within bounds.
    pub(super) fn compile_checked(&self, grammar: TopLevelGrammar) -> Result<TokenParser> {
        let parser = self.factory.create_parser(grammar);
        let parser = parser.map_err(|error| refuse(schema::explain(&error.to_string())))?;
        match self.may_begin(Matcher::new(Ok(parser.deep_clone()))) {
            true => Ok(parser),
            false => Err(refuse("no text that the model can write fits it")),
        }
    }

    /// Whether there is any text at all that is allowed. Nearly always some letter or mark may come first, which is found in
    /// microseconds; all tokens that may come first take milliseconds where words are counted.
    fn may_begin(&self, mut at_begin: Matcher) -> bool {
        let one_letter = (b' '..=b'~').any(|byte| {
            let token = self.spell(&[byte]);
            at_begin
                .validate_tokens(&token)
                .is_ok_and(|taken| taken == 1)
        });
        one_letter || at_begin.compute_mask().is_ok()
    }

    /// Tokens that spell these bytes.
    pub(super) fn spell(&self, text: &[u8]) -> Vec<Token> {
        self.factory.tok_env().tok_trie().greedy_tokenize(text)
    }

    /// Whether a token stands for any text.
    pub(super) fn is_text(&self, token: Token) -> bool {
        let trie = self.factory.tok_env().tok_trie();
        token < self.end && !trie.token(token).is_empty()
    }

    /// Tokens that end an answer.
    pub(super) fn ends(&self) -> &[Token] {
        &self.ends
    }

    /// The entry that stands for the end.
    pub(super) fn end(&self) -> Token {
        self.end
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vocabulary").finish_non_exhaustive()
    }
}
