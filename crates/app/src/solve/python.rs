//! `reckon solve python`: one program, or one a row.
//!
//! A single program sets the exit code. Rows never do: each says for itself how it went.
use super::rows;
use crate::{
    Failure,
    cli::solve::{ProgramArgs, PythonArgs},
    input,
    printable::clean,
};
use reckon::solve::{Run, Sandbox};
use serde_json::{Map, Value};
use std::{
    io::{self, Write},
    path::Path,
};

/// Runs `reckon solve python`.
pub(super) fn run(args: &PythonArgs) -> anyhow::Result<()> {
    let ProgramArgs { file, jsonl, json } = &args.programs;
    match (file, jsonl) {
        (_, Some(jsonl)) => rows::run(jsonl, || {
            let mut sandbox = reckon::sandbox()?;
            Ok(move |row: &rows::Row| row_result(&mut sandbox, row))
        }),
        (Some(file), None) => single(file, *json),
        (None, None) => Err(Failure::usage("no program").into()),
    }
}

fn single(file: &Path, json: bool) -> anyhow::Result<()> {
    let mut sandbox = reckon::sandbox()?;
    let bytes = input::bytes(file, sandbox.limits().input)?;
    let refused = |error: reckon::solve::Error| {
        Failure::input(error.to_string()).hint("a program is UTF-8 text of at most 1 MiB")
    };
    let text = sandbox.accept(&bytes).map_err(refused)?;
    let run = sandbox.run(text, &mut no_host);
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(&run)?)?;
    } else {
        print(&run, &mut out)?;
    }
    match run.error {
        Some(error) => Err(Failure::failed(error).into()),
        None => Ok(()),
    }
}

/// What was printed, then the value unless it is what was printed last.
fn print(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let printed = clean(&run.stdout);
    write!(out, "{printed}")?;
    if !printed.is_empty() && !printed.ends_with('\n') {
        writeln!(out)?;
    }
    let last = printed.trim_end().lines().last().unwrap_or_default().trim();
    match run.value.as_deref().map(clean) {
        Some(value) if value.trim() != last => writeln!(out, "{value}"),
        _ => Ok(()),
    }
}

fn row_result(sandbox: &mut Sandbox, row: &rows::Row) -> Map<String, Value> {
    let run = match row.text("program") {
        Ok(program) => {
            let run = sandbox.run(program, &mut no_host);
            // Gets ready while others work; a failure shows when the next row runs.
            let _ = sandbox.prepare();
            run
        }
        Err(error) => Run::failed(error),
    };
    match serde_json::to_value(run) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// A Python program has nobody to call.
fn no_host(_kind: &str, _text: &str) -> String {
    String::new()
}
