//! What keys and values depend on besides the tokens, as one digest: the weights, the architecture, the precision of the
//! KV cache and the code that computes them. K/V with another fingerprint are another model's.
//!
//! Weights are gigabytes, so a mapped file is told apart by its stamp (`reckon_gguf::File::stamp`) and not by its bytes;
//! a file in memory is small and hashed. The vocabulary is left out, because K/V are found by token ids. So are the ISA,
//! the threads and the batch, which change no bit, and `n_ctx`, which only bounds how much is kept.

use crate::config::Config;
use reckon_gguf::File;
use reckon_kernels::Precision;
use sha2::{Digest, Sha256};

/// Digest of what K/V depend on.
pub(crate) type Fingerprint = [u8; 32];

/// Made by `build.rs` of the source of the kernels and of this crate.
const CODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/code.digest"));

/// The fingerprint of a model.
pub(crate) fn fingerprint(file: &File, config: &Config, precision: Precision) -> Fingerprint {
    let mut hasher = Sha256::new();
    let mut add = |part: &[u8]| {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    };
    add(CODE);
    // The bytes of a page are the machine's own.
    add(&1u32.to_ne_bytes());
    add(precision.name().as_bytes());
    // Written out, floats have as many digits as tell them apart.
    add(format!("{config:?}").as_bytes());
    let stamp = file.stamp();
    for tensor in file.tensors() {
        add(format!("{tensor:?}").as_bytes());
        if stamp.is_none()
            && let Some(tensor) = file.opt_tensor(&tensor.name)
        {
            add(tensor.data);
        }
    }
    add(stamp.unwrap_or_default().as_bytes());
    hasher.finalize().into()
}
