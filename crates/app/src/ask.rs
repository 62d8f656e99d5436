//! Placeholder of `reckon ask`.
use crate::{Context, Failure, cli::AskArgs};

/// Runs `reckon ask`.
pub(crate) fn run(_args: &AskArgs, _context: &Context) -> anyhow::Result<()> {
    Err(Failure::failed("ask is not part of this build yet").into())
}
