//! `reckon solve`: programs that a model wrote in, what came of them out.
//!
//! Programs run in children of this binary; see `reckon_solve` and `reckon_walls`.
mod logic;
mod python;
mod rows;
mod setup;
pub(crate) mod solver;

use crate::{
    Context,
    cli::solve::{SolveArgs, SolveCommand},
};
use reckon_solve::{Limits, Sandbox, Start};
use std::{ffi::OsString, process::ExitCode};

/// Runs `reckon solve`.
pub(crate) fn run(args: &SolveArgs, offline: bool) -> anyhow::Result<()> {
    match &args.command {
        SolveCommand::Python(args) => python::run(args),
        SolveCommand::Logic(args) => logic::run(args, &Context::from_env(offline)?),
        SolveCommand::Setup(args) => setup::run(args, &Context::from_env(offline)?),
    }
}

/// A sandbox whose children are this binary.
pub(crate) fn sandbox() -> anyhow::Result<Sandbox> {
    Ok(Sandbox::new(Start::itself()?, Limits::default()))
}

/// Runs as a child, if these arguments (the program's name first) say so.
pub(crate) fn child(arguments: &[OsString]) -> Option<ExitCode> {
    reckon_walls::child(reckon_solve::JOBS, arguments)
}
