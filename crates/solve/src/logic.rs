//! Logic: decides SMT-LIB 2 scripts and z3py programs: satisfiable with a model, unsatisfiable, or no verdict.
//!
//! [`solve`] hands the text to a locked child (`reckon_walls`). A script is decided there by [`decide`]; a z3py program
//! runs there in the sandbox's interpreter, and our own `z3` module writes SMT-LIB and asks a [`LogicSession`] of the
//! same process. Both are pure: they parse, decide, check models and ask for a second model without the system's help.
//! The one thing they ask their parent for is to hand SMT-LIB text to the `z3` program (`external.rs`); without it the
//! embedded finite-domain search decides.
//!
//! Every model is checked exactly, whoever found it; a model that does not hold makes the answer `unknown`.
//!
//! Left out on purpose: reals, bit-vectors, arrays and objectives are `z3`'s alone; strings, floating point and
//! recursive datatypes have no typed form here, so `z3`'s answer to them is unchecked ([`LogicAnswer::checked`]).
mod budget;
mod build;
mod embedded;
mod external;
mod job;
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

pub use job::LOGIC;
pub(crate) use job::{answer_program, run_program};
pub use session::{LogicSession, decide};

use crate::{Limits, Sandbox};
use external::Z3Runner;
use job::LogicInput;
use reckon_walls::{Outcome, Runner};
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// Hands SMT-LIB text to the `z3` program and gives what it printed; nothing if it did not answer.
pub type AskZ3 = Box<dyn FnMut(&str) -> Option<String>>;

/// Time for all questions where the embedded solver answers: a child has 15 seconds, and its program needs some, too.
const SEARCH: Duration = Duration::from_secs(12);
/// Memory of a child that solves a script, in bytes: all that a child can have.
const SCRIPT_MEMORY: u64 = 448 << 20;

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
    /// Time for all questions of one program or script; the embedded solver gets no more than 12 seconds of it.
    pub total: Duration,
    /// Memory of the `z3` program, in bytes; no more than 448 MiB are given.
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

/// Solves a z3py program or an SMT-LIB script, whatever `text` is, in a locked child of `sandbox`.
pub fn solve(
    sandbox: &mut Sandbox,
    text: &str,
    solver: &Solver,
    limits: &LogicLimits,
) -> LogicAnswer {
    let began = Instant::now();
    let mut z3 = Z3Runner::new(sandbox.start().clone(), solver, limits);
    let mut answer = match input(sandbox, text, solver, limits) {
        Ok(input) => {
            // The time that `z3` takes is the parent's and not the child's.
            let mut host = |kind: &str, text: &str| match kind {
                "z3" => z3.ask(text),
                _ => String::new(),
            };
            answer(if is_smt(text) {
                script_runner(sandbox, limits).run(input, &mut host)
            } else {
                sandbox.z3py().run(input, &mut host)
            })
        }
        Err(why) => failed(format!("refused: {why}")),
    };
    answer.error = answer.error.or(z3.failed).map(one_line);
    answer.reason = answer.reason.map(one_line);
    answer.ms = began.elapsed().as_secs_f64() * 1e3;
    answer
}

fn input(
    sandbox: &Sandbox,
    text: &str,
    solver: &Solver,
    limits: &LogicLimits,
) -> Result<Vec<u8>, String> {
    let text = sandbox.accept(text.as_bytes());
    let text = text.map_err(|error| error.to_string())?.to_owned();
    let z3 = matches!(solver, Solver::Z3(_));
    let most = if z3 { limits.total } else { SEARCH };
    let limits = LogicLimits {
        total: limits.total.min(most),
        ..*limits
    };
    serde_json::to_vec(&LogicInput { text, limits, z3 }).map_err(|error| error.to_string())
}

/// No spare is kept for scripts: without an interpreter a child is ready at once.
fn script_runner(sandbox: &mut Sandbox, limits: &LogicLimits) -> Runner {
    let walls = Limits {
        memory: SCRIPT_MEMORY,
        output: limits.output,
        ..sandbox.z3py().limits().clone()
    };
    Runner::new(sandbox.start().clone(), LOGIC.name(), walls)
}

/// What a child's end means.
fn answer(outcome: Outcome) -> LogicAnswer {
    let answer = match outcome
        .result
        .map(|json| serde_json::from_slice::<LogicAnswer>(&json))
    {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => failed("the sandbox said something that is no answer"),
        Err(error) => failed(error.to_string()),
    };
    LogicAnswer {
        stdout: String::from_utf8_lossy(&outcome.printed).into_owned(),
        ..answer
    }
}

/// Messages are one line, whatever a child says: it may have been taken over.
fn one_line(text: String) -> String {
    let space = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(600).map(space).collect()
}

fn failed(error: impl Into<String>) -> LogicAnswer {
    LogicAnswer {
        error: Some(error.into()),
        ..LogicAnswer::default()
    }
}
