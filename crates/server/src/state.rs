//! What all requests of a server share.
use crate::{
    batches::Batches,
    door::{Rates, Visitor, today},
    files::FileStore,
    metrics::Metrics,
    options::Settings,
    page::Answers,
    pool::ModelPool,
    query::Answered,
    queue::Queue,
};
use axum::http::{HeaderMap, HeaderValue};
use reckon::{Guards, Peers, Toolboxes};
use reckon_store::Store;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// A handle; clones are the same server.
pub(crate) type App = Arc<Shared>;

/// The server's parts.
pub(crate) struct Shared {
    pub(crate) options: Settings,
    pub(crate) pool: ModelPool,
    pub(crate) queue: Queue,
    pub(crate) store: Store,
    pub(crate) guards: Guards,
    pub(crate) peers: Peers,
    pub(crate) rates: Rates,
    pub(crate) metrics: Metrics,
    /// Answers that the page asked for and that are under way.
    pub(crate) answers: Answers,
    pub(crate) toolboxes: Toolboxes,
    pub(crate) files: FileStore,
    pub(crate) batches: Batches,
    /// Places for bodies with files in them.
    pub(crate) uploads: Semaphore,
}

impl Shared {
    /// How many are before a request that comes now, for its headers.
    pub(crate) fn place_headers(&self) -> HeaderMap {
        let (running, waiting) = self.queue.lengths();
        let mut headers = HeaderMap::new();
        headers.insert("x-reckon-running", HeaderValue::from(running));
        headers.insert("x-reckon-waiting", HeaderValue::from(waiting));
        headers
    }

    /// Counts the tokens of answers for the key that asked.
    pub(crate) fn spend(&self, visitor: &Visitor, answers: &[Answered]) {
        let Some(key) = &visitor.key else {
            return;
        };
        let tokens = answers
            .iter()
            .map(|one| one.usage.prompt + one.usage.completion);
        let tokens = tokens.sum::<usize>() as u64;
        // An answer that was given is not taken back because it could not be counted.
        drop(self.store.spend(&key.id, today(), tokens));
    }
}
