//! candle's quantised models: Llama and Qwen 2 shapes; it reads no Gemma 4.

use crate::measure::Engine;
use anyhow::{Result, bail};
use candle_core::quantized::gguf_file::Content;
use candle_core::{Device, Tensor};
use candle_transformers::models::{quantized_gemma3, quantized_llama, quantized_qwen2};
use std::fs::File;
use std::path::Path;

enum Model {
    Llama(quantized_llama::ModelWeights),
    Qwen2(quantized_qwen2::ModelWeights),
    Gemma3(quantized_gemma3::ModelWeights),
}

pub struct Candle {
    model: Model,
    held: usize,
    vocabulary: usize,
}

impl Candle {
    pub fn open(path: &Path, threads: usize) -> Result<Self> {
        // SAFETY: no other thread of this program reads the environment yet; candle asks for it when it first computes.
        unsafe { std::env::set_var("RAYON_NUM_THREADS", threads.to_string()) };
        let mut file = File::open(path)?;
        let content = Content::read(&mut file)?;
        let architecture = content
            .metadata
            .get("general.architecture")
            .map(|v| v.to_string().cloned())
            .transpose()?;
        let vocabulary = content
            .metadata
            .get("tokenizer.ggml.tokens")
            .map(|v| v.to_vec().map(Vec::len))
            .transpose()?
            .unwrap_or(0);
        let device = Device::Cpu;
        let model = match architecture.as_deref() {
            Some("llama") => Model::Llama(quantized_llama::ModelWeights::from_gguf(
                content, &mut file, &device,
            )?),
            Some("qwen2") => Model::Qwen2(quantized_qwen2::ModelWeights::from_gguf(
                content, &mut file, &device,
            )?),
            Some("gemma3") => Model::Gemma3(quantized_gemma3::ModelWeights::from_gguf(
                content, &mut file, &device,
            )?),
            other => bail!("candle does not read {other:?}"),
        };
        Ok(Self {
            model,
            held: 0,
            vocabulary,
        })
    }
}

impl Engine for Candle {
    fn name(&self) -> String {
        "candle".into()
    }

    fn reset(&mut self) -> Result<()> {
        self.held = 0;
        match &mut self.model {
            Model::Llama(model) => model.clear_kv_cache(),
            Model::Qwen2(model) => model.clear_kv_cache(),
            // A forward pass at position 0 starts afresh.
            Model::Gemma3(_) => {}
        }
        Ok(())
    }

    fn read(&mut self, tokens: &[u32]) -> Result<()> {
        let input = Tensor::new(tokens, &Device::Cpu)?.unsqueeze(0)?;
        let logits = match &mut self.model {
            Model::Llama(model) => model.forward(&input, self.held)?,
            Model::Qwen2(model) => model.forward(&input, self.held)?,
            Model::Gemma3(model) => model.forward(&input, self.held)?,
        };
        self.held += tokens.len();
        let _ = logits.flatten_all()?.get(0)?.to_scalar::<f32>()?;
        Ok(())
    }

    fn batch(&mut self, _sequences: usize, _steps: usize) -> Result<Option<f64>> {
        Ok(None)
    }

    fn vocabulary(&self) -> usize {
        self.vocabulary
    }
}
