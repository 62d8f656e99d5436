//! The hyperparameters of a model, read from GGUF metadata and checked.
//!
//! Read once at load; after that nothing about the architecture is asked again. Families differ by values here, not by
//! code paths: `forward` knows no names. Every number that sizes memory is bounded, because the file is not trusted.
//! Source: GEMMA 4 as published by its authors, the others as llama.cpp names their keys.

mod delta;
mod experts;
mod rope;

use crate::{Error, Result};
pub(crate) use delta::DeltaNet;
pub(crate) use experts::Experts;
use reckon_gguf::{File, Metadata, Tensor};
use reckon_kernels::{ActivationFn, Format, RopePairing, dequantize_row};
use rope::RopeFrequencies;

/// What a model is made of.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) architecture: String,
    pub(crate) n_vocab: usize,
    pub(crate) n_embd: usize,
    /// The longest context that the model was trained for.
    pub(crate) n_ctx: usize,
    pub(crate) epsilon: f32,
    /// Factor on the embedding of a token.
    pub(crate) embedding_scale: f32,
    /// Factor on what attention and feed-forward add to the residual stream.
    pub(crate) residual_scale: Option<f32>,
    /// Factor on logits.
    pub(crate) logit_scale: Option<f32>,
    /// Factor on queries that grows with their position.
    pub(crate) temperature: Option<Temperature>,
    /// Whether the file holds Q, K and V in one matrix, and the two halves of a feed-forward network's first step.
    pub(crate) fused: bool,
    pub(crate) activation: ActivationFn,
    pub(crate) pairing: RopePairing,
    /// Whether queries and keys are normalised per head, by a weight.
    pub(crate) head_norms: bool,
    /// Whether values are normalised before they go into the KV cache.
    pub(crate) norm_values: bool,
    /// Whether attention and feed-forward are normalised after as well as before.
    pub(crate) post_norms: bool,
    /// The norm before the feed-forward network, as its tensor is called.
    pub(crate) ffn_norm: &'static str,
    /// Whether full layers may have no value projection: their values are then their keys, before norm and RoPE.
    pub(crate) keys_as_values: bool,
    /// Whether the softmax of attention has a sink for each head.
    pub(crate) sinks: bool,
    /// Whether queries come with a gate for what attention gives.
    pub(crate) gated_attention: bool,
    /// What the layers that do not attend are made of, where there are any.
    pub(crate) delta: Option<DeltaNet>,
    /// The experts of each layer, if it has any.
    pub(crate) experts: Option<Experts>,
    /// Whether the residual stream is scaled at the end of each layer.
    pub(crate) layer_scale: bool,
    /// Logits are cap · tanh(logit / cap).
    pub(crate) softcap: Option<f32>,
    /// Width of a layer's per-layer input (Gemma 4), if there is one.
    pub(crate) n_embd_per_layer: Option<usize>,
    /// How layers rotate, by `Layer::rope`.
    pub(crate) ropes: Vec<RopeFrequencies>,
    pub(crate) layers: Vec<Layer>,
}

/// What one layer is made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layer {
    pub(crate) heads: usize,
    pub(crate) kv_heads: usize,
    /// Elements of a head.
    pub(crate) dim: usize,
    pub(crate) n_ff: usize,
    /// Positions seen, the token's own included; `None` sees all.
    pub(crate) window: Option<usize>,
    /// Index into `Config::ropes`.
    pub(crate) rope: usize,
    /// Whether it has a KV cache of its own.
    pub(crate) owns_kv: bool,
    /// The layer whose KV cache is read: itself, an earlier one, or, in a drafter, one of its target's.
    pub(crate) kv_source: usize,
    /// Whether it is a gated delta layer, which has neither heads nor a KV cache as the others do.
    pub(crate) is_delta: bool,
    /// Factor on attention scores.
    pub(crate) scale: f32,
}

/// Queries at position p are multiplied by 1 + scale · ln(1 + ⌊p / length⌋), so that attention stays sharp far out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Temperature {
    pub(crate) scale: f32,
    pub(crate) length: usize,
}

