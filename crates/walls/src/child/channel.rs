//! What a job can say while it runs: print, and ask its parent.
//!
//! One channel per process, behind a lock, because functions that an interpreter calls carry no state of ours. A job has no
//! other way to reach a file descriptor. Who breaks a limit here ends the process: an exception could be caught.
use crate::{
    Limits, Protection,
    frame::{self, Kind},
};
use std::{
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Printed text waits until there is this much of it.
const CHUNK: usize = 8 << 10;

static CHANNEL: Mutex<Channel> = Mutex::new(Channel {
    limits: None,
    waiting: Vec::new(),
    printed: 0,
    called: 0,
    done: false,
});

struct Channel {
    /// None outside a child, and in a child before its input is there.
    limits: Option<Limits>,
    waiting: Vec<u8>,
    printed: usize,
    called: usize,
    done: bool,
}

fn channel() -> MutexGuard<'static, Channel> {
    CHANNEL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that all is ready and waits for the input; nothing if the parent has gone or says something else.
pub(super) fn open(limits: &Limits, protection: &Protection) -> Option<Vec<u8>> {
    channel().limits = Some(limits.clone());
    let ready = serde_json::to_vec(protection).ok()?;
    send(Kind::Ready, &ready, limits).ok()?;
    match frame::read(&mut io::stdin().lock(), limits).ok()? {
        (Kind::Input, input) => Some(input),
        _ => None,
    }
}

/// Prints; outside a child it does nothing. Text that is not `shown` only counts towards the limit.
pub fn print(text: &[u8], shown: bool) {
    let mut channel = channel();
    let Some(limits) = channel.limits.clone() else {
        return;
    };
    let room = limits.output.saturating_sub(channel.printed);
    channel.printed = channel.printed.saturating_add(text.len());
    if shown {
        channel.waiting.extend(&text[..text.len().min(room)]);
    }
    if channel.printed > limits.output {
        channel.stop(&limits.too_loud());
    }
    if channel.waiting.len() >= CHUNK {
        channel.flush();
    }
}

/// Asks the parent and waits for its answer.
///
/// # Errors
/// Outside a child, for a question that is too long, and if the parent has gone.
pub fn call(kind: &str, text: &str) -> io::Result<String> {
    let mut channel = channel();
    let Some(limits) = channel.limits.clone() else {
        return Err(io::Error::other("there is nobody to ask"));
    };
    channel.called += 1;
    if channel.called > limits.calls {
        channel.stop(&limits.too_many_calls());
    }
    channel.flush();
    let question = serde_json::to_vec(&[kind, text])?;
    send(Kind::Call, &question, &limits)?;
    let (Kind::Answer, answer) = frame::read(&mut io::stdin().lock(), &limits)? else {
        return Err(io::Error::other("no answer from the parent"));
    };
    String::from_utf8(answer).map_err(io::Error::other)
}

/// Sends what is left and how it ended. Only the first end counts.
pub(super) fn finish(kind: Kind, payload: Vec<u8>) {
    channel().finish(kind, payload);
}

impl Channel {
    fn flush(&mut self) {
        if let Some(limits) = self.limits.as_ref().filter(|_| !self.waiting.is_empty()) {
            let _ = send(Kind::Printed, &self.waiting, limits);
            self.waiting.clear();
        }
    }

    fn finish(&mut self, kind: Kind, mut payload: Vec<u8>) {
        if std::mem::replace(&mut self.done, true) {
            return;
        }
        self.flush();
        if let Some(limits) = &self.limits {
            payload.truncate(kind.most(limits));
            // An end that cannot be sent is an end all the same: the parent sees the process go.
            let _ = send(kind, &payload, limits);
        }
    }

    /// A limit ends the process at once; unwinding would run the program's code.
    fn stop(&mut self, error: &str) -> ! {
        self.finish(Kind::Stopped, error.into());
        std::process::exit(1)
    }
}

fn send(kind: Kind, payload: &[u8], limits: &Limits) -> io::Result<()> {
    frame::write(&mut io::stdout().lock(), kind, payload, limits)
}
