//! `reckon lab gate`: canaries in, a verdict out: may this state of model and guards be used?
//!
//! The state is digested, the fixed canaries are replayed on the guards and their tools, the model answers the others
//! (`play`), and `reckon_lab::judge` holds all of it against what was accepted: `reckon.lock`, or the first run where
//! there is none (`record`). What was found is printed (`report`); a whole run is kept for `reckon models lock`.
//!
//! A state that was not accepted does not pass, even if all canaries hold: then the hint says how to accept it.
mod play;
mod record;
mod report;

pub(crate) use record::Record;

use crate::{
    Context, Failure, assistant,
    cli::{MachineArgs, lab::gate::GateArgs},
    drift, guard, load,
    models::{self, Lockfile, Trust, Versions},
};
use reckon_lab::{
    Before, Canary, Change, Gate, Played, State, Trial, affected, canaries, canary_digest,
    read_canaries, replay_fixed, troubles,
};
use record::Run;
use report::Report;
use std::{collections::BTreeMap, path::Path};

/// Runs `reckon lab gate`.
pub(crate) fn run(args: &GateArgs, context: &Context) -> anyhow::Result<()> {
    let guards = assistant::guards(false, context)?;
    let set = set(args.canary.as_deref(), guards.versions())?;
    let mut tools = assistant::tools(context)?;
    let fixed = replay_fixed(&set, guards.pipeline(), &mut tools);
    let mut answers: BTreeMap<String, Played> = fixed.into_iter().collect();
    if args.fixed {
        return without_model(&set, gate(&set, answers), guards.versions(), args, context);
    }
    let asked = args.model.as_deref();
    let path = load::find(asked, context)?;
    let name = context.store.name_of(&path);
    let state = models::state(&path, guards.versions().clone(), Trust::Stamp, context)?;
    let mut record = Record::read(&name, context)?;
    let reference = Reference::of(&name, &state, &record, context)?;
    let machine = MachineArgs {
        threads: args.threads,
        ..MachineArgs::default()
    };
    let loaded = load::load(&path, asked, &machine, context)?;
    answers.extend(play::play(&set, &loaded, &guards, args.parallel, context)?);
    let gate = gate(&set, answers);
    let troubles = troubles(&set, reference.before(&state), &gate);
    let passed = troubles.is_empty();
    let run = Run {
        state,
        gate,
        passed,
    };
    if reference.state.is_none() && passed {
        record.accepted = Some(run.clone());
    }
    record.last = Some(run.clone());
    record.write(&name, context)?;
    let report = Report {
        name: Some(name),
        model: asked.map_or_else(|| path.display().to_string(), str::to_owned),
        from: reference.from,
        unlisted: reference.unlisted,
        affected: affected(
            &reference.changes,
            &drift::users(&guard::versioned(context)?),
        ),
        changes: reference.changes,
        set: &set,
        gate: &run.gate,
        troubles,
    };
    report.end(args.json)
}

/// The canaries: each that is asked for a guard must name one that there is.
fn set(file: Option<&Path>, guards: &Versions) -> anyhow::Result<Vec<Canary>> {
    let Some(file) = file else {
        return Ok(canaries());
    };
    let set = read_canaries(file)?;
    if !set.iter().any(|one| matches!(one.trial, Trial::Asked(_))) {
        let what = format!("{}: there is no canary in it", file.display());
        return Err(Failure::input(what).into());
    }
    let unknown = |one: &&Canary| {
        one.guard
            .as_ref()
            .is_some_and(|name| !guards.contains_key(name))
    };
    if let Some(one) = set.iter().find(unknown) {
        let guard = one.guard.as_deref().unwrap_or_default();
        let what = format!(
            "{}: no guard is called {guard:?} ({})",
            file.display(),
            one.id
        );
        let hint = "`category` is a name of `reckon guard list`, or control";
        return Err(Failure::input(what).hint(hint).into());
    }
    Ok(set)
}

fn gate(set: &[Canary], answers: BTreeMap<String, Played>) -> Gate {
    Gate {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        canary: canary_digest(set),
        answers,
    }
}

/// What a state is compared with.
#[derive(Default)]
struct Reference {
    /// What was accepted, if anything.
    state: Option<State>,
    gate: Option<Gate>,
    /// Where that stands.
    from: Option<&'static str>,
    /// There is a lock, and this model is not in it; the nearest one is.
    unlisted: Option<String>,
    /// What is different now.
    changes: Vec<Change>,
}

impl Reference {
    fn of(name: &str, now: &State, record: &Record, context: &Context) -> anyhow::Result<Self> {
        let lock = Lockfile::read(context)?.map(|file| file.lock);
        if let Some(locked) = lock.as_ref().and_then(|lock| lock.model(name)) {
            return Ok(Self {
                changes: locked.state.changes(now),
                state: Some(locked.state.clone()),
                gate: locked.gate.clone(),
                from: Some("reckon.lock"),
                unlisted: None,
            });
        }
        let mut own = Self::default();
        if let Some(run) = &record.accepted {
            own = Self {
                changes: run.state.changes(now),
                state: Some(run.state.clone()),
                gate: Some(run.gate.clone()),
                from: Some("the first run of the gate"),
                unlisted: None,
            };
        }
        if let Some(nearest) = lock.as_ref().and_then(|lock| lock.nearest(now)) {
            own.unlisted = Some(nearest.name.clone());
            own.changes = nearest.state.changes(now);
            own.from = Some("reckon.lock");
        }
        Ok(own)
    }

    fn before(&self, now: &State) -> Option<Before<'_>> {
        let was = self.state.as_ref()?;
        Some(Before {
            gate: self.gate.as_ref()?,
            same_file: was.file == now.file,
            same_all: was == now,
        })
    }
}

/// The fixed texts alone, held against every model of the lock: their guards are the same ones.
fn without_model(
    set: &[Canary],
    gate: Gate,
    versions: &Versions,
    args: &GateArgs,
    context: &Context,
) -> anyhow::Result<()> {
    let lock = Lockfile::read(context)?
        .map(|file| file.lock)
        .unwrap_or_default();
    let mut changes: Vec<Change> = Vec::new();
    for model in &lock.models {
        let now = State {
            guards: versions.clone(),
            ..model.state.clone()
        };
        let more = model.state.changes(&now);
        changes.extend(
            more.into_iter()
                .filter(|one| !changes.contains(one))
                .collect::<Vec<_>>(),
        );
    }
    // Another set of canaries may have been asked of the model; the fixed ones are in all of them.
    let before = lock.models.iter().find_map(|model| model.gate.clone());
    let before = before.map(|before| Gate {
        canary: gate.canary.clone(),
        ..before
    });
    let before = before.as_ref().map(|gate| Before {
        gate,
        same_file: false,
        same_all: true,
    });
    Report {
        name: None,
        model: String::new(),
        from: (!lock.models.is_empty()).then_some("reckon.lock"),
        unlisted: None,
        affected: affected(&changes, &Default::default()),
        changes,
        troubles: troubles(set, before, &gate),
        set,
        gate: &gate,
    }
    .end(args.json)
}
