//! The child's side: a process that locks itself in, runs one program and ends.
//!
//! Order matters. The main thread gives up files first; the interpreter is built on a thread with a large stack; then
//! limits and the filter of system calls are set for both threads; only then is the program read. The main thread stays
//! behind as a watchman: should the parent vanish while the program sleeps, the process still ends.
//!
//! The interpreter is never torn down: no `__del__`, no `atexit`. The process ends with the `Done` frame.
mod arithmetic;
mod channel;
mod interpreter;
mod panic;
mod program;
#[cfg_attr(not(target_os = "linux"), path = "child/walls_elsewhere.rs")]
mod walls;

use crate::{Limits, frame::Done};
use std::{
    process::ExitCode,
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};
use walls::Walls;

/// Room for Python calls inside calls; only what is used becomes memory.
const STACK: usize = 256 << 20;

/// Runs the one program that standard input brings and answers on standard output. `limits` is what the parent's
/// [`crate::Sandbox`] put last on the command line. To be called by a fresh process, before it does anything else.
#[must_use]
pub fn child(limits: &str) -> ExitCode {
    let Ok(limits) = serde_json::from_str::<Limits>(limits) else {
        return ExitCode::FAILURE;
    };
    let patience = Duration::from_secs(limits.wall.saturating_mul(6).saturating_add(60));
    let too_big = limits.too_big();
    let walls = Walls::begin();
    let (begin, begun) = mpsc::channel();
    let main = thread::Builder::new()
        .name("python".into())
        .stack_size(STACK)
        .spawn(move || python(&limits, walls, begin));
    let Ok(main) = main else {
        return ExitCode::FAILURE;
    };
    // Once the program is there it has so long; before that, the thread waits for it, or has ended.
    let sleeps =
        begun.recv().is_ok() && begun.recv_timeout(patience) == Err(RecvTimeoutError::Timeout);
    if !sleeps && main.join().is_err() {
        let error = Some(panic::cause(&too_big));
        channel::finish(&Done { value: None, error });
    }
    ExitCode::SUCCESS
}

fn python(limits: &Limits, walls: Walls, begin: Sender<()>) {
    panic::listen();
    let interpreter = interpreter::build(limits);
    let protection = walls.close(limits);
    if let Some(text) = channel::open(limits, &protection) {
        let _ = begin.send(());
        let done = interpreter.enter(|vm| program::run(vm, &text, limits));
        channel::finish(&done);
    }
    // Nothing of the program runs after its end.
    std::mem::forget(interpreter);
}
