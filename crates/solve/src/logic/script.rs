//! SMT-LIB text → commands that are safe to hand on, and the state they build.
//!
//! Solvers obey commands that read and write files; only what is listed here gets through, whoever solves it.
use super::{
    Refusal,
    sexpr::{self, Sexpr},
};

/// Most commands of a script.
const MOST_COMMANDS: usize = 100_000;
/// Most `check-sat` of a script.
const MOST_CHECKS: usize = 1000;

/// What a script may ask.
#[derive(Clone, Debug)]
pub(super) enum Command {
    /// A declaration, a definition, an assertion or an objective: part of the state.
    Item(Sexpr),
    /// `check-sat`, with assumptions.
    Check(Vec<Sexpr>),
    /// Print the model.
    Model,
    /// Print the values of terms.
    Values(Vec<Sexpr>),
    /// Print a text.
    Echo(String),
    Push(usize),
    Pop(usize),
    Reset,
    /// Milliseconds for each check from here on.
    Timeout(u64),
}

/// Reads a whole script.
pub(super) fn commands(text: &str) -> Result<Vec<Command>, Refusal> {
    let expressions = sexpr::read(text)?;
    if expressions.len() > MOST_COMMANDS {
        return Err(Refusal::new("more than 100000 commands"));
    }
    let mut commands = Vec::new();
    for expression in expressions {
        let Some((head, rest)) = expression.list().and_then(<[Sexpr]>::split_first) else {
            return Err(Refusal::new(format!(
                "`{}` is no command",
                short(&expression)
            )));
        };
        let word = head.symbol().unwrap_or_default().to_owned();
        match word.as_str() {
            "exit" => break,
            "set-option" => commands.extend(timeout(rest)),
            "set-logic" | "set-info" | "get-info" | "get-objectives" | "get-unsat-core" => {}
            _ => commands.push(command(&word, rest, &expression)?),
        }
    }
    let checks = commands
        .iter()
        .filter(|c| matches!(c, Command::Check(_)))
        .count();
    if checks > MOST_CHECKS {
        return Err(Refusal::new("more than 1000 questions in one script"));
    }
    Ok(commands)
}

fn command(word: &str, rest: &[Sexpr], whole: &Sexpr) -> Result<Command, Refusal> {
    let items = |at: usize| rest.get(at).and_then(Sexpr::list).map(<[Sexpr]>::to_vec);
    let count = || match rest.first() {
        None => Some(1),
        Some(Sexpr::Number(text)) => text.parse().ok().filter(|n| *n <= 10_000),
        Some(_) => None,
    };
    let found = match word {
        "declare-sort" | "declare-fun" | "declare-const" | "declare-datatypes"
        | "declare-datatype" | "define-fun" | "define-const" | "define-sort" | "assert"
        | "assert-soft" | "maximize" | "minimize" => Some(Command::Item(whole.clone())),
        "check-sat" => Some(Command::Check(Vec::new())),
        "check-sat-assuming" => items(0).map(Command::Check),
        "get-model" => Some(Command::Model),
        "get-value" => items(0).map(Command::Values),
        "eval" => Some(Command::Values(rest.to_vec())),
        "echo" => Some(Command::Echo(match rest.first() {
            Some(Sexpr::Text(text)) => text.clone(),
            _ => String::new(),
        })),
        "push" => count().map(Command::Push),
        "pop" => count().map(Command::Pop),
        "reset" | "reset-assertions" => Some(Command::Reset),
        _ => None,
    };
    found.ok_or_else(|| Refusal::new(format!("`{}` is no command this takes", short(whole))))
}

fn timeout(rest: &[Sexpr]) -> Option<Command> {
    match rest {
        [Sexpr::Keyword(key), Sexpr::Number(text)] if key == "timeout" => {
            text.parse().ok().map(Command::Timeout)
        }
        _ => None,
    }
}

fn short(expression: &Sexpr) -> String {
    expression.to_string().chars().take(60).collect()
}

/// Declarations and assertions in force.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) items: Vec<Sexpr>,
    marks: Vec<usize>,
    /// Was `push` ever used? A solver that knows it works in another way.
    pub(super) pushed: bool,
    pub(super) timeout: Option<u64>,
}

impl State {
    /// Takes a command that changes the state; `false` if it is one that asks.
    pub(super) fn apply(&mut self, command: &Command) -> Result<bool, Refusal> {
        match command {
            Command::Item(item) => self.items.push(item.clone()),
            Command::Push(count) => {
                self.pushed = true;
                self.marks
                    .extend(std::iter::repeat_n(self.items.len(), *count));
                if self.marks.len() > 100_000 {
                    return Err(Refusal::new("pushed too often"));
                }
            }
            Command::Pop(count) => {
                for _ in 0..*count {
                    let mark = self.marks.pop();
                    self.items
                        .truncate(mark.ok_or_else(|| Refusal::new("pop without push"))?);
                }
            }
            Command::Reset => *self = Self::default(),
            Command::Timeout(ms) => self.timeout = Some(*ms),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
