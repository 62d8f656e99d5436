//! `reckon models lock`: the state of a model goes into `reckon.lock`, if `reckon lab gate` has passed for this very state.
use super::{Lockfile, Trust, locate, state};
use crate::{Context, Failure, cli::LockArgs, drift, exit, guard, lab::gate::Record};
use reckon_lab::{Locked, State};
use serde_json::json;
use std::{io::Write, path::Path};

/// Accepts a model as it is.
pub(crate) fn run(args: &LockArgs, context: &Context, out: &mut dyn Write) -> anyhow::Result<()> {
    let path = locate(args.model.as_deref(), context)?;
    let name = context.store.name_of(&path);
    let guards = drift::versions(&guard::versioned(context)?);
    let state = state(&path, guards, Trust::Stamp, context)?;
    let mut record = Record::read(&name, context)?;
    let forced = match passed(&name, &path, &record, &state, context) {
        Ok(()) => false,
        Err(failure) if args.force => {
            exit::notice(&format!("FORCED into reckon.lock: {}", failure.what));
            true
        }
        Err(failure) => return Err(failure.into()),
    };
    let mut lockfile = Lockfile::open(args.here, context)?;
    let is_ours = context.store.entry_of(&path).is_some();
    let last = record.last.clone().filter(|last| last.state == state);
    let locked = Locked {
        path: (!is_ours).then(|| lockfile.name_of(&path)).transpose()?,
        name: name.clone(),
        forced,
        gate: last.as_ref().map(|last| last.gate.clone()),
        state,
    };
    let before = lockfile
        .lock
        .model(&name)
        .map(|one| one.state.changes(&locked.state));
    lockfile.lock.accept(locked);
    lockfile.write()?;
    if last.is_some() {
        record.accepted = last;
        record.write(&name, context)?;
    }
    let changes = before.unwrap_or_default();
    if args.json {
        let row =
            json!({ "name": name, "lock": lockfile.path, "forced": forced, "changes": changes });
        writeln!(out, "{row}")?;
    } else if changes.is_empty() {
        writeln!(out, "{name} is locked in {}", lockfile.path.display())?;
    } else {
        let parts = drift::parts(&changes);
        let place = lockfile.path.display();
        writeln!(out, "{name} is locked in {place}; accepted: {parts}")?;
    }
    Ok(())
}

/// Whether the gate has passed for this state.
fn passed(
    name: &str,
    path: &Path,
    record: &Record,
    state: &State,
    context: &Context,
) -> Result<(), Failure> {
    let model = match context.store.entry_of(path) {
        Some(_) => name.to_owned(),
        None => path.display().to_string(),
    };
    let hint = format!("`reckon lab gate --model {model}` tries it");
    let what = match &record.last {
        None => format!("the gate was never run for {name}"),
        Some(last) if last.state != *state => {
            let parts = drift::parts(&last.state.changes(state));
            format!("the gate was run for another state of {name}: {parts} changed since")
        }
        Some(last) if !last.passed => format!("the gate did not pass for {name}"),
        Some(_) => return Ok(()),
    };
    Err(Failure::failed(what).hint(hint))
}
