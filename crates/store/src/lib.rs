//! One SQLite file with conversations, answers under way and the keys of an API.
mod answer;
mod bounds;
mod conversation;
mod error;
mod file;
mod id;
mod key;
mod message;
mod question;
mod schema;
mod search;
mod store;

pub use answer::Finished;
pub use bounds::{
    MOST_CONTENT, MOST_ERROR, MOST_IMPORT, MOST_JSON, MOST_KEYS, MOST_MESSAGES, MOST_NAME,
    MOST_SYSTEM, MOST_TITLE,
};
pub use conversation::{Change, Conversation, NewConversation, Thread};
pub use error::{Error, Result};
pub use id::{ConversationId, KeyId, MessageId, Owner};
pub use key::{Key, Limits};
pub use message::{Message, Role, State};
pub use question::Question;
pub use search::{Filter, Summary};
pub use store::Store;
