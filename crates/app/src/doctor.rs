//! `reckon doctor`: what this machine offers a model, as lines or as JSON.
//!
//! Looks, measures for less than a second and changes nothing; the network is not touched. What cannot be found out
//! is shown as unknown, never as an error.
pub(crate) mod bandwidth;
pub(crate) mod memory;
pub(crate) mod processor;

use crate::{Context, cli::DoctorArgs, solve};
use bandwidth::Bandwidth;
use memory::Memory;
use reckon::cpu;
use reckon::models::{Entry, Pip, free_space, size};
use reckon::solve::Protection;
use serde::Serialize;
use std::{
    io::{self, Write},
    path::PathBuf,
};

/// Runs `reckon doctor`.
pub(crate) fn run(args: &DoctorArgs, context: &Context) -> anyhow::Result<()> {
    let report = Report::new(context);
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        report.print(&mut out)?;
    }
    Ok(())
}

/// Everything that is shown.
#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    cpu: Option<String>,
    architecture: &'static str,
    isa: &'static str,
    features: Vec<&'static str>,
    cpus: Vec<usize>,
    memory: Memory,
    bandwidth: Bandwidth,
    home: PathBuf,
    disk_free: Option<u64>,
    models: Vec<String>,
    default_model: Option<String>,
    pip: Option<String>,
    offline: bool,
    sandbox: Option<Protection>,
    solver: String,
}

impl Report {
    fn new(context: &Context) -> Self {
        let cpus = cpu::cpus(None);
        let memory = memory::read();
        let isa = context.isa.unwrap_or_else(reckon::kernels::Isa::detect);
        let store = &context.store;
        let here = |entry: &&Entry| store.present(entry).is_some();
        let name = |entry: &Entry| entry.name.clone();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            cpu: processor::name(),
            architecture: std::env::consts::ARCH,
            isa: isa.name(),
            features: processor::features(),
            bandwidth: bandwidth::measure(isa, &cpus, memory.available),
            cpus,
            memory,
            home: store.home.clone(),
            disk_free: free_space(&store.home),
            models: store
                .catalogue
                .models
                .iter()
                .filter(here)
                .map(name)
                .collect(),
            default_model: store.catalogue.by_preference().find(here).map(name),
            pip: Pip::find(store).map(|pip| pip.version().to_owned()),
            offline: store.offline,
            sandbox: reckon::sandbox()
                .map_err(anyhow::Error::from)
                .and_then(|mut sandbox| Ok(sandbox.protection()?))
                .ok(),
            solver: solve::solver::describe(context),
        }
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut line = |name: &str, value: &str| writeln!(out, "{name:<10} {value}");
        let known = |bytes: Option<u64>| bytes.map_or("unknown".into(), size);
        let numbers: Vec<_> = self.cpus.iter().map(usize::to_string).collect();
        line("reckon", self.version)?;
        line("cpu", self.cpu.as_deref().unwrap_or("unknown"))?;
        line("isa", self.isa)?;
        line("features", &words(&self.features.join(" ")))?;
        line(
            "threads",
            &format!("{} (on CPU {})", self.cpus.len(), numbers.join(" ")),
        )?;
        let limit = match self.memory.limit {
            Some(limit) => format!(", limited to {}", size(limit)),
            None => String::new(),
        };
        line(
            "memory",
            &format!(
                "{} available of {}{limit}",
                known(self.memory.available),
                known(self.memory.total)
            ),
        )?;
        line("bandwidth", &rates(&self.bandwidth))?;
        line("home", &self.home.display().to_string())?;
        line("disk", &format!("{} free", known(self.disk_free)))?;
        line("models", &words(&self.models.join(" ")))?;
        line(
            "default",
            self.default_model
                .as_deref()
                .unwrap_or("none here; the first chat fetches one"),
        )?;
        line("pip", self.pip.as_deref().unwrap_or("not found"))?;
        line(
            "network",
            if self.offline {
                "forbidden"
            } else {
                "only to fetch models"
            },
        )?;
        line("sandbox", &walls(self.sandbox.as_ref()))?;
        line("solver", &self.solver)
    }
}

/// `15.6 GB/s with 1 thread, 30.4 with 2`.
fn rates(bandwidth: &Bandwidth) -> String {
    let Bandwidth {
        one,
        all,
        enough,
        ref by_threads,
    } = *bandwidth;
    let threads = by_threads.last().map_or(1, |rate| rate.threads);
    let mut text = format!("{:.1} GB/s with 1 thread", one / 1e9);
    if threads > 1 {
        text += &format!(", {:.1} with {threads}", all / 1e9);
    }
    if enough < threads {
        text += &format!("; {enough} are enough");
    }
    text
}

/// `programs of a model are held by rlimit, landlock, seccomp`.
fn walls(protection: Option<&Protection>) -> String {
    let Some(protection) = protection else {
        return "does not start; programs of a model are not run".into();
    };
    let walls = [
        (protection.rlimit, "rlimit"),
        (protection.landlock, "landlock"),
        (protection.seccomp, "seccomp"),
    ];
    let named = |stands| -> Vec<_> {
        let such = walls.iter().filter(|wall| wall.0 == stands);
        such.map(|wall| wall.1).collect()
    };
    let mut text = format!("around programs: {}", words(&named(true).join(" ")));
    if !named(false).is_empty() {
        text += &format!("; not on this system: {}", named(false).join(" "));
    }
    text
}

fn words(text: &str) -> String {
    if text.is_empty() {
        "none".into()
    } else {
        text.into()
    }
}