/// What sets a family apart before its file is read.
pub(crate) struct Family {
    activation: ActivationFn,
    pairing: RopePairing,
    scaled_embedding: bool,
    post_norms: bool,
    /// One sliding window for every `period - 1` of `period` layers, if the file has a window but no pattern; 0: for all.
    period: usize,
    /// RoPE base of sliding layers where the file has none; `None`: they rotate as full layers do.
    local_base: Option<f32>,
    /// Every so manyth layer does not rotate; 0: all do.
    unrotated: usize,
    fused: bool,
}

const LLAMA: Family = Family {
    activation: ActivationFn::Silu,
    pairing: RopePairing::Neighbours,
    scaled_embedding: false,
    post_norms: false,
    period: 1,
    local_base: None,
    unrotated: 0,
    fused: false,
};
const QWEN: Family = Family {
    pairing: RopePairing::Halves,
    ..LLAMA
};
/// A layer of four does not rotate. No key says so; llama.cpp has the number in its code, too.
const SMOLLM3: Family = Family {
    unrotated: 4,
    ..LLAMA
};
/// Where there is a window, all layers have it, as in `transformers`; llama.cpp leaves Phi 3's windows out.
const PHI3: Family = Family {
    period: 0,
    fused: true,
    ..QWEN
};
pub(crate) const GEMMA: Family = Family {
    activation: ActivationFn::Gelu,
    scaled_embedding: true,
    post_norms: true,
    period: 6,
    local_base: Some(10_000.0),
    ..QWEN
};
/// Sliding layers rotate as full ones do.
const GPT_OSS: Family = Family {
    activation: ActivationFn::ClampedSilu,
    period: 2,
    ..QWEN
};

impl Family {
    #[expect(clippy::cast_precision_loss, reason = "n_embd is at most 2^16")]
    fn embedding_scale(&self, n_embd: usize) -> f32 {
        match self.scaled_embedding {
            true => (n_embd as f32).sqrt(),
            false => 1.0,
        }
    }

    /// `Layer::rope` of the ith layer.
    fn rope(&self, i: usize, sliding: bool) -> usize {
        if self.unrotated > 0 && (i + 1).is_multiple_of(self.unrotated) {
            rope::NONE
        } else if sliding && self.local_base.is_some() {
            rope::SLIDING
        } else {
            rope::FULL
        }
    }
}

/// The architectures that we run, as GGUF names them.
pub const ARCHITECTURES: [&str; 14] = [
    "gemma4",
    "gemma3",
    "llama",
    "qwen2",
    "qwen2moe",
    "qwen3",
    "qwen3moe",
    "qwen35",
    "qwen35moe",
    "gpt-oss",
    "granite",
    "smollm3",
    "phi3",
    "mistral3",
];

/// The architecture of a drafter, which runs only beside its target.
pub(crate) const DRAFTER: &str = "gemma4-assistant";

impl Config {
    /// The config of a model.
    pub(crate) fn read(file: &File) -> Result<Self> {
        let architecture = file.metadata().str("general.architecture")?;
        let family = match architecture {
            "llama" | "granite" | "mistral3" => LLAMA,
            "smollm3" => SMOLLM3,
            "phi3" => PHI3,
            "qwen2" | "qwen2moe" | "qwen3" | "qwen3moe" | "qwen35" | "qwen35moe" => QWEN,
            "gpt-oss" => GPT_OSS,
            "gemma3" | "gemma4" => GEMMA,
            DRAFTER => {
                return Err(Error::Model(
                    "this file is a drafter; it only helps the Gemma 4 that it was made for".into(),
                ));
            }
            other => {
                let known = ARCHITECTURES.join(", ");
                return Err(Error::Model(format!(
                    "unknown architecture '{other}'; known are {known}"
                )));
            }
        };
        Self::of_family(file, architecture, &family, None)
    }

