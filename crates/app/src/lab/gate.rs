//! `reckon lab gate`: replays the canaries and says whether this state of model and guards may be used.
//!
//! The state is digested, the scripted canaries are replayed on the guards and their tools, the model answers the others,
//! and `reckon_lab::GateReport` holds all of it against what was accepted: `reckon.lock`, or the first run where
//! there is none. A whole run is kept for `reckon models lock`.
//!
//! A state that was not accepted does not pass, even if all canaries hold: then the hint says how to accept it. `--accept`
//! does that at once, and takes over marks and rates that got worse; a broken guard it does not.
use super::model::Crew;
use crate::{
    Context, Failure, assistant,
    cli::{MachineArgs, lab::GateArgs, models::LockArgs},
    load,
    lock_check::KnownGuards,
    models::{self, Rehash},
};
use reckon::{Guards, Model, TextModel, Toolbox};
use reckon_lab::{
    Canary, GateReference, GateReport, canaries, canary_ask, canary_digest,
    lock::{CanaryResult, CanaryResults, GateHistory, GateRun, GuardVersions, LockFile},
    read_canaries, replay_scripted,
};
use std::{
    io::{self, Write},
    path::Path,
    sync::Mutex,
};

/// Runs `reckon lab gate`.
pub(crate) fn run(args: &GateArgs, context: &Context) -> anyhow::Result<()> {
    let guards = assistant::guards(false, context)?;
    let KnownGuards { versions, callers } = KnownGuards::installed(context)?;
    let set = set(args.canary.as_deref(), guards.versions())?;
    let lock = LockFile::find(&context.store.home)?
        .map(|file| file.lock)
        .unwrap_or_default();
    let none = GateHistory::default();
    let reference = GateReference {
        lock: &lock,
        history: &none,
        versions: &versions,
        callers: &callers,
    };
    let mut tools = assistant::tools(context)?;
    let mut played = replay_scripted(&set, guards.pipeline(), &mut tools);
    let results = |played: Vec<(String, CanaryResult)>| {
        CanaryResults::new(env!("CARGO_PKG_VERSION"), canary_digest(&set), played)
    };
    if args.fixed {
        let report = GateReport::new(None, reference, &set, &results(played));
        return end(&report, args, None);
    }
    let asked = args.model.as_deref();
    let path = load::find(asked, context)?;
    let name = context.store.name_of(&path);
    let state = models::state(&path, versions.clone(), Rehash::IfChanged, context)?;
    let mut history = GateHistory::read(&name, &context.store.home)?;
    let machine = MachineArgs {
        threads: args.threads,
        ..MachineArgs::default()
    };
    let model = load::load(&path, asked, &machine, context)?;
    played.extend(play(&set, &model, &guards, args.parallel, context)?);
    let results = results(played);
    let reference = GateReference {
        history: &history,
        ..reference
    };
    let report = GateReport::new(Some((&name, &state)), reference, &set, &results);
    let accepted = args.accept && report.is_acceptable();
    let run = GateRun {
        passed: report.held() || accepted,
        gate: results,
        state,
    };
    if run.passed && lock.model(&name).is_none() && history.accepted.is_none() {
        history.accepted = Some(run.clone());
    }
    history.last = Some(run);
    history.write(&name, &context.store.home)?;
    if accepted {
        return accept(&report, args, context);
    }
    let shown = path.display().to_string();
    end(&report, args, Some(asked.unwrap_or(&shown)))
}

/// The canaries: each that is asked for a guard must name one that there is.
fn set(file: Option<&Path>, guards: &GuardVersions) -> anyhow::Result<Vec<Canary>> {
    let Some(file) = file else {
        return Ok(canaries());
    };
    let set = read_canaries(file)?;
    let shown = file.display();
    if set.iter().all(Canary::is_scripted) {
        return Err(Failure::input(format!("{shown}: there is no canary in it")).into());
    }
    for Canary { id, guard, .. } in &set {
        if let Some(guard) = guard.as_ref().filter(|guard| !guards.contains_key(*guard)) {
            let what = format!("{shown}: no guard is called {guard:?} ({id})");
            let hint = "`category` is a name of `reckon guard list`, or control";
            return Err(Failure::input(what).hint(hint).into());
        }
    }
    Ok(set)
}

