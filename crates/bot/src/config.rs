//! What a bot is started with.
use crate::api::API_URL;
use crate::token::Token;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What a bot is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// The store's file; one bot at a time uses it.
    pub store: PathBuf,
    /// Who the bot is.
    pub token: Token,
    /// Where the Bot API is: Telegram's, a server of one's own, or a test.
    pub api_url: String,
    /// Wait to be called instead of asking for updates.
    pub webhook: Option<Webhook>,
    /// Numbers of accounts that need no approval. Names can change hands, so they are not taken.
    pub allow: Vec<i64>,
    /// Answers that are written at the same time.
    pub parallel: usize,
    /// What each person may use in a day.
    pub budget: Budget,
    /// Messages of a person that may wait at the same time.
    pub most_waiting: usize,
    /// How often things are shown.
    pub pace: Pace,
    /// Where to tell what happens.
    pub log: Log,
}

impl Config {
    /// A bot that asks Telegram for updates, without limits.
    pub fn new(store: impl Into<PathBuf>, token: Token) -> Self {
        Self {
            store: store.into(),
            token,
            api_url: API_URL.into(),
            webhook: None,
            allow: Vec::new(),
            parallel: 1,
            budget: Budget::default(),
            most_waiting: 20,
            pace: Pace::default(),
            log: Log::default(),
        }
    }
}

/// Where Telegram calls the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Where to listen. Telegram itself wants https: something in front has to provide it.
    pub listen: SocketAddr,
    /// The address that Telegram is told; `None` for `http://` and `listen`, which a Bot API server on this machine takes.
    pub url: Option<String>,
}

/// What a person may use in a day, which ends at midnight UTC; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Answers.
    pub answers: Option<u64>,
    /// Tokens; the answer that exceeds them is still sent.
    pub tokens: Option<u64>,
}

/// How often things are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Between two drafts of an answer.
    pub draft: Duration,
    /// Between two edits of a message; Telegram counts edits as messages, of which one a second is taken in a chat.
    pub edit: Duration,
    /// Between two signs of typing, each of which shows for five seconds.
    pub typing: Duration,
    /// How long a question waits before its place in the queue is told.
    pub notice: Duration,
    /// How long a call for updates waits for one.
    pub poll: Duration,
    /// How long an album waits for its next picture.
    pub album: Duration,
    /// How long a message whose fate is unknown is left alone: it may still be on its way.
    pub doubt: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            draft: Duration::from_millis(700),
            edit: Duration::from_millis(1_200),
            typing: Duration::from_millis(4_500),
            notice: Duration::from_secs(2),
            poll: Duration::from_secs(25),
            album: Duration::from_millis(1_500),
            doubt: Duration::from_secs(2),
        }
    }
}

/// Where the bot tells what happens, one line at a time. Nobody's words are in it, nor the token.
#[derive(Clone)]
pub struct Log(Arc<dyn Fn(&str) + Send + Sync>);

impl Log {
    /// Lines go to this function, on any thread.
    pub fn new(line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(line))
    }

    pub(crate) fn say(&self, line: &str) {
        (self.0)(line);
    }
}

impl Default for Log {
    /// Tells nobody.
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}

/// Asks the bot to end; clones ask the same one.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks for the end. It takes a second or so: what is under way goes on after the next start.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
