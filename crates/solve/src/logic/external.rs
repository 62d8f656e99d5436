//! Runs the `z3` program: SMT-LIB text on its standard input, its raw output back.
//!
//! The parent's only part in solving. The text comes from a child that hostile text may have taken over, so commands
//! that read or write files stop here, and so does an answer that no frame could carry back.
use super::{LogicLimits, Solver, script};
use crate::{Error, Limits, Start};
use std::time::{Duration, Instant};

/// Most bytes of an answer: the longest that a child is told.
const MOST_ANSWER: usize = 4 << 20;
/// Most memory: what any helper gets.
const MOST_MEMORY: u64 = 448 << 20;

/// Starts the program once for each text of a script or program, and remembers why it could not.
pub(super) struct Z3Runner<'a> {
    start: Start,
    solver: &'a Solver,
    limits: &'a LogicLimits,
    deadline: Instant,
    /// Why the program was not run, in one line.
    pub(super) failed: Option<String>,
}

impl<'a> Z3Runner<'a> {
    /// For one script or program; its time starts now.
    pub(super) fn new(start: Start, solver: &'a Solver, limits: &'a LogicLimits) -> Self {
        Self {
            start,
            solver,
            limits,
            deadline: Instant::now() + limits.total,
            failed: None,
        }
    }

    /// What the program prints when it is given `text`; nothing if it did not run, took too long or said too much.
    pub(super) fn ask(&mut self, text: &str) -> String {
        match self.run(text) {
            Ok(printed) => printed,
            Err(Error::Limit(_)) => String::new(),
            Err(error) => {
                self.failed = Some(match error {
                    Error::Start(why) => format!("z3 did not start: {why}"),
                    error => error.to_string(),
                });
                String::new()
            }
        }
    }

    fn run(&self, text: &str) -> Result<String, Error> {
        let Solver::Z3(program) = self.solver else {
            return Ok(String::new());
        };
        let time = self.limits.until(self.deadline, None);
        if time < Duration::from_millis(1) {
            return Ok(String::new());
        }
        script::allowed_for_z3(text).map_err(|error| Error::Refused(error.0))?;
        // The directory changes before the program starts.
        let program = std::path::absolute(program)
            .map_err(|error| Error::Start(format!("{}: {error}", program.display())))?;
        // It has a softer limit of each kind for itself, so that it says `unknown` before it is killed.
        let memory = self.limits.memory.min(MOST_MEMORY);
        let arguments = [
            "-in".to_owned(),
            "-smt2".to_owned(),
            format!("-t:{}", time.as_millis()),
            format!("-T:{}", time.as_secs() + 1),
            format!("-memory:{}", (memory - memory / 8) >> 20),
        ];
        let limits = Limits {
            cpu: time.as_secs() + 2,
            wall: time.as_secs() + 2,
            memory,
            output: MOST_ANSWER,
            ..Limits::default()
        };
        let input = text.as_bytes();
        let printed = reckon_walls::helper(&self.start, &program, &arguments, input, &limits)?;
        Ok(String::from_utf8(printed).unwrap_or_default())
    }
}
