//! `reckon solve`: programs that a model wrote in, what came of them out.
//!
//! Programs run in children of this binary; see `reckon::child`.
mod logic;
mod python;
mod rows;
mod setup;
pub(crate) mod solver;

use crate::{
    Context,
    cli::solve::{SolveArgs, SolveCommand},
};

/// Runs `reckon solve`.
pub(crate) fn run(args: &SolveArgs, offline: bool) -> anyhow::Result<()> {
    match &args.command {
        SolveCommand::Python(args) => python::run(args),
        SolveCommand::Logic(args) => logic::run(args, &Context::from_env(offline, false)?),
        SolveCommand::Setup(args) => setup::run(args, &Context::from_env(offline, false)?),
    }
}
