//! Keys that are not shown: those pressed while an answer is written, which wait for the next prompt and do not appear in
//! the middle of it, and those of a password.
//!
//! The terminal shows what is typed by itself, unless it is told not to. What was typed stays in its queue, where the line
//! editor finds it. Left out: systems without termios, where keys show as they always did.

/// While it lives, the terminal does not show keys.
#[derive(Debug)]
pub(crate) struct Quiet(());

impl Quiet {
    /// While an answer is written: Ctrl-C ends it and leaves what was typed before it.
    pub(crate) fn begin() -> Self {
        terminal::quiet(true);
        Self(())
    }

    /// While a password is typed: Ctrl-C throws away what there is of it, or the shell would find it and show it.
    pub(crate) fn secret() -> Self {
        terminal::quiet(false);
        Self(())
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        restore();
    }
}

/// The terminal as it was; also on the way out of the program, which drops nothing.
pub(crate) fn restore() {
    terminal::restore();
}

#[cfg(unix)]
mod terminal {
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
    use std::{
        io,
        sync::{Mutex, PoisonError},
    };

    /// What to go back to, while keys are not shown.
    static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

    pub(super) fn quiet(keeps_keys: bool) {
        let Ok(modes) = tcgetattr(io::stdin()) else {
            return;
        };
        let mut quiet = modes.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        quiet.local_modes.set(LocalModes::NOFLSH, keeps_keys);
        if tcsetattr(io::stdin(), OptionalActions::Now, &quiet).is_ok() {
            *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(modes);
        }
    }

    pub(super) fn restore() {
        let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(modes) = before {
            // A terminal that has gone has no modes.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
        }
    }
}

#[cfg(not(unix))]
mod terminal {
    pub(super) fn quiet(_keeps_keys: bool) {}
    pub(super) fn restore() {}
}
