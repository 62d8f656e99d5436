//! `reckon bench speed`: how fast a model loads, reads and writes on this machine, and how near that is to its limit.
//!
//! In order: the rate at which memory can be read; warm loads, each with the time to the first token of a short
//! prompt; at each depth the reading of `-p` tokens and the writing of `-n`; the most memory until then; several
//! conversations at once, unless one depth and no number of them was asked for; last a cold load, because it throws the file out of the system's cache. Medians are shown,
//! because these numbers are noisy; every single value is in the JSON, which is also stored.
//! Ctrl-C ends it at once and stores nothing.
mod cold;
mod measure;
mod report;

use crate::{
    Context, Failure,
    cli::{BenchArgs, BenchCommand, SpeedArgs},
    interrupt::Interrupt,
    load,
};
use anyhow::Context as _;
use measure::Bench;
use report::Report;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Each conversation has a context of its own in memory; nobody measures more of them.
const MOST_PARALLEL: usize = 64;

/// Conversations at once, if nobody says how many.
const PARALLEL: [usize; 5] = [1, 2, 4, 8, 16];

/// The second depth, if nobody says which: a long conversation, or a document.
const DEEP: usize = 4096;

/// Runs `reckon bench`.
pub(crate) fn run(args: &BenchArgs, context: &Context) -> anyhow::Result<()> {
    let BenchCommand::Speed(args) = &args.command;
    let path = load::find(Some(&args.model), context)?;
    let bench = Bench {
        plan: plan(args, &path)?,
        asked: &args.model,
        path: &path,
        threads: args.threads,
        kv: args.kv,
        context,
    };
    // Nothing is half done when it ends, so it may end anywhere.
    Interrupt::install()?;
    let report = bench.run()?;
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        report.print(&mut out)?;
    }
    out.flush()?;
    store(&report, args, context)
}

/// What is to be measured.
#[derive(Debug)]
struct Plan {
    prompt: usize,
    generate: usize,
    depths: Vec<usize>,
    parallel: Vec<usize>,
    /// How many conversations the person asked for; those are measured as often as everything else.
    asked_parallel: Option<usize>,
    repeat: usize,
}

impl Plan {
    /// Tokens that one conversation holds at most. The model refuses a context that it does not have, so too large a
    /// sum only needs to stay large.
    fn n_ctx(&self) -> usize {
        let deepest = self.depths.iter().copied().max().unwrap_or(0);
        deepest.saturating_add(self.longest())
    }

    fn longest(&self) -> usize {
        self.prompt.max(self.generate).max(1)
    }
}

fn plan(args: &SpeedArgs, path: &Path) -> anyhow::Result<Plan> {
    if args.prompt == 0 && args.generate == 0 {
        return Err(Failure::usage("-p 0 -n 0 leaves nothing to measure").into());
    }
    if let Some(asked) = args.parallel.filter(|n| *n > MOST_PARALLEL) {
        let what =
            format!("--parallel {asked}: at most {MOST_PARALLEL} conversations are measured");
        return Err(Failure::usage(what).into());
    }
    if let Some(save) = args.save.as_deref().filter(|save| save.is_dir()) {
        let what = format!("--save {}: is a directory", save.display());
        return Err(Failure::usage(what).into());
    }
    let mut plan = Plan {
        prompt: args.prompt,
        generate: args.generate,
        depths: vec![args.depth.unwrap_or(0)],
        parallel: match (args.parallel, args.depth) {
            (Some(n), _) => vec![n],
            // One depth was asked for; the answer should not wait for what was not.
            (None, Some(_)) => Vec::new(),
            (None, None) => PARALLEL.to_vec(),
        },
        asked_parallel: args.parallel,
        repeat: args.repeat,
    };
    let deep = DEEP.saturating_add(plan.longest());
    if args.depth.is_none() && trained_context(path).is_some_and(|n| n >= deep) {
        plan.depths.push(DEEP);
    }
    Ok(plan)
}

/// The context that the model was made for; nothing if the file is not one we can load, which loading will tell.
fn trained_context(path: &Path) -> Option<usize> {
    let file = reckon::gguf::File::open(path).ok()?;
    let meta = file.metadata();
    let family = meta.str("general.architecture").ok()?;
    let n_ctx = meta.opt_u32(&format!("{family}.context_length")).ok()??;
    usize::try_from(n_ctx).ok()
}

/// Writes the report where it was asked for, else into our own directory, where a failure is not worth an error.
fn store(report: &Report, args: &SpeedArgs, context: &Context) -> anyhow::Result<()> {
    let json = serde_json::to_string_pretty(report)? + "\n";
    if let Some(path) = &args.save {
        return fs::write(path, json).with_context(|| format!("cannot write {}", path.display()));
    }
    let stored = keep(
        &json,
        &report.file_name(),
        &context.store.home.join("bench"),
    );
    let mut note = io::stderr().lock();
    match stored {
        Ok(path) if !args.json => writeln!(note, "stored in {}", path.display())?,
        Ok(_) => {}
        Err(error) => writeln!(note, "not stored: {error}")?,
    }
    Ok(())
}

fn keep(json: &str, name: &str, place: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(place)?;
    let path = place.join(name);
    fs::write(&path, json)?;
    Ok(path)
}
