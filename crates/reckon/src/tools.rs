//! The classical tools that guards lean on: a sandbox for programs and a solver for logic.
//!
//! ```
//! use reckon::Tools;
//! let outcome = reckon::tools().python("sum(range(10))");
//! assert_eq!(outcome.value.as_deref(), Some("45"));
//! ```
use crate::{Error, Result};
use reckon_assistant::{Outcome, Tools};
use reckon_solve::{
    Limits, Sandbox, Start,
    logic::{self, LogicAnswer, LogicLimits, SatStatus, Solver},
};
use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// The file name of the solver that can be installed.
pub const Z3: &str = if cfg!(windows) { "z3.exe" } else { "z3" };

/// A sandbox that is started when it is first needed, and a solver.
#[derive(Debug)]
pub struct Toolbox {
    sandbox: Option<Sandbox>,
    solver: Solver,
}

/// Tools of your own: the sandbox, and the `z3` of the search path or else the embedded solver.
pub fn tools() -> Toolbox {
    let z3 = find_z3(None, env::var_os("PATH").as_deref());
    Toolbox::new(z3.map_or(Solver::Embedded, Solver::Z3))
}

/// A sandbox whose children are this program, started again; see [`child`](crate::child()).
pub fn sandbox() -> Result<Sandbox> {
    let start = Start::itself().map_err(|error| Error::Machine(error.to_string()))?;
    Ok(Sandbox::new(start, Limits::default()))
}

/// The `z3` program: this copy if it is there, else the first one of a search path.
pub fn find_z3(own: Option<&Path>, search: Option<&OsStr>) -> Option<PathBuf> {
    let is_file = |path: &PathBuf| fs::metadata(path).is_ok_and(|data| data.is_file());
    if let Some(own) = own.map(Path::to_owned).filter(is_file) {
        return Some(own);
    }
    // A relative entry would be looked up wherever we happen to be.
    let absolute = env::split_paths(search?).filter(|directory| directory.is_absolute());
    absolute.map(|directory| directory.join(Z3)).find(is_file)
}

impl Toolbox {
    /// With this solver.
    pub fn new(solver: Solver) -> Self {
        Self {
            sandbox: None,
            solver,
        }
    }

    fn sandbox(&mut self) -> Result<&mut Sandbox> {
        let sandbox = match self.sandbox.take() {
            Some(sandbox) => sandbox,
            None => sandbox()?,
        };
        Ok(self.sandbox.insert(sandbox))
    }
}

/// Toolboxes for any number of threads: one that is given back waits for the next asker, since starting a sandbox takes
/// longer than using it.
#[derive(Debug)]
pub struct Toolboxes {
    solver: Solver,
    idle: Mutex<Vec<Toolbox>>,
}

impl Toolboxes {
    /// With this solver.
    pub fn new(solver: Solver) -> Self {
        Self {
            solver,
            idle: Mutex::default(),
        }
    }

    /// Runs something with a toolbox that is nobody else's meanwhile.
    pub fn with<T>(&self, work: impl FnOnce(&mut Toolbox) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let mut toolbox = kept.unwrap_or_else(|| Toolbox::new(self.solver.clone()));
        let result = work(&mut toolbox);
        idle().push(toolbox);
        result
    }
}

impl Tools for Toolbox {
    fn python(&mut self, program: &str) -> Outcome {
        let sandbox = match self.sandbox() {
            Ok(sandbox) => sandbox,
            Err(error) => return failed(&error),
        };
        let run = sandbox.run(program, &mut |_, _| String::new());
        Outcome {
            value: run.value.filter(|_| run.ok),
            stdout: run.stdout,
            unique: None,
            error: run.error,
            ms: run.ms,
        }
    }

    fn logic(&mut self, program: &str) -> Outcome {
        let solver = self.solver.clone();
        let sandbox = match self.sandbox() {
            Ok(sandbox) => sandbox,
            Err(error) => return failed(&error),
        };
        let limits = LogicLimits::default();
        let mut answer = logic::solve(sandbox, program, &solver, &limits);
        if answer.status == SatStatus::Unknown && solver != Solver::Embedded {
            // Where `z3` has no verdict, or went away, the embedded search goes through the possibilities.
            let search = logic::solve(sandbox, program, &Solver::Embedded, &limits);
            answer = LogicAnswer {
                ms: answer.ms + search.ms,
                ..search
            };
        }
        Outcome {
            value: None,
            stdout: answer.stdout,
            unique: answer.unique,
            error: answer.error,
            ms: answer.ms,
        }
    }
}

fn failed(error: &Error) -> Outcome {
    Outcome {
        error: Some(error.to_string()),
        ..Outcome::default()
    }
}
