//! Ctrl-C: stops an answer, not the program, unless nothing else is going on.
//!
//! `chat` and `ask` install it once. While an answer is made (`begin` to `end`) the first Ctrl-C asks it to stop and
//! the second ends the program; at any other time one ends the program. At the chat's prompt the terminal gives
//! Ctrl-C to the line editor as a key, so none of this is reached.
use anyhow::Context as _;
use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

const IDLE: u8 = 0;
const BUSY: u8 = 1;
const STOPPING: u8 = 2;

/// The exit code of a program that Ctrl-C ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// Whether the answer that is being made should stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicU8>);

impl Stop {
    /// Takes over Ctrl-C for the whole process.
    pub(crate) fn install() -> anyhow::Result<Self> {
        let stop = Self::default();
        let seen = stop.clone();
        ctrlc::set_handler(move || {
            if !seen.press() {
                leave();
            }
        })
        .context("cannot take over Ctrl-C")?;
        Ok(stop)
    }

    pub(crate) fn begin(&self) {
        self.0.store(BUSY, Ordering::SeqCst);
    }

    pub(crate) fn end(&self) {
        self.0.store(IDLE, Ordering::SeqCst);
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst) == STOPPING
    }

    /// Ctrl-C was pressed; false if nothing is left to stop.
    pub(crate) fn press(&self) -> bool {
        let swap = self
            .0
            .compare_exchange(BUSY, STOPPING, Ordering::SeqCst, Ordering::SeqCst);
        swap.is_ok()
    }
}

#[expect(
    clippy::exit,
    reason = "the main thread may be deep in a load or a prefill that cannot be stopped"
)]
fn leave() {
    std::process::exit(INTERRUPTED);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_press_stops_the_answer_the_second_the_program() {
        let stop = Stop::default();
        assert!(!stop.press(), "nothing to stop");
        stop.begin();
        assert!(!stop.is_asked());
        assert!(stop.press());
        assert!(stop.is_asked());
        assert!(!stop.press());
        stop.end();
        assert!(!stop.is_asked());
    }
}
