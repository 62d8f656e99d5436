//! Progress for logs: a line now and then, where a bar would be noise.
use std::{
    io::{self, Write},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Between two lines.
const APART: Duration = Duration::from_secs(15);

/// When the last line was written; threads share it.
#[derive(Debug)]
pub(crate) struct Milestones {
    last: Mutex<Instant>,
}

impl Milestones {
    /// The first line comes after a while, so that short work is silent.
    pub(crate) fn new() -> Self {
        Self {
            last: Mutex::new(Instant::now()),
        }
    }

    /// Writes a line to stderr if it is time for one.
    pub(crate) fn tell(&self, line: impl FnOnce() -> String) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() < APART {
            return;
        }
        *last = Instant::now();
        // Progress that cannot be shown is no reason to stop.
        let _ = writeln!(io::stderr(), "{}", line());
    }
}
