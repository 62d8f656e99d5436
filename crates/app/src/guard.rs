//! `reckon guard`: lists, explains and tests guardrails, and shows what they see in a text.
//!
//! Files in, lines or JSON out; what a guard sees is decided by `reckon::assistant`. No model is loaded. Packs are read
//! from `RECKON_HOME/guards`; one that is broken is named on stderr and left out, so that it cannot stop the others.
use crate::{
    Context, Failure,
    cli::guard::{ExplainArgs, GuardArgs, GuardCommand, ListArgs, TestArgs},
    input,
};
use anyhow::Result;
use reckon::assistant::{
    about::{About, GUARDS},
    pack::{self, Pack},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

mod scan;

/// Runs `reckon guard`.
pub(crate) fn run(args: &GuardArgs, context: &Context) -> Result<()> {
    match &args.command {
        GuardCommand::List(args) => list(args, context),
        GuardCommand::Explain(args) => explain(args, context),
        GuardCommand::Test(args) => test(args),
        GuardCommand::Scan(args) => scan::run(args, context),
    }
}

fn list(args: &ListArgs, context: &Context) -> Result<()> {
    let packs = installed(context)?;
    let mut out = io::stdout().lock();
    if args.json {
        let guards: Vec<Value> = GUARDS.iter().map(about).collect();
        let packs: Vec<Value> = packs.iter().map(about_pack).collect();
        writeln!(out, "{}", json!({ "guards": guards, "packs": packs }))?;
        return Ok(());
    }
    for guard in &GUARDS {
        writeln!(out, "{:12} {} {}", guard.name, guard.class, guard.failure)?;
    }
    for pack in &packs {
        writeln!(
            out,
            "{:12} pack ({}) {}",
            pack.class,
            pack.action.name(),
            pack.summary
        )?;
    }
    Ok(())
}

fn explain(args: &ExplainArgs, context: &Context) -> Result<()> {
    let mut out = io::stdout().lock();
    if let Some(guard) = GUARDS.iter().find(|guard| guard.name == args.name) {
        if args.json {
            writeln!(out, "{}", about(guard))?;
            return Ok(());
        }
        writeln!(
            out,
            "{} (class {}: {})",
            guard.name, guard.class, guard.failure
        )?;
        let rows = [
            ("trigger", guard.trigger),
            ("action", guard.action),
            ("accepts", guard.accepts),
            ("costs", guard.costs),
            ("figures", guard.figures),
        ];
        for (name, text) in rows {
            writeln!(out, "  {name:8} {text}")?;
        }
        return Ok(());
    }
    let packs = installed(context)?;
    let Some(pack) = packs.iter().find(|pack| pack.class == args.name) else {
        let hint = "`reckon guard list` shows the names";
        return Err(
            Failure::usage(format!("no guard is called {:?}", args.name))
                .hint(hint)
                .into(),
        );
    };
    if args.json {
        writeln!(out, "{}", about_pack(pack))?;
        return Ok(());
    }
    writeln!(out, "{} (pack): {}", pack.class, pack.summary)?;
    writeln!(out, "  action   {}", pack.action.name())?;
    if let Some(anchor) = &pack.anchor {
        writeln!(out, "  anchor   {anchor}")?;
    }
    writeln!(out, "  accepts  {}", accepts(pack))?;
    writeln!(
        out,
        "  examples {} triggered, {} control",
        pack.triggered.len(),
        pack.control.len()
    )?;
    Ok(())
}

fn test(args: &TestArgs) -> Result<()> {
    let pack = load(&args.pack)?;
    let report = pack.test();
    let mut out = io::stdout().lock();
    if args.json {
        let wrong: Vec<String> = report.wrong.iter().map(ToString::to_string).collect();
        let row = json!({
            "class": pack.class, "ok": report.passed(),
            "triggered": report.triggered, "control": report.control, "wrong": wrong,
        });
        writeln!(out, "{row}")?;
    } else {
        for wrong in &report.wrong {
            writeln!(out, "{wrong}")?;
        }
        if report.passed() {
            writeln!(
                out,
                "{}: fires on {} triggered examples, on none of {} controls",
                pack.class, report.triggered, report.control
            )?;
        }
    }
    if report.passed() {
        return Ok(());
    }
    let what = format!(
        "the pack {:?} fails {} of its examples",
        pack.class,
        report.wrong.len()
    );
    Err(Failure::failed(what)
        .hint("make its triggers narrower, or correct the example")
        .into())
}

/// A guard as JSON.
fn about(guard: &About) -> Value {
    json!({
        "name": guard.name, "class": guard.class, "failure": guard.failure, "trigger": guard.trigger,
        "action": guard.action, "accepts": guard.accepts, "costs": guard.costs, "figures": guard.figures,
    })
}

fn about_pack(pack: &Pack) -> Value {
    json!({
        "name": pack.class, "summary": pack.summary, "action": pack.action.name(), "anchor": pack.anchor,
        "question": pack.question, "accepts": accepts(pack), "triggered": pack.triggered.len(), "control": pack.control.len(),
    })
}

fn accepts(pack: &Pack) -> &'static str {
    match pack.action {
        pack::PackAction::Strip => "something is left, and the trigger no longer fires",
        pack::PackAction::Regenerate => "the trigger no longer fires, and the answer is not gutted",
        pack::PackAction::Check => "the question is answered with yes afterwards",
        pack::PackAction::Compute => {
            "as the arithmetic guard: the program ran and gave one finite value"
        }
    }
}

/// The packs of this machine that can be used, by name. Broken ones are named on stderr.
pub(crate) fn installed(context: &Context) -> Result<Vec<Pack>> {
    let packs = versioned(context)?.into_iter();
    Ok(packs.map(|(pack, _)| pack).collect())
}

/// The same, each with its version: the digest of its file.
pub(crate) fn versioned(context: &Context) -> Result<Vec<(Pack, String)>> {
    let packs = reckon::guards::packs(&context.store.home.join("guards"))?;
    for (path, why) in &packs.broken {
        warn(path, why);
    }
    Ok(packs.usable)
}

/// Says it once: packs may be read more than once in a run.
fn warn(path: &Path, what: &str) {
    static SAID: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let is_new = SAID.lock().map(|mut said| said.insert(path.to_owned()));
    if !is_new.unwrap_or(true) {
        return;
    }
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    crate::exit::notice(&format!(
        "pack {} is left out: {what}",
        name.unwrap_or_default()
    ));
}

/// Reads one pack.
pub(crate) fn load(path: &Path) -> Result<Pack> {
    parse(&input::text(path, pack::LONGEST)?, path)
}

fn parse(text: &str, path: &Path) -> Result<Pack> {
    let named = |error| Failure::input(format!("{}: {error}", path.display()));
    Ok(Pack::parse(text).map_err(named)?)
}
