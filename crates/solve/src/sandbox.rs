//! Runs Python programs behind the walls and finds their value.
use crate::{Error, Limits, PYTHON, Protection, Start, Z3PY};
use reckon_walls::{Outcome, Runner};
use serde::Serialize;
use std::time::Instant;

/// What came of one program.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Run {
    /// It ran to its end.
    pub ok: bool,
    /// The representation of `answer`, else of `ans`, else of the last expression, else the last printed line.
    pub value: Option<String>,
    /// What it printed, as far as the limit allows.
    pub stdout: String,
    /// Why it failed, in one line: an exception, or `timeout:`, `memory:`, `output:`, `recursion:`, `refused:`.
    pub error: Option<String>,
    /// Milliseconds from handing the program over to its end.
    pub ms: f64,
}

impl Run {
    /// Nothing ran, because of this.
    #[must_use]
    pub fn failed(error: impl Into<String>) -> Self {
        Self {
            error: Some(error.into()),
            ..Self::default()
        }
    }
}

/// Runs programs, one at a time, each in a process of its own.
#[derive(Debug)]
pub struct Sandbox {
    start: Start,
    runner: Runner,
    /// For programs that `logic::solve` runs: the solver works in the child and needs more of the limits.
    z3py: Runner,
}

impl Sandbox {
    /// Starts nothing yet.
    #[must_use]
    pub fn new(start: Start, limits: Limits) -> Self {
        let for_logic = Limits {
            cpu: 15,
            wall: 15,
            // The program comes as JSON, where one byte can become six.
            input: limits.input.saturating_mul(8),
            // `z3` may be asked twice for each of 1000 questions, and once more whether the model is the only one.
            calls: 2002,
            ..limits.clone()
        };
        Self {
            runner: Runner::new(start.clone(), PYTHON.name(), limits),
            z3py: Runner::new(start.clone(), Z3PY.name(), for_logic),
            start,
        }
    }

    pub(crate) fn start(&self) -> &Start {
        &self.start
    }

    pub(crate) fn z3py(&mut self) -> &mut Runner {
        &mut self.z3py
    }

    /// What programs may use.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        self.runner.limits()
    }

    /// The text of a program, if these bytes can be one.
    ///
    /// # Errors
    /// [`Error::Refused`] says what is wrong with them: too long, a NUL byte, not UTF-8.
    pub fn accept<'a>(&self, program: &'a [u8]) -> Result<&'a str, Error> {
        let refused = |why: String| Err(Error::Refused(why));
        let (bytes, most) = (program.len(), self.limits().input);
        if bytes > most {
            return refused(format!("a program of {bytes} bytes; the limit is {most}"));
        }
        let Ok(text) = std::str::from_utf8(program) else {
            return refused("a program that is not UTF-8".into());
        };
        if let Some(at) = text.find('\0') {
            return refused(format!("a program with a NUL byte at {at}"));
        }
        Ok(text)
    }

    /// Starts a spare child if there is none; it gets ready while others work.
    ///
    /// # Errors
    /// [`Error::Start`] if the process cannot be started.
    pub fn prepare(&mut self) -> Result<(), Error> {
        self.runner.prepare()
    }

    /// As [`Self::prepare`], for the next z3py program of `logic::solve`.
    ///
    /// # Errors
    /// [`Error::Start`] if the process cannot be started.
    pub fn prepare_logic(&mut self) -> Result<(), Error> {
        self.z3py.prepare()
    }

    /// Which walls are around a child on this machine; starts one to ask it.
    ///
    /// # Errors
    /// [`Error::Start`] if no child gets ready.
    pub fn protection(&mut self) -> Result<Protection, Error> {
        self.runner.protection()
    }

    /// Runs one program. `host` answers `_reckon.call(kind, text)`; its time is not the program's.
    pub fn run(&mut self, program: &str, host: &mut dyn FnMut(&str, &str) -> String) -> Run {
        let began = Instant::now();
        if let Err(error) = self.accept(program.as_bytes()) {
            return Run::failed(format!("refused: {error}"));
        }
        let mut run = verdict(self.runner.run(program.into(), host));
        run.ms = began.elapsed().as_secs_f64() * 1e3;
        run
    }
}

fn verdict(outcome: Outcome) -> Run {
    let stdout = String::from_utf8_lossy(&outcome.printed).into_owned();
    let value = match outcome.result {
        Ok(value) => String::from_utf8_lossy(&value).into_owned(),
        Err(error) => {
            return Run {
                stdout,
                ..Run::failed(error.to_string())
            };
        }
    };
    let last_line = || {
        let lines = stdout.lines().rev().map(str::trim);
        lines.filter(|line| !line.is_empty()).map(Into::into).next()
    };
    Run {
        ok: true,
        value: Some(value)
            .filter(|value| !value.is_empty())
            .or_else(last_line),
        error: None,
        stdout,
        ms: 0.0,
    }
}
