//! Reckon over HTTP: what speaks the protocols of OpenAI, Ollama or Anthropic can ask it, and so can a page at `/`.
//!
//! The server owns no engine: it turns requests into queries of the `reckon` library (`query.rs`), lets them wait their
//! turn (`queue.rs`), asks on a thread (`job.rs`), and says what happens in the words of the protocol (`stream.rs`, and a
//! folder for each protocol). Models are loaded on demand (`pool.rs`). Who may come in is decided in one place (`door.rs`).
//!
//! Safe by default: it listens on this machine only; anywhere else it wants keys, or does not start.
mod anthropic;
mod aside;
mod attachment;
mod bare_call;
mod batches;
mod body;
mod call;
mod count;
mod door;
mod error;
mod files;
mod health;
mod job;
mod listen;
mod llama_server;
mod metrics;
mod multipart;
mod names;
mod ollama;
mod openai;
mod openapi;
mod options;
mod page;
mod pool;
mod query;
mod queue;
mod repetition;
mod router;
mod schema;
mod state;
mod stream;
mod telling;
mod transcript;

pub use listen::{Running, start};
pub use openapi::DOCUMENT;
pub use options::{Loader, ServerOptions, Settings, is_loopback};

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Anybody on the network could ask: make a key, or listen on this machine only.
    #[error("{0} can be reached from other machines, and there is no key")]
    Open(std::net::SocketAddr),
    /// The address is taken or not ours: use another one.
    #[error("cannot listen: {0}")]
    Listen(std::io::Error),
    /// The certificate or its key cannot be used: correct them.
    #[error("TLS: {0}")]
    Tls(String),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] reckon_store::Error),
}
