//! A model comes: what, how big and under which licence is shown first, and a person is asked before a gigabyte.
use super::{declined, is_agreed, progress::shown};
use crate::Context;
use reckon::models::{Planned, size};
use std::{
    io::{self, Write},
    path::PathBuf,
};

/// A fetch of so many bytes is asked about.
const LARGE: u64 = 1_000_000_000;

/// Fetches a model, or what is missing of it.
pub(super) fn pull(name: &str, context: &Context) -> anyhow::Result<PathBuf> {
    let plan = match context.store.plan(name, &mut shown(context))? {
        Planned::Here(path) => return Ok(path),
        Planned::Absent(plan) => plan,
    };
    // A sentence that cannot be shown is no reason to stop.
    let _ = writeln!(io::stderr(), "{}", plan.sentence());
    if context.ask_first && plan.bytes >= LARGE && !is_agreed("Fetch it?", true)? {
        return Err(declined("nothing was fetched").into());
    }
    Ok(context.store.fetch(&plan, &mut shown(context))?)
}

/// Asks before the first run fetches the default model, however small.
pub(super) fn agree_to_default(context: &Context) -> anyhow::Result<()> {
    if !context.ask_first || context.store.offline {
        return Ok(());
    }
    let Some(entry) = context.store.missing_default() else {
        return Ok(());
    };
    let plan = context.store.plan_of(entry);
    let (name, bytes, licence) = (&entry.name, size(plan.bytes), &entry.licence);
    let question =
        format!("No model is here yet. Fetch {name} (about {bytes}, licence {licence})?");
    match is_agreed(&question, true)? {
        true => Ok(()),
        false => Err(declined("no model is here yet").into()),
    }
}