    /// Reads a file of this family; the layers of a drafter read the KV caches of `target`.
    pub(crate) fn of_family(
        file: &File,
        architecture: &str,
        family: &Family,
        target: Option<&Self>,
    ) -> Result<Self> {
        let keys = MetadataKeys {
            meta: file.metadata(),
            architecture,
        };
        let gemma4 = matches!(architecture, "gemma4" | DRAFTER);
        let gpt_oss = architecture == "gpt-oss";
        let qwen35 = matches!(architecture, "qwen35" | "qwen35moe");
        let n_embd = keys.size("embedding_length", 1 << 16)?;
        let embedding = file.tensor("token_embd.weight")?;
        let n_vocab = embedding.rows();
        let n_layer = n_layer(&keys, qwen35)?;
        let mut config = Self {
            n_vocab,
            n_embd,
            n_ctx: keys.size("context_length", 1 << 24)?,
            epsilon: keys
                .meta
                .f32(&keys.key("attention.layer_norm_rms_epsilon"))?,
            embedding_scale: keys
                .opt_factor("embedding_scale")?
                .unwrap_or(family.embedding_scale(n_embd)),
            residual_scale: keys.opt_factor("residual_scale")?,
            // Granite divides by its key of this name.
            logit_scale: keys.opt_factor("logit_scale")?.map(|scale| 1.0 / scale),
            temperature: temperature(&keys)?,
            fused: family.fused,
            activation: family.activation,
            pairing: family.pairing,
            head_norms: family.post_norms || qwen35 || matches!(architecture, "qwen3" | "qwen3moe"),
            norm_values: gemma4,
            post_norms: family.post_norms,
            ffn_norm: match gpt_oss || qwen35 {
                true => "post_attention_norm",
                false => "ffn_norm",
            },
            keys_as_values: gemma4,
            sinks: gpt_oss,
            gated_attention: qwen35,
            delta: qwen35.then(|| DeltaNet::read(&keys)).transpose()?,
            experts: Experts::read(&keys)?,
            layer_scale: gemma4,
            softcap: keys
                .opt_f32("final_logit_softcapping")?
                .filter(|cap| *cap > 0.0),
            n_embd_per_layer: keys.opt_size("embedding_length_per_layer_input", 1 << 16)?,
            ropes: Vec::new(),
            layers: Vec::new(),
            architecture: architecture.to_owned(),
        };
        config.layers = layers(&keys, family, n_layer, &config, target)?;
        config.ropes = rope::ropes(&keys, family, file, &config.layers, config.n_ctx)?;
        Ok(config)
    }

    /// The longest context that RoPE serves without its factors for long ones, where it has such factors.
    pub(crate) fn n_ctx_short(&self) -> Option<usize> {
        self.ropes.iter().find_map(RopeFrequencies::n_ctx_short)
    }

    /// Settles on what depends on the context that the model is loaded with.
    pub(crate) fn settle(&mut self, n_ctx: usize) {
        self.ropes.iter_mut().for_each(|rope| rope.settle(n_ctx));
    }

    /// The last layer that keeps something of every token, nearly always a KV cache: above it only tokens whose logits are
    /// wanted matter.
    pub(crate) fn last_kept_layer(&self) -> usize {
        self.layers
            .iter()
            .rposition(|layer| layer.owns_kv || layer.is_delta)
            .unwrap_or(0)
    }

    /// The last layer with a KV cache of its own that slides, or that does not.
    fn last_own(&self, sliding: bool) -> Option<usize> {
        self.layers
            .iter()
            .rposition(|layer| layer.owns_kv && layer.window.is_some() == sliding)
    }
}

/// Metadata under the architecture's name.
pub(crate) struct MetadataKeys<'a> {
    pub(crate) meta: Metadata<'a>,
    pub(crate) architecture: &'a str,
}

impl MetadataKeys<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.architecture)
    }

    /// A number from 1 to `most`.
    pub(crate) fn size(&self, name: &str, most: usize) -> Result<usize> {
        bounded(&self.key(name), self.meta.u32(&self.key(name))?, most)
    }

    fn opt_size(&self, name: &str, most: usize) -> Result<Option<usize>> {
        let value = self.meta.opt_u32(&self.key(name))?.filter(|&n| n > 0);
        value.map(|n| bounded(&self.key(name), n, most)).transpose()
    }

    fn opt_f32(&self, name: &str) -> Result<Option<f32>> {
        Ok(self.meta.opt_f32(&self.key(name))?)
    }

    /// A positive number; files write 0 where nothing is set.
    fn opt_factor(&self, name: &str) -> Result<Option<f32>> {
        match self.opt_f32(name)? {
            None | Some(0.0) => Ok(None),
            // Not subnormal either: some are divided by.
            Some(x) if x > 0.0 && x.is_normal() => Ok(Some(x)),
            Some(x) => {
                let key = self.key(name);
                Err(Error::Model(format!("{key} is {x}, expected more than 0")))
            }
        }
    }

    /// A number for each layer: one for all, or an array.
    fn sizes(&self, name: &str, n_layer: usize, most: usize) -> Result<Vec<usize>> {
        let key = self.key(name);
        let values = self.meta.u32_per_layer(&key, n_layer)?;
        values.into_iter().map(|n| bounded(&key, n, most)).collect()
    }
}

