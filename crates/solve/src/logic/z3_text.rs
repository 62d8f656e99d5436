//! What `z3` is asked and what it says, both as text: SMT-LIB in, its raw output read back.
//!
//! Pure: `ask` carries the text to the program and back (`external.rs` runs it, in the parent). What comes back is read
//! here, in the child, with the same bounds as any other text, because a solver may print anything.
use super::{
    AskZ3, SmtError,
    script::{self, AssertionStack},
    sexpr::{self, Sexpr},
};

/// What the program said.
#[derive(Debug)]
pub(super) struct Z3Reply {
    /// `sat`, `unsat` or `unknown`.
    pub(super) status: String,
    /// The answer to `get-model`, if there is a model.
    pub(super) model: Option<Sexpr>,
    /// Values of the objectives.
    pub(super) objectives: Vec<Sexpr>,
    /// The assumptions of the core.
    pub(super) core: Vec<String>,
}

/// Asks whether the assertions of `stack`, and the terms of `more`, can hold; `millis` is the time it may take.
pub(super) fn check(
    ask: &mut AskZ3,
    stack: &AssertionStack,
    assumptions: &[Sexpr],
    more: &[String],
    millis: u128,
) -> Result<Z3Reply, SmtError> {
    let script = |decimal: bool| to_smtlib(stack, assumptions, more, decimal, millis);
    let mut reply = read_reply(ask(&script(false)))?;
    let irrational = |model: &Sexpr| model.to_string().contains("root-obj");
    if reply.model.as_ref().is_some_and(irrational) {
        // The second answer has digits for roots, but also rounded fractions: only the roots are taken from it.
        let digits = read_reply(ask(&script(true)))?;
        if let (Some(exact), Some(rounded)) = (&mut reply.model, &digits.model) {
            replace_roots(exact, rounded);
        }
    }
    Ok(reply)
}

fn to_smtlib(
    stack: &AssertionStack,
    assumptions: &[Sexpr],
    more: &[String],
    decimal: bool,
    millis: u128,
) -> String {
    let mut lines = vec![
        "(set-option :print-success false)".to_owned(),
        format!("(set-option :timeout {millis})"),
    ];
    if decimal {
        lines.push("(set-option :pp.decimal true)".into());
        lines.push("(set-option :pp.decimal_precision 40)".into());
    }
    if !assumptions.is_empty() {
        lines.push("(set-option :produce-unsat-cores true)".into());
    }
    let asserts = |item: &Sexpr| item.head() == Some("assert") || script::is_objective(item);
    let (asserted, declared): (Vec<_>, Vec<_>) = stack.items.iter().partition(|item| asserts(item));
    lines.extend(declared.iter().map(|item| item.to_string()));
    if stack.pushed {
        lines.push("(push 1)".into());
    }
    lines.extend(asserted.iter().map(|item| item.to_string()));
    lines.extend(more.iter().cloned());
    if assumptions.is_empty() {
        lines.push("(check-sat)".into());
    } else {
        let assumptions = Sexpr::List(assumptions.to_vec());
        lines.push(format!("(check-sat-assuming {assumptions})"));
    }
    // Only one of these has an answer; the other's error comes after it.
    lines.push("(get-model)".into());
    if asserted.iter().any(|item| script::is_objective(item)) {
        lines.push("(get-objectives)".into());
    }
    if !assumptions.is_empty() {
        lines.push("(get-unsat-core)".into());
    }
    lines.push("(exit)\n".into());
    lines.join("\n")
}

/// Reads what the program printed; nothing at all is `unknown`.
fn read_reply(printed: Option<String>) -> Result<Z3Reply, SmtError> {
    let Some(answer) = printed else {
        return Ok(nothing("unknown"));
    };
    let items = sexpr::read(&answer)?;
    let status = items.iter().find_map(|item| match item.symbol() {
        Some(word @ ("sat" | "unsat" | "unknown" | "timeout")) => Some(word.to_owned()),
        _ => None,
    });
    let error = items.iter().find_map(|item| match item.list() {
        Some([Sexpr::Symbol(word), Sexpr::Text(text)]) if word == "error" => Some(text.clone()),
        _ => None,
    });
    let before_answer = items.first().is_none_or(|item| item.symbol().is_none());
    let Some(status) = status.filter(|_| !before_answer) else {
        let error = error.unwrap_or_else(|| "no answer".into());
        return Err(SmtError::new(format!("z3: {}", first_line(&error))));
    };
    if status == "unsat" {
        let core = items.iter().skip(1).rfind(|item| {
            let word = item.head();
            item.list().is_some() && word != Some("error") && word != Some("objectives")
        });
        let names = core.and_then(Sexpr::list).unwrap_or_default();
        let core = names.iter().map(Sexpr::to_string).collect();
        return Ok(Z3Reply {
            core,
            ..nothing("unsat")
        });
    }
    if status != "sat" {
        return Ok(nothing("unknown"));
    }
    let lists = || items.iter().filter(|item| item.list().is_some());
    let objectives = lists().find(|item| item.head() == Some("objectives"));
    let objectives = objectives.and_then(Sexpr::list).unwrap_or_default();
    let last = |item: &Sexpr| item.list().and_then(<[Sexpr]>::last).cloned();
    Ok(Z3Reply {
        model: lists()
            .find(|item| !matches!(item.head(), Some("error" | "objectives")))
            .cloned(),
        objectives: objectives.iter().skip(1).filter_map(last).collect(),
        ..nothing("sat")
    })
}

fn nothing(status: &str) -> Z3Reply {
    Z3Reply {
        status: status.into(),
        model: None,
        objectives: Vec::new(),
        core: Vec::new(),
    }
}

fn first_line(text: &str) -> String {
    text.lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(200)
        .collect()
}

/// Puts the digits of `rounded` where `exact` has a root.
fn replace_roots(exact: &mut Sexpr, rounded: &Sexpr) {
    if exact.head() == Some("root-obj") {
        *exact = rounded.clone();
        return;
    }
    if let (Sexpr::List(exact), Sexpr::List(rounded)) = (exact, rounded) {
        for (a, b) in exact.iter_mut().zip(rounded) {
            replace_roots(a, b);
        }
    }
}
