//! llama.cpp through the `llama-cpp-2` crate, with its own defaults but for threads and context.

use crate::measure::Engine;
use anyhow::Result;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::token::LlamaToken;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

static BACKEND: OnceLock<LlamaBackend> = OnceLock::new();

pub struct Llama {
    model: &'static LlamaModel,
    context: LlamaContext<'static>,
    held: usize,
}

/// Sequences that fit a batch.
const SEQUENCES: u32 = 16;

impl Llama {
    pub fn open(path: &Path, threads: usize, context: usize) -> Result<Self> {
        let backend = BACKEND.get_or_init(|| {
            let mut backend = LlamaBackend::init().expect("llama.cpp starts once");
            backend.void_logs();
            backend
        });
        let loaded = LlamaModel::load_from_file(backend, path, &LlamaModelParams::default())?;
        // A context borrows its model; both live until the process ends.
        let model: &'static LlamaModel = Box::leak(Box::new(loaded));
        let threads = i32::try_from(threads)?;
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(u32::try_from(context)?))
            .with_n_seq_max(SEQUENCES)
            .with_kv_unified(true)
            .with_n_threads(threads)
            .with_n_threads_batch(threads);
        let context = model.new_context(backend, params)?;
        Ok(Self {
            model,
            context,
            held: 0,
        })
    }
}

impl Engine for Llama {
    fn name(&self) -> String {
        "llama.cpp".into()
    }

    fn reset(&mut self) -> Result<()> {
        self.context.clear_kv_cache();
        self.held = 0;
        Ok(())
    }

    fn read(&mut self, tokens: &[u32]) -> Result<()> {
        let parts = tokens.chunks(512);
        let last = parts.len() - 1;
        for (i, part) in parts.enumerate() {
            let mut batch = LlamaBatch::new(part.len(), 1);
            for (k, &token) in part.iter().enumerate() {
                let wanted = i == last && k + 1 == part.len();
                batch.add(
                    LlamaToken(i32::try_from(token)?),
                    i32::try_from(self.held + k)?,
                    &[0],
                    wanted,
                )?;
            }
            self.context.decode(&mut batch)?;
            self.held += part.len();
        }
        let _ = self
            .context
            .get_logits_ith(i32::try_from((tokens.len() - 1) % 512)?);
        Ok(())
    }

    fn batch(&mut self, sequences: usize, steps: usize) -> Result<Option<f64>> {
        let step = |context: &mut LlamaContext<'_>, i: usize| -> Result<()> {
            let mut batch = LlamaBatch::new(sequences, 1);
            for s in 0..sequences {
                batch.add(
                    LlamaToken(i32::try_from(s * 97 + i)?),
                    i32::try_from(i)?,
                    &[i32::try_from(s)?],
                    true,
                )?;
            }
            context.decode(&mut batch)?;
            let _ = context.get_logits_ith(0);
            Ok(())
        };
        step(&mut self.context, 0)?;
        let start = Instant::now();
        for i in 1..=steps {
            step(&mut self.context, i)?;
        }
        Ok(Some(
            (sequences * steps) as f64 / start.elapsed().as_secs_f64(),
        ))
    }

    fn vocabulary(&self) -> usize {
        usize::try_from(self.model.n_vocab()).unwrap_or(0)
    }
}
