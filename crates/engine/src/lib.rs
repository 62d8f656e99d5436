//! Runs a language model on the CPU: a GGUF file and a prompt in, tokens and text out.
mod chat;
mod error;
mod generate;
mod model;
mod tokenizer;

pub use chat::{Message, Role};
pub use error::{Error, Result};
pub use generate::{Event, Finish, Generation, Request, Sampling, Session, Timing, Usage};
pub use model::{LoadStep, Model, ModelOptions};
pub use tokenizer::{Decoder, Kind, Tokenizer, Vocab};

/// Index of an entry of the vocabulary.
pub type Token = u32;