fn bounded(key: &str, value: u32, most: usize) -> Result<usize> {
    match usize::try_from(value) {
        Ok(n) if (1..=most).contains(&n) => Ok(n),
        _ => Err(Error::Model(format!(
            "{key} is {value}, expected 1 to {most}"
        ))),
    }
}

/// How many layers there are. Qwen 3.5's files count those of its drafter, which come last and are not run, among them.
fn n_layer(keys: &MetadataKeys<'_>, qwen35: bool) -> Result<usize> {
    let all = keys.size("block_count", 1024)?;
    let drafting = match qwen35 {
        true => keys.opt_size("nextn_predict_layers", all)?.unwrap_or(0),
        false => 0,
    };
    match all - drafting {
        0 => Err(Error::Model("all layers are those of a drafter".into())),
        n_layer => Ok(n_layer),
    }
}

/// Hidden width of the network that every token of a layer goes through; experts have widths of their own.
fn n_ff(keys: &MetadataKeys<'_>, n_layer: usize, experts: Option<&Experts>) -> Result<Vec<usize>> {
    if let Some(shared) = experts.and_then(|experts| experts.n_ff_shared) {
        return Ok(vec![shared; n_layer]);
    }
    keys.sizes("feed_forward_length", n_layer, 1 << 20)
}

fn layers(
    keys: &MetadataKeys<'_>,
    family: &Family,
    n_layer: usize,
    config: &Config,
    target: Option<&Config>,
) -> Result<Vec<Layer>> {
    let n_embd = config.n_embd;
    let heads = keys.sizes("attention.head_count", n_layer, 1024)?;
    let kv_heads = if keys.meta.contains(&keys.key("attention.head_count_kv")) {
        keys.sizes("attention.head_count_kv", n_layer, 1024)?
    } else {
        heads.clone()
    };
    let n_ff = n_ff(keys, n_layer, config.experts.as_ref())?;
    let delta = match config.delta {
        Some(_) => delta::delta_layers(keys, n_layer)?,
        None => vec![false; n_layer],
    };
    let sliding = sliding(keys, family, n_layer)?;
    let window = keys.opt_size("attention.sliding_window", 1 << 24)?;
    let dim = keys.opt_size("attention.key_length", 4096)?;
    let local_dim = keys.opt_size("attention.key_length_swa", 4096)?.or(dim);
    let shared = keys
        .opt_size("attention.shared_kv_layers", n_layer)?
        .unwrap_or(0);
    let own_scale = keys.opt_factor("attention.scale")?;
    let mut layers: Vec<Layer> = Vec::with_capacity(n_layer);
    for i in 0..n_layer {
        let local = sliding[i] && window.is_some();
        // Gemma 4's full layers have heads of another width than its sliding ones.
        let dim = if local { local_dim } else { dim }.unwrap_or(n_embd / heads[i]);
        // Where this layer's keys and values come from: a drafter's from its target; a layer that shares from the last
        // layer of its own kind (sliding or full) that does not; every other from itself.
        let source = match target {
            Some(target) => target.last_own(local),
            None if i < n_layer - shared => Some(i),
            None => sliding[..n_layer - shared]
                .iter()
                .rposition(|&s| s == sliding[i]),
        };
        let source = source.ok_or_else(|| {
            Error::Model(format!(
                "layer {i} shares keys, but no earlier layer of its kind has any"
            ))
        })?;
        let layer = Layer {
            heads: heads[i],
            kv_heads: kv_heads[i],
            dim,
            n_ff: n_ff[i],
            window: window.filter(|_| local),
            rope: family.rope(i, local),
            owns_kv: target.is_none() && source == i && !delta[i],
            kv_source: source,
            is_delta: delta[i],
            scale: own_scale
                .unwrap_or_else(|| scale(keys.architecture, n_layer, n_embd / heads[i], dim)),
        };
        // Kernels work on whole vectors of 16, and query heads share KV heads evenly.
        if dim == 0 || !dim.is_multiple_of(16) || !heads[i].is_multiple_of(kv_heads[i]) {
            return Err(Error::Model(format!(
                "layer {i} has {} heads of {dim} over {} KV heads",
                heads[i], kv_heads[i]
            )));
        }
        // This layer's queries meet the other layer's keys head by head, so the shapes must agree.
        let fits = |own: &Layer| own.dim == dim && own.kv_heads == kv_heads[i];
        let target_state = target.map_or(&layers, |target| &target.layers).get(source);
        if !target_state.is_none_or(fits) {
            return Err(Error::Model(format!(
                "layer {i} shares the keys of layer {source}, which has another shape"
            )));
        }
        layers.push(layer);
    }
    Ok(layers)
}

