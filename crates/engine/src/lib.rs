//! Runs a language model on the CPU: loads a GGUF file, prefills a prompt, decodes tokens and text.
//!
//! [`Model`] is loaded once and shared; a [`Session`] is one conversation with it, a [`Scheduler`] batches many
//! requests.
//!
//! Tools: give them to [`TemplateOptions::tools`] for the prompt, put [`Model::tool_grammar`] into [`Request::grammar`], and
//! run [`Model::tool_parser`] over the text of the answer. Results go back as [`Message::tool`] behind
//! [`Message::with_calls`].
//!
//! Images and sound: give the model its mmproj with [`Model::with_mmproj`], make [`Media`] with [`Model::encode_image`] and
//! [`Model::encode_audio`], and hand them over with [`Message::with_media`].

mod answer;
mod chat;
mod config;
mod error;
mod forward;
mod generate;
mod grammar;
mod logprobs;
mod model;
mod mtp;
mod prefix_store;
mod prompt;
mod runner;
mod sampler;
mod scheduler;
mod senses;
mod sequence;
mod session;
mod speculate;
mod state;
mod stop;
mod template;
mod thinking;
mod tokenizer;
mod tool_call;
mod weights;

pub use chat::{CallRef, Message, Role, Tool, ToolCall, ToolChoice};
pub use config::ARCHITECTURES;
pub use error::{Error, Result};
pub use generate::{Event, Finish, Generation, Request, Sampling, Timing, TokenLogprobs, Usage};
pub use grammar::{Grammar, Shape};
pub use model::{LoadStep, Model, ModelOptions};
pub use mtp::Guess;
pub use prefix_store::PrefixStore;
pub use prompt::{Prompt, Soft};
pub use reckon_kernels::{Isa, Precision};
pub use scheduler::{Priority, Scheduler, SchedulerOptions, Ticket};
pub use senses::{
    IMAGE_BUDGET, MAX_SAMPLES, Media, MediaKind, Mel, Pixels, SAMPLE_RATE, mel, resize, target_size,
};
pub use session::Session;
pub use speculate::Drafting;
pub use template::{Renderer, Template, TemplateOptions, render};
pub use thinking::{Part, Thinking};
pub use tokenizer::{Decoder, Kind, Tokenizer, Vocab};
pub use tool_call::{ToolParser, ToolPart, ToolStyle, may_call};

/// Index of an entry of the vocabulary.
pub type Token = u32;
