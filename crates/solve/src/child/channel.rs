//! The child's end of the pipes: the program in; output, host calls and the end out.
//!
//! One per process, behind a lock, because Python's functions carry no state of ours. A program has no other way to
//! reach a file descriptor. Who breaks a limit here ends the process: an exception could be caught.
use crate::{
    Limits, Protection,
    frame::{self, Done, Kind},
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
    limits: Option<Limits>,
    waiting: Vec<u8>,
    printed: usize,
    called: usize,
    done: bool,
}

fn channel() -> MutexGuard<'static, Channel> {
    CHANNEL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that all is ready and waits for the program; nothing if the parent has gone or says something else.
pub(super) fn open(limits: &Limits, protection: &Protection) -> Option<String> {
    channel().limits = Some(limits.clone());
    let ready = serde_json::to_vec(protection).ok()?;
    send(Kind::Ready, &ready).ok()?;
    let (Kind::Program, text) = frame::read(&mut io::stdin().lock()).ok()? else {
        return None;
    };
    String::from_utf8(text).ok()
}

/// Prints, or only counts what goes to the error stream.
pub(super) fn print(text: &[u8], shown: bool) {
    let mut channel = channel();
    channel.printed = channel.printed.saturating_add(text.len());
    let Some(limits) = channel.limits.clone() else {
        return;
    };
    let room = limits.output.saturating_sub(channel.printed - text.len());
    if shown {
        channel.waiting.extend(&text[..text.len().min(room)]);
    }
    if channel.printed > limits.output {
        channel.stop(limits.too_loud());
    }
    if channel.waiting.len() >= CHUNK {
        channel.flush();
    }
}

/// Asks the host and waits for its answer.
pub(super) fn call(kind: &str, text: &str) -> io::Result<String> {
    let mut channel = channel();
    channel.called += 1;
    let limits = channel.limits.clone().unwrap_or_default();
    if channel.called > limits.calls {
        channel.stop(limits.too_many_calls());
    }
    channel.flush();
    let question = serde_json::to_vec(&[kind, text])?;
    send(Kind::Call, &question)?;
    let (Kind::Answer, answer) = frame::read(&mut io::stdin().lock())? else {
        return Err(io::Error::other("no answer from the host"));
    };
    String::from_utf8(answer).map_err(io::Error::other)
}

/// Sends what is left and how it ended. Only the first end counts.
pub(super) fn finish(done: &Done) {
    channel().finish(done);
}

impl Channel {
    fn flush(&mut self) {
        if !self.waiting.is_empty() {
            let _ = send(Kind::Output, &self.waiting);
            self.waiting.clear();
        }
    }

    fn finish(&mut self, done: &Done) {
        if std::mem::replace(&mut self.done, true) {
            return;
        }
        self.flush();
        // An end that cannot be sent is an end all the same: the parent sees the process go.
        let _ = serde_json::to_vec(done)
            .map_err(io::Error::from)
            .and_then(|done| send(Kind::Done, &done));
    }

    /// A limit ends the process at once; unwinding would run the program's code.
    fn stop(&mut self, error: String) -> ! {
        self.finish(&Done {
            error: Some(error),
            ..Done::default()
        });
        std::process::exit(1)
    }
}

fn send(kind: Kind, payload: &[u8]) -> io::Result<()> {
    frame::write(&mut io::stdout().lock(), kind, payload)
}
