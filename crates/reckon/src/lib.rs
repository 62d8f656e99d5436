//! Small language models on the CPU, with guards that hold their answers against classical tools.
//!
//! ```
//! # // A tiny random model under that name, in a directory that goes away.
//! # let directory = tempfile::tempdir().unwrap();
//! # std::env::set_current_dir(&directory).unwrap();
//! # let tiny = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tiny.gguf"));
//! # std::fs::write("qwen2.5-coder-1.5b.gguf", tiny).unwrap();
//! # let mut heard = String::new();
//! # let mut print_it = |event: reckon::Event<'_>| {
//! #     if let reckon::Event::Text(text) = event { heard.push_str(text) }
//! # };
//! let model = reckon::Model::open("qwen2.5-coder-1.5b.gguf")?;      // all fitting cores, the file's own sampling
//! let mut chat = model.chat().guards(reckon::guards::all());         // owns history and KV cache
//! let reply = chat.ask("12 boxes of 8 rolls, 37 sold. How many are left?", |event| print_it(event))?;
//! println!("{}", reply.receipt);
//! # assert_eq!(heard, reply.generation.text);
//! # assert_eq!(reply.receipt.guards.len(), 7);
//! # // Programs run in a locked child: this very test, started again.
//! # use reckon::Tools;
//! # assert_eq!(reckon::tools().python("12 * 8 - 37").value.as_deref(), Some("59"));
//! # Ok::<(), reckon::Error>(())
//! ```
//!
//! A [`Model`] is a file on this machine ([`Model::open`]) or a model of a server ([`Model::remote`]); a [`Chat`] is one
//! conversation with it. [`Model::shared`] answers many askers together. Each [`Reply`] carries a [`Receipt`]: what made
//! the answer, what each guard saw and did; it prints and serialises.
//!
//! Programs that a model wrote run in a child process that can do nothing but calculate: the program that embeds this
//! library, started again and caught before its `main` ([`child()`]).
//!
//! Same model, prompt, sampler and seed give the same bytes on every CPU and for any number of threads.
mod attachment;
mod chat;
mod child;
mod conversation;
pub mod cpu;
mod documents;
mod endpoint;
mod error;
mod fixed;
mod given;
pub mod guards;
mod local;
mod model;
mod peers;
mod recent;
mod sampling;
mod serve;
mod stop;
mod tools;

pub use attachment::{AttachedFile, Attachment, SoundWindow};
pub use chat::{Chat, Schema};
pub use child::child;
pub use conversation::{Conversation, Exchange, Plan};
pub use documents::{Documents, Prepared, ReadFiles, Room};
pub use endpoint::{Endpoint, EndpointOptions};
pub use error::{Error, Result};
pub use given::Given;
pub use guards::Guards;
pub use model::{Completion, Model, ModelInfo, OpenOptions, Session};
pub use peers::{Asking, Peer, Peers, Survey};
pub use recent::Recent;
pub use reckon_assistant::{
    Ask, BatchEvent, CheckLevel, Cited, Digest, Entry, Event, Guard, Handover, Mark, MarkState,
    NoTools, OnBatch, OnEvent, Outcome, PeerEntry, PeerOutcome, Receipt, Reply, Sampler, Sent,
    Source, TextModel, Tools,
};
pub use reckon_engine::{
    Finish, Generation, Isa, LoadStep, Media, Message, Precision, Priority, Role, Sampling, Shape,
    Timing, Token, Usage,
};
pub use reckon_solve::logic::Solver;
pub use sampling::Overrides;
pub use stop::{Flow, Stop};
pub use tools::{Toolbox, Toolboxes, Z3, find_z3, sandbox, tools};

/// The layers below, for those who need more of them than this crate shows.
pub use {
    reckon_assistant as assistant, reckon_engine as engine, reckon_gguf as gguf,
    reckon_kernels as kernels, reckon_media as media, reckon_models as models,
    reckon_recall as recall, reckon_solve as solve, reckon_walls as walls,
};
