//! Reckon's engine.

use crate::measure::Engine;
use anyhow::{Context as _, Result};
use reckon_engine::{Model, ModelOptions, Session};
use reckon_kernels::Isa;
use std::path::Path;

pub struct Ours {
    model: Model,
    session: Session,
}

impl Ours {
    pub fn open(path: &Path, threads: usize, context: usize, isa: Option<&str>) -> Result<Self> {
        let isa = isa.map(|name| Isa::named(name).context("this CPU has no such instructions")).transpose()?;
        let options = ModelOptions { cpus: (0..threads).collect(), n_ctx: Some(context), isa, ..ModelOptions::default() };
        let model = Model::load(path, &options, &mut |_| {})?;
        let session = Session::new(&model);
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
        Ok(self.session.feed(&self.model, tokens)?)
    }

    fn batch(&mut self, _sequences: usize, _steps: usize) -> Result<Option<f64>> {
        Ok(None)
    }

    fn vocabulary(&self) -> usize {
        self.model.n_vocab()
    }
}
