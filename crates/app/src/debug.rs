//! Placeholder of `reckon debug`.
use crate::{Context, Failure, cli::DebugArgs};

/// Runs `reckon debug`.
pub(crate) fn run(_args: &DebugArgs, _context: &Context) -> anyhow::Result<()> {
    Err(Failure::failed("debug is not part of this build yet").into())
}
