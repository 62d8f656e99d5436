//! One question: a state, who answers, and what is made of the answer.
//!
//! Also [`Host`], which answers the questions of a program in the sandbox and keeps the last one.
use super::{
    Answer, Limits, Refusal, Solver, Status,
    embedded::{self, Outcome},
    external::{self, Said},
    model,
    problem::{Problem, Unsupported},
    script::{self, Command, State},
    sexpr::Sexpr,
    unique,
    value::{Model, Valuer},
    with_stack,
};
use std::time::{Duration, Instant};

/// A question and its answer.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) status: Status,
    /// Why the status is unknown.
    reason: String,
    state: State,
    assumptions: Vec<Sexpr>,
    /// The typed problem and its model; none if the status has no model, or the problem no typed form.
    found: Option<(Problem, Model)>,
    /// The solver's own words, where there is no typed form.
    raw: Option<Sexpr>,
    checked: bool,
    core: Vec<String>,
}

impl Question {
    pub(super) fn ask(
        state: &State,
        assumptions: &[Sexpr],
        solver: &Solver,
        limits: &Limits,
    ) -> Result<Self, Refusal> {
        let mut question = Self {
            status: Status::Unknown,
            reason: "out of time".into(),
            state: state.clone(),
            assumptions: assumptions.to_vec(),
            found: None,
            raw: None,
            checked: false,
            core: Vec::new(),
        };
        if limits.time < Duration::from_millis(1) {
            return Ok(question);
        }
        let problem = Problem::new(&state.items, assumptions);
        match solver {
            Solver::Embedded => question.embedded(problem, limits),
            Solver::Z3(program) => {
                let said = external::check(program, state, assumptions, &[], limits)?;
                question.external(problem.ok(), said);
            }
        }
        Ok(question)
    }

    fn embedded(&mut self, problem: Result<Problem, Unsupported>, limits: &Limits) {
        let problem = match problem {
            Ok(problem) => problem,
            Err(Unsupported(what)) => {
                self.reason = format!("not supported: {what}");
                return;
            }
        };
        match embedded::solve(&problem, Instant::now() + limits.time) {
            Outcome::Sat(model) => {
                self.status = Status::Sat;
                self.checked = true;
                self.found = Some((problem, *model));
            }
            Outcome::Unsat => {
                self.status = Status::Unsat;
                self.core = self.assumptions.iter().map(Sexpr::to_string).collect();
            }
            Outcome::Unknown(reason) => self.reason = reason,
        }
    }

    fn external(&mut self, problem: Option<Problem>, said: Said) {
        self.core = said.core;
        self.reason = "the solver gave up".into();
        match said.status.as_str() {
            "unsat" => self.status = Status::Unsat,
            "sat" => self.status = Status::Sat,
            _ => return,
        }
        let (Some(mut problem), Some(answer)) = (problem, &said.model) else {
            self.raw = said.model;
            return;
        };
        let Ok(mut model) = model::parse(&mut problem, answer) else {
            self.raw = said.model;
            return;
        };
        if self.status == Status::Unsat {
            return;
        }
        model.objectives = said.objectives.iter().map(plain).collect();
        match Valuer::new(&problem, &model).holds() {
            Some(true) => self.checked = true,
            Some(false) => {
                self.status = Status::Unknown;
                self.reason = "a model that does not hold".into();
                return;
            }
            None => {}
        }
        self.found = Some((problem, model));
    }

    /// The answer to `get-model`.
    pub(super) fn printed(&self) -> Option<String> {
        match (&self.found, &self.raw) {
            (Some((problem, model)), _) => Some(model::printed(problem, model)),
            (None, Some(raw)) => Some(raw.to_string()),
            _ => None,
        }
    }

    /// The answer to `get-value`.
    pub(super) fn values(&mut self, terms: &[Sexpr]) -> Result<String, Refusal> {
        let none = || Refusal::new("there is no model to ask");
        let (problem, model) = self.found.as_mut().ok_or_else(none)?;
        let mut parts = Vec::new();
        for term in terms {
            let unknown = |Unsupported(what)| Refusal::new(format!("not supported: {what}"));
            let id = super::parse::term(problem, term).map_err(unknown)?;
            let no_value = |_| Refusal::new(format!("`{term}` has no exact value"));
            let value = Valuer::new(problem, model).value(id).map_err(no_value)?;
            let sort = problem.terms.sort(id);
            let text = model::text(problem, model, &value, sort);
            parts.push(format!("({term} {})", model::literal(&text, sort)));
        }
        Ok(format!("({})", parts.join("\n ")))
    }

    /// Fills in the verdict; asks whether the model is the only one.
    pub(super) fn conclude(self, solver: &Solver, limits: &Limits, answer: &mut Answer) {
        answer.status = self.status;
        answer.checked = self.checked;
        if let Some((problem, model)) = &self.found {
            answer.model = model::named(problem, model);
            answer.unique = self.is_unique(problem, model, solver, limits);
        }
    }

