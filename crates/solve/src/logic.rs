//! Logic: decides SMT-LIB 2 scripts and z3py programs: satisfiable with a model, unsatisfiable, or no verdict.
//!
//! [`decide`] takes SMT-LIB text; a z3py program runs in the sandbox, where our own `z3` module writes SMT-LIB and asks
//! a [`LogicSession`]. Both are pure: they parse, decide, check models and ask for a second model without touching the
//! system, so they can run in a locked process. The one thing they ask for is a callback that hands SMT-LIB text to the
//! `z3` program; without it the embedded finite-domain search decides.
//!
//! Every model is checked exactly, whoever found it; a model that does not hold makes the answer `unknown`.
//!
//! Left out on purpose: reals, bit-vectors, arrays and objectives are `z3`'s alone; strings, floating point and
//! recursive datatypes have no typed form here, so `z3`'s answer to them is unchecked ([`LogicAnswer::checked`]).
mod budget;
mod build;
mod embedded;
mod external;
mod linear;
mod model;
mod parse;
mod problem;
mod range;
mod script;
mod session;
mod sexpr;
mod term;
mod unique;
mod value;
mod z3_text;

pub use session::{LogicSession, decide};

use crate::Sandbox;
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// Hands SMT-LIB text to the `z3` program and gives what it printed; nothing if it did not answer.
pub type AskZ3<'a> = dyn FnMut(&str) -> Option<String> + Send + 'a;

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solver {
    /// The `z3` program at this path.
    Z3(PathBuf),
    /// The solver of this crate.
    Embedded,
}

/// What the questions of one program or script may use.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct LogicLimits {
    /// Time for one question.
    pub time: Duration,
    /// Time for all questions of one program or script.
    pub total: Duration,
    /// Memory of the `z3` program, in bytes.
    pub memory: u64,
    /// Bytes that a script may print.
    pub output: usize,
}

impl Default for LogicLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(10),
            total: Duration::from_secs(60),
            memory: 1 << 30,
            output: 1 << 20,
        }
    }
}

impl LogicLimits {
    /// Time for the next question, which ends with `deadline`, and earlier if the program wishes so.
    fn until(&self, deadline: Instant, wish: Option<u64>) -> Duration {
        let left = deadline.saturating_duration_since(Instant::now());
        let wish = wish.map_or(self.time, Duration::from_millis);
        self.time.min(left).min(wish)
    }
}

/// Whether a set of assertions can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SatStatus {
    /// They can hold.
    Sat,
    /// They cannot.
    Unsat,
    /// No verdict.
    #[default]
    Unknown,
}

impl SatStatus {
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
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct LogicAnswer {
    /// Of the last question; `Unknown` if there was none.
    pub status: SatStatus,
    /// Why the last question has no verdict, in words for a person.
    pub reason: Option<String>,
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

/// Why a text is no SMT-LIB that is taken here, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SmtError(String);

impl SmtError {
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
pub fn solve(
    sandbox: &mut Sandbox,
    text: &str,
    solver: &Solver,
    limits: &LogicLimits,
) -> LogicAnswer {
    if is_smt(text) {
        return solve_smt(text, solver, limits);
    }
    let began = Instant::now();
    let mut z3 = Z3Runner::new(solver, limits);
    let mut ask = |text: &str| z3.ask(text);
    let ask: Option<&mut AskZ3<'_>> = match solver {
        Solver::Z3(_) => Some(&mut ask),
        Solver::Embedded => None,
    };
    let mut session = LogicSession::new(*limits, ask);
    let run = sandbox.run(text, &mut |kind, text| {
        with_stack(|| session.answer(kind, text))
    });
    let mut answer = with_stack(|| session.conclude());
    answer.stdout = run.stdout;
    answer.error = run.error;
    answer.ms = began.elapsed().as_secs_f64() * 1e3;
    answer
}

/// Runs an SMT-LIB script. What it asks for is printed as `z3` prints it.
#[must_use]
pub fn solve_smt(text: &str, solver: &Solver, limits: &LogicLimits) -> LogicAnswer {
    let began = Instant::now();
    let mut z3 = Z3Runner::new(solver, limits);
    let mut ask = |text: &str| z3.ask(text);
    let ask: Option<&mut AskZ3<'_>> = match solver {
        Solver::Z3(_) => Some(&mut ask),
        Solver::Embedded => None,
    };
    let mut answer = with_stack(|| decide(text, limits, ask));
    answer.error = answer.error.or(z3.failed);
    answer.ms = began.elapsed().as_secs_f64() * 1e3;
    answer
}

/// The parent's part: starts the `z3` program for each text and remembers why it could not.
#[derive(Debug)]
pub struct Z3Runner<'a> {
    solver: &'a Solver,
    limits: &'a LogicLimits,
    deadline: Instant,
    failed: Option<String>,
}

impl<'a> Z3Runner<'a> {
    /// For one program or script; its time starts now.
    #[must_use]
    pub fn new(solver: &'a Solver, limits: &'a LogicLimits) -> Self {
        Self {
            solver,
            limits,
            deadline: Instant::now() + limits.total,
            failed: None,
        }
    }

    /// What the program prints when it is given `text`; the callback of [`decide`] and [`LogicSession`].
    pub fn ask(&mut self, text: &str) -> Option<String> {
        let Solver::Z3(program) = self.solver else {
            return None;
        };
        let time = self.limits.until(self.deadline, None);
        match external::run(program, text, time, self.limits.memory) {
            Ok(printed) => printed,
            Err(error) => {
                self.failed = Some(error);
                None
            }
        }
    }
}

/// Terms are walked on the stack: a deep one needs more of it than a thread usually has.
fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(64 << 20);
        let thread = builder
            .spawn_scoped(scope, work)
            .expect("a thread can be started");
        match thread.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
