//! `reckon lab`: runs benchmarks, judges and grades answers, reports on them, and holds the gate.
mod calibrate;
mod classes;
mod compare;
mod export;
pub(crate) mod gate;
mod grade;
mod judge;
mod model;
mod recording;
mod report;
mod run;
mod sets;

use crate::{
    Context,
    cli::lab::{LabArgs, LabCommand},
};
use serde::Serialize;
use std::{
    io::{self, Write},
    time::SystemTime,
};

/// Seconds since 1970, to the millisecond.
fn now() -> f64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_millis() as f64 / 1000.0)
}

/// Runs `reckon lab`.
pub(crate) fn run(args: &LabArgs, context: &Context) -> anyhow::Result<()> {
    match &args.command {
        LabCommand::Pull(args) => sets::pull(args, context),
        LabCommand::Run(args) => run::run(args, context),
        LabCommand::Judge(args) => judge::run(args, context),
        LabCommand::Report(args) => report::run(args, context),
        LabCommand::Compare(args) => compare::run(args, context),
        LabCommand::Calibrate(args) => calibrate::run(args, context),
        LabCommand::Classes(args) => classes::run(args, context),
        LabCommand::Gate(args) => gate::run(args, context),
        LabCommand::Grade(args) => grade::run(args),
    }
}

/// Prints what was found: as one JSON object, or as text for people.
fn print(found: &impl Serialize, json: bool, text: impl FnOnce() -> String) -> anyhow::Result<()> {
    let said = match json {
        true => serde_json::to_string(found)? + "\n",
        false => text(),
    };
    Ok(io::stdout().write_all(said.as_bytes())?)
}
