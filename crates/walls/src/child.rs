//! The child's side: a process that locks itself in, runs one job and ends.
//!
//! Order matters. The main thread gives up files first; the job is prepared on a thread with a stack of its own size; then
//! limits and the filter of system calls are set for both threads; only then is the input read. The main thread stays
//! behind as a watchman: should the parent vanish while the job computes or sleeps, the process ends.
//!
//! Nothing is torn down: what the job built is not dropped, no destructor of a hostile program runs. The process ends with
//! its last frame.
pub mod channel;
#[cfg(unix)]
mod foreign;
mod panic;
#[cfg(unix)]
mod rlimit;
#[cfg_attr(not(target_os = "linux"), path = "child/walls_elsewhere.rs")]
mod walls;

use crate::{
    Job, Limits,
    frame::Kind,
    process::{CHILD, HELPER},
};
use std::{ffi::OsString, panic::AssertUnwindSafe, process::ExitCode, thread};
use walls::Walls;

/// Runs as a child if these arguments (the program's name first) are those of one; in a parent, `None` at once. To be
/// called by `main` before it does anything else.
#[must_use]
pub fn child(jobs: &[Job], arguments: &[OsString]) -> Option<ExitCode> {
    child_before_main(jobs, arguments, |_| ())
}

/// The same for a process that is caught before `main`, where the standard library has no handler yet that names an
/// overflow of the stack. `begin` is the first thing on the thread of the job and is given the size of its stack.
#[must_use]
pub fn child_before_main(
    jobs: &[Job],
    arguments: &[OsString],
    begin: fn(usize),
) -> Option<ExitCode> {
    let [_, first, job, limits, rest @ ..] = arguments else {
        return None;
    };
    (first == CHILD).then(|| {
        let limits = limits
            .to_str()
            .and_then(|text| serde_json::from_str(text).ok());
        let job = jobs.iter().find(|known| job == known.name()).ok_or(job);
        match (job, limits, rest) {
            (Ok(job), Some(limits), []) => locked_in(*job, &limits, begin),
            #[cfg(unix)]
            (Err(job), Some(limits), [program, rest @ ..]) if job == HELPER => {
                foreign::become_it(&limits, program, rest)
            }
            _ => ExitCode::FAILURE,
        }
    })
}

fn locked_in(job: Job, limits: &Limits, begin: fn(usize)) -> ExitCode {
    let limits = limits.clamped();
    let walls = Walls::begin();
    let work = thread::Builder::new()
        .name(job.name().into())
        .stack_size(job.stack)
        .spawn(move || {
            begin(job.stack);
            run(&job, &limits, walls);
            end()
        });
    if work.is_ok() {
        wait_for_parent_to_vanish();
    }
    ExitCode::FAILURE
}

/// Nothing of the job runs after its end, and no other thread has anything left to do.
#[expect(clippy::exit, reason = "the main thread only waits for the parent")]
fn end() -> ! {
    std::process::exit(0)
}

fn run(job: &Job, limits: &Limits, walls: Walls) {
    panic::listen();
    let (kind, payload) = match std::panic::catch_unwind(AssertUnwindSafe(|| {
        let work = job.prepare(limits);
        let protection = walls.close(limits);
        channel::open(limits, &protection).map(|input| work(&input))
    })) {
        // The parent has gone, or said something else than an input.
        Ok(None) => return,
        Ok(Some(Ok(output))) if output.len() > limits.output => {
            (Kind::Stopped, limits.too_loud().into())
        }
        Ok(Some(Ok(output))) => (Kind::Done, output),
        Ok(Some(Err(line))) => (Kind::Failed, line.into()),
        Err(_) if panic::is_memory() => (Kind::Stopped, limits.too_big().into()),
        Err(_) => (Kind::Failed, panic::message().into()),
    };
    channel::finish(kind, payload);
}

/// Returns when nobody holds the other end of standard input: the parent does as long as it lives.
#[cfg(unix)]
fn wait_for_parent_to_vanish() {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdin = std::io::stdin();
    loop {
        // A pipe that is hung up is reported whatever is asked for; input that waits there is the job's.
        let mut pipe = [PollFd::new(&stdin, PollFlags::empty())];
        match poll(&mut pipe, None) {
            Ok(_) if !pipe[0].revents().is_empty() => return,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            // Without a watchman the parent still kills its children when it ends in order.
            Err(_) => thread::park(),
        }
    }
}

#[cfg(not(unix))]
fn wait_for_parent_to_vanish() {
    loop {
        thread::park();
    }
}
