//! Takes the time: a plan in, a report out.
//!
//! Tokens are made up: speed does not depend on them, and an answer that ends early would spoil the measure. Every
//! measured part is run once before, unmeasured, where the first time would pay for page faults.
use super::{Plan, cold, report::*};
use crate::{
    Context,
    cli::MachineArgs,
    doctor::{bandwidth, memory, processor},
    footprint, load,
};
use indicatif::ProgressBar;
use reckon::cpu;
use reckon::engine::{Isa, Model, Precision, Session, Token};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// Tokens of the prompt whose first token is waited for.
const FIRST: usize = 32;

/// Tokens that each of several conversations writes at most, and how long: enough to be told apart, and sixteen
/// conversations on a slow machine still end.
const BATCH_TOKENS: usize = 32;
const BATCH_TIME: Duration = Duration::from_millis(1500);

/// A plan and what it is carried out on.
#[derive(Debug)]
pub(super) struct Bench<'a> {
    pub(super) plan: Plan,
    /// What the person called the model.
    pub(super) asked: &'a str,
    pub(super) path: &'a Path,
    pub(super) threads: Option<usize>,
    pub(super) kv: Option<Precision>,
    pub(super) context: &'a Context,
}

impl Bench<'_> {
    /// Measures everything.
    pub(super) fn run(&self) -> anyhow::Result<Report> {
        let bar = self.bar();
        // Once unmeasured: brings the file into the system's cache, and refuses what cannot be loaded.
        bar.set_message("loading");
        drop(self.load()?);
        bar.set_message("measuring memory");
        let isa = self.context.isa.unwrap_or_else(Isa::detect);
        let cpus = cpu::cpus(self.threads);
        let limit = bandwidth::limit(isa, &cpus, memory::read().available);
        footprint::forget_peak();
        let (mut warm, mut first) = (Vec::new(), Vec::new());
        let mut last = None;
        for i in 0..self.plan.repeat {
            bar.set_message(format!("loading, {} of {}", i + 1, self.plan.repeat));
            drop(last.take());
            let (loaded, to_first) = self.to_first_token()?;
            warm.push(millis(loaded.info().load));
            first.push(millis(to_first));
            last = Some(loaded);
        }
        let Some(loaded) = last else {
            anyhow::bail!("nothing was loaded");
        };
        let model = load::engine(&loaded)?;
        let depths = self.depths(&model, limit, &bar)?;
        let peak = footprint::peak();
        let batches = self.batches(&model, &bar)?;
        let load_warm_ms = Figures::new(warm);
        let report = Report {
            load_ms: load_warm_ms.median(),
            load_warm_ms,
            first_token_ms: Figures::new(first),
            first_token_prompt: self.first(),
            limit_gb_per_s: giga(limit),
            depths,
            batches,
            peak_memory_bytes: peak,
            ..self.about(&loaded, &model)
        };
        drop((loaded, model));
        bar.set_message("loading from the disk");
        let load_cold_ms = match cold::chill(self.path) {
            true => Some(millis(self.load()?.info().load)),
            false => None,
        };
        bar.finish_and_clear();
        Ok(Report {
            load_cold_ms,
            ..report.summed_up()
        })
    }

    /// A report without figures.
    fn about(&self, loaded: &reckon::Model, model: &Model) -> Report {
        let info = loaded.info();
        Report {
            version: env!("CARGO_PKG_VERSION"),
            commit: env!("RECKON_COMMIT"),
            date: now(),
            model: info.name.clone(),
            sha256: info.sha256.clone(),
            architecture: model.architecture().to_owned(),
            file_bytes: info.bytes,
            cpu: processor::name().unwrap_or_else(|| std::env::consts::ARCH.into()),
            isa: model.isa().name(),
            threads: model.threads(),
            kv: model.kv().name(),
            prompt: self.plan.prompt,
            generate: self.plan.generate,
            repeat: self.plan.repeat,
            parallel: self.plan.asked_parallel.unwrap_or(1),
            ..Report::default()
        }
    }

    fn bar(&self) -> ProgressBar {
        // Hidden by itself where stderr is no terminal.
        let bar = ProgressBar::new_spinner();
        if self.context.progress {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        bar
    }

    fn load(&self) -> anyhow::Result<reckon::Model> {
        let machine = MachineArgs {
            threads: self.threads,
            ctx: Some(self.plan.n_ctx()),
            kv: self.kv,
            mmproj: None,
        };
        load::load(self.path, Some(self.asked), &machine, self.context)
    }

    /// Tokens of the short prompt: fewer where the context is shorter.
    fn first(&self) -> usize {
        FIRST.min(self.plan.n_ctx())
    }

    /// Loads and reads a short prompt; the time from the beginning to the logits of the first token.
    fn to_first_token(&self) -> anyhow::Result<(reckon::Model, Duration)> {
        let begin = Instant::now();
        let loaded = self.load()?;
        let model = load::engine(&loaded)?;
        let prompt = tokens(&model, self.first());
        Session::new(model).feed(&prompt)?;
        Ok((loaded, begin.elapsed()))
    }

    fn depths(
        &self,
        model: &Arc<Model>,
        limit: f64,
        bar: &ProgressBar,
    ) -> anyhow::Result<Vec<Depth>> {
        let mut session = Session::new(model.clone());
        let mut depths = Vec::new();
        for &depth in &self.plan.depths {
            bar.set_message(format!("at depth {depth}: reading up to there"));
            let (mut prefill, mut decode) = (Vec::new(), Vec::new());
            for i in 0..=self.plan.repeat {
                bar.set_message(format!("at depth {depth}: {i} of {}", self.plan.repeat));
                // The first round is not measured: it reads rows of embeddings that the others will.
                let n = if i == 0 { 1 } else { self.plan.generate };
                let read = self.prefill(&mut session, model, depth)?;
                let written = self.decode(&mut session, model, depth, n)?;
                if i > 0 {
                    prefill.extend(read);
                    decode.extend(written);
                }
            }
            let bytes = model.bytes_per_token() + model.context_bytes(depth);
            depths.push(Depth::new(depth, prefill, decode, bytes, limit));
        }
        Ok(depths)
    }

    /// Tokens per second of reading the prompt.
    fn prefill(
        &self,
        session: &mut Session,
        model: &Model,
        depth: usize,
    ) -> anyhow::Result<Option<f64>> {
        if self.plan.prompt == 0 {
            return Ok(None);
        }
        at_depth(session, model, depth)?;
        let tokens = tokens(model, self.plan.prompt);
        let begin = Instant::now();
        session.feed(&tokens)?;
        Ok(Some(per_second(self.plan.prompt, begin.elapsed())))
    }

    /// Tokens per second of writing `n` tokens, one at a time.
    fn decode(
        &self,
        session: &mut Session,
        model: &Model,
        depth: usize,
        n: usize,
    ) -> anyhow::Result<Option<f64>> {
        if self.plan.generate == 0 {
            return Ok(None);
        }
        at_depth(session, model, depth)?;
        let begin = Instant::now();
        for token in tokens(model, n) {
            session.feed(&[token])?;
        }
        Ok(Some(per_second(n, begin.elapsed())))
    }

    fn batches(&self, model: &Arc<Model>, bar: &ProgressBar) -> anyhow::Result<Vec<Batch>> {
        let mut batches = Vec::new();
        if self.plan.generate == 0 {
            return Ok(batches);
        }
        // Nobody asked for these, so each is measured once; it takes all of them to see the curve.
        let repeat = self.plan.asked_parallel.map_or(1, |_| self.plan.repeat);
        for &sequences in &self.plan.parallel {
            bar.set_message(format!("{sequences} conversations at once"));
            batches.push(Batch::new(sequences, self.batch(model, sequences, repeat)?));
        }
        Ok(batches)
    }

    /// Tokens per second of all conversations together, each behind the first depth, computed in one pass.
    fn batch(
        &self,
        model: &Arc<Model>,
        sequences: usize,
        repeat: usize,
    ) -> anyhow::Result<Vec<f64>> {
        let depth = self.plan.depths.first().copied().unwrap_or(0);
        let mut sessions: Vec<Session> = (0..sequences)
            .map(|_| Session::new(model.clone()))
            .collect();
        let mut all = Vec::with_capacity(repeat);
        for _ in 0..repeat {
            for session in &mut sessions {
                at_depth(session, model, depth)?;
            }
            all.push(self.together(model, &mut sessions)?);
        }
        Ok(all)
    }

    fn together(&self, model: &Model, sessions: &mut [Session]) -> anyhow::Result<f64> {
        let sequences = sessions.len();
        let n = self.plan.generate.min(BATCH_TOKENS);
        let tokens = tokens(model, n + sequences);
        let mut written = 0;
        let begin = Instant::now();
        for tokens in tokens.windows(sequences).take(n) {
            Session::feed_together(sessions, tokens)?;
            written += sequences;
            if begin.elapsed() > BATCH_TIME {
                break;
            }
        }
        Ok(per_second(written, begin.elapsed()))
    }
}

/// Brings a session to exactly `depth` tokens.
fn at_depth(session: &mut Session, model: &Model, depth: usize) -> reckon::engine::Result<()> {
    let held = session.rewind(depth);
    session.feed(&tokens(model, depth)[held..])
}

/// Made-up tokens, the same ones every time.
fn tokens(model: &Model, n: usize) -> Vec<Token> {
    let size = u32::try_from(model.n_vocab()).unwrap_or(u32::MAX);
    (0..n)
        .map(|i| (i as u32).wrapping_mul(2_654_435_761) % size)
        .collect()
}

fn per_second(tokens: usize, time: Duration) -> f64 {
    tokens as f64 / time.as_secs_f64().max(1e-9)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn giga(rate: f64) -> f64 {
    rate / 1e9
}
