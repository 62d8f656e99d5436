//! Reckon, llama.cpp and candle on one model file: the same tokens, the same threads, in turns, medians.
//!
//! A shared machine changes its speed from minute to minute, so a number alone says little. Here every engine runs
//! each measurement once per round, one after the other, and what counts is the ratio of the medians.

#[cfg(feature = "candle")]
mod candle;
mod llama;
mod measure;
mod ours;

use anyhow::{Context as _, bail};
use clap::Parser;
use measure::{Engine, Measurement, Results};
use std::path::PathBuf;

/// Compares Reckon with llama.cpp and candle on one GGUF file.
#[derive(Debug, Parser)]
struct Args {
    /// GGUF files, each compared on its own.
    #[arg(required = true)]
    models: Vec<PathBuf>,
    /// Threads of each engine.
    #[arg(short, long, default_value_t = 2)]
    threads: usize,
    /// Rounds; each gives one value to each median.
    #[arg(short, long, default_value_t = 5)]
    rounds: usize,
    /// What to measure: `pp512`, `tg32`, `tg32@4096` (after 4096 tokens), `tg16x8` (8 sequences at once).
    #[arg(short, long, default_values = ["pp512", "tg32", "tg16@4096", "tg16x8"])]
    measure: Vec<Measurement>,
    /// Engines to run; `reckon:avx2` forces instructions.
    #[arg(
        short,
        long,
        value_delimiter = ',',
        default_value = "reckon,llama.cpp,candle"
    )]
    engines: Vec<String>,
    /// Print one JSON object a model.
    #[arg(long)]
    json: bool,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    for path in &args.models {
        let context = args
            .measure
            .iter()
            .map(|m| m.positions(args.rounds))
            .max()
            .unwrap_or(0)
            + 64;
        let mut engines: Vec<Box<dyn Engine>> = Vec::new();
        for name in &args.engines {
            match open(name, path, args.threads, context) {
                Ok(engine) => engines.push(engine),
                Err(error) => eprintln!("{name}: left out, {error:#}"),
            }
        }
        let mut results = Results::new(path, args.threads, &engines);
        for measurement in &args.measure {
            for round in 0..args.rounds {
                eprint!("\r{measurement} round {} of {}   ", round + 1, args.rounds);
                for (i, engine) in engines.iter_mut().enumerate() {
                    let speed = measurement.run(engine.as_mut(), round)?;
                    results.add(*measurement, i, speed);
                }
            }
        }
        eprint!("\r                                   \r");
        if args.json {
            println!("{}", serde_json::to_string(&results)?);
        } else {
            println!("{results}");
        }
    }
    Ok(())
}

fn open(
    name: &str,
    path: &std::path::Path,
    threads: usize,
    context: usize,
) -> anyhow::Result<Box<dyn Engine>> {
    let opened: anyhow::Result<Box<dyn Engine>> = match name.split_once(':') {
        None if name == "reckon" => {
            ours::Ours::open(path, threads, context, None).map(|e| Box::new(e) as _)
        }
        Some(("reckon", isa)) => {
            ours::Ours::open(path, threads, context, Some(isa)).map(|e| Box::new(e) as _)
        }
        None if name == "llama.cpp" => {
            llama::Llama::open(path, threads, context).map(|e| Box::new(e) as _)
        }
        #[cfg(feature = "candle")]
        None if name == "candle" => candle::Candle::open(path, threads).map(|e| Box::new(e) as _),
        _ => bail!("no such engine"),
    };
    opened.with_context(|| format!("{}", path.display()))
}
