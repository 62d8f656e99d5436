//! `reckon models rm`: removes a model that Reckon fetched, after a question on a terminal.
use super::is_agreed;
use crate::{Context, Failure};
use reckon::models::size;
use std::io::Write;

/// Removes it and says how much that freed.
pub(super) fn run(name: &str, context: &Context, out: &mut dyn Write) -> anyhow::Result<()> {
    let removal = context.store.plan_removal(name)?;
    let bytes = size(removal.bytes);
    if context.ask_first && !is_agreed(&format!("Remove {name} ({bytes})?"), false)? {
        return Err(Failure::failed("nothing was removed").into());
    }
    context.store.remove(&removal)?;
    Ok(writeln!(out, "{name} is removed: {bytes} freed")?)
}
