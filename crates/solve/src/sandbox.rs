//! The parent's side: starts children, hands one a program, and gives what came of it, whatever that is.
//!
//! A child runs one program. A spare can be started ahead ([`Sandbox::prepare`]), so that the next program finds an
//! interpreter that is built and locked in. Nothing a child does blocks, grows or ends the parent: reading and writing
//! happen on threads, frames are bounded, the clock runs outside.
mod process;

use crate::{
    Error, Limits, Protection, Run,
    frame::{Done, Kind},
};
use process::{Event, Process};
use std::{
    ffi::OsString,
    path::PathBuf,
    time::{Duration, Instant},
};

/// How long a child may take to get ready, on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(30);

/// How a child is started: a program that calls [`crate::child`] with its last argument.
#[derive(Clone, Debug)]
pub struct Start {
    /// The file to run.
    pub program: PathBuf,
    /// What comes before the limits on its command line.
    pub arguments: Vec<OsString>,
}

/// Runs programs, one at a time, each in a process of its own.
#[derive(Debug)]
pub struct Sandbox {
    start: Start,
    limits: Limits,
    spare: Option<Process>,
}

impl Sandbox {
    /// Starts nothing yet.
    #[must_use]
    pub fn new(start: Start, limits: Limits) -> Self {
        Self {
            start,
            limits,
            spare: None,
        }
    }

    /// What programs may use.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Starts a spare child if there is none; it gets ready while others work.
    ///
    /// # Errors
    /// [`Error::Start`] if the process cannot be started.
    pub fn prepare(&mut self) -> Result<(), Error> {
        if self.spare.is_none() {
            self.spare = Some(Process::start(&self.start, &self.limits)?);
        }
        Ok(())
    }

    /// Which walls are around a child on this machine; starts one to ask it.
    ///
    /// # Errors
    /// [`Error::Start`] if no child gets ready.
    pub fn protection(&mut self) -> Result<Protection, Error> {
        let process = self.ready()?;
        let protection = process.protection();
        self.spare = Some(process);
        Ok(protection)
    }

    /// Runs one program. `host` answers `_reckon.call(kind, text)`; its time is not the program's.
    pub fn run(&mut self, program: &str, host: &mut dyn FnMut(&str, &str) -> String) -> Run {
        let began = Instant::now();
        if let Err(error) = self.limits.accept(program.as_bytes()) {
            return Run::failed(format!("refused: {error}"));
        }
        let mut run = match self.ready() {
            Ok(mut process) => {
                process.send(Kind::Program, program.into());
                talk(&mut process, &self.limits, host)
            }
            Err(error) => Run::failed(error.to_string()),
        };
        run.ms = began.elapsed().as_secs_f64() * 1e3;
        run
    }

    /// A child that waits for its program. A spare that died while it waited is replaced once.
    fn ready(&mut self) -> Result<Process, Error> {
        if let Some(mut spare) = self.spare.take()
            && spare.wait_until_ready(PATIENCE).is_ok()
        {
            return Ok(spare);
        }
        let mut process = Process::start(&self.start, &self.limits)?;
        process.wait_until_ready(PATIENCE)?;
        Ok(process)
    }
}

/// Listens until the program ends or must end.
fn talk(process: &mut Process, limits: &Limits, host: &mut dyn FnMut(&str, &str) -> String) -> Run {
    let mut deadline = Instant::now() + Duration::from_secs(limits.wall);
    let mut printed = Vec::new();
    let mut calls = 0;
    let done = loop {
        match process.next(deadline) {
            Some(Event::Frame(Kind::Output, text)) => {
                let room = limits.output - printed.len();
                printed.extend(&text[..text.len().min(room)]);
                if text.len() > room {
                    break failed(limits.too_loud());
                }
            }
            Some(Event::Frame(Kind::Call, question)) => {
                calls += 1;
                let asked = Instant::now();
                let Ok([kind, text]) = serde_json::from_slice::<[String; 2]>(&question) else {
                    break failed("the sandbox said something that is no call".into());
                };
                if calls > limits.calls {
                    break failed(limits.too_many_calls());
                }
                process.send(Kind::Answer, host(&kind, &text).into());
                deadline += asked.elapsed();
            }
            Some(Event::Frame(Kind::Done, done)) => {
                break serde_json::from_slice(&done).unwrap_or_else(|_| {
                    failed("the sandbox said something that is no end".into())
                });
            }
            Some(Event::Frame(..)) => break failed("the sandbox spoke out of turn".into()),
            Some(Event::End) => break failed(process.cause_of_death(limits)),
            None => break failed(limits.too_long()),
        }
    };
    verdict(done, &printed, limits)
}

fn failed(error: String) -> Done {
    Done {
        value: None,
        error: Some(error),
    }
}

fn verdict(done: Done, printed: &[u8], limits: &Limits) -> Run {
    let stdout = String::from_utf8_lossy(printed).into_owned();
    let too_long = |value: &String| value.len() > limits.output;
    if done.value.as_ref().is_some_and(too_long) {
        return Run {
            stdout,
            ..Run::failed(limits.too_loud())
        };
    }
    let last_line = || {
        stdout
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty())
    };
    let ok = done.error.is_none();
    let value = match done.value {
        None if ok => last_line().map(Into::into),
        value => value,
    };
    Run {
        ok,
        value,
        error: done.error,
        stdout,
        ms: 0.0,
    }
}
