//! Waits for a database that is away.
use crate::error::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How often a pause looks whether to stop.
const SLICE: Duration = Duration::from_millis(100);

/// Repeats a call while the database is away, up to `limit`; `tell` hears each time why it waits.
pub(crate) fn patiently<T>(
    limit: Duration,
    stop: &AtomicBool,
    mut tell: impl FnMut(&str),
    mut call: impl FnMut() -> Result<T>,
) -> Result<T> {
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        match call() {
            Err(error)
                if error.is_passing()
                    && started.elapsed() < limit
                    && !stop.load(Ordering::Relaxed) =>
            {
                tell(&format!("{error}; trying again"));
                sleep(pause, stop);
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
            other => return other,
        }
    }
}

/// Sleeps, but not once `stop` is set.
fn sleep(time: Duration, stop: &AtomicBool) {
    let until = Instant::now() + time;
    while Instant::now() < until && !stop.load(Ordering::Relaxed) {
        std::thread::sleep(SLICE.min(until.saturating_duration_since(Instant::now())));
    }
}
