//! Reckon's engine.

use crate::measure::Engine;
use anyhow::{Context as _, Result};
use reckon_engine::{Model, ModelOptions, Session};
use reckon_kernels::Isa;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub struct Ours {
    model: Arc<Model>,
    session: Session,
}

impl Ours {
    pub fn open(path: &Path, threads: usize, context: usize, isa: Option<&str>) -> Result<Self> {
        let isa = isa
            .map(|name| Isa::named(name).context("this CPU has no such instructions"))
            .transpose()?;
        let options = ModelOptions {
            cpus: (0..threads).collect(),
            n_ctx: Some(context),
            isa,
            ..ModelOptions::default()
        };
        let model = Arc::new(Model::load(path, &options, &mut |_| {})?);
        let session = Session::new(model.clone());
        Ok(Self { model, session })
    }
}

impl Engine for Ours {
    fn name(&self) -> String {
        format!("reckon:{}", self.model.isa())
    }

    fn reset(&mut self) -> Result<()> {
        self.session.rewind(0);
        Ok(())
    }

    fn read(&mut self, tokens: &[u32]) -> Result<()> {
        Ok(self.session.feed(tokens)?)
    }

    fn batch(&mut self, sequences: usize, steps: usize) -> Result<Option<f64>> {
        let new = |_| Session::new(self.model.clone());
        let mut sessions: Vec<Session> = (0..sequences).map(new).collect();
        let step = |sessions: &mut [Session], i: usize| -> Result<()> {
            let tokens: Vec<u32> = (0..sequences).map(|s| (s * 97 + i) as u32).collect();
            Ok(Session::feed_together(sessions, &tokens)?)
        };
        step(&mut sessions, 0)?;
        let start = Instant::now();
        for i in 1..=steps {
            step(&mut sessions, i)?;
        }
        Ok(Some(
            (sequences * steps) as f64 / start.elapsed().as_secs_f64(),
        ))
    }

    fn vocabulary(&self) -> usize {
        self.model.n_vocab()
    }
}
