//! `reckon lab`: questions and a model in, tapes and comparisons out.
mod compare;
mod grade;
mod run;
mod sets;
mod speaker;

use crate::{
    Context,
    cli::lab::{LabArgs, LabCommand},
};

/// Runs `reckon lab`.
pub(crate) fn run(args: &LabArgs, context: &Context) -> anyhow::Result<()> {
    match &args.command {
        LabCommand::Pull(args) => sets::pull(args, context),
        LabCommand::Run(args) => run::run(args, context),
        LabCommand::Compare(args) => compare::run(args),
        LabCommand::Grade(args) => grade::run(args),
    }
}
