//! Ctrl-C: stops an answer, not the program, unless nothing else is going on.
//!
//! Installed once. While an answer is made (`begin` to `end`) the first Ctrl-C asks it to stop and the second ends the
//! program; at any other time one ends the program. At the chat's prompt the terminal gives Ctrl-C to the line editor as a
//! key, so none of this is reached.
use anyhow::Context as _;
use reckon::Stop;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// The exit code of a program that Ctrl-C ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// Whether the answer that is being made should stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    is_busy: Arc<AtomicBool>,
    stop: Stop,
}

impl Interrupt {
    /// Takes over Ctrl-C for the whole process.
    pub(crate) fn install() -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let seen = interrupt.clone();
        ctrlc::set_handler(move || {
            if !seen.press() {
                leave();
            }
        })
        .context("cannot take over Ctrl-C")?;
        Ok(interrupt)
    }

    /// What the library is told to stop by.
    pub(crate) fn stop(&self) -> &Stop {
        &self.stop
    }

    pub(crate) fn begin(&self) {
        self.stop.reset();
        self.is_busy.store(true, Ordering::SeqCst);
    }

    pub(crate) fn end(&self) {
        self.is_busy.store(false, Ordering::SeqCst);
        self.stop.reset();
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.stop.is_set()
    }

    /// Ctrl-C was pressed; false if nothing is left to stop.
    pub(crate) fn press(&self) -> bool {
        if self.stop.is_set() || !self.is_busy.load(Ordering::SeqCst) {
            return false;
        }
        self.stop.set();
        true
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
        let interrupt = Interrupt::default();
        assert!(!interrupt.press(), "nothing to stop");
        interrupt.begin();
        assert!(!interrupt.is_asked());
        assert!(interrupt.press());
        assert!(interrupt.is_asked());
        assert!(!interrupt.press());
        interrupt.end();
        assert!(!interrupt.is_asked());
    }
}
