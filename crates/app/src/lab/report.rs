//! `reckon lab report`: what tapes and judgments come to.
mod tape;

use crate::{Context, cli::lab::report::ReportArgs};

/// Runs `reckon lab report`.
pub(crate) fn run(args: &ReportArgs, context: &Context) -> anyhow::Result<()> {
    tape::run(args, context)
}
