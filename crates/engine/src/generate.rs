//! Requests, sampling settings, events and results: the types that `session` and `scheduler` share with their callers.

use crate::{Grammar, Prompt, Token, ToolCall};
use reckon_gguf::File;
use std::sync::Arc;
use std::time::Duration;

/// How the next token is chosen. `temperature` 0 is greedy.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// 0 takes the most likely token.
    pub temperature: f32,
    /// Keep the k most likely; 0 keeps all.
    pub top_k: usize,
    /// Keep the smallest set with this probability; 1 keeps all.
    pub top_p: f32,
    /// Drop tokens less likely than this share of the best one; 0 drops none.
    pub min_p: f32,
    /// Divides the score of tokens seen in the last `penalty_window` tokens; 1 is off.
    pub repetition_penalty: f32,
    /// How far back the penalty looks.
    pub penalty_window: usize,
    /// Same seed, same bytes.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            temperature: 0.7,
            top_k: 40,
            top_p: 0.95,
            min_p: 0.0,
            repetition_penalty: 1.0,
            penalty_window: 64,
            seed: 0,
        }
    }
}

impl Sampling {
    /// The sampling that a file recommends, else ours for its family.
    pub fn from_gguf(file: &File) -> Self {
        let meta = file.metadata();
        let number = |key: &str| meta.opt_f32(key).ok().flatten().filter(|x| x.is_finite());
        // A file's own recommendation counts key by key; what it leaves open is its family's.
        let family = Self::of_family(meta.str("general.architecture").unwrap_or_default());
        Self {
            temperature: number("general.sampling.temp").unwrap_or(family.temperature),
            top_p: number("general.sampling.top_p").unwrap_or(family.top_p),
            top_k: meta
                .opt_u32("general.sampling.top_k")
                .ok()
                .flatten()
                .map_or(family.top_k, |k| k as usize),
            ..family
        }
    }

    fn of_family(architecture: &str) -> Self {
        match architecture {
            "gemma4" | "gemma3" => Self {
                temperature: 1.0,
                top_k: 64,
                top_p: 0.95,
                ..Self::default()
            },
            "qwen2" => Self {
                temperature: 0.7,
                top_k: 20,
                top_p: 0.8,
                repetition_penalty: 1.05,
                ..Self::default()
            },
            "qwen3" => Self {
                temperature: 0.6,
                top_k: 20,
                top_p: 0.95,
                ..Self::default()
            },
            "smollm3" => Self {
                temperature: 0.6,
                ..Self::default()
            },
            "mistral3" => Self {
                temperature: 0.15,
                ..Self::default()
            },
            _ => Self::default(),
        }
    }
}

/// What to generate.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The whole prompt, from the first token; what a session already holds of it is reused.
    pub prompt: Prompt,
    /// How to choose tokens.
    pub sampling: Sampling,
    /// Stop after this many tokens of answer; `None`: until the context is full.
    pub max_tokens: Option<usize>,
    /// What the answer must look like, made by `Model::grammar` of the same model; `None` leaves it to the model.
    ///
    /// It holds for the answer, not for thinking: if the prompt leaves a block of thinking open, it begins behind that;
    /// otherwise it begins with the first token, and the model cannot open a block by itself. The answer is over when
    /// the grammar allows no more. With `Finish::Length`, `Context` or `Cancelled` the text is only the beginning of
    /// one that the grammar allows.
    pub grammar: Option<Arc<Grammar>>,
    /// Texts at which the answer is over: the first to be complete ends it and is left out. At most 16 of at most 256
    /// bytes; empty ones are ignored. They are looked for in the answer, not in thinking.
    pub stop: Vec<String>,
    /// Report the log-probability of each token, and of so many of the likeliest beside it, at most 20.
    pub logprobs: Option<usize>,
    /// How many tokens at the beginning of the prompt may be kept: a scheduler with a
    /// [`PrefixStore`](crate::PrefixStore) writes their K/V to the disk. `None` keeps nothing.
    pub keep_prefix: Option<usize>,
}

/// What happens while an answer is made.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// `done` of `total` prompt tokens are read.
    Prefill {
        /// Read so far.
        done: usize,
        /// To read.
        total: usize,
    },
    /// More text of the model's thinking.
    Thought(&'a str),
    /// How likely the next token was, if the request asks for it; the text that it brings comes behind it.
    Likely(&'a TokenLogprobs),
    /// More text of the answer.
    Text(&'a str),
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// The model said it is done, a stop text came, or the request's grammar allows no more.
    #[default]
    Stop,
    /// `max_tokens` reached.
    Length,
    /// The context is full.
    Context,
    /// The caller asked to stop.
    Cancelled,
    /// The request's grammar is not complete, and no token goes on: the vocabulary cannot write what it demands, or
    /// following it takes too much work.
    Grammar,
}

/// Tokens read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: usize,
    /// Of these, taken over from what the session already held.
    pub reused: usize,
    /// Tokens of the answer, thinking included.
    pub completion: usize,
    /// Tokens that were guessed ahead and checked.
    pub drafted: usize,
    /// Of these, how many stood: so many passes were saved.
    pub accepted: usize,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// Reading the prompt.
    pub prefill: Duration,
    /// Writing the answer.
    pub decode: Duration,
}

/// How likely a token was by the model's own probabilities, before penalties, temperature and grammar.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenLogprobs {
    /// The token that was chosen.
    pub token: Token,
    /// The natural logarithm of its probability.
    pub logprob: f32,
    /// The likeliest tokens, best first; ties go to the lower id.
    pub top: Vec<(Token, f32)>,
}

/// A finished answer.
#[derive(Clone, Debug, Default)]
pub struct Generation {
    /// The answer without thinking.
    pub text: String,
    /// The thinking, if the model showed any.
    pub thought: String,
    /// Calls of tools that came apart from the text, as servers elsewhere give them; the engine's own stand in the text.
    pub calls: Vec<ToolCall>,
    /// Every token of the answer, the end token left out.
    pub tokens: Vec<Token>,
    /// Why it ended.
    pub finish: Finish,
    /// Which of the request's stop texts ended it.
    pub stopped_by: Option<String>,
    /// For each of `tokens`, if the request asks for it.
    pub logprobs: Vec<TokenLogprobs>,
    /// Tokens read and written.
    pub usage: Usage,
    /// Where the time went.
    pub timing: Timing,
}

impl Generation {
    /// Adds the tokens and the time of another one, for an answer that is made of several.
    pub fn add_cost(&mut self, other: &Self) {
        self.usage.prompt += other.usage.prompt;
        self.usage.reused += other.usage.reused;
        self.usage.completion += other.usage.completion;
        self.timing.prefill += other.timing.prefill;
        self.timing.decode += other.timing.decode;
    }
}
