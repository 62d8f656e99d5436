//! The questions of one script or program: from SMT-LIB text to a status, a checked model and its uniqueness.
//!
//! [`decide`] runs a whole script; a [`LogicSession`] answers the questions that a z3py program asks one by one. Neither
//! touches the system: `z3`, where it is wanted, is behind a callback. Everything that text can make large is bounded:
//! by [`Budget`] within a question, by `LogicLimits::output` between them.
use super::{
    AskZ3, LogicAnswer, LogicLimits, SatStatus, SmtError,
    budget::{Budget, NoVerdict},
    embedded, model,
    problem::Problem,
    script::{self, AssertionStack, SmtCommand},
    sexpr::Sexpr,
    unique,
    value::{Model, Valuer},
    z3_text::{self, Z3Reply},
};
use std::time::{Duration, Instant};

/// Decides a whole SMT-LIB script. With `ask_z3` the `z3` program answers, without it the embedded solver does.
///
/// Uses deep recursion on deep terms: to be called with at least 64 MiB of stack.
#[must_use]
pub fn decide(text: &str, limits: &LogicLimits, ask_z3: Option<AskZ3>) -> LogicAnswer {
    let mut session = LogicSession::new(*limits, ask_z3);
    let mut printed = String::new();
    let stopped = session.run_script(text, &mut printed);
    let mut answer = session.conclude();
    answer.stdout = printed;
    answer.error = stopped.err().map(|SmtError(error)| error);
    answer
}

/// Answers the questions of one program, and keeps the last one.
pub struct LogicSession {
    limits: LogicLimits,
    deadline: Instant,
    ask_z3: Option<AskZ3>,
    last: Option<SatQuery>,
}

/// A question and its answer.
#[derive(Debug)]
struct SatQuery {
    status: SatStatus,
    /// Why the status is unknown.
    reason: String,
    stack: AssertionStack,
    assumptions: Vec<Sexpr>,
    /// The typed problem and its model; none if the status has no model, or the problem no typed form.
    found: Option<(Problem, Model)>,
    /// The solver's own words, where there is no typed form.
    raw: Option<Sexpr>,
    checked: bool,
    core: Vec<String>,
}

impl LogicSession {
    /// For one program; the time for all its questions starts now. Without `ask_z3` the embedded solver answers.
    #[must_use]
    pub fn new(limits: LogicLimits, ask_z3: Option<AskZ3>) -> Self {
        Self {
            limits,
            deadline: Instant::now() + limits.total,
            ask_z3,
            last: None,
        }
    }

    /// Answers one call of the `z3` module: kind `smt` and a script with one `check-sat` at its end.
    pub fn answer(&mut self, kind: &str, text: &str) -> String {
        if kind != "smt" {
            return "error\tno such question".into();
        }
        match self.ask(text) {
            Ok(query) => {
                self.last = Some(query);
                self.refresh();
                let Some(query) = &self.last else {
                    return "error\tno question".into();
                };
                // Programs take "not sat" for "unsat". Where z3 would know and we do not, they stop instead.
                let stops = self.ask_z3.is_none() && query.status == SatStatus::Unknown;
                let reply = if stops {
                    format!("error\tno verdict: {}", query.reason)
                } else {
                    query.reply()
                };
                if reply.len() > self.limits.output {
                    return format!("error\t{}", self.too_loud().0);
                }
                reply
            }
            Err(SmtError(error)) => format!("error\t{error}"),
        }
    }

    /// The verdict on the last question; asks whether its model is the only one.
    #[must_use]
    pub fn conclude(mut self) -> LogicAnswer {
        let mut answer = LogicAnswer::default();
        self.refresh();
        let Some(query) = self.last.take() else {
            return answer;
        };
        answer.status = query.status;
        answer.checked = query.checked;
        if query.status == SatStatus::Unknown {
            answer.reason = Some(query.reason.clone());
        }
        if let Some((problem, model)) = &query.found {
            answer.model = model::named(problem, model);
            answer.unique = self.is_unique(&query, problem, model);
        }
        answer
    }

    fn run_script(&mut self, text: &str, printed: &mut String) -> Result<(), SmtError> {
        let mut stack = AssertionStack::default();
        for command in script::commands(text)? {
            if stack.apply(&command)? {
                continue;
            }
            self.refresh();
            let none = || SmtError::new("there is no model to ask");
            let line = match &command {
                SmtCommand::Check(assumptions) => {
                    let query = self.query(&stack, assumptions)?;
                    let status = query.status.name().to_owned();
                    self.last = Some(query);
                    status
                }
                SmtCommand::Model => {
                    let last = self.last.as_ref().and_then(SatQuery::printed);
                    last.ok_or_else(none)?
                }
                SmtCommand::Values(terms) => self.last.as_mut().ok_or_else(none)?.values(terms)?,
                SmtCommand::Echo(text) => text.clone(),
                _ => continue,
            };
            if printed.len() + line.len() >= self.limits.output {
                return Err(self.too_loud());
            }
            *printed += &line;
            printed.push('\n');
        }
        Ok(())
    }

    /// Time to read the last model: that of its question may be over.
    fn refresh(&mut self) {
        let time = self
            .limits
            .until(self.deadline, None)
            .max(Duration::from_secs(1));
        if let Some((problem, _)) = self.last.as_mut().and_then(|last| last.found.as_mut()) {
            problem.budget = Budget::new(time);
        }
    }

    fn too_loud(&self) -> SmtError {
        SmtError(format!(
            "output: more than {} KiB",
            self.limits.output >> 10
        ))
    }

