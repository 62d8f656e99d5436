//! The only SIMD and almost the only `unsafe` of Reckon: weight formats, packed
//! matrices, the products over them, the vector operations of a transformer, and
//! the thread pool that runs them.
#![expect(
    unsafe_code,
    reason = "SIMD loads and the thread pool's shared job need it"
)]

mod activations;
mod attention;
mod block;
mod buffer;
mod cache;
mod format;
mod half;
mod math;
mod matmul;
mod ops;
mod pack;
mod pool;
mod probe;
mod simd;

pub use activations::{Activations, Forms};
pub use attention::{Queries, attend};
pub use block::dequantize_row;
pub use buffer::Aligned;
pub use cache::{Cache, Precision};
pub use format::Format;
pub use half::{bf16_to_f32, f16_to_f32, f32_to_f16};
pub use matmul::{Gates, Product, gated_matmul, matmul};
pub use ops::{Gate, Pairing, add, add_normed, gated, rms_norm, rope, scale, softcap, softmax};
pub use pack::{Matrix, Source};
pub use pool::{Pool, pin};
pub use probe::Probe;
pub use simd::Isa;
