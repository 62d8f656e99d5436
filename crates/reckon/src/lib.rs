//! Small language models on the CPU, with guards that hold their answers against classical tools.
//!
//! ```no_run
//! # fn print_it(event: reckon::Event<'_>) {}
//! # fn main() -> reckon::Result<()> {
//! let model = reckon::Model::open("qwen2.5-coder-1.5b.gguf")?;      // all fitting cores, the file's own sampling
//! let mut chat = model.chat().guards(reckon::guards::all());         // owns history and KV cache
//! let reply = chat.ask("12 boxes of 8 rolls, 37 sold. How many are left?", |event| print_it(event))?;
//! println!("{}", reply.receipt);
//! # Ok(()) }
//! ```
mod chat;
mod child;
mod conversation;
pub mod cpu;
mod endpoint;
mod error;
pub mod guards;
mod local;
mod model;
mod sampling;
mod serve;
mod stop;
mod tools;

pub use chat::{Chat, Schema};
pub use child::child;
pub use conversation::{Conversation, Exchange, Plan};
pub use endpoint::{Endpoint, EndpointOptions};
pub use error::{Error, Result};
pub use guards::Guards;
pub use model::{Model, ModelInfo, OpenOptions, Session};
pub use reckon_assistant::{
    Ask, Digest, Entry, Event, Guard, NoTools, OnEvent, Outcome, Receipt, Reply, Sampler, Source,
    TextModel, Tools,
};
pub use reckon_engine::{
    Finish, Generation, Isa, LoadStep, Message, Precision, Priority, Role, Sampling, Shape, Timing,
    Token, Usage,
};
pub use reckon_solve::logic::Solver;
pub use sampling::Overrides;
pub use stop::{Flow, Stop};
pub use tools::{Toolbox, Z3, find_z3, sandbox, tools};

/// The layers below, for those who need more of them than this crate shows.
pub use {reckon_assistant as assistant, reckon_engine as engine, reckon_solve as solve};
