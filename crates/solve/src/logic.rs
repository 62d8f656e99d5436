//! Logic: SMT-LIB 2 or z3py in, a verdict out.
//!
//! [`solve_smt`] takes SMT-LIB text; a z3py program runs in the sandbox, where our own `z3` module writes SMT-LIB and
//! asks [`Host`]. Questions go to the `z3` program or to the embedded solver. Every model is checked exactly, whoever
//! found it; a model that does not hold makes the answer `unknown`. A second question tells whether it is the only one.
//!
//! Left out on purpose: strings, floating point, recursive datatypes and arrays have no typed form here; an external
//! solver may answer them, unchecked ([`Answer::checked`]).
mod build;
mod embedded;
mod external;
mod model;
mod parse;
mod problem;
mod question;
mod range;
mod script;
mod sexpr;
mod term;
mod unique;
mod value;

pub use question::Host;

use crate::Sandbox;
use question::Question;
use script::{Command, State};
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solver {
    /// The `z3` program at this path.
    Z3(PathBuf),
    /// The solver of this crate.
    Embedded,
}

/// What a question may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time for one question.
    pub time: Duration,
    /// Time for all questions of one program or script.
    pub total: Duration,
    /// Memory of an external solver, in bytes.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(10),
            total: Duration::from_secs(60),
            memory: 1 << 30,
        }
    }
}

/// The verdict on a set of assertions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// They can hold.
    Sat,
    /// They cannot.
    Unsat,
    /// No opinion.
    #[default]
    Unknown,
}

impl Status {
    /// SMT-LIB's word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sat => "sat",
            Self::Unsat => "unsat",
            Self::Unknown => "unknown",
        }
    }
}

/// What came of a program or script.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Of the last question; `Unknown` if there was none.
    pub status: Status,
    /// The last question's model: names and values in z3py's words.
    pub model: Vec<(String, String)>,
    /// Is that model the only one? `None` if that is not known.
    pub unique: Option<bool>,
    /// Was the model checked exactly? An external solver's may use what the check does not know.
    pub checked: bool,
    /// What was printed.
    pub stdout: String,
    /// Why the program or script stopped early, in one line.
    pub error: Option<String>,
    /// Milliseconds for all of it.
    pub ms: f64,
}

/// Why a text is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(String);

impl Refusal {
    fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

/// Is this SMT-LIB, and not Python? It is if the first thing that is no comment opens a list.
#[must_use]
pub fn is_smt(text: &str) -> bool {
    let starts = |line: &&str| !line.is_empty() && !line.starts_with(';');
    let first = text.lines().map(str::trim).find(starts).unwrap_or_default();
    let words = [
        "(set-",
        "(declare-",
        "(define-",
        "(assert",
        "(check-sat",
        "(push",
        "(echo",
        "(get-",
        "(reset",
    ];
    words.iter().any(|word| first.starts_with(word))
}

/// Runs a z3py program in the sandbox, or an SMT-LIB script: whatever `text` is.
pub fn solve(sandbox: &mut Sandbox, text: &str, solver: &Solver, limits: &Limits) -> Answer {
    if is_smt(text) {
        return solve_smt(text, solver, limits);
    }
    let began = Instant::now();
    let mut host = Host::new(solver.clone(), *limits);
    let run = sandbox.run(text, &mut |kind, text| host.answer(kind, text));
    let mut answer = Answer {
        stdout: run.stdout,
        error: run.error,
        ..Answer::default()
    };
    host.conclude(&mut answer);
    answer.ms = began.elapsed().as_secs_f64() * 1e3;
    answer
}

/// Runs an SMT-LIB script. What it asks for is printed as `z3` prints it.
#[must_use]
pub fn solve_smt(text: &str, solver: &Solver, limits: &Limits) -> Answer {
    let began = Instant::now();
    let mut answer = with_stack(|| run_script(text, solver, limits));
    answer.ms = began.elapsed().as_secs_f64() * 1e3;
    answer
}

/// Terms are walked on the stack: a deep one needs more of it than a thread usually has.
fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(256 << 20);
        let thread = builder
            .spawn_scoped(scope, work)
            .expect("a thread can be started");
        match thread.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn run_script(text: &str, solver: &Solver, limits: &Limits) -> Answer {
    let mut answer = Answer::default();
    if let Err(Refusal(error)) = answer_script(text, solver, limits, &mut answer) {
        answer.error = Some(error);
    }
    answer
}

fn answer_script(
    text: &str,
    solver: &Solver,
    limits: &Limits,
    answer: &mut Answer,
) -> Result<(), Refusal> {
    let mut state = State::default();
    let mut last: Option<Question> = None;
    let deadline = Instant::now() + limits.total;
    for command in script::commands(text)? {
        if state.apply(&command)? {
            continue;
        }
        let none = || Refusal::new("there is no model to ask");
        let line = match &command {
            Command::Check(assumptions) => {
                let limits = limits.until(deadline, state.timeout);
                let question = Question::ask(&state, assumptions, solver, &limits)?;
                let status = question.status.name().to_owned();
                last = Some(question);
                status
            }
            Command::Model => last.as_ref().and_then(Question::printed).ok_or_else(none)?,
            Command::Values(terms) => last.as_mut().ok_or_else(none)?.values(terms)?,
            Command::Echo(text) => text.clone(),
            _ => continue,
        };
        answer.stdout += &line;
        answer.stdout.push('\n');
    }
    if let Some(question) = last {
        question.conclude(solver, &limits.until(deadline, None), answer);
    }
    Ok(())
}

impl Limits {
    /// These limits, ending with `deadline`, and with the program's own wish if that is shorter.
    fn until(&self, deadline: Instant, wish: Option<u64>) -> Self {
        let left = deadline.saturating_duration_since(Instant::now());
        let wish = wish.map_or(self.time, Duration::from_millis);
        Self {
            time: self.time.min(left).min(wish),
            ..*self
        }
    }
}
