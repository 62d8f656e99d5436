//! Mixture of experts: how many feed-forward networks a layer has, how many of them a token goes through, and how what
//! they give is weighed.
//!
//! The router's scores choose: the experts with the highest ones, of equal ones the first. Their weights are a softmax;
//! taken over all experts and scaled to sum to 1, or taken over the chosen ones, it is the same. Some models have one more
//! expert that every token goes through.
//! Source: llama.cpp `build_moe_ffn`, Hugging Face `transformers`.

use super::{DRAFTER, MetadataKeys};
use crate::{Error, Result};

/// The experts of each layer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Experts {
    /// Experts of a layer.
    pub(crate) count: usize,
    /// Experts that a token goes through.
    pub(crate) used: usize,
    /// Hidden width of an expert.
    pub(crate) n_ff: usize,
    /// Whether the weights of a token's experts sum to 1; otherwise to what the softmax over all experts gives them.
    pub(crate) is_normalized: bool,
    /// Factor on the weights.
    pub(crate) scale: f32,
    /// Gemma 4: a dense network runs beside the experts. Each has norms of its own, and so has the router.
    pub(crate) beside_dense: bool,
    /// Hidden width of the expert that every token goes through, where there is one; a gate weighs what it gives.
    pub(crate) n_ff_shared: Option<usize>,
}

/// Most experts of a layer; the largest models have 512.
const MOST: usize = 1024;

impl Experts {
    /// The experts that a file has, if it has any.
    pub(super) fn read(keys: &MetadataKeys<'_>) -> Result<Option<Self>> {
        let architecture = keys.architecture;
        let is_mixture = matches!(
            architecture,
            "gpt-oss" | "qwen2moe" | "qwen3moe" | "qwen35moe"
        );
        let count = match is_mixture {
            true => Some(keys.size("expert_count", MOST)?),
            false => keys.opt_size("expert_count", MOST)?,
        };
        let Some(count) = count else { return Ok(None) };
        let used = keys.size("expert_used_count", count)?;
        let n_ff = match keys.opt_size("expert_feed_forward_length", 1 << 20)? {
            Some(n_ff) => n_ff,
            None => keys.size("feed_forward_length", 1 << 20)? / used,
        };
        // Whole vectors: a group of 16 rows is the least that is packed, and there may be a thousand experts.
        if n_ff == 0 || !n_ff.is_multiple_of(16) {
            let key = keys.key("expert_feed_forward_length");
            return Err(Error::Model(format!(
                "{key} is {n_ff}, expected a multiple of 16"
            )));
        }
        refuse_other_routers(keys)?;
        Ok(Some(Self {
            count,
            used,
            n_ff,
            is_normalized: keys
                .meta
                .opt_bool(&keys.key("expert_weights_norm"))?
                // Qwen 2's weights are not scaled, and no key says so.
                .unwrap_or(architecture != "qwen2moe"),
            scale: scale(keys)?,
            beside_dense: matches!(architecture, "gemma4" | DRAFTER),
            n_ff_shared: match architecture {
                "qwen2moe" | "qwen35moe" => Some(n_ff_shared(keys)?),
                _ => None,
            },
        }))
    }
}

/// Hidden width of the shared expert; older files have it where others have that of their dense network.
fn n_ff_shared(keys: &MetadataKeys<'_>) -> Result<usize> {
    match keys.opt_size("expert_shared_feed_forward_length", 1 << 20)? {
        Some(n_ff) => Ok(n_ff),
        None => keys.size("feed_forward_length", 1 << 20),
    }
}

/// Routers that are no softmax over all experts are refused rather than run wrongly.
fn refuse_other_routers(keys: &MetadataKeys<'_>) -> Result<()> {
    // 1 is a softmax over all experts, 3 one over those chosen.
    for (name, known) in [
        ("expert_gating_func", &[0, 1, 3][..]),
        ("expert_group_count", &[0, 1]),
    ] {
        let key = keys.key(name);
        let value = keys.meta.opt_u32(&key)?;
        if let Some(value) = value.filter(|value| !known.contains(value)) {
            return Err(Error::Model(format!("{key} {value} is not supported")));
        }
    }
    Ok(())
}

/// Files write 0 where there is no factor.
fn scale(keys: &MetadataKeys<'_>) -> Result<f32> {
    match keys.opt_f32("expert_weights_scale")?.unwrap_or(0.0) {
        0.0 => Ok(1.0),
        scale if scale.is_finite() => Ok(scale),
        scale => Err(Error::Model(format!("expert_weights_scale is {scale}"))),
    }
}