/// Puts the state of this run into the lock, as `reckon models lock` does, and says so behind what was found.
fn accept(report: &GateReport, args: &GateArgs, context: &Context) -> anyhow::Result<()> {
    let lock = LockArgs {
        model: args.model.clone(),
        here: false,
        force: false,
        json: false,
    };
    let mut said = Vec::new();
    models::accept(&lock, context, &mut said)?;
    let mut out = io::stdout().lock();
    if args.json {
        let mut found = report.to_json();
        found["accepted"] = true.into();
        writeln!(out, "{found}")?;
    } else {
        write!(out, "{report}")?;
        out.write_all(&said)?;
    }
    Ok(())
}

/// Prints what was found and says how the command ends; `model` is what was asked for.
fn end(report: &GateReport, args: &GateArgs, model: Option<&str>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match args.json {
        true => writeln!(out, "{}", report.to_json())?,
        false => write!(out, "{report}")?,
    }
    let reasons = report.reasons();
    if reasons.is_empty() {
        return Ok(());
    }
    let failure = Failure::failed(format!("the gate does not pass: {}", reasons.join("; ")));
    Err(match model {
        Some(model) if report.held() => failure.hint(format!(
            "all canaries hold: `reckon models lock {model}` accepts this state"
        )),
        Some(model) if report.is_acceptable() => failure.hint(format!(
            "`reckon lab gate --model {model} --accept` takes over what got worse"
        )),
        Some(_) if args.accept => {
            failure.hint("--accept takes over marks and rates, not a guard that is broken")
        }
        Some(_) => failure.hint("`reckon models verify` shows what changed"),
        None => failure.hint("`reckon lab gate --model M` tries it with a model"),
    }
    .into())
}

/// Tokens of an answer that a guard may look at: one that is cut is judged by none, and puzzles are answered at length.
const TRIGGERED: usize = 512;
/// Tokens of a control answer: they are a sentence.
const CONTROL: usize = 96;

/// Asks the model all that are not scripted; what became of each. Greedy and with plain settings: the same file gives the
/// same answers everywhere. A control question is answered twice, without guards and with them, because that the two are
/// the same is what a control is for.
fn play(
    set: &[Canary],
    model: &Model,
    guards: &Guards,
    parallel: usize,
    context: &Context,
) -> anyhow::Result<Vec<(String, CanaryResult)>> {
    let canaries: Vec<&Canary> = set.iter().filter(|one| !one.is_scripted()).collect();
    let played = Mutex::new(Vec::new());
    let broken = || Failure::failed("a canary could not be asked");
    let crew = Crew::new(canaries.len(), "canaries")?;
    let tools = || assistant::tools(context);
    let work =
        |canary: &&Canary, tools: &mut Toolbox, model: &mut dyn TextModel| -> anyhow::Result<()> {
            let longest = match canary.guard {
                Some(_) => TRIGGERED,
                None => CONTROL,
            };
            let ask = canary_ask(canary.prompt(), Some(longest));
            let mut reply = |guards: &Guards| {
                assistant::reply_unseen(guards, model, tools, &ask, &crew.interrupt)
            };
            let shipped = reply(guards)?;
            let own = match canary.guard {
                Some(_) => shipped.generation.text.clone(),
                None => reply(&Guards::default())?.text,
            };
            if !shipped.stopped && !crew.interrupt.is_asked() {
                let result = canary.result(&own, &shipped.text, &shipped.receipt, tools);
                let mut played = played.lock().map_err(|_| broken())?;
                played.push((canary.id.clone(), result));
                crew.step();
            }
            Ok(())
        };
    if crew.work(model, parallel, &canaries, tools, work)? {
        return Err(Failure::failed("stopped").into());
    }
    played.into_inner().map_err(|_| broken().into())
}
