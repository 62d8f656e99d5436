//! One SQLite file with conversations, answers under way and the keys of an API.
mod error;
mod file;
mod id;
mod schema;
mod store;

pub use error::{Error, Result};
pub use id::{ConversationId, KeyId, MessageId, Owner};
pub use store::Store;
