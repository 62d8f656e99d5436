//! One SQLite file with conversations, answers under way, what people had remembered, the keys of an API and what a bot
//! must not lose.
//!
//! ```
//! use reckon_store::{Filter, Finished, NewConversation, Owner, Question, Store};
//!
//! let store = Store::in_memory()?; // or Store::open("…/reckon.db")
//! let owner = Owner::local();
//!
//! let conversation = store.create_conversation(&owner, &NewConversation::default())?;
//! let question = Question { content: "What is 6 × 7?".into(), ..Question::default() };
//! let (_, answer) = store.ask(&owner, &conversation.id, &question)?;
//!
//! store.progress(&owner, &answer.id, "6 × 7 is", "")?; // as often as the text should survive a crash
//! store.finish(&owner, &answer.id, &Finished { content: "6 × 7 is 42.".into(), ..Finished::default() })?;
//!
//! let found = store.list(&owner, &Filter { query: Some("42".into()), ..Filter::default() })?;
//! assert_eq!(found[0].title, "What is 6 × 7?");
//! assert_eq!(found[0].snippet.as_deref(), Some("6 × 7 is \u{1}42\u{2}."));
//! # Ok::<(), reckon_store::Error>(())
//! ```
//!
//! A [`Store`] is used by the threads of a server and by other processes at the same time. Everything in it belongs to
//! an [`Owner`], and what belongs to another one does not exist. Calls take milliseconds and block; whoever is
//! asynchronous makes them on a thread that may wait.
//!
//! Structs are serialised as the page's API has them. Times are Unix milliseconds. Nothing is printed, no environment
//! is read, and nothing but the file and the two beside it is touched.
mod answer;
pub mod bot;
mod bounds;
mod conversation;
mod error;
mod file;
mod id;
mod key;
mod memory;
mod message;
mod question;
mod schema;
mod search;
mod store;
mod transfer;

pub use answer::Finished;
pub use bounds::{
    MOST_CONTENT, MOST_ERROR, MOST_IMPORT, MOST_JSON, MOST_KEYS, MOST_MESSAGES, MOST_NAME,
    MOST_SYSTEM, MOST_TITLE,
};
pub use conversation::{Change, Conversation, NewConversation, Thread};
pub use error::{Error, Result};
pub use id::{ConversationId, FactId, KeyId, MessageId, Owner, PersonId};
pub use key::{Key, Limits};
pub use memory::{Fact, MOST_FACT, MOST_FACTS};
pub use message::{Message, Role, State};
pub use question::Question;
pub use search::{Filter, Summary};
pub use store::Store;
