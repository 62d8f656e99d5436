//! The `z3` program: a script on its standard input, its answer from its standard output.
//!
//! It gets no environment, a time limit of its own and one from outside, and a memory limit. What it prints is read as
//! SMT-LIB with the same bounds as any other text. It is handed only what `script.rs` let through.
use super::{
    Limits, Refusal,
    script::State,
    sexpr::{self, Sexpr},
};
use std::{
    io::{Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Most bytes that are read of an answer.
const MOST_ANSWER: u64 = 4 << 20;

/// What the program said.
#[derive(Debug)]
pub(super) struct Said {
    /// `sat`, `unsat` or `unknown`.
    pub(super) status: String,
    /// The answer to `get-model`, if there is a model.
    pub(super) model: Option<Sexpr>,
    /// Values of the objectives.
    pub(super) objectives: Vec<Sexpr>,
    /// The assumptions of the core.
    pub(super) core: Vec<String>,
}

/// Asks `program` whether the state's assertions can hold.
pub(super) fn check(
    program: &Path,
    state: &State,
    assumptions: &[Sexpr],
    more: &[String],
    limits: &Limits,
) -> Result<Said, Refusal> {
    let script = script(state, assumptions, more, false);
    let mut said = ask(program, &script, limits)?;
    let irrational = |model: &Sexpr| model.to_string().contains("root-obj");
    if said.model.as_ref().is_some_and(irrational) {
        // The second answer has digits for roots, but also rounded fractions: only the roots are taken from it.
        let digits = ask(
            program,
            &self::script(state, assumptions, more, true),
            limits,
        )?;
        if let (Some(exact), Some(rounded)) = (&mut said.model, &digits.model) {
            replace_roots(exact, rounded);
        }
    }
    Ok(said)
}

fn script(state: &State, assumptions: &[Sexpr], more: &[String], decimal: bool) -> String {
    let mut lines = vec!["(set-option :print-success false)".to_owned()];
    if decimal {
        lines.push("(set-option :pp.decimal true)".into());
        lines.push("(set-option :pp.decimal_precision 40)".into());
    }
    if !assumptions.is_empty() {
        lines.push("(set-option :produce-unsat-cores true)".into());
    }
    let asserts = |item: &Sexpr| {
        let word = item
            .list()
            .and_then(<[Sexpr]>::first)
            .and_then(Sexpr::symbol);
        matches!(
            word,
            Some("assert" | "assert-soft" | "maximize" | "minimize")
        )
    };
    let (asserted, declared): (Vec<_>, Vec<_>) = state.items.iter().partition(|item| asserts(item));
    lines.extend(declared.iter().map(|item| item.to_string()));
    if state.pushed {
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
    if asserted
        .iter()
        .any(|item| !item.to_string().starts_with("(assert "))
    {
        lines.push("(get-objectives)".into());
    }
    if !assumptions.is_empty() {
        lines.push("(get-unsat-core)".into());
    }
    lines.push("(exit)\n".into());
    lines.join("\n")
}

fn ask(program: &Path, script: &str, limits: &Limits) -> Result<Said, Refusal> {
    let answer = run(program, script, limits)?;
    let Some(answer) = answer else {
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
        return Err(Refusal::new(format!("z3: {}", first_line(&error))));
    };
    if status == "unsat" {
        let core = items.iter().skip(1).rfind(|item| {
            let word = item
                .list()
                .and_then(<[Sexpr]>::first)
                .and_then(Sexpr::symbol);
            item.list().is_some() && word != Some("error") && word != Some("objectives")
        });
        let names = core.and_then(Sexpr::list).unwrap_or_default();
        let core = names.iter().map(Sexpr::to_string).collect();
        return Ok(Said {
            core,
            ..nothing("unsat")
        });
    }
    if status != "sat" {
        return Ok(nothing("unknown"));
    }
    let lists = || items.iter().filter(|item| item.list().is_some());
    let word = |item: &&Sexpr| {
        item.list()
            .and_then(<[Sexpr]>::first)
            .and_then(Sexpr::symbol)
            .map(str::to_owned)
    };
    let objectives = lists().find(|item| word(item).as_deref() == Some("objectives"));
    let objectives = objectives.and_then(Sexpr::list).unwrap_or_default();
    let last = |item: &Sexpr| item.list().and_then(<[Sexpr]>::last).cloned();
    Ok(Said {
        model: lists()
            .find(|item| !matches!(word(item).as_deref(), Some("error" | "objectives")))
            .cloned(),
        objectives: objectives.iter().skip(1).filter_map(last).collect(),
        ..nothing("sat")
    })
}

fn nothing(status: &str) -> Said {
    Said {
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

/// The program's output, or nothing if it took too long.
fn run(program: &Path, script: &str, limits: &Limits) -> Result<Option<String>, Refusal> {
    let seconds = limits.time.as_secs().max(1) + 1;
    let failed = |error: std::io::Error| Refusal::new(format!("{}: {error}", program.display()));
    let mut child = Command::new(program)
        .args(["-in", "-smt2"])
        .arg(format!("-t:{}", limits.time.as_millis()))
        .arg(format!("-T:{seconds}"))
        .arg(format!("-memory:{}", limits.memory >> 20))
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let deadline = Instant::now() + limits.time + Duration::from_secs(2);
    let answer = thread::scope(|scope| {
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(script.as_bytes())));
        let reader = scope.spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.map(|stdout| stdout.take(MOST_ANSWER).read_to_end(&mut bytes));
            read.map(|_| bytes)
        });
        while !reader.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_micros(500));
        }
        let finished = reader.is_finished();
        end(&mut child);
        let bytes = reader.join().ok().flatten();
        bytes.filter(|_| finished)
    });
    Ok(answer.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// A child that has said what it will say, or has had its time.
fn end(child: &mut Child) {
    // It may have ended by itself; then there is nothing to kill.
    let _ = child.kill();
    let _ = child.wait();
}

/// Puts the digits of `rounded` where `exact` has a root.
fn replace_roots(exact: &mut Sexpr, rounded: &Sexpr) {
    let is_root = |item: &Sexpr| {
        item.list()
            .and_then(<[Sexpr]>::first)
            .and_then(Sexpr::symbol)
            == Some("root-obj")
    };
    if is_root(exact) {
        *exact = rounded.clone();
        return;
    }
    if let (Sexpr::List(exact), Sexpr::List(rounded)) = (exact, rounded) {
        for (a, b) in exact.iter_mut().zip(rounded) {
            replace_roots(a, b);
        }
    }
}
