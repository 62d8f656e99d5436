//! Ctrl-C: stops an answer, not the program, unless nothing else is going on.
//!
//! Installed once. While an answer is made (`begin` to `end`) the first Ctrl-C asks it to stop and the second ends the
//! program. In a chat, between answers, one is only noted and a second soon after it leaves: at the prompt the line editor
//! takes Ctrl-C as a key and says so by `warn`, and in the moments between two prompts it still comes as a signal. At any
//! other time one ends the program.
use anyhow::Context as _;
use reckon::Stop;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The exit code of a program that Ctrl-C ended, as shells have it.
const INTERRUPTED: i32 = 130;
/// Two presses between answers this close to each other leave the chat.
const TWICE: Duration = Duration::from_secs(2);

/// What Ctrl-C means now.
#[derive(Debug, Default)]
enum Phase {
    /// Loading, or a command that has nothing to stop by.
    #[default]
    Alone,
    Answering {
        in_chat: bool,
    },
    /// A chat waits for a message; when Ctrl-C was last pressed.
    Prompt(Option<Instant>),
}

/// What one press leads to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Press {
    Noted,
    Leave(i32),
}

/// Whether the answer that is being made should stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    phase: Arc<Mutex<Phase>>,
    stop: Stop,
}

impl Interrupt {
    /// Takes over Ctrl-C for the whole process.
    pub(crate) fn install() -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let seen = interrupt.clone();
        ctrlc::set_handler(move || {
            if let Press::Leave(code) = seen.press() {
                leave(code);
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
        let mut phase = self.phase();
        let in_chat = matches!(*phase, Phase::Prompt(_));
        *phase = Phase::Answering { in_chat };
    }

    pub(crate) fn end(&self) {
        let mut phase = self.phase();
        *phase = match *phase {
            Phase::Answering { in_chat: true } => Phase::Prompt(None),
            _ => Phase::Alone,
        };
        drop(phase);
        self.stop.reset();
    }

    /// A chat waits for a message from now on.
    pub(crate) fn at_prompt(&self) {
        let mut phase = self.phase();
        if !matches!(*phase, Phase::Prompt(_)) {
            *phase = Phase::Prompt(None);
        }
    }

    /// The line editor was given a Ctrl-C; true if it is the second one, which leaves.
    pub(crate) fn warn(&self) -> bool {
        self.press() != Press::Noted
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.stop.is_set()
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ctrl-C was pressed.
    pub(crate) fn press(&self) -> Press {
        match &mut *self.phase() {
            Phase::Alone => Press::Leave(INTERRUPTED),
            Phase::Answering { .. } if self.stop.is_set() => Press::Leave(INTERRUPTED),
            Phase::Answering { .. } => {
                self.stop.set();
                Press::Noted
            }
            Phase::Prompt(Some(at)) if at.elapsed() < TWICE => Press::Leave(0),
            Phase::Prompt(at) => {
                *at = Some(Instant::now());
                Press::Noted
            }
        }
    }
}

#[expect(
    clippy::exit,
    reason = "the main thread may be deep in a load or a prefill that cannot be stopped"
)]
fn leave(code: i32) {
    crate::echo::restore();
    std::process::exit(code);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_press_stops_the_answer_the_second_the_program() {
        let interrupt = Interrupt::default();
        assert_eq!(interrupt.press(), Press::Leave(INTERRUPTED));
        interrupt.begin();
        assert!(!interrupt.is_asked());
        assert_eq!(interrupt.press(), Press::Noted);
        assert!(interrupt.is_asked());
        assert_eq!(interrupt.press(), Press::Leave(INTERRUPTED));
        interrupt.end();
        assert!(!interrupt.is_asked());
    }

    #[test]
    fn a_chat_is_left_by_two_presses_key_or_signal() {
        let interrupt = Interrupt::default();
        interrupt.at_prompt();
        assert!(!interrupt.warn());
        // The next prompt does not forget the first press.
        interrupt.at_prompt();
        assert_eq!(interrupt.press(), Press::Leave(0));
        // A press that came just after an answer ended does not end the chat.
        interrupt.begin();
        interrupt.end();
        assert_eq!(interrupt.press(), Press::Noted);
    }
}
