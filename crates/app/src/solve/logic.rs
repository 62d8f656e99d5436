//! `reckon solve logic`: one program or script, or one a row.
//!
//! A single program sets the exit code. Rows never do: each says for itself how it went.
use super::{rows, solver};
use crate::{
    Context, Failure,
    cli::solve::{LogicArgs, ProgramArgs},
    input,
    printable::clean,
};
use reckon::solve::{
    Sandbox,
    logic::{self, LogicAnswer, LogicLimits, SatStatus, Solver},
};
use serde_json::{Map, Value, json};
use std::{
    io::{self, Write},
    path::Path,
};

/// Runs `reckon solve logic`.
pub(super) fn run(args: &LogicArgs, context: &Context) -> anyhow::Result<()> {
    let solver = solver::choose(args.solver, context)?;
    let ProgramArgs { file, jsonl, json } = &args.programs;
    match (file, jsonl) {
        (_, Some(jsonl)) => rows::run(jsonl, || {
            let mut sandbox = reckon::sandbox()?;
            let solver = solver.clone();
            Ok(move |row: &rows::Row| row_result(&mut sandbox, &solver, row))
        }),
        (Some(file), None) => single(file, *json, &solver),
        (None, None) => Err(Failure::usage("no program").into()),
    }
}

fn single(file: &Path, json: bool, solver: &Solver) -> anyhow::Result<()> {
    let mut sandbox = reckon::sandbox()?;
    let bytes = input::bytes(file, sandbox.limits().input)?;
    let refused = |error: reckon::solve::Error| {
        Failure::input(error.to_string()).hint("a program is UTF-8 text of at most 1 MiB")
    };
    let text = sandbox.accept(&bytes).map_err(refused)?.to_owned();
    let answer = logic::solve(&mut sandbox, &text, solver, &LogicLimits::default());
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", Value::Object(fields(&answer)))?;
    } else {
        print(&answer, logic::is_smt(&text), &mut out)?;
    }
    match answer.error {
        Some(error) => Err(Failure::failed(error).into()),
        None => Ok(()),
    }
}

/// What was printed; for a program that printed nothing, the verdict and the model.
fn print(answer: &LogicAnswer, smt: bool, out: &mut dyn Write) -> io::Result<()> {
    let printed = clean(&answer.stdout);
    write!(out, "{printed}")?;
    if !printed.is_empty() && !printed.ends_with('\n') {
        writeln!(out)?;
    }
    if !smt && printed.is_empty() && answer.error.is_none() {
        writeln!(out, "{}", answer.status.name())?;
        for (name, value) in &answer.model {
            writeln!(out, "{}", clean(&format!("{name} = {value}")))?;
        }
    }
    if answer.status == SatStatus::Sat && answer.unique == Some(false) && printed.is_empty() {
        writeln!(out, "not the only one")?;
    }
    Ok(())
}

fn row_result(sandbox: &mut Sandbox, solver: &Solver, row: &rows::Row) -> Map<String, Value> {
    let answer = match row.text("program") {
        Ok(text) => {
            let answer = match sandbox.accept(text.as_bytes()) {
                Ok(text) => {
                    let text = text.to_owned();
                    logic::solve(sandbox, &text, solver, &LogicLimits::default())
                }
                Err(error) => failed(format!("refused: {error}")),
            };
            // Gets ready while others work; a failure shows when the next row runs.
            let _ = sandbox.prepare_logic();
            answer
        }
        Err(error) => failed(error),
    };
    fields(&answer)
}

fn failed(error: String) -> LogicAnswer {
    LogicAnswer {
        error: Some(error),
        ..LogicAnswer::default()
    }
}

fn fields(answer: &LogicAnswer) -> Map<String, Value> {
    let model: Map<String, Value> = answer
        .model
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let mut fields = Map::new();
    fields.insert("status".into(), json!(answer.status.name()));
    fields.insert("model".into(), Value::Object(model));
    fields.insert("unique".into(), json!(answer.unique));
    fields.insert("checked".into(), json!(answer.checked));
    fields.insert("stdout".into(), json!(answer.stdout));
    fields.insert("error".into(), json!(answer.error));
    fields.insert("ms".into(), json!((answer.ms * 1e3).round() / 1e3));
    fields
}
