//! SMT-LIB text → commands that are safe to hand on, and the state they build.
//!
//! Solvers obey commands that read and write files; only what is listed here gets through, whoever solves it.
use super::{
    SmtError,
    sexpr::{self, Sexpr},
};
use std::sync::Arc;

/// Most commands of a script.
const MOST_COMMANDS: usize = 100_000;
/// Most `check-sat` of a script.
const MOST_CHECKS: usize = 1000;

/// What a script may ask.
#[derive(Clone, Debug)]
pub(super) enum SmtCommand {
    /// A declaration, a definition, an assertion or an objective: part of the state.
    Item(Arc<Sexpr>),
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
pub(super) fn commands(text: &str) -> Result<Vec<SmtCommand>, SmtError> {
    let expressions = sexpr::read(text)?;
    if expressions.len() > MOST_COMMANDS {
        return Err(SmtError::new("more than 100000 commands"));
    }
    let mut commands = Vec::new();
    for expression in expressions {
        let Some((head, rest)) = expression.list().and_then(<[Sexpr]>::split_first) else {
            return Err(SmtError::new(format!(
                "`{}` is no command",
                expression.short()
            )));
        };
        let word = head.symbol().unwrap_or_default().to_owned();
        match word.as_str() {
            "exit" => break,
            "set-option" => commands.extend(timeout(rest)),
            "set-logic" | "set-info" | "get-info" | "get-objectives" | "get-unsat-core" => {}
            word if is_item(word) => commands.push(SmtCommand::Item(Arc::new(expression))),
            word => commands.push(command(word, rest, &expression)?),
        }
    }
    let checks = commands
        .iter()
        .filter(|c| matches!(c, SmtCommand::Check(_)))
        .count();
    if checks > MOST_CHECKS {
        return Err(SmtError::new("more than 1000 questions in one script"));
    }
    Ok(commands)
}

fn command(word: &str, rest: &[Sexpr], whole: &Sexpr) -> Result<SmtCommand, SmtError> {
    let items = |at: usize| rest.get(at).and_then(Sexpr::list).map(<[Sexpr]>::to_vec);
    let count = || match rest.first() {
        None => Some(1),
        Some(Sexpr::Number(text)) => text.parse().ok().filter(|n| *n <= 10_000),
        Some(_) => None,
    };
    let found = match word {
        "check-sat" => Some(SmtCommand::Check(Vec::new())),
        "check-sat-assuming" => items(0).map(SmtCommand::Check),
        "get-model" => Some(SmtCommand::Model),
        "get-value" => items(0).map(SmtCommand::Values),
        "eval" => Some(SmtCommand::Values(rest.to_vec())),
        "echo" => Some(SmtCommand::Echo(match rest.first() {
            Some(Sexpr::Text(text)) => text.clone(),
            _ => String::new(),
        })),
        "push" => count().map(SmtCommand::Push),
        "pop" => count().map(SmtCommand::Pop),
        "reset" | "reset-assertions" => Some(SmtCommand::Reset),
        _ => None,
    };
    found.ok_or_else(|| SmtError::new(format!("`{}` is no command this takes", whole.short())))
}

fn timeout(rest: &[Sexpr]) -> Option<SmtCommand> {
    match rest {
        [Sexpr::Keyword(key), Sexpr::Number(text)] if key == "timeout" => {
            text.parse().ok().map(SmtCommand::Timeout)
        }
        _ => None,
    }
}

/// Does this item ask for the best of something?
pub(super) fn is_objective(item: &Sexpr) -> bool {
    matches!(item.head(), Some("maximize" | "minimize" | "assert-soft"))
}

/// Refuses text with any command or option that `z3` could read or write files by. Looks only at the beginning of each
/// command, so that it costs little for a text of any shape.
pub(super) fn allowed_for_z3(text: &str) -> Result<(), SmtError> {
    let options = [
        "print-success",
        "timeout",
        "pp.decimal",
        "pp.decimal_precision",
        "produce-unsat-cores",
    ];
    for command in sexpr::read(text)? {
        let word = command.head().unwrap_or_default();
        let allowed = match (word, command.list()) {
            ("set-option", Some([_, Sexpr::Keyword(key), ..])) => options.contains(&key.as_str()),
            (
                "push" | "check-sat" | "check-sat-assuming" | "get-model" | "get-objectives"
                | "get-unsat-core" | "exit",
                _,
            ) => true,
            _ => is_item(word),
        };
        if !allowed {
            return Err(SmtError(format!("`{}` is not for z3", command.short())));
        }
    }
    Ok(())
}

/// Declarations, definitions, assertions and objectives.
fn is_item(word: &str) -> bool {
    let words = [
        "declare-sort",
        "declare-fun",
        "declare-const",
        "declare-datatypes",
        "declare-datatype",
        "define-fun",
        "define-const",
        "define-sort",
        "assert",
        "assert-soft",
        "maximize",
        "minimize",
    ];
    words.contains(&word)
}

/// Declarations and assertions in force.
#[derive(Clone, Debug, Default)]
pub(super) struct AssertionStack {
    pub(super) items: Vec<Arc<Sexpr>>,
    marks: Vec<usize>,
    /// Was `push` ever used? A solver that knows it works in another way.
    pub(super) pushed: bool,
    pub(super) timeout: Option<u64>,
}

impl AssertionStack {
    /// Takes a command that changes the state; `false` if it is one that asks.
    pub(super) fn apply(&mut self, command: &SmtCommand) -> Result<bool, SmtError> {
        match command {
            SmtCommand::Item(item) => self.items.push(Arc::clone(item)),
            SmtCommand::Push(count) => {
                self.pushed = true;
                self.marks
                    .extend(std::iter::repeat_n(self.items.len(), *count));
                if self.marks.len() > 100_000 {
                    return Err(SmtError::new("pushed too often"));
                }
            }
            SmtCommand::Pop(count) => {
                for _ in 0..*count {
                    let mark = self.marks.pop();
                    self.items
                        .truncate(mark.ok_or_else(|| SmtError::new("pop without push"))?);
                }
            }
            SmtCommand::Reset => *self = Self::default(),
            SmtCommand::Timeout(ms) => self.timeout = Some(*ms),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