/// Which layers slide: the file's own pattern, else the family's period.
fn sliding(keys: &MetadataKeys<'_>, family: &Family, n_layer: usize) -> Result<Vec<bool>> {
    let key = keys.key("attention.sliding_window_pattern");
    let period = match keys.meta.value(&key) {
        Some(reckon_gguf::Value::Array(_)) => {
            return Ok(keys.meta.bool_per_layer(&key, n_layer)?);
        }
        Some(_) => bounded(&key, keys.meta.u32(&key)?, n_layer.max(family.period))?,
        None => family.period,
    };
    Ok((0..n_layer)
        .map(|i| period == 0 || i % period < period - 1)
        .collect())
}

/// Factor on attention scores: Gemma 4's queries and keys are normalised to fit 1; Gemma 3 27B divides by its width per
/// head.
#[expect(clippy::cast_precision_loss, reason = "widths are small")]
fn scale(architecture: &str, n_layer: usize, width: usize, dim: usize) -> f32 {
    match architecture {
        "gemma4" | DRAFTER => 1.0,
        "gemma3" if n_layer == 62 => 1.0 / (width as f32).sqrt(),
        _ => 1.0 / (dim as f32).sqrt(),
    }
}

/// Mistral 3's factor on queries. Its length is that of the context before YaRN, unless the file has another.
fn temperature(keys: &MetadataKeys<'_>) -> Result<Option<Temperature>> {
    let Some(scale) = keys.opt_factor("attention.temperature_scale")? else {
        return Ok(None);
    };
    let length = match keys.opt_size("attention.temperature_length", 1 << 24)? {
        Some(length) => length,
        None => keys.size("rope.scaling.original_context_length", 1 << 24)?,
    };
    Ok(Some(Temperature { scale, length }))
}

/// Refuses a matrix of another shape.
pub(crate) fn shaped(tensor: &Tensor<'_>, rows: usize, cols: usize) -> Result<()> {
    if tensor.rows() == rows && tensor.row_len() == cols {
        return Ok(());
    }
    let (name, found) = (&tensor.info.name, (tensor.rows(), tensor.row_len()));
    Err(Error::Model(format!(
        "tensor {name} is {} × {}, expected {rows} × {cols}",
        found.0, found.1
    )))
}

/// A small tensor of `len` numbers, widened.
pub(crate) fn floats(file: &File, name: &str, len: usize) -> Result<Vec<f32>> {
    let tensor = file.tensor(name)?;
    if tensor.info.weights() != len
        || !matches!(tensor.info.format, Format::F32 | Format::F16 | Format::BF16)
    {
        let format = tensor.info.format.name();
        return Err(Error::Model(format!(
            "tensor {name} holds {} numbers of {format}, expected {len} floats",
            tensor.info.weights()
        )));
    }
    let mut out = vec![0.0; len];
    dequantize_row(tensor.info.format, tensor.data, &mut out);
    Ok(out)
}
