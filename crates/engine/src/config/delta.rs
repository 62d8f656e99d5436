//! Gated delta layers (Qwen 3.5): three layers of four attend to no KV cache, but keep a matrix for each head.
//!
//! The matrices are as large after a hundred thousand tokens as after one, so a long context costs memory in the other
//! layers only. The rule itself is `reckon_kernels::delta_rule`.
//! Source: llama.cpp `qwen35.cpp`, Hugging Face `modeling_qwen3_5.py`.

use super::MetadataKeys;
use crate::{Error, Result};
use reckon_kernels::DeltaShape;

/// What a gated delta layer is made of; all of a model are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeltaNet {
    pub(crate) shape: DeltaShape,
    /// Tokens that the convolution over queries, keys and values sees, the newest included.
    pub(crate) taps: usize,
}

/// Most elements of the matrices of a layer; the largest model that was published has a quarter of it.
const MOST_STATE: usize = 1 << 22;

/// Every so manyth layer attends, where the file does not say which.
const ATTENTION_INTERVAL: usize = 4;

impl DeltaNet {
    pub(super) fn read(keys: &MetadataKeys<'_>) -> Result<Self> {
        let value_heads = keys.size("ssm.time_step_rank", 1024)?;
        let values = keys.size("ssm.inner_size", 1 << 20)?;
        let shape = DeltaShape {
            key_heads: keys.size("ssm.group_count", 1024)?,
            value_heads,
            dim: keys.size("ssm.state_size", 4096)?,
            value_dim: values / value_heads,
        };
        let fits = values == shape.value_width()
            && shape.value_dim.is_multiple_of(16)
            && value_heads.is_multiple_of(shape.key_heads)
            && shape.state_len() <= MOST_STATE;
        if !fits {
            return Err(Error::Model(format!(
                "delta layers have {} key heads of {} and {value_heads} value heads over {values}",
                shape.key_heads, shape.dim
            )));
        }
        Ok(Self {
            shape,
            taps: keys.size("ssm.conv_kernel", 16)?,
        })
    }

    /// Elements of the rows before a token that its convolution sees.
    pub(crate) const fn recent_len(&self) -> usize {
        (self.taps - 1) * self.shape.width()
    }
}

/// Which layers are gated delta layers.
pub(super) fn delta_layers(keys: &MetadataKeys<'_>, n_layer: usize) -> Result<Vec<bool>> {
    let key = keys.key("attention.recurrent_layers");
    if keys.meta.contains(&key) {
        return Ok(keys.meta.bool_per_layer(&key, n_layer)?);
    }
    let interval = keys
        .opt_size("full_attention_interval", n_layer.max(ATTENTION_INTERVAL))?
        .unwrap_or(ATTENTION_INTERVAL);
    Ok((1..=n_layer).map(|i| !i.is_multiple_of(interval)).collect())
}
