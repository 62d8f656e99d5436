//! `reckon bench speed`: how fast a model reads and writes on this machine.
//!
//! Each repetition starts from `--depth` tokens of context, times the reading of `-p` tokens,
//! steps back, and times the writing of `-n` tokens one at a time. Tokens are made up: speed
//! does not depend on them, and an answer that ends early would spoil the measure. Medians
//! are shown, because these numbers are noisy, and every single value is in the JSON.
//!
//! With `--parallel N` the N conversations take turns; they are not yet computed together.

use crate::cli::{BenchArgs, BenchCommand, MachineArgs, SpeedArgs};
use crate::load::{self, Loaded};
use crate::{Context, Failure, doctor::processor, footprint};
use reckon_engine::{Model, Session, Token};
use serde::Serialize;
use std::io::Write;
use std::time::Instant;

/// Each conversation has a context of its own in memory; nobody measures more of them.
const MOST_PARALLEL: usize = 64;

/// Runs `reckon bench`.
pub(crate) fn run(args: &BenchArgs, context: &Context) -> anyhow::Result<()> {
    let BenchCommand::Speed(args) = &args.command;
    if args.prompt == 0 && args.generate == 0 {
        return Err(Failure::usage("-p 0 -n 0 leaves nothing to measure").into());
    }
    if args.parallel > MOST_PARALLEL {
        let asked = args.parallel;
        let what =
            format!("--parallel {asked}: at most {MOST_PARALLEL} conversations are measured");
        return Err(Failure::usage(what).into());
    }
    // The model refuses a context that it does not have, so too large a sum only needs to stay large.
    let longest = args.prompt.max(args.generate).max(1);
    let ctx = args.depth.saturating_add(longest);
    let path = load::find(Some(&args.model), context)?;
    let machine = MachineArgs {
        threads: args.threads,
        ctx: Some(ctx),
        kv: args.kv,
    };
    let loaded = load::load(&path, Some(&args.model), &machine, context)?;
    let report = measure(args, &loaded)?;
    let mut out = std::io::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        print(&mut out, &report)?;
    }
    Ok(())
}

/// What was measured, and on what.
#[derive(Debug, Serialize)]
struct Report {
    model: String,
    architecture: String,
    file_bytes: u64,
    isa: &'static str,
    threads: usize,
    kv: &'static str,
    cpu: String,
    version: &'static str,
    prompt: usize,
    generate: usize,
    depth: usize,
    parallel: usize,
    load_ms: f64,
    prefill_tps: Speed,
    decode_tps: Speed,
    /// Weights that one token reads, and how fast that went.
    bytes_per_token: usize,
    decode_gb_per_s: f64,
    peak_memory_bytes: Option<u64>,
}

/// Tokens per second over the repetitions.
#[derive(Debug, Serialize)]
struct Speed {
    median: f64,
    all: Vec<f64>,
}

impl Speed {
    fn new(all: Vec<f64>) -> Self {
        let mut sorted = all.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = match sorted.len() {
            0 => 0.0,
            n if n % 2 == 1 => sorted[middle],
            _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
        };
        Self { median, all }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn measure(args: &SpeedArgs, loaded: &Loaded) -> anyhow::Result<Report> {
    let model = &loaded.model;
    let mut sessions: Vec<Session> = (0..args.parallel).map(|_| Session::new(model)).collect();
    let (mut prefill, mut decode) = (Vec::new(), Vec::new());
    // One unmeasured token: page faults and waking threads belong to the load.
    sessions[0].feed(model, &[0])?;
    for _ in 0..args.repeat {
        if args.prompt > 0 {
            at_depth(&mut sessions[0], model, args.depth)?;
            let tokens = tokens(model, args.prompt);
            let seconds = timed(|| sessions[0].feed(model, &tokens))?;
            prefill.push(args.prompt as f64 / seconds);
        }
        if args.generate > 0 {
            for session in &mut sessions {
                at_depth(session, model, args.depth)?;
            }
            let tokens = tokens(model, args.generate);
            let seconds = timed(|| turns(&mut sessions, model, &tokens))?;
            decode.push((args.generate * args.parallel) as f64 / seconds);
        }
    }
    let decode = Speed::new(decode);
    Ok(Report {
        model: loaded.name.clone(),
        architecture: model.architecture().to_owned(),
        file_bytes: loaded.bytes,
        isa: model.isa().name(),
        threads: model.threads(),
        kv: model.kv().name(),
        cpu: processor::name().unwrap_or_else(|| std::env::consts::ARCH.into()),
        version: env!("CARGO_PKG_VERSION"),
        prompt: args.prompt,
        generate: args.generate,
        depth: args.depth,
        parallel: args.parallel,
        load_ms: loaded.time.as_secs_f64() * 1e3,
        prefill_tps: Speed::new(prefill),
        bytes_per_token: model.bytes_per_token(),
        decode_gb_per_s: decode.median * model.bytes_per_token() as f64 / 1e9,
        decode_tps: decode,
        peak_memory_bytes: footprint::peak(),
    })
}

/// Brings a session to exactly `depth` tokens.
fn at_depth(session: &mut Session, model: &Model, depth: usize) -> reckon_engine::Result<()> {
    let held = session.rewind(depth);
    session.feed(model, &tokens(model, depth)[held..])
}

/// Each conversation writes one token, then the next does.
fn turns(sessions: &mut [Session], model: &Model, tokens: &[Token]) -> reckon_engine::Result<()> {
    for token in tokens {
        for session in &mut *sessions {
            session.feed(model, &[*token])?;
        }
    }
    Ok(())
}

/// Made-up tokens, the same ones every time.
fn tokens(model: &Model, n: usize) -> Vec<Token> {
    let size = u32::try_from(model.n_vocab()).unwrap_or(u32::MAX);
    (0..n)
        .map(|i| (i as u32).wrapping_mul(2_654_435_761) % size)
        .collect()
}

fn timed(work: impl FnOnce() -> reckon_engine::Result<()>) -> reckon_engine::Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

fn print(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    let Report {
        model,
        isa,
        threads,
        cpu,
        ..
    } = report;
    writeln!(out, "{model} on {cpu}, {isa}, {threads} threads")?;
    writeln!(out, "load     {:>9.0} ms", report.load_ms)?;
    if report.prompt > 0 {
        writeln!(
            out,
            "prefill  {:>9.1} tokens/s   {} tokens at depth {}",
            report.prefill_tps.median, report.prompt, report.depth
        )?;
    }
    if report.generate > 0 {
        let (n, depth, gb) = (report.generate, report.depth, report.decode_gb_per_s);
        writeln!(
            out,
            "decode   {:>9.1} tokens/s   {n} tokens at depth {depth}, {gb:.1} GB/s",
            report.decode_tps.median
        )?;
    }
    if let Some(bytes) = report.peak_memory_bytes {
        writeln!(out, "memory   {:>9.0} MB at most", bytes as f64 / 1e6)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(Speed::new(vec![3.0, 1.0, 2.0]).median, 2.0);
        assert_eq!(Speed::new(vec![4.0, 1.0, 2.0, 3.0]).median, 2.5);
        assert_eq!(Speed::new(Vec::new()).median, 0.0);
    }
}
