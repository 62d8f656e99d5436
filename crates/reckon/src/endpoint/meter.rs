//! Counts what is sent to a server for one answer, and ends it at a given time.
//!
//! Shared by the threads of a batch. Once it is closed nothing more is sent, so that what a receipt says left this machine
//! is all that did.
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// What one answer may send, and what it has sent.
#[derive(Debug)]
pub(crate) struct Meter {
    until: Instant,
    sent: Mutex<Count>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    requests: usize,
    bytes: usize,
    is_closed: bool,
}

impl Meter {
    /// Nothing is sent after so long.
    pub(crate) fn new(time: Duration) -> Self {
        Self {
            until: Instant::now() + time,
            sent: Mutex::default(),
        }
    }

    /// Counts a request that is about to be sent; how long it may take, or why it must not be sent.
    pub(super) fn take(&self, bytes: usize) -> Result<Duration, String> {
        let mut sent = self.count();
        if sent.is_closed {
            return Err("no longer needed".into());
        }
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err("no answer in time".into());
        }
        sent.requests += 1;
        sent.bytes += bytes;
        Ok(left)
    }

    /// A request that was counted did not leave.
    pub(super) fn give_back(&self, bytes: usize) {
        let mut sent = self.count();
        sent.requests -= 1;
        sent.bytes -= bytes;
    }

    /// Lets nothing more through; how many requests there were, and their bytes.
    pub(crate) fn close(&self) -> (usize, usize) {
        let mut sent = self.count();
        sent.is_closed = true;
        (sent.requests, sent.bytes)
    }

    fn count(&self) -> std::sync::MutexGuard<'_, Count> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
