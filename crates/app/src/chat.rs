//! Placeholder of `reckon chat`.
use crate::{Context, Failure, cli::ChatArgs};

/// Runs `reckon chat`.
pub(crate) fn run(_args: &ChatArgs, _context: &Context) -> anyhow::Result<()> {
    Err(Failure::failed("chat is not part of this build yet").into())
}
