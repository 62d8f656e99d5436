//! Solving as jobs of a locked child: text that a model wrote is parsed, solved and checked there and nowhere else.
//!
//! The parent gives a [`LogicInput`] and gets a [`LogicAnswer`], both as JSON; what was printed goes its own way. All
//! that a child asks for is `z3`: the call of that kind carries SMT-LIB text out and the program's raw output back.
use super::{AskZ3, LogicAnswer, LogicLimits, LogicSession, decide};
use reckon_walls::{Job, Work, inside};
use std::cell::RefCell;

/// Solves an SMT-LIB script. A job's usual stack is enough for the deepest term that is read.
pub const LOGIC: Job = Job::new("logic", run_script);

/// What a child is to solve.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct LogicInput {
    /// A script or a program.
    pub(super) text: String,
    pub(super) limits: LogicLimits,
    /// Does the parent run `z3`? Otherwise the embedded solver answers.
    pub(super) z3: bool,
}

impl LogicInput {
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(bytes).map_err(|error| format!("refused: {error}"))
    }

    fn ask_z3(&self) -> Option<AskZ3> {
        self.z3.then(|| Box::new(ask_parent) as AskZ3)
    }
}

/// The parent says nothing where `z3` gave no answer.
fn ask_parent(text: &str) -> Option<String> {
    let printed = inside::call("z3", text).ok()?;
    (!printed.is_empty()).then_some(printed)
}

fn run_script(input: &[u8]) -> Result<Vec<u8>, String> {
    let input = LogicInput::parse(input)?;
    let mut answer = decide(&input.text, &input.limits, input.ask_z3());
    // In pieces: a frame holds less than a script may print.
    let printed = std::mem::take(&mut answer.stdout);
    for piece in printed.as_bytes().chunks(1 << 20) {
        inside::print(piece, true);
    }
    to_json(&answer)
}

thread_local! {
    /// The session of the z3py program that this child runs: functions that an interpreter calls carry no state.
    static SESSION: RefCell<Option<LogicSession>> = const { RefCell::new(None) };
}

/// Runs a z3py program with `python` and concludes, however the program ended.
pub(crate) fn run_program(input: &[u8], python: Work) -> Result<Vec<u8>, String> {
    let input = LogicInput::parse(input)?;
    SESSION.set(Some(LogicSession::new(input.limits, input.ask_z3())));
    let ended = python(input.text.as_bytes());
    let session = SESSION.take();
    let mut answer = session.map(LogicSession::conclude).unwrap_or_default();
    answer.error = ended.err();
    to_json(&answer)
}

/// Answers `_reckon.call(kind, text)` of a z3py program; nothing if this child runs plain Python.
pub(crate) fn answer_program(kind: &str, text: &str) -> Option<String> {
    SESSION.with_borrow_mut(|session| Some(session.as_mut()?.answer(kind, text)))
}

fn to_json(answer: &LogicAnswer) -> Result<Vec<u8>, String> {
    serde_json::to_vec(answer).map_err(|error| error.to_string())
}
