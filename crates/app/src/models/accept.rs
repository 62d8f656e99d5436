//! `reckon models lock`: the state of a model goes into `reckon.lock`, if `reckon lab gate` has passed for this very state.
use super::{Rehash, locate, state};
use crate::{Context, Failure, cli::models::LockArgs, exit, lock_check::KnownGuards};
use reckon_lab::lock::{GateHistory, LockFile, LockedModel, ModelState, name_changes};
use serde_json::json;
use std::io::Write;

/// Accepts a model as it is.
pub(crate) fn run(args: &LockArgs, context: &Context, out: &mut dyn Write) -> anyhow::Result<()> {
    let path = locate(args.model.as_deref(), context)?;
    let name = context.store.name_of(&path);
    let guards = KnownGuards::installed(context)?.versions;
    let state = state(&path, guards, Rehash::IfChanged, context)?;
    let mut history = GateHistory::read(&name, &context.store.home)?;
    let is_ours = context.store.entry_of(&path).is_some();
    let why_not = why_not(&name, &history, &state);
    let forced = match &why_not {
        None => false,
        Some(why) if args.force => {
            exit::notice(&format!("FORCED into reckon.lock: {why}"));
            true
        }
        Some(why) => {
            let model = if is_ours {
                name
            } else {
                path.display().to_string()
            };
            let hint = format!("`reckon lab gate --model {model}` tries it");
            return Err(Failure::failed(why).hint(hint).into());
        }
    };
    let mut file = LockFile::find_or_new(args.here, &context.store.home)?;
    let last = history.last.clone().filter(|last| last.state == state);
    let before = file.lock.model(&name).map(|one| one.state.changes(&state));
    let path = (!is_ours).then(|| file.relative(&path)).transpose()?;
    file.lock.accept(LockedModel {
        path,
        name: name.clone(),
        forced,
        gate: last.as_ref().map(|last| last.gate.clone()),
        state,
    });
    file.write().map_err(|error| {
        Failure::model(format!("cannot write {}: {error}", file.path.display()))
    })?;
    if last.is_some() {
        history.accepted = last;
        history.write(&name, &context.store.home)?;
    }
    let changes = before.unwrap_or_default();
    let place = file.path.display();
    if args.json {
        let row = json!({ "name": name, "lock": file.path, "forced": forced, "changes": changes });
        writeln!(out, "{row}")?;
    } else if changes.is_empty() {
        writeln!(out, "{name} is locked in {place}")?;
    } else {
        writeln!(
            out,
            "{name} is locked in {place}; accepted: {}",
            name_changes(&changes)
        )?;
    }
    Ok(())
}

/// Why this state may not be accepted; nothing if the gate has passed for it.
fn why_not(name: &str, history: &GateHistory, state: &ModelState) -> Option<String> {
    let Some(last) = &history.last else {
        return Some(format!("the gate was never run for {name}"));
    };
    if last.state != *state {
        let parts = name_changes(&last.state.changes(state));
        let what = format!("the gate was run for another state of {name}: {parts} changed since");
        return Some(what);
    }
    (!last.passed).then(|| format!("the gate did not pass for {name}"))
}
