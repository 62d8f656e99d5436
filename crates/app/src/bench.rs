//! Placeholder of `reckon bench`.
use crate::{Context, Failure, cli::BenchArgs};

/// Runs `reckon bench`.
pub(crate) fn run(_args: &BenchArgs, _context: &Context) -> anyhow::Result<()> {
    Err(Failure::failed("bench is not part of this build yet").into())
}
