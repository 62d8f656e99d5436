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
        // Where keys cannot be kept from showing they show, and the answer is still one.
        let _ = terminal::quiet(true);
        Self(())
    }

    /// While a password is typed: Ctrl-C throws away what there is of it, or the shell would find it and show it. None where
    /// the terminal would show it.
    pub(crate) fn secret() -> Option<Self> {
        terminal::quiet(false).then_some(Self(()))
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
    use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
    use std::{
        io,
        sync::{Mutex, PoisonError},
    };

    /// What to go back to, while keys are not shown.
    static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

    /// Whether it could be done.
    pub(super) fn quiet(keeps_keys: bool) -> bool {
        let Ok(modes) = tcgetattr(io::stdin()) else {
            return false;
        };
        let mut quiet = modes.clone();
        quiet.local_flags.remove(LocalFlags::ECHO);
        quiet.local_flags.set(LocalFlags::NOFLSH, keeps_keys);
        let is_done = tcsetattr(io::stdin(), SetArg::TCSANOW, &quiet).is_ok();
        if is_done {
            *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(modes);
        }
        is_done
    }

    pub(super) fn restore() {
        let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(modes) = before {
            // A terminal that has gone has no modes.
            let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, &modes);
        }
    }
}

#[cfg(not(unix))]
mod terminal {
    /// `console` reads a password without showing it.
    pub(super) fn quiet(keeps_keys: bool) -> bool {
        !keeps_keys
    }
    pub(super) fn restore() {}
}