    fn ask(&mut self, text: &str) -> Result<SatQuery, SmtError> {
        let mut stack = AssertionStack::default();
        for command in script::commands(text)? {
            if let SmtCommand::Check(assumptions) = &command {
                return self.query(&stack, assumptions);
            }
            stack.apply(&command)?;
        }
        Err(SmtError::new("a script without a question"))
    }

    fn query(
        &mut self,
        stack: &AssertionStack,
        assumptions: &[Sexpr],
    ) -> Result<SatQuery, SmtError> {
        let mut query = SatQuery {
            status: SatStatus::Unknown,
            reason: "the time for all questions is over".into(),
            stack: stack.clone(),
            assumptions: assumptions.to_vec(),
            found: None,
            raw: None,
            checked: false,
            core: Vec::new(),
        };
        let time = self.limits.until(self.deadline, stack.timeout);
        if time < Duration::from_millis(1) {
            return Ok(query);
        }
        let problem = Problem::new(&stack.items, assumptions, Budget::new(time));
        match &mut self.ask_z3 {
            None => query.embedded(problem),
            Some(ask) => {
                let reply = z3_text::check(ask, stack, assumptions, &[], time.as_millis())?;
                query.external(problem.ok(), reply);
            }
        }
        Ok(query)
    }

    fn is_unique(&mut self, query: &SatQuery, problem: &Problem, model: &Model) -> Option<bool> {
        let time = self.limits.until(self.deadline, None);
        if time < Duration::from_millis(1) {
            return None;
        }
        let mut problem = problem.clone();
        problem.budget = Budget::new(time);
        problem.objectives = 0;
        let other = unique::other(&mut problem, model)?;
        match &mut self.ask_z3 {
            None => {
                problem.asserted.push(other);
                let found = embedded::solve(&problem).ok()?;
                Some(found.is_none())
            }
            Some(ask) => {
                let mut stack = query.stack.clone();
                stack.items.retain(|item| !script::is_objective(item));
                let more = format!("(assert {})", unique::to_smtlib(&problem, other)?);
                let millis = time.as_millis();
                let reply = z3_text::check(ask, &stack, &query.assumptions, &[more], millis);
                match reply.ok()?.status.as_str() {
                    "sat" => Some(false),
                    "unsat" => Some(true),
                    _ => None,
                }
            }
        }
    }
}

impl SatQuery {
    fn embedded(&mut self, problem: Result<Problem, NoVerdict>) {
        let found = problem.and_then(|problem| Ok((embedded::solve(&problem)?, problem)));
        match found {
            Ok((Some(model), problem)) => {
                self.status = SatStatus::Sat;
                self.checked = true;
                self.found = Some((problem, model));
            }
            Ok((None, _)) => {
                self.status = SatStatus::Unsat;
                self.core = self.assumptions.iter().map(Sexpr::to_string).collect();
            }
            Err(NoVerdict(reason)) => self.reason = reason,
        }
    }

    fn external(&mut self, problem: Option<Problem>, reply: Z3Reply) {
        self.core = reply.core;
        self.reason = "z3 gave no answer".into();
        match reply.status.as_str() {
            "unsat" => self.status = SatStatus::Unsat,
            "sat" => self.status = SatStatus::Sat,
            _ => return,
        }
        let (Some(mut problem), Some(printed)) = (problem, &reply.model) else {
            self.raw = reply.model;
            return;
        };
        let Ok(mut model) = model::parse(&mut problem, printed) else {
            self.raw = reply.model;
            return;
        };
        if self.status == SatStatus::Unsat {
            return;
        }
        model.objectives = reply.objectives.iter().map(plain).collect();
        match Valuer::new(&problem, &model).holds() {
            Some(true) => self.checked = true,
            Some(false) => {
                self.status = SatStatus::Unknown;
                self.reason = "z3 gave a model that does not hold".into();
                return;
            }
            None => {}
        }
        self.found = Some((problem, model));
    }

    /// The answer to `get-model`.
    fn printed(&self) -> Option<String> {
        match (&self.found, &self.raw) {
            (Some((problem, model)), _) => Some(model::to_smtlib(problem, model)),
            (None, Some(raw)) => Some(raw.to_string()),
            _ => None,
        }
    }

    /// The answer to `get-value`.
    fn values(&mut self, terms: &[Sexpr]) -> Result<String, SmtError> {
        let none = || SmtError::new("there is no model to ask");
        let (problem, model) = self.found.as_mut().ok_or_else(none)?;
        let mut parts = Vec::new();
        for term in terms {
            let unknown = |NoVerdict(what)| SmtError::new(what);
            let id = super::parse::term(problem, term).map_err(unknown)?;
            let no_value = |_| SmtError::new("a term of `get-value` has no exact value");
            let value = Valuer::new(problem, model).value(id).map_err(no_value)?;
            let sort = problem.terms.sort(id);
            let text = model::text(problem, model, &value, sort);
            parts.push(format!("({term} {})", model::literal(&text, sort)));
        }
        Ok(format!("({})", parts.join("\n ")))
    }

    /// The reply for the `z3` module; see `modules/z3_solver.py`.
    fn reply(&self) -> String {
        let mut lines = Vec::new();
        match self.status {
            SatStatus::Unknown => lines.push(format!("unknown\t{}", self.reason)),
            status => lines.push(status.name().to_owned()),
        }
        lines.extend(self.core.iter().map(|name| format!("k\t{name}")));
        if let Some((problem, model)) = &self.found {
            for (index, universe) in model.universes.iter().enumerate() {
                if !universe.is_empty() {
                    let elements = universe.join("\t");
                    lines.push(format!("u\t{}\t{elements}", problem.free[index]));
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
