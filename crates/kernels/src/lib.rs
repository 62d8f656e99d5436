//! CPU kernels of a transformer: quantised weight formats and their packing, GEMM and GEMV over packed weights, the
//! KV cache and attention over it, the gated delta rule, RMS norm, RoPE, softmax, activation functions; and the thread
//! pool that runs them.
//!
//! This is the only SIMD and almost the only `unsafe` of Reckon. Every kernel is written once over `simd::Simd` and
//! compiled for each ISA; all give the same bits, whatever the ISA, the number of threads or the batch.
#![expect(
    unsafe_code,
    reason = "SIMD loads and the thread pool's shared job need it"
)]

mod activations;
mod attention;
mod block;
mod buffer;
mod delta;
mod format;
mod half;
mod kv_cache;
mod math;
mod matmul;
mod ops;
mod pack;
mod pool;
mod probe;
mod simd;

pub use activations::{Activations, InputFormats};
pub use attention::{Queries, attend};
pub use block::dequantize_row;
pub use buffer::Aligned;
pub use delta::{DeltaRows, DeltaShape, delta_rule};
pub use format::Format;
pub use half::{bf16_to_f32, f16_to_f32, f32_to_f16};
pub use kv_cache::{KvCache, Precision};
pub use matmul::{
    GatedProduct, GatedWeights, Product, gated_matmul, gated_matmul_each, matmul, matmul_each,
};
pub use ops::{
    ActivationFn, RopePairing, add, add_normed, add_product, add_scaled, clamp, dot, gated, glu,
    layer_norm, multiply, rms_norm, rope, scale, silu, softcap, softmax,
};
pub use pack::{Matrix, MatrixSource};
pub use pool::{Pool, pin};
pub use probe::Probe;
pub use simd::Isa;

/// What kernels run on: instructions, and the threads to share the work out to.
///
/// Kernels over whole batches take both. Operations on one row, which run inside a thread's share, take the [`Isa`]
/// alone.
#[derive(Debug)]
pub struct Cpu {
    /// Chosen once; every choice gives the same bits.
    pub isa: Isa,
    /// The team of threads.
    pub pool: Pool,
}

impl Cpu {
    /// One thread for each CPU in `cpus`, pinned to it; an empty list means the caller's thread alone.
    pub fn new(isa: Isa, cpus: &[usize]) -> Self {
        Self {
            isa,
            pool: Pool::new(cpus),
        }
    }
}