    fn is_unique(
        &self,
        problem: &Problem,
        model: &Model,
        solver: &Solver,
        limits: &Limits,
    ) -> Option<bool> {
        if limits.time < Duration::from_millis(1) {
            return None;
        }
        let mut problem = problem.clone();
        problem.objectives.clear();
        problem.soft.clear();
        let other = unique::other(&mut problem, model)?;
        let status = match solver {
            Solver::Embedded => {
                problem.asserted.push(other);
                match embedded::solve(&problem, Instant::now() + limits.time) {
                    Outcome::Sat(_) => Status::Sat,
                    Outcome::Unsat => Status::Unsat,
                    Outcome::Unknown(_) => Status::Unknown,
                }
            }
            Solver::Z3(program) => {
                let mut state = self.state.clone();
                state.items.retain(|item| !is_objective(item));
                let more = format!("(assert {})", unique::written(&problem, other)?);
                let said =
                    external::check(program, &state, &self.assumptions, &[more], limits).ok()?;
                match said.status.as_str() {
                    "sat" => Status::Sat,
                    "unsat" => Status::Unsat,
                    _ => Status::Unknown,
                }
            }
        };
        match status {
            Status::Sat => Some(false),
            Status::Unsat => Some(true),
            Status::Unknown => None,
        }
    }

    /// The reply for the `z3` module; see `modules/z3_solver.py`.
    fn reply(&self) -> String {
        let mut lines = Vec::new();
        match self.status {
            Status::Unknown => lines.push(format!("unknown\t{}", self.reason)),
            status => lines.push(status.name().to_owned()),
        }
        lines.extend(self.core.iter().map(|name| format!("k\t{name}")));
        if let Some((problem, model)) = &self.found {
            for (index, universe) in model.universes.iter().enumerate() {
                if !universe.is_empty() {
                    lines.push(format!(
                        "u\t{}\t{}",
                        problem.free[index],
                        universe.join("\t")
                    ));
                }
            }
            for index in &model.order {
                let declared = &problem.symbols[*index as usize];
                if let Some(fields) = model::fields(problem, model, *index) {
                    let kind = if declared.args.is_empty() { "c" } else { "f" };
                    lines.push(format!("{kind}\t{}\t{}", declared.name, fields.join("\t")));
                }
            }
            lines.extend(model.objectives.iter().map(|value| format!("o\t{value}")));
        }
        lines.join("\n")
    }
}

fn is_objective(item: &Sexpr) -> bool {
    let word = item
        .list()
        .and_then(<[Sexpr]>::first)
        .and_then(Sexpr::symbol);
    matches!(word, Some("maximize" | "minimize" | "assert-soft"))
}

/// A number of a solver's answer in our words: `(- 5)` is `-5`, `(/ 1.0 3.0)` is `1/3`.
fn plain(number: &Sexpr) -> String {
    match number {
        Sexpr::Number(text) => text.trim_end_matches(".0").to_owned(),
        Sexpr::List(items) => match items.as_slice() {
            [Sexpr::Symbol(minus), inner] if minus == "-" => format!("-{}", plain(inner)),
            [Sexpr::Symbol(slash), a, b] if slash == "/" => format!("{}/{}", plain(a), plain(b)),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// Answers what the `z3` module asks while a program runs, and keeps the last question.
#[derive(Debug)]
pub struct Host {
    solver: Solver,
    limits: Limits,
    deadline: Instant,
    last: Option<Question>,
}

impl Host {
    /// For one program; the time for all its questions starts now.
    #[must_use]
    pub fn new(solver: Solver, limits: Limits) -> Self {
        Self {
            solver,
            limits,
            deadline: Instant::now() + limits.total,
            last: None,
        }
    }

    /// Answers one call of the sandbox: kind `smt` and a script with one `check-sat` at its end.
    pub fn answer(&mut self, kind: &str, text: &str) -> String {
        if kind != "smt" {
            return "error\tno such question".into();
        }
        match with_stack(|| self.ask(text)) {
            Ok(question) => {
                let reply = match (&self.solver, question.status) {
                    // Programs take "not sat" for "unsat". Where z3 would know and we do not, they stop instead.
                    (Solver::Embedded, Status::Unknown) => {
                        format!("error\tno verdict: {}", question.reason)
                    }
                    _ => question.reply(),
                };
                self.last = Some(question);
                reply
            }
            Err(Refusal(error)) => format!("error\t{error}"),
        }
    }

    fn ask(&self, text: &str) -> Result<Question, Refusal> {
        let mut state = State::default();
        for command in script::commands(text)? {
            if let Command::Check(assumptions) = &command {
                let limits = self.limits.until(self.deadline, state.timeout);
                return Question::ask(&state, assumptions, &self.solver, &limits);
            }
            state.apply(&command)?;
        }
        Err(Refusal::new("a script without a question"))
    }

    /// Fills in the last question's verdict.
    pub fn conclude(self, answer: &mut Answer) {
        let limits = self.limits.until(self.deadline, None);
        if let Some(question) = self.last {
            with_stack(|| question.conclude(&self.solver, &limits, answer));
        }
    }
}
