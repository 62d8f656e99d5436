//! `reckon doctor`: what this machine offers.
use crate::{Context, Failure, cli::DoctorArgs};

/// Runs `reckon doctor`.
pub(crate) fn run(_args: &DoctorArgs, _context: &Context) -> anyhow::Result<()> {
    Err(Failure::failed("doctor is not part of this build yet").into())
}
