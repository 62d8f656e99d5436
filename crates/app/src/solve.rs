//! `reckon solve`: programs that a model wrote in, what came of them out.
//!
//! Programs run in children of this binary, started with [`CHILD`] as their first argument; see `reckon_solve`.
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

/// First argument of a child; nobody types it.
const CHILD: &str = "__sandbox";

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
    // The link stays good when the file is replaced while we run.
    let program = if cfg!(target_os = "linux") {
        "/proc/self/exe".into()
    } else {
        std::env::current_exe()?
    };
    let arguments = vec![OsString::from(CHILD)];
    Ok(Sandbox::new(
        Start { program, arguments },
        Limits::default(),
    ))
}

/// Runs as a child, if these arguments (the program's name first) say so.
pub(crate) fn child(arguments: &[OsString]) -> Option<ExitCode> {
    let [_, first, limits] = arguments else {
        return None;
    };
    (first == CHILD).then(|| reckon_solve::child(&limits.to_string_lossy()))
}
